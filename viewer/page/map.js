// SPDX-License-Identifier: GPL-2.0-only
/*
 * The map: any range of blocks at any scale, from the whole volume to single blocks. Its cells follow each
 * other by block address: from left to right, then down, or see square.js. A cell stands for a power of two of blocks; once
 * it stands for one, closer means larger cells. Cells are about square; those of a whole volume fill the map.
 */
"use strict";

const GUTTER = 84, LEAST_CELL = 3, LEAST_COLUMNS = 8, MOST_COLUMNS = 512, CLOSE_COLUMNS = 32, LEAST_LABEL = 15, BORDERED = 6;
const OVERVIEW_CELLS = 512, LEAST_WINDOW = 4, MARK = 3, FEW_CELLS = 4;
const MOST_CELLS = 16384, LEAST_INK = 0.25, LEAST_GLOW = 0.5, FAINT_RGB = 0x808080, FAINT_INK = 0.25;

/* What of the view decides which cells it has. */
const MOVING = ["first", "per", "columns", "rows"];

/* What is shown: a volume from a block address on; blocks in a cell; columns and rows of cells, and where these begin. */
const view = { volume: null, first: 0, per: 1, columns: LEAST_COLUMNS, rows: 1, cell: LEAST_CELL, height: LEAST_CELL, left: GUTTER };

/* Its cells, when they are there, those of the whole volume, and the cell below the pointer or the one that keys have reached. */
let shown = null, overview = null, mapCursor = null;

/* === Geometry === */

function mapSize() {
	const width = Math.max(1, $("map").clientWidth), height = Math.max(1, $("map").clientHeight), side = Math.min(width, height);

	return isSquare() ? [side, side] : [Math.max(1, width - GUTTER), height];
}

/* Rows that fit, if a row has so many cells. */
function rowsFor(columns) {
	const [width, height] = mapSize();

	return Math.max(1, Math.floor(height / (width / columns)));
}

function mostColumns() {
	const [width] = mapSize();
	let columns = MOST_COLUMNS;

	while (columns > LEAST_COLUMNS && (width / columns < LEAST_CELL || columns * rowsFor(columns) > MOST_CELLS))
		columns /= 2;
	return columns;
}

function setColumns(columns, asked = rowsFor(columns)) {
	const [width, height] = mapSize(), rows = isSquare() ? columns : asked;
	const left = isSquare() ? Math.floor(($("map").clientWidth - width) / 2) : GUTTER;

	Object.assign(view, { columns, rows, cell: width / columns, height: height / rows, left });
}

/* Blocks that the map shows. */
function visible() {
	return view.columns * view.rows * view.per;
}

function isClosest() {
	return view.per === 1 && view.columns === LEAST_COLUMNS;
}

function isWhole() {
	return view.per * view.columns * view.rows >= view.volume.end - view.volume.lba;
}

/* Begin at a block; not before the volume, and with as few empty rows at its end as possible. */
function setFirst(first) {
	const { lba, end, main } = view.volume, row = view.columns * view.per;
	const last = lba + Math.max(0, Math.ceil((end - lba) / row) - view.rows) * row;

	first = main + Math.floor((first - main) / view.per) * view.per;
	view.first = Math.max(lba, Math.min(last, first));
}

/* The column and row of a point, which may be outside of the map. */
function mapPlace(x, y) {
	return [Math.min(view.columns - 1, Math.max(0, Math.floor((x - view.left) / view.cell))),
		Math.min(view.rows - 1, Math.max(0, Math.floor(y / view.height)))];
}

/* The cell in a column and row: its number, first and last block; or null. */
function mapCell(column, row) {
	const isInside = column >= 0 && row >= 0 && column < view.columns && row < view.rows;
	const cell = isInside ? cellAt(column, row) : 0, lba = view.first + cell * view.per;

	if (!isInside || lba >= view.volume.end)
		return null;
	return { cell, column, row, lba, end: Math.min(lba + view.per, view.volume.end) };
}

function mapCellOfEvent(event) {
	const box = $("map").getBoundingClientRect();
	const x = event.clientX - box.left, y = event.clientY - box.top;

	return view.volume && x >= view.left && x < view.left + view.columns * view.cell ? mapCell(...mapPlace(x, y)) : null;
}

/* === Moving === */

/* One step closer or farther; the block at a point, which may be any of its cell, stays there. */
function zoomOnce(isCloser, x, y) {
	const [column, row] = mapPlace(x, y), part = Math.min(0.999, Math.max(0, (x - view.left) / view.cell - column));
	const at = view.first + Math.floor((cellAt(column, row) + part) * view.per);

	if (isCloser ? isClosest() : isWhole())
		return;
	if (isCloser && view.per === 1)
		setColumns(view.columns / 2);
	else if (!isCloser && view.columns < mostColumns())
		setColumns(view.columns * 2);
	else {
		setColumns(mostColumns());
		view.per *= isCloser ? 0.5 : 2;
	}
	if (isWhole()) {
		showWhole();
		return;
	}
	const [newColumn, newRow] = mapPlace(x, y);

	setFirst(at - cellAt(newColumn, newRow) * view.per);
	moved();
}

/* The map has another size. */
function resizeMap() {
	setColumns(Math.min(view.columns, mostColumns()));
	setFirst(view.first);
	moved();
}

function moveBy(columns, rows) {
	setFirst(view.first + (columns + rows * view.columns) * view.per);
	moved();
}

/* The whole volume. */
function showWhole() {
	const blocks = view.volume.end - view.volume.lba;

	setColumns(mostColumns());
	view.per = 1;
	while (!isWhole())
		view.per *= 2;
	while (view.columns > LEAST_COLUMNS && view.columns / 2 * rowsFor(view.columns / 2) * view.per >= blocks)
		setColumns(view.columns / 2);
	setColumns(view.columns, Math.ceil(blocks / view.per / view.columns));
	setFirst(view.volume.lba);
	moved();
}

/* A block in the middle; if that is asked for, close enough to tell it from others. */
function showBlock(lba, isClose) {
	if (isClose) {
		view.per = 1;
		setColumns(Math.min(CLOSE_COLUMNS, mostColumns()));
	}
	setFirst(lba - (Math.floor(view.rows / 2) * view.columns + Math.floor(view.columns / 2)) * view.per);
	moved();
}

function moved() {
	mapCursor = null;
	drawButtons();
	drawOverview();
	keepLink();
	loadCells();
	drawText();
}

/* Where the map cannot be moved, fingers scroll the page. */
function drawButtons() {
	$("closer").disabled = isClosest();
	$("farther").disabled = $("whole").disabled = isWhole();
	$("map").style.touchAction = isWhole() ? "pan-y" : "none";
}

/* === Drawing === */

/* Which blocks the map shows. */
function drawWhere() {
	const { volume, first, per, n } = shown, end = Math.min(first + n * per, volume.end);

	$("where").textContent = (data.volumes.length > 1 ? volume.path + " \u00b7 " : "") + "LBA " + range(first, end - 1) +
		" \u00b7 1 cell = " + count(per, "block");
}

/* There are no cells: the map stays where it was. */
function stayHere() {
	const volume = shown && data.volumes.find(v => v.dev === shown.volume.dev);

	if (!volume)
		return;
	view.volume = volume;
	MOVING.forEach(key => view[key] = shown[key]);
	setColumns(view.columns, view.rows);
	drawButtons();
	drawOverview();
}

/* Cells arrive later. While the map moves on, old ones are not drawn. */
const loadCells = oneAtATime(async () => {
	const { volume, first, per, columns, rows } = view;

	if (!volume)
		return;
	const n = Math.min(columns * rows, Math.ceil((volume.end - first) / per));
	const cells = await source.cells(volume, first, per, n);

	if (!cells)
		stayHere();
	if (!cells || volume !== view.volume)
		return;
	shown = { ...cells, volume, first, per, columns, rows };
	drawWhere();
	drawMap();
});

/* The cells of a file are lit up, or else those that have changed. */
function hasLight() {
	return Boolean(chosen || compared.at);
}

/* A cell has nothing, but had at the moment that is compared with. */
function isFreed(cells, i) {
	return !chosen && compared.at && cells.lit[i] && !cells.share[i];
}

/*
 * As colors_diluted() in color.c: a cell that is not empty has at least some of the colour of its content. If some
 * are lit up, all others are faint and grey. Return: what finds the colour of a cell by its number; there are few colours and many
 * cells.
 */
function colorsOf(cells) {
	const dark = isDark(), paper = dark ? 0 : 255, least = dark ? LEAST_GLOW : LEAST_INK, light = hasLight(), known = new Map();
	const freed = getComputedStyle(document.documentElement).getPropertyValue("--lit");

	const mixed = (own, share, faint) => {
		const ink = share ? (least + (1 - least) * Math.min(1, share)) * (faint ? FAINT_INK : 1) : 0;
		const rgb = faint ? FAINT_RGB : themed(own, dark), mix = value => Math.round(paper + ink * (value - paper));

		return "rgb(" + [rgb >>> 16, rgb >>> 8 & 255, rgb & 255].map(mix) + ")";
	};

	return i => {
		const faint = light && !cells.lit[i], key = 2 * (1024 * cells.rgb[i] + Math.round(1000 * cells.share[i])) + faint;

		if (isFreed(cells, i))
			return freed;
		if (!known.has(key))
			known.set(key, mixed(cells.rgb[i], cells.share[i], faint));
		return known.get(key);
	};
}

function drawCells(context) {
	const { columns, cell, height, left } = view, border = cell >= BORDERED && view.per === 1 ? 1 : 0;
	const colorOf = colorsOf(shown);

	for (let i = 0; i < shown.n;) {
		const [column, row] = placeOf(i), isAlone = border || isSquare();
		let n = 1;

		while (!isAlone && i + n < shown.n && column + n < columns && shown.rgb[i + n] === shown.rgb[i] &&
		       shown.share[i + n] === shown.share[i] && shown.lit[i + n] === shown.lit[i])
			n++;
		/* whole pixels, so that neighbours meet */
		const [x, y, right, bottom] = [left + column * cell, row * height, left + (column + n) * cell, (row + 1) * height].map(Math.round);

		context.fillStyle = colorOf(i);
		context.fillRect(x, y, right - x - border, bottom - y - border);
		i += n;
	}
}

/* Cells of a few pixels get a frame that is large enough to be visible. */
function spaceAround(cell) {
	return Math.max(2, (8 - cell) / 2);
}

/* Frames around the cells of the file that are easily missed: those of a few cells. */
function drawMapLight(context, ink) {
	const { cell, height, left } = view, spaceX = spaceAround(cell), spaceY = spaceAround(height);

	context.strokeStyle = ink;
	context.lineWidth = 1.5;
	for (let i = 0, end; i < shown.n; i = end) {
		for (end = i + 1; shown.lit[i] && shown.lit[end];)
			end++;
		for (let k = i; shown.lit[i] && end - i <= FEW_CELLS && k < end; k++) {
			const [column, row] = placeOf(k);

			context.strokeRect(left + column * cell - spaceX, row * height - spaceY, cell + 2 * spaceX, height + 2 * spaceY);
		}
	}
}

/* Where a segment of several rows begins: a line, or within a row a mark. */
function drawSegments(context, ink) {
	const { columns, rows, cell, height, per, volume } = view, { segment, main } = volume;

	if (segment / per < 4 * columns)
		return;
	context.strokeStyle = ink;
	context.lineWidth = 1.5;
	context.beginPath();
	for (let lba = main + Math.ceil((view.first - main) / segment) * segment; ; lba += segment) {
		const at = Math.round((lba - view.first) / per), row = Math.floor(at / columns);
		const x = Math.round(GUTTER + at % columns * cell), y = Math.round(row * height), bottom = Math.round((row + 1) * height);

		if (row >= rows || lba >= volume.end)
			break;
		if (at % columns) {
			context.moveTo(x + MARK, y);
			context.lineTo(x, y);
			context.lineTo(x, bottom);
			context.lineTo(x + MARK, bottom);
		} else {
			context.moveTo(GUTTER, y);
			context.lineTo(GUTTER + columns * cell, y);
		}
	}
	context.stroke();
}

/* Block addresses of rows. */
function drawLabels(context, ink) {
	const step = Math.max(1, Math.ceil(LEAST_LABEL / view.height));

	context.fillStyle = ink;
	context.font = "11px " + getComputedStyle(document.body).fontFamily;
	context.textAlign = "right";
	context.textBaseline = "middle";
	for (let row = 0; row < view.rows; row += step) {
		const lba = view.first + row * view.columns * view.per;

		if (lba < view.volume.end)
			context.fillText(String(lba), GUTTER - 6, Math.max(6, (row + 0.5) * view.height));
	}
}

function drawMapCursor(context) {
	const { column, row } = mapCursor, space = spaceAround(view.cell);
	const box = [view.left + column * view.cell - space, row * view.height - space, view.cell + 2 * space,
		     view.height + 2 * space];

	context.lineWidth = 4;
	context.strokeStyle = "#fff";
	context.strokeRect(...box);
	context.lineWidth = 2;
	context.strokeStyle = "#000";
	context.strokeRect(...box);
}

function drawMap() {
	const canvas = $("map"), ratio = window.devicePixelRatio || 1, context = canvas.getContext("2d");
	const style = getComputedStyle(document.documentElement);

	if (!shown || MOVING.some(key => shown[key] !== view[key]))
		return;
	canvas.width = Math.round(canvas.clientWidth * ratio);
	canvas.height = Math.round(canvas.clientHeight * ratio);
	context.scale(ratio, ratio);
	drawCells(context);
	if (hasLight())
		drawMapLight(context, style.getPropertyValue("--line"));
	if (!isSquare()) {
		drawSegments(context, style.getPropertyValue("--line"));
		drawLabels(context, style.getPropertyValue("--faint"));
	}
	if (mapCursor)
		drawMapCursor(context);
}

/* === The whole volume, in a strip === */

function overviewX(lba, width) {
	const { volume } = overview;

	return width * (lba - volume.lba) / (volume.end - volume.lba);
}

/* Its cells, and a frame around what the map shows. */
function drawOverview() {
	const canvas = $("overview"), ratio = window.devicePixelRatio || 1, context = canvas.getContext("2d");
	const style = getComputedStyle(document.documentElement), width = canvas.clientWidth, height = canvas.clientHeight;

	if (!overview || !view.volume || overview.volume.dev !== view.volume.dev)
		return;
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	context.scale(ratio, ratio);
	const colorOf = colorsOf(overview);

	for (let i = 0; i < overview.n; i++) {
		const [left, right] = [i, i + 1].map(k => Math.round(overviewX(overview.volume.lba + k * overview.per, width)));

		context.fillStyle = hasLight() && overview.lit[i] ? style.getPropertyValue("--mark") : colorOf(i);
		context.fillRect(left, 0, right - left, height);
	}
	if (isWhole())
		return;
	const left = overviewX(view.first, width), right = overviewX(Math.min(view.first + visible(), view.volume.end), width);
	const more = Math.max(0, (LEAST_WINDOW - (right - left)) / 2), box = [left - more + 1, 1, right - left + 2 * more - 2, height - 2];

	for (const [color, line] of [["--sheet", 4], ["--ink", 2]]) {
		context.strokeStyle = style.getPropertyValue(color);
		context.lineWidth = line;
		context.strokeRect(...box);
	}
}

const loadOverview = oneAtATime(async () => {
	const { volume } = view;
	let per = 1;

	if (!volume)
		return;
	while (per * OVERVIEW_CELLS < volume.end - volume.lba)
		per *= 2;
	const cells = await source.cells(volume, volume.lba, per, Math.ceil((volume.end - volume.lba) / per));

	if (!cells || volume !== view.volume)
		return;
	overview = { ...cells, volume, per };
	drawOverview();
});

function showOverviewPlace(event) {
	const box = $("overview").getBoundingClientRect();

	if (event.buttons & 1 && view.volume)
		showBlock(view.volume.lba + Math.floor((view.volume.end - view.volume.lba) * (event.clientX - box.left) / box.width), false);
}
