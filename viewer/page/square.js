// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the cells of the map are: in rows, or in a square along a Hilbert curve, as in pictures: blocks with similar addresses are
 * close to each other in both directions there. Both are any range at any scale.
 */
"use strict";

const LAYOUTS = ["rows", "hilbert"];

/* As the user has chosen; null: in rows. */
function isSquare() {
	return Boolean(state.square);
}

/* One of four turns of a square of the curve, and back: the second and third quarter stay as they are. */
function turn(side, x, y, right, down) {
	if (down)
		return [x, y];
	return right ? [side - 1 - y, side - 1 - x] : [y, x];
}

/* The column and row of a cell, by its number. */
function placeOf(cell) {
	if (!isSquare())
		return [cell % view.columns, Math.floor(cell / view.columns)];
	let x = 0, y = 0;

	for (let side = 1; side < view.columns; side *= 2) {
		const right = Math.floor(cell / 2) & 1, down = (cell ^ right) & 1;

		[x, y] = turn(side, x, y, right, down);
		x += side * right;
		y += side * down;
		cell = Math.floor(cell / 4);
	}
	return [x, y];
}

/* The number of the cell in a column and row. */
function cellAt(column, row) {
	if (!isSquare())
		return row * view.columns + column;
	let cell = 0, x = column, y = row;

	for (let side = view.columns / 2; side >= 1; side /= 2) {
		const right = x & side ? 1 : 0, down = y & side ? 1 : 0;

		cell += side * side * ((3 * right) ^ down);
		[x, y] = turn(side, x & (side - 1), y & (side - 1), right, down);
	}
	return cell;
}

/* The block in the middle stays about there. */
function setSquare(square) {
	const middle = view.first + visible() / 2, whole = view.volume && isWhole();

	state.square = square;
	keepState();
	drawLayout();
	if (!view.volume)
		return;
	if (whole) {
		showWhole();
		return;
	}
	setColumns(Math.min(view.columns, mostColumns()));
	setFirst(middle - visible() / 2);
	moved();
}

function drawLayout() {
	$("layout").value = LAYOUTS[Number(isSquare())];
}

function startLayout() {
	$("layout").append(...LAYOUTS.map(name => element("option", name)));
	$("layout").addEventListener("change", event => setSquare(event.target.value === LAYOUTS[1]));
	drawLayout();
}
