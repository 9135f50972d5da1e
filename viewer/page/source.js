// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers to the other parts of the page. Both sources have the same functions; all return promises.
 *
 *	files()				the list as the user has sorted it: how many, and the first of them; in a folder, those of
 *					each folder in it are one line
 *	file(key)			one file, or null
 *	cells(volume, first, per, n)	colours, shares, and which cells are lit up
 *	blocks(volume, first, end)	what is between two block addresses: the first pieces, and how many
 *	fragments(file, first)		where some fragments of a file are, and how many
 */
"use strict";

const COLUMNS = [
	{ key: "path", name: "File", value: f => f.path },
	{ key: "extra", name: "Extra", value: f => f.extra,
	  title: "requests of 128 KiB that reading the file needs beyond those of a contiguous one" },
	{ key: "fragments", name: "Fragments", value: f => f.fragments },
	{ key: "split", name: "Split", value: f => f.split, show: v => v.toFixed(2),
	  title: "split factor: how many times the requests of a contiguous file" },
	{ key: "blocks", name: "Blocks", value: f => f.blocks, title: "written blocks of 4 KiB" },
];

/* Fragments in one answer of the server. */
const MOST_STEPS = 1000;

/* The files of a page in a file. */
let files = [];

/* The file that is lit up. */
let chosen = null;

/* The place is a block address with fragtrace serve, otherwise whether the page has the cells of the file. */
function fileOf([path, dev, ino, blocks, extents, fragments, requests, ideal, place, color, below = 0], index) {
	return { path, index, dev, blocks, extents, fragments, place, color, requests, ideal, below, extra: requests - ideal,
		 split: ideal ? requests / ideal : 1, key: dev + " " + ino };
}

/* The rule of serve_view.c: a folder has the sums of all files below it. */
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

const pageSource = {
	async files() {
		const matching = files.filter(finder(state.find));
		const found = (state.folder === null ? matching : fold(matching)).sort(compare);

		return { found: found.length, files: found.slice(0, state.rows) };
	},

	async file(key) {
		return files.find(f => f.key === key) || null;
	},

	async cells(volume, first, per, n) {
		return mixCells(volume, first, per, n, chosen);
	},

	async fragments(file) {
		return fragmentsOf(file);
	},

	async blocks(volume, first, end) {
		const pieces = piecesBetween(volume, first, end);

		return { pieces, all: pieces.length };
	},
};

/* === From fragtrace serve, or from the reader === */

/* The moment of a recording that is shown, see player.js; empty: the one that is shown first. */
let moment = "";

/* Counts the inputs that were shown: an answer about one before is none. Always 0 with fragtrace serve. */
let epoch = 0;

/* Return: the answer; null if there is none. It is 404 if there is no table of a moment. */
async function request(what, args = {}, headers = {}) {
	const by = data.colorings && data.colorings.includes(state.coloring) ? { by: state.coloring } : {}, of = epoch;
	const query = new URLSearchParams({ ...(moment ? { at: moment } : {}), ...by, ...args });
	const answer = data.inputs ? await askReader(what, query) :
		       await fetch(what + "?" + query, { headers, cache: "no-store" }).catch(() => null);

	if (of !== epoch)
		return null;
	isLost = !data.inputs && (!answer || !(answer.ok || answer.status === 304 || answer.status === 404));
	drawFresh();
	return answer;
}

/* Return: what is answered; null if that is what the page has already, or if there is no answer. */
async function ask(what, args, headers) {
	const of = epoch, answer = await request(what, args, headers), found = answer && answer.ok ? await answer.json() : null;

	return of === epoch ? found : null;
}

const serverSource = {
	async files() {
		const folder = state.folder === null ? {} : { folder: state.folder }, all = [];

		/* an answer has at most maxFiles */
		for (let from = 0; ; from += data.maxFiles) {
			const n = Math.min(state.rows - from, data.maxFiles);
			const list = await ask("files", { n, from, sort: state.sort, down: Number(state.down), find: state.find, ...folder });

			all.push(...(list ? list.files.map(fileOf) : []));
			if (!list || all.length >= Math.min(state.rows, list.found))
				return list && { found: list.found, files: all };
		}
	},

	async file(key) {
		const list = await ask("files", { n: 1, key });

		return list && list.files.map(fileOf)[0] || null;
	},

	async cells(volume, first, per, n) {
		const args = { volume: data.volumes.indexOf(volume), first, per, n };

		const answer = await ask("cells", chosen ? { ...args, lit: chosen.key } : args);

		return answer && expandCells(answer, n);
	},

	async fragments(file, first) {
		return ask("fragments", { key: file.key, first });
	},

	async blocks(volume, first, end) {
		const answer = await ask("blocks", { volume: data.volumes.indexOf(volume), first, end });

		return answer || { pieces: [], all: 0 };
	},
};

const source = data.served ? serverSource : pageSource;
