// SPDX-License-Identifier: GPL-2.0-only
/* Answers that are in the page itself, see embedded.c, in place of those of fragtrace serve: the functions of source.js. */
"use strict";

const USES = { "-1": "free", "-2": "left", "-3": "other", "-4": "nodes", "-5": "unknown" };

/* The files of the list, with all that the page knows of them. */
let files = [];

function placesOf(volume) {
	return answers.volumes[data.volumes.indexOf(volume)];
}

/* === The list === */

/* The rule of serve_list.c: a folder has the sums of all files below it. */
function fold(found) {
	const lines = new Map();

	for (const file of found.filter(({ path }) => path.startsWith(state.folder))) {
		const end = file.path.indexOf("/", state.folder.length) + 1, path = file.path.slice(0, end);
		const { blocks = 0, extents = 0, fragments = 0, requests = 0, ideal = 0, below = 0 } = lines.get(path) || {};

		lines.set(path || file.key, end ? fileOf([path, "", 0, blocks + file.blocks, extents + file.extents,
			fragments + file.fragments, requests + file.requests, ideal + file.ideal, 0, "", below + 1], file.index) : file);
	}
	return [...lines.values()];
}

function compare(a, b) {
	const { value } = COLUMNS.find(c => c.key === state.sort), x = value(a), y = value(b);

	if (x === y)
		return a.index - b.index;
	return (x < y ? -1 : 1) * (state.down ? -1 : 1);
}

/* === Places === */

function typeOf(volume, lba) {
	const { types } = placesOf(volume), type = types && types[Math.floor((lba - volume.main) / volume.segment)];

	return type && type !== "-" ? Number(type) : undefined;
}

/* Hand out the pieces of a volume, as embedded.c has written them, each with its first block address. */
function eachPiece(volume, take) {
	const { pieces } = placesOf(volume);

	for (let i = 0, lba = volume.lba; i < pieces.length; lba += pieces[i + 1], i += 4)
		take(lba, ...pieces.slice(i, i + 4));
}

/* Those between two block addresses, as fragtrace serve has them. */
function piecesBetween(volume, first, end) {
	const found = [];

	eachPiece(volume, (lba, owner, blocks, offset, cause) => {
		const from = Math.max(lba, first), to = Math.min(lba + blocks, end), file = files[owner];

		if (from < to)
			found.push({ lba: from, blocks: to - from, type: typeOf(volume, from), ...(file ?
				     { path: file.path, key: file.key, offset: offset + from - lba, ...(answers.causes || {})[cause] } :
				     { is: USES[owner] }) });
	});
	return found;
}

/* Those of a file, by its key: since it was asked for, it may have got another place in the list. */
function piecesOf({ key }) {
	const found = [];

	for (const volume of data.volumes)
		eachPiece(volume, (lba, owner, blocks, offset) => files[owner]?.key === key && found.push({ volume, lba, blocks, offset }));
	return found;
}

/* Cells of so many blocks, mixed from those of the volume as serve_view.c does it: the mean colour of what is not free. */
function mixCells(volume, first, per, n) {
	const { cells: flat, per: least } = placesOf(volume).cells, cells = newCells(n), used = new Float64Array(n);
	const sums = [16, 8, 0].map(shift => ({ shift, of: new Float64Array(n) }));

	for (let i = 0, at = volume.lba - first, end; i < flat.length && at < n * per; i += 3, at = end) {
		const rgb = flat[i + 1], share = flat[i + 2] / 1000;

		end = at + flat[i] * least;
		for (let cell = Math.max(0, Math.floor(at / per)); share && cell < n && cell * per < end; cell++) {
			const blocks = share * (Math.min(end, (cell + 1) * per) - Math.max(at, cell * per));

			used[cell] += blocks;
			sums.forEach(({ shift, of }) => of[cell] += blocks * (rgb >>> shift & 255));
		}
	}
	for (let cell = 0; cell < n; cell++) {
		cells.share[cell] = Math.ceil(1000 * used[cell] / per - 0.001) / 1000;
		cells.rgb[cell] = used[cell] ? sums.reduce((rgb, { shift, of }) => rgb | Math.round(of[cell] / used[cell]) << shift, 0) : 0;
	}
	return cells;
}

const embeddedSource = {
	async files() {
		const matching = files.filter(finder(state.find));
		const found = (state.folder === null ? matching : fold(matching)).sort(compare);

		return { found: found.length, files: found.slice(0, state.rows) };
	},

	async file(key) {
		return files.find(f => f.key === key) || null;
	},

	least(volume) {
		return placesOf(volume).cells.per;
	},

	async cells(volume, first, per, n) {
		const cells = mixCells(volume, first, per, n);

		for (const { volume: its, lba, blocks } of chosen ? piecesOf(chosen) : []) {
			const [from, last] = [lba, lba + blocks - 1].map(block => Math.floor((block - first) / per));

			if (its === volume && last >= 0)
				cells.lit.fill(1, Math.max(0, from), last + 1);
		}
		return cells;
	},

	async fragments(file) {
		const fragments = [];

		for (const { lba, blocks, offset } of piecesOf(file).sort((a, b) => a.offset - b.offset)) {
			const last = fragments.at(-1);

			if (last && lba === last[0] + last[1])
				last[1] += blocks;
			else
				fragments.push([lba, blocks, offset]);
		}
		return { first: 0, all: fragments.length, fragments };
	},

	async blocks(volume, first, end) {
		const pieces = piecesBetween(volume, first, end);

		return { pieces, all: pieces.length };
	},
};

const source = answers ? embeddedSource : serverSource;
