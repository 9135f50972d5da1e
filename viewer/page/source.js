// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers to the other parts of the page, from fragtrace serve or from the reader. All functions return promises.
 *
 *	files()				the list as the user has sorted it: how many, and the first of them; in a folder, those of
 *					each folder in it are one line
 *	file(key)			one file, or null
 *	cells(volume, first, per, n)	colours, shares, and which cells are lit up
 *	blocks(volume, first, end)	what is between two block addresses: the first pieces, and how many
 *	fragments(file, first)		where some fragments of a file are, and how many
 */
"use strict";

/* This column is there while two moments are compared. */
const CHANGE = "change";

const COLUMNS = [
	{ key: "path", name: "File", value: f => f.path },
	{ key: "extra", name: "Extra", value: f => f.extra,
	  title: "requests of 128 KiB that reading the file needs beyond those of a contiguous one" },
	{ key: CHANGE, name: "Change", value: f => f.change, show: n => n === null ? "" : (n > 0 ? "+" : n < 0 ? "\u2212" : "") + count(Math.abs(n)),
	  title: "extra requests more than at the moment that is compared with; a file that was not there had none" },
	{ key: "fragments", name: "Fragments", value: f => f.fragments },
	{ key: "split", name: "Split", value: f => f.split, show: v => v.toFixed(2),
	  title: "split factor: how many times the requests of a contiguous file" },
	{ key: "blocks", name: "Blocks", value: f => f.blocks, title: () => "written blocks of " + data.blockBytes / 1024 + " KiB" },
];

/* Fragments in one answer of the server. */
const MOST_STEPS = 1000;

/* The file that is lit up. */
let chosen = null;

/* The place is its first block address. */
function fileOf([path, dev, ino, blocks, extents, fragments, requests, ideal, place, color, below = 0]) {
	return { path, dev, blocks, extents, fragments, place, color, requests, ideal, below, extra: requests - ideal,
		 split: ideal ? requests / ideal : 1, key: dev + " " + ino };
}

function newCells(n) {
	return { n, rgb: new Uint32Array(n), share: new Float32Array(n), lit: new Uint8Array(n) };
}

/* Expand sequences of equal cells. */
function expandCells({ cells: flat, lit }, n) {
	const cells = newCells(n);

	for (let i = 0, at = 0; i < flat.length; i += 3) {
		cells.rgb.fill(flat[i + 1], at, at + flat[i]);
		cells.share.fill(flat[i + 2] / 1000, at, at + flat[i]);
		at += flat[i];
	}
	for (let i = 0; i < lit.length; i += 2)
		cells.lit.fill(1, lit[i], lit[i + 1] + 1);
	return cells;
}

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

const source = {
	async files() {
		const folder = state.folder === null ? {} : { folder: state.folder }, all = [];

		/* an answer has at most maxFiles */
		for (let from = 0; ; from += data.maxFiles) {
			const n = Math.min(state.rows - from, data.maxFiles);
			const list = await askCompared("files", { n, from, sort: state.sort, down: Number(state.down), find: state.find, ...folder });

			all.push(...(list ? takeChanges(list) : []));
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

		const answer = await askCompared("cells", chosen ? { ...args, lit: chosen.key } : args);

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
