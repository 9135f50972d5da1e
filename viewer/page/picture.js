// SPDX-License-Identifier: GPL-2.0-only
/* The picture of a page in a file: which cell is where, the file that is lit up, and the cursor. */
"use strict";

const FEW_CELLS = 4;

/* The cell below the pointer or the one that keys have reached, or null. */
let cursor = null;

/* === Cells === */

/* Convert the number of a cell on a Hilbert curve to its column and row, and back, as in layout.c. */
function turn(side, x, y, right, down) {
	if (down)
		return [x, y];
	return right ? [side - 1 - y, side - 1 - x] : [y, x];
}

function hilbertPlace(side, cell) {
	let x = 0, y = 0;

	for (let s = 1; s < side; s *= 2) {
		const right = Math.floor(cell / 2) & 1, down = (cell ^ right) & 1;

		[x, y] = turn(s, x, y, right, down);
		x += s * right;
		y += s * down;
		cell = Math.floor(cell / 4);
	}
	return [x, y];
}

function hilbertCell(side, x, y) {
	let cell = 0;

	for (let s = side / 2; s >= 1; s /= 2) {
		const right = x & s ? 1 : 0, down = y & s ? 1 : 0;

		cell += s * s * ((3 * right) ^ down);
		[x, y] = turn(s, x & (s - 1), y & (s - 1), right, down);
	}
	return cell;
}

function placeOf(volume, cell) {
	return data.hilbert ? hilbertPlace(volume.columns, cell) :
	       [cell % volume.columns, Math.floor(cell / volume.columns)];
}

/* The cell in a column and row, or null if there is none. */
function cellAt(volume, column, row) {
	if (column < 0 || row < 0 || column >= volume.columns || row >= volume.rows)
		return null;
	const cell = data.hilbert ? hilbertCell(volume.columns, column, row) :
		     row * volume.columns + column;

	/* the first row of a part of a volume may begin before it */
	return cell < volume.cells && (cell + 1) * data.unitsPerCell > volume.lead ? { volume, cell, column, row } : null;
}

/* The cell at a pixel of the picture. The border beside a cell belongs to the cell. */
function cellAtPixel(x, y) {
	for (const volume of data.volumes) {
		const found = cellAt(volume, Math.floor((x - volume.x) / data.pitch[0]),
				     Math.floor((y - volume.y) / data.pitch[1]));

		if (found)
			return found;
	}
	return null;
}

function cellOfEvent(event) {
	const box = $("picture").getBoundingClientRect();

	return cellAtPixel((event.clientX - box.left) * data.width / box.width,
			   (event.clientY - box.top) * data.height / box.height);
}

/* Indices of the pieces in a cell. */
function piecesOf({ volume, cell }) {
	const v = volume.index, begin = cell * data.unitsPerCell, end = begin + data.unitsPerCell;
	const pieces = [];

	for (let i = pieceAt(v, v.at, begin); i < v.n && v.at[i] < end; i++)
		pieces.push(i);
	return pieces;
}

/* The part of a piece that is in a cell; of a folded one, the whole. */
function partOf({ volume, cell }, i) {
	const v = volume.index, unit = cell * data.unitsPerCell - v.at[i];
	const first = Math.max(0, Math.floor(unit / data.unitsPerBlock));
	const end = Math.ceil((unit + data.unitsPerCell) / data.unitsPerBlock);

	if (v.folded[i])
		return pieceOf(volume, i, v.lba[i], v.lba[i + 1]);
	return pieceOf(volume, i, v.lba[i] + first, v.lba[i] + end);
}

function describeCell(at) {
	const found = piecesOf(at);

	return describePieces(at.volume, found.slice(0, LINES).map(i => partOf(at, i)), found.length);
}

/* The first block of a cell. */
function lbaOf(at) {
	const i = piecesOf(at)[0];

	return i === undefined ? at.volume.lba : partOf(at, i).lba;
}

/* The file with the most blocks in a cell. */
function ownerOf(at) {
	const v = at.volume.index, share = new Map();
	const begin = at.cell * data.unitsPerCell, end = begin + data.unitsPerCell;

	for (const i of piecesOf(at))
		if (v.owner[i] >= 0)
			share.set(v.owner[i], (share.get(v.owner[i]) || 0) +
				  Math.min(end, v.at[i + 1]) - Math.max(begin, v.at[i]));
	const most = [...share].sort((a, b) => b[1] - a[1])[0];

	return most ? files[most[0]].key : null;
}

/* === Drawing === */

function lightFile(context, index) {
	const [pitchX, pitchY] = data.pitch;

	context.fillStyle = "rgba(20, 22, 30, 0.78)";
	for (const volume of data.volumes)
		context.fillRect(volume.x, volume.y, volume.columns * pitchX, volume.rows * pitchY);
	for (const volume of data.volumes) {
		const v = volume.index;

		for (let i = 0; i < v.n; i++)
			if (v.owner[i] === index)
				lightPiece(context, volume, Math.floor(v.at[i] / data.unitsPerCell),
					   Math.floor((v.at[i + 1] - 1) / data.unitsPerCell));
	}
}

/* A few cells are easily missed: draw a frame around them. */
function lightPiece(context, volume, first, last) {
	if (last - first < FEW_CELLS)
		for (let cell = first; cell <= last; cell++) {
			const [column, row] = placeOf(volume, cell);

			drawFrame(context, volume, column, row);
		}
	clearCells(context, volume, first, last);
}

/* Highlight the cells from first to last, as one rectangle for each row. */
function clearCells(context, volume, first, last) {
	const [pitchX, pitchY] = data.pitch, [cellX, cellY] = data.cell;

	for (let cell = first; cell <= last;) {
		const [column, row] = placeOf(volume, cell);
		const n = data.hilbert ? 1 : Math.min(last - cell + 1, volume.columns - column);

		context.clearRect(volume.x + column * pitchX, volume.y + row * pitchY,
				  (n - 1) * pitchX + cellX, cellY);
		cell += n;
	}
}

/* Cells of a few pixels get a frame that is large enough to be visible. */
function spaceAround(cell) {
	return Math.max(2, (8 - cell) / 2);
}

function drawFrame(context, volume, column, row) {
	const [width, height] = data.cell, spaceX = spaceAround(width), spaceY = spaceAround(height);

	context.strokeStyle = "#fff";
	context.lineWidth = 1.5;
	context.strokeRect(volume.x + column * data.pitch[0] - spaceX, volume.y + row * data.pitch[1] - spaceY,
			   width + 2 * spaceX, height + 2 * spaceY);
}

/* The mark of the cell below the pointer is a separate element: it moves more often than the rest. */
function drawCursor() {
	const mark = $("cursor"), percent = (n, of) => 100 * n / of + "%";

	mark.hidden = !cursor;
	if (!cursor)
		return;
	const { volume, column, row } = cursor, [width, height] = data.cell;
	const spaceX = spaceAround(width), spaceY = spaceAround(height);

	mark.style.left = percent(volume.x + column * data.pitch[0] - spaceX, data.width);
	mark.style.top = percent(volume.y + row * data.pitch[1] - spaceY, data.height);
	mark.style.width = percent(width + 2 * spaceX, data.width);
	mark.style.height = percent(height + 2 * spaceY, data.height);
}

function drawLight() {
	const context = $("light").getContext("2d");

	context.clearRect(0, 0, data.width, data.height);
	if (chosen && chosen.place)
		lightFile(context, chosen.index);
}

/* A picture of a part of a volume has no blocks of some files. */
function isDrawn(file) {
	return data.volumes.some(volume => volume.index.owner.includes(file.index));
}

/* === Actions of the user === */

function pointAt(at) {
	cursor = at;
	if (cursor)
		cursor.volumeIndex = data.volumes.indexOf(cursor.volume);
	drawCursor();
	drawText();
}

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/* Return: whether the key means something on the picture. */
function onPictureKey(key) {
	const step = STEPS[key], first = data.volumes[0];

	if (step) {
		pointAt(cursor ? cellAt(cursor.volume, cursor.column + step[0], cursor.row + step[1]) || cursor :
			cellAt(first, 0, 0));
		if (cursor)
			showCell(cursor);
	} else if (key === "Enter" && cursor) {
		chooseKey(ownerOf(cursor));
	} else if (key === "+" || key === "=") {
		showMap(cursor ? cursor.volume : first, cursor ? lbaOf(cursor) : first.lba, true);
	} else {
		return false;
	}
	return true;
}

/* Scroll the picture to make a cell visible. */
function showCell({ volume, column, row }) {
	const box = $("picture").getBoundingClientRect(), view = $("view").getBoundingClientRect();
	const scale = box.width / data.width, space = 24;
	const x = box.left + (volume.x + column * data.pitch[0]) * scale;
	const y = box.top + (volume.y + row * data.pitch[1]) * scale;

	$("view").scrollBy(Math.min(0, x - view.left - space) + Math.max(0, x - view.right + space),
			   Math.min(0, y - view.top - space) + Math.max(0, y - view.bottom + space));
}

/* Where a file begins, as volume and number of the piece; or null. */
function firstPiece(file) {
	for (const volume of data.volumes) {
		const i = volume.index.owner.indexOf(file.index);

		if (i >= 0)
			return { volume, i };
	}
	return null;
}

/* Scroll the picture to the first cell of a file. */
function showOnPicture(file) {
	const found = firstPiece(file);

	if (!found)
		return;
	const { volume, i } = found;
	const [column, row] = placeOf(volume, Math.floor(volume.index.at[i] / data.unitsPerCell));

	showCell({ volume, column, row });
}
