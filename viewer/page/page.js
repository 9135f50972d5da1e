// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page of fragtrace-view: shows what is in a cell, highlights the cells of a file, sorts the
 * files, and updates itself without losing the selections of the user. html.c writes the data.
 *
 * To update, the page loads itself again in a hidden frame. The frame only passes its data to the
 * page. This also works with file:, where a page must not read other files.
 */
"use strict";
(() => {

const FREE = -1, LEFT_OUT = -2;
const RENEW = "#renew";
const ROWS = 100, MORE_ROWS = 400;
const CELL_LINES = 3, FEW_CELLS = 4;

const $ = id => document.getElementById(id);
let data = JSON.parse($("data").textContent);

if (location.hash === RENEW && parent !== window) {
	parent.postMessage(data, location.protocol === "file:" ? "*" : location.origin);
	return;
}

/* === Files === */

const COLUMNS = [
	{ key: "path", name: "File", value: f => f.path },
	{ key: "extra", name: "Extra", value: f => f.extra,
	  title: "requests of 128 KiB that reading the file needs beyond those of a contiguous one" },
	{ key: "fragments", name: "Fragments", value: f => f.fragments },
	{ key: "split", name: "Split", value: f => f.split, show: v => v.toFixed(2),
	  title: "split factor: how many times the requests of a contiguous file" },
	{ key: "blocks", name: "Blocks", value: f => f.blocks, title: "written blocks of 4 KiB" },
];

function fileOf([path, volume, ino, blocks, extents, fragments, requests, ideal, placed, color], index) {
	return { path, index, blocks, extents, fragments, placed, color, extra: requests - ideal,
		 split: ideal ? requests / ideal : 1, key: data.volumes[volume].dev + " " + ino };
}

/* === Pieces === */

/* For each piece: its owner, offset in the file, cause, first unit and first block address. */
function indexPieces(volume) {
	const flat = volume.pieces, width = data.kinds ? 5 : 4, n = flat.length / width;
	const v = { n, owner: new Int32Array(n), offset: new Float64Array(n), folded: new Uint8Array(n), cause: new Uint32Array(n),
		    at: new Float64Array(n + 1), lba: new Float64Array(n + 1) };

	v.lba[0] = volume.lba;
	v.at[0] = volume.lead;
	for (let i = 0; i < n; i++) {
		const [owner, blocks, offset, units, cause = 0] = flat.slice(width * i, width * (i + 1));

		v.owner[i] = owner;
		v.offset[i] = offset;
		v.cause[i] = cause;
		v.folded[i] = units > 0;
		v.at[i + 1] = v.at[i] + (units || blocks * data.unitsPerBlock);
		v.lba[i + 1] = v.lba[i] + blocks;
	}
	return v;
}

/* The piece that a unit belongs to. */
function pieceAt(v, unit) {
	let low = 0, high = v.n;

	while (high - low > 1) {
		const middle = low + high >>> 1;

		if (v.at[middle] <= unit)
			low = middle;
		else
			high = middle;
	}
	return low;
}

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

/* Indices of the pieces in a cell. */
function piecesOf({ volume, cell }) {
	const v = volume.index, begin = cell * data.unitsPerCell, end = begin + data.unitsPerCell;
	const pieces = [];

	for (let i = pieceAt(v, begin); i < v.n && v.at[i] < end; i++)
		pieces.push(i);
	return pieces;
}

function range(first, last) {
	return first === last ? String(first) : first + "\u2013" + last;
}

/* Describe the part of a piece that is in a cell. */
function describePiece({ volume, cell }, i) {
	const v = volume.index, blocks = v.lba[i + 1] - v.lba[i], unit = cell * data.unitsPerCell - v.at[i];
	let first = 0, last = blocks - 1;

	if (!v.folded[i]) {
		first = Math.max(0, Math.floor(unit / data.unitsPerBlock));
		last = Math.min(last, Math.ceil((unit + data.unitsPerCell) / data.unitsPerBlock) - 1);
	}
	const lba = "LBA " + range(v.lba[i] + first, v.lba[i] + last) + (v.folded[i] ? ", folded" : "");

	if (v.owner[i] === FREE)
		return lba + " \u00b7 free, or not watched";
	if (v.owner[i] === LEFT_OUT)
		return lba + " \u00b7 files whose places are left out of this page, and small gaps";
	return lba + " \u00b7 offset " + range(v.offset[i] + first, v.offset[i] + last) + " \u00b7 " +
	       files[v.owner[i]].path + describeCause(v.cause[i]);
}

/* Why a fragment begins where it does; numbers as in module/cause.h. Empty for the first fragment of a file. */
function describeCause(cause) {
	const writer = cause >>> 9;

	if (!cause)
		return "";
	return "\nbroken before it: " + data.kinds[cause & 0x1ff] + (writer ? "; by " + data.writers[writer] : "");
}

function describeCell(at) {
	const pieces = piecesOf(at), lines = pieces.slice(0, CELL_LINES).map(i => describePiece(at, i));

	if (pieces.length > CELL_LINES)
		lines.push("and " + (pieces.length - CELL_LINES) + " more in this cell");
	return lines.join("\n");
}

/* === Selections of the user; they stay when the data is updated === */

const state = { sort: "extra", down: true, chosen: null, find: "", full: false, rows: ROWS };
const stateName = "fragtrace " + location.pathname;
let files = [], cursor = null;

function keepState() {
	try {
		sessionStorage.setItem(stateName, JSON.stringify(state));
	} catch { /* storage is not allowed: the selections last until the page is closed */ }
}

function readState() {
	try {
		Object.assign(state, JSON.parse(sessionStorage.getItem(stateName)));
	} catch { /* as above */ }
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
	const context = $("light").getContext("2d"), file = chosenFile();

	context.clearRect(0, 0, data.width, data.height);
	if (file && file.placed)
		lightFile(context, file.index);
}

function chosenFile() {
	return files.find(f => f.key === state.chosen) || null;
}

function choose(key) {
	state.chosen = key === state.chosen ? null : key;
	keepState();
	drawLight();
	drawRows();
	drawCell();
	const row = document.querySelector("tr.lit");
	if (row)
		row.scrollIntoView({ block: "nearest" });
}

/* A picture of a part of a volume has no blocks of some files. */
function isDrawn(file) {
	return data.volumes.some(volume => volume.index.owner.includes(file.index));
}

/* The text below the picture describes the cell below the pointer, or else the selected file. */
function drawCell() {
	const file = chosenFile();
	let text = "Point at a cell, or click it to light up its file.";

	if (cursor)
		text = describeCell(cursor);
	else if (file)
		text = file.path + " \u00b7 " + file.blocks.toLocaleString("en") + " blocks in " +
		       file.fragments.toLocaleString("en") + (file.fragments === 1 ? " fragment" : " fragments") +
		       (!file.placed ? "; its cells are left out of this page" :
			isDrawn(file) ? "" : "; none of them is in this picture");
	else if (state.chosen)
		text = "The file that was lit up is not there any more.";
	$("cell").textContent = text;
}

/* === Table === */

function compare(a, b) {
	const { value } = COLUMNS.find(c => c.key === state.sort), x = value(a), y = value(b);

	if (x === y)
		return a.index - b.index;
	return (x < y ? -1 : 1) * (state.down ? -1 : 1);
}

function element(tag, text, ...children) {
	const e = document.createElement(tag);

	e.textContent = text;
	e.append(...children);
	return e;
}

function rowOf(file) {
	const row = element("tr", ""), button = element("button", ""), swatch = element("i", "");

	swatch.style.background = file.color;
	button.type = "button";
	button.title = file.path;
	button.dataset.key = file.key;
	button.setAttribute("aria-pressed", file.key === state.chosen);
	button.append(swatch, element("span", "", element("bdi", file.path)));
	row.classList.toggle("lit", file.key === state.chosen);
	row.append(element("td", "", button));
	for (const { value, show } of COLUMNS.slice(1))
		row.append(element("td", show ? show(value(file)) : value(file).toLocaleString("en")));
	row.addEventListener("click", () => {
		choose(file.key);
		if (state.chosen)
			showFile(file);
	});
	return row;
}

function drawRows() {
	const focused = document.activeElement && document.activeElement.dataset.key;
	const found = files.filter(f => f.path.includes(state.find)).sort(compare);

	$("rows").replaceChildren(...found.slice(0, state.rows).map(rowOf));
	$("more").hidden = found.length <= state.rows;
	$("more").textContent = "Show more of " + found.length.toLocaleString("en") + " files";
	for (const th of $("head").children)
		th.setAttribute("aria-sort", th.dataset.key !== state.sort ? "none" :
				state.down ? "descending" : "ascending");
	if (focused)
		for (const button of $("rows").querySelectorAll("button"))
			if (button.dataset.key === focused)
				button.focus({ preventScroll: true });
}

function sortBy(key) {
	state.down = key === state.sort ? !state.down : key !== "path";
	state.sort = key;
	keepState();
	drawRows();
}

function drawHead() {
	for (const { key, name, title } of COLUMNS) {
		const button = element("button", name), th = element("th", "", button);

		button.type = "button";
		button.title = title || "";
		th.scope = "col";
		th.dataset.key = key;
		button.addEventListener("click", () => sortBy(key));
		$("head").append(th);
	}
}

/* === New data === */

function leftOut() {
	const { files: all, unplaced } = data.total, unlisted = all - files.length, parts = [];

	if (unlisted)
		parts.push(`Only the ${files.length.toLocaleString("en")} worst files are listed, ` +
			   `${unlisted.toLocaleString("en")} are left out.`);
	if (unplaced)
		parts.push(`The cells of ${unplaced.toLocaleString("en")} listed files are left out; ` +
			   "there are too many.");
	return parts.join(" ");
}

/* Show all data. The picture was decoded before, so that nothing flickers. */
function adopt(fresh) {
	const old = cursor;

	data = fresh;
	for (const volume of data.volumes)
		volume.index = indexPieces(volume);
	files = data.files.map(fileOf);
	cursor = old && data.volumes[old.volumeIndex] ?
		 cellAt(data.volumes[old.volumeIndex], old.column, old.row) : null;
	if (cursor)
		cursor.volumeIndex = old.volumeIndex;
	const names = data.volumes.map(v => v.path).join(", ");
	document.title = "fragtrace " + names;
	$("volumes").textContent = names || "no directory is watched";
	$("summary").textContent = data.total.files.toLocaleString("en") + " files, " +
		data.total.fragmented.toLocaleString("en") + " of them fragmented" +
		(data.total.stale ? "; " + data.total.stale.toLocaleString("en") +
		 " stale: their blocks may have moved" : "");
	$("left").textContent = leftOut();
	$("cell").classList.toggle("causes", Boolean(data.kinds));
	$("picture").alt = "Where the blocks of " + (names || "no volume") + " lie";
	$("picture").src = data.picture;
	$("light").width = data.width;
	$("light").height = data.height;
	drawRows();
	drawLight();
	drawCursor();
	drawCell();
	drawFresh();
}

let renewedAt = Date.now();

/* Show the time of the reading, and how long a new one is overdue. */
function drawFresh() {
	const time = new Date(data.time), silent = Date.now() - renewedAt;
	const old = data.interval > 0 && silent > 3 * data.interval + 5000;
	const pad = n => String(n).padStart(2, "0");
	const day = [time.getFullYear(), pad(time.getMonth() + 1), pad(time.getDate())].join("-");
	const hour = [time.getHours(), time.getMinutes(), time.getSeconds()].map(pad).join(":");
	let text = day + " " + hour;

	if (old)
		text += ", nothing new for " + Math.round(silent / 1000) + " s";
	else if (data.interval)
		text += ", renewed every " + data.interval / 1000 + " s";
	if ($("fresh").textContent !== text)
		$("fresh").textContent = text;
	$("fresh").classList.toggle("old", old);
}

let frame = null;

function renew() {
	if (frame)
		frame.remove();
	frame = document.createElement("iframe");
	frame.hidden = true;
	frame.src = location.href.split(/[?#]/)[0] + "?" + Date.now() + RENEW;
	document.body.append(frame);
}

async function onMessage(event) {
	if (!frame || event.source !== frame.contentWindow)
		return;
	frame.remove();
	frame = null;
	if (event.data.written === data.written)
		return;
	const image = new Image();
	image.src = event.data.picture;
	await image.decode();
	renewedAt = Date.now();
	adopt(event.data);
}

/* === Actions of the user === */

function pointAt(at) {
	cursor = at;
	if (cursor)
		cursor.volumeIndex = data.volumes.indexOf(cursor.volume);
	drawCursor();
	drawCell();
}

function cellOfEvent(event) {
	const box = $("picture").getBoundingClientRect();

	return cellAtPixel((event.clientX - box.left) * data.width / box.width,
			   (event.clientY - box.top) * data.height / box.height);
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

	return most ? files[most[0]] : null;
}

function chooseAt(at) {
	const file = at && ownerOf(at);

	if (file) {
		state.rows = Math.max(state.rows, rowNumber(file) + 1);
		choose(file.key);
	} else if (state.chosen) {
		choose(state.chosen);
	}
}

/* The index of a file in the sorted table. If the search hides the file, the search is cleared. */
function rowNumber(file) {
	if (!file.path.includes(state.find)) {
		state.find = "";
		$("find").value = "";
	}
	return files.filter(f => f.path.includes(state.find)).sort(compare).indexOf(file);
}

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function onKey(event) {
	const step = STEPS[event.key], first = data.volumes[0];

	if (event.key === "Escape" && state.chosen) {
		choose(state.chosen);
	} else if (event.target !== $("stage") || !first) {
		return;
	} else if (step) {
		pointAt(cursor ? cellAt(cursor.volume, cursor.column + step[0], cursor.row + step[1]) || cursor :
			cellAt(first, 0, 0));
		showCell(cursor);
	} else if (event.key === "Enter" && cursor) {
		chooseAt(cursor);
	} else {
		return;
	}
	event.preventDefault();
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

/* Scroll the picture to the first cell of a file. */
function showFile(file) {
	for (const volume of data.volumes) {
		const i = volume.index.owner.indexOf(file.index);

		if (i >= 0) {
			const [column, row] = placeOf(volume, Math.floor(volume.index.at[i] / data.unitsPerCell));

			showCell({ volume, column, row });
			return;
		}
	}
}

function setFull(full) {
	state.full = full;
	keepState();
	$("full").checked = full;
	$("stage").classList.toggle("full", full);
}

/* === Start === */

readState();
drawHead();
setFull(state.full);
$("find").value = state.find;
adopt(data);
$("stage").addEventListener("pointermove", event => pointAt(cellOfEvent(event)));
$("stage").addEventListener("pointerleave", () => pointAt(null));
$("stage").addEventListener("click", event => chooseAt(cellOfEvent(event)));
document.addEventListener("keydown", onKey);
$("full").addEventListener("change", event => setFull(event.target.checked));
$("find").addEventListener("input", event => {
	state.find = event.target.value;
	keepState();
	drawRows();
});
$("more").addEventListener("click", () => {
	state.rows += MORE_ROWS;
	drawRows();
});
if (data.interval) {
	addEventListener("message", onMessage);
	setInterval(renew, Math.max(data.interval, 500));
	setInterval(drawFresh, 1000);
}

})();
