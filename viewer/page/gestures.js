// SPDX-License-Identifier: GPL-2.0-only
/* Mouse, fingers and keys on the map: wheel, drag and pinch, + - 0, arrows, and what is in the cell below the pointer. */
"use strict";

/*
 * A wheel has turned far enough for a step, which is a notch of most; a dragged pointer has moved far enough to be no
 * click; the distance of two fingers has changed so many times.
 */
const WHEEL_STEP = 120, CLICK_ROOM = 4, PINCH_STEP = 1.4;

/* Where the pointer went down, and what the map showed then; null while it is up. */
let drag = null, wheel = 0, pointed = { text: "", key: null };

/* Where pointers are down, and the distance of two at the last step. */
const touches = new Map();
let pinch = 0;

/* What is in the cell below the pointer; the answer may come when it has moved on. */
const loadText = oneAtATime(async () => {
	const at = mapCursor;

	if (!at)
		return;
	const { pieces, all } = await source.blocks(view.volume, at.lba, at.end);

	if (at !== mapCursor)
		return;
	pointed = { text: describePieces(view.volume, pieces, all), key: mostOf(pieces) };
	drawText();
});

/* The file with the most blocks in some pieces. */
function mostOf(pieces) {
	const share = new Map();

	for (const { key, blocks } of pieces)
		if (key)
			share.set(key, (share.get(key) || 0) + blocks);
	const most = [...share].sort((a, b) => b[1] - a[1])[0];

	return most ? most[0] : null;
}

function pointAtMap(at) {
	if ((at && at.cell) === (mapCursor && mapCursor.cell))
		return;
	mapCursor = at;
	pointed = { text: "", key: null };
	drawMap();
	drawText();
	loadText();
}

function onWheel(event) {
	const box = $("map").getBoundingClientRect(), lines = event.deltaMode ? 30 : 1;

	event.preventDefault();
	if (!view.volume)
		return;
	wheel += event.deltaY * lines;
	for (; Math.abs(wheel) >= WHEEL_STEP; wheel -= Math.sign(wheel) * WHEEL_STEP)
		zoomOnce(wheel < 0, event.clientX - box.left, event.clientY - box.top);
	pointAtMap(mapCellOfEvent(event));
}

function touchDistance() {
	const [a, b] = touches.values();

	return Math.max(1, Math.hypot(a.x - b.x, a.y - b.y));
}

/* Steps closer or farther about the middle of two fingers. */
function onPinch() {
	const box = $("map").getBoundingClientRect(), [a, b] = touches.values();
	const change = touchDistance() / pinch, isCloser = change > 1;

	if (isCloser ? change < PINCH_STEP : change > 1 / PINCH_STEP)
		return;
	pinch = touchDistance();
	zoomOnce(isCloser, (a.x + b.x) / 2 - box.left, (a.y + b.y) / 2 - box.top);
}

function onPress(event) {
	if (event.button || !view.volume)
		return;
	touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
	if (touches.size === 2) {
		drag = null;
		pinch = touchDistance();
		return;
	}
	drag = { x: event.clientX, y: event.clientY, first: view.first, moves: false };
	$("map").setPointerCapture(event.pointerId);
}

function onMove(event) {
	if (touches.has(event.pointerId))
		touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
	if (touches.size === 2)
		onPinch();
	if (!drag) {
		if (!touches.size)
			pointAtMap(mapCellOfEvent(event));
		return;
	}
	const x = event.clientX - drag.x, y = event.clientY - drag.y;

	drag.moves = drag.moves || Math.hypot(x, y) > CLICK_ROOM;
	/* along a curve, nothing would move with the pointer */
	if (!drag.moves || isSquare())
		return;
	$("map").classList.add("dragged");
	const first = drag.first - (Math.round(x / view.cell) + Math.round(y / view.height) * view.columns) * view.per;
	const before = view.first;

	setFirst(first);
	if (view.first !== before)
		moved();
}

function onRelease(event) {
	const clicks = drag && !drag.moves && event.type === "pointerup";

	touches.delete(event.pointerId);
	drag = null;
	$("map").classList.remove("dragged");
	if (clicks)
		chooseOnMap(mapCellOfEvent(event));
}

/* The file with the most blocks in a cell is lit up; where there is none, none is. */
async function chooseOnMap(at) {
	if (at)
		chooseKey(mostOf((await source.blocks(view.volume, at.lba, at.end)).pieces));
}

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/* Keys move the cursor; where the rows of the map end, they move the map. */
function stepOnMap([right, down]) {
	const at = mapCursor || { column: 0, row: 0 };
	let column = at.column + (mapCursor ? right : 0), row = at.row + (mapCursor ? down : 0);

	if (!isSquare() && (column < 0 || column >= view.columns)) {
		column -= right * view.columns;
		row += right;
	}
	if (!isSquare() && (row < 0 || row >= view.rows)) {
		moveBy(0, down || right);
		row = Math.min(view.rows - 1, Math.max(0, row));
	}
	pointAtMap(mapCell(column, row) || mapCursor || mapCell(at.column, at.row));
}

/* Closer to the cell of the cursor, or to the middle. */
function zoomByKey(isCloser) {
	const [width, height] = mapSize(), at = mapCursor;

	if (at)
		zoomOnce(isCloser, view.left + (at.column + 0.5) * view.cell, (at.row + 0.5) * view.height);
	else
		zoomOnce(isCloser, view.left + width / 2, height / 2);
	if (at)
		pointAtBlock(at.lba);
}

function pointAtBlock(lba) {
	pointAtMap(mapCell(...placeOf(Math.floor((lba - view.first) / view.per))));
}

/* Return: whether the key means something on the map. */
function onMapKey(key) {
	if (STEPS[key])
		stepOnMap(STEPS[key]);
	else if (key === "+" || key === "=" || key === "-")
		zoomByKey(key !== "-");
	else if (key === "0")
		showWhole();
	else if (key === "PageDown" || key === "PageUp")
		moveBy(0, key === "PageDown" ? view.rows : -view.rows);
	else if (key === "Enter" && mapCursor)
		chooseOnMap(mapCursor);
	else
		return false;
	return true;
}

function startGestures() {
	const map = $("map");

	map.addEventListener("wheel", onWheel, { passive: false });
	map.addEventListener("pointerdown", onPress);
	map.addEventListener("pointermove", onMove);
	map.addEventListener("pointerup", onRelease);
	map.addEventListener("pointercancel", onRelease);
	map.addEventListener("pointerleave", () => pointAtMap(null));
	$("overview").addEventListener("pointerdown", showOverviewPlace);
	$("overview").addEventListener("pointermove", showOverviewPlace);
	$("closer").addEventListener("click", () => zoomByKey(true));
	$("farther").addEventListener("click", () => zoomByKey(false));
	$("whole").addEventListener("click", showWhole);
}
