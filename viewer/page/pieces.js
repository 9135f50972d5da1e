// SPDX-License-Identifier: GPL-2.0-only
/* Where pieces are, in a page in a file: the numbers that html.c has written, indexed, and parts of them. */
"use strict";

const USES = { "-1": "free", "-2": "left", "-3": "other", "-4": "nodes", "-5": "unknown" }, UNKNOWN = -5;
const LEFT_OUT_RGB = 0xd8e2f2, OTHER_RGB = 0xefefaf, NODES_RGB = 0xaf9f8f;

/* For each piece: its owner, offset in the file, shade, cause, first unit and first block address. */
function indexPieces(volume) {
	const flat = volume.pieces, width = data.kinds ? 6 : 5, n = flat.length / width;
	const v = { n, owner: new Int32Array(n), offset: new Float64Array(n), folded: new Uint8Array(n),
		    shade: new Uint8Array(n), cause: new Uint32Array(n), at: new Float64Array(n + 1),
		    lba: new Float64Array(n + 1) };

	v.lba[0] = volume.lba;
	v.at[0] = volume.lead;
	for (let i = 0; i < n; i++) {
		const [owner, blocks, offset, units, shade, cause = 0] = flat.slice(width * i, width * (i + 1));

		v.owner[i] = owner;
		v.offset[i] = offset;
		v.shade[i] = shade;
		v.cause[i] = cause;
		v.folded[i] = units > 0;
		v.at[i + 1] = v.at[i] + (units || blocks * data.unitsPerBlock);
		v.lba[i + 1] = v.lba[i] + blocks;
	}
	return v;
}

/* The piece that a position belongs to; positions are units (v.at) or block addresses (v.lba). */
function pieceAt(v, positions, position) {
	let low = 0, high = v.n;

	while (high - low > 1) {
		const middle = low + high >>> 1;

		if (positions[middle] <= position)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Numbers as in module/format/cause.h. */
function causeOf(cause) {
	const kind = data.kinds && data.kinds[cause & 0x1ff], writer = data.writers && data.writers[cause >>> 9];
	const found = {};

	if (kind && cause & 0x1c0)
		found.kind = kind;
	if (writer && cause >>> 9)
		found.writer = writer[0];
	if (writer && writer[1] >= 0)
		found.age = writer[1];
	return found;
}

function typeOf(volume, lba) {
	const type = volume.types && volume.types[Math.floor((lba - volume.main) / volume.segment)];

	return type && type !== "-" ? Number(type) : undefined;
}

/* The part of a piece from one block address to another (exclusive), for text.js. */
function pieceOf(volume, i, first, end) {
	const v = volume.index, file = files[v.owner[i]];
	const lba = Math.max(first, v.lba[i]), blocks = Math.min(end, v.lba[i + 1]) - lba;
	const piece = { lba, blocks, folded: Boolean(v.folded[i]), type: typeOf(volume, lba) };

	if (!file)
		return Object.assign(piece, { is: USES[v.owner[i]] });
	return Object.assign(piece, causeOf(v.cause[i]), { path: file.path, key: file.key,
							  offset: v.offset[i] + lba - v.lba[i] });
}

/* All of these between two block addresses. */
function piecesBetween(volume, first, end) {
	const v = volume.index, found = [];

	for (let i = pieceAt(v, v.lba, first); i < v.n && v.lba[i] < end; i++)
		found.push(pieceOf(volume, i, first, end));
	return found;
}

/* Those of a file as first block address, blocks and offset, in the order of the file. */
function fragmentsOf(file) {
	const pieces = [], fragments = [];

	for (const { index: v } of data.volumes)
		for (let i = 0; i < v.n; i++)
			if (v.owner[i] === file.index)
				pieces.push([v.lba[i], v.lba[i + 1] - v.lba[i], v.offset[i]]);
	for (const [lba, blocks, offset] of pieces.sort((a, b) => a[2] - b[2])) {
		const last = fragments[fragments.length - 1];

		if (last && lba === last[0] + last[1])
			last[1] += blocks;
		else
			fragments.push([lba, blocks, offset]);
	}
	return { first: 0, all: fragments.length, fragments };
}

/* === Cells of the map === */

function colorOf(v, i) {
	if (v.owner[i] >= 0)
		return data.shades[v.shade[i]];
	return { "-2": LEFT_OUT_RGB, "-3": OTHER_RGB, "-4": NODES_RGB }[v.owner[i]];
}

function newCells(n) {
	return { n, rgb: new Uint32Array(n), share: new Float32Array(n), unknown: new Float32Array(n), lit: new Uint8Array(n) };
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

/* Where the overview of a volume has whole cells for these, it knows what the pieces do not. */
function mixOverview({ overview, lba }, first, per, cells) {
	const times = overview ? per / overview.per : 0, from = overview && (first - lba) / overview.per;

	if (!(times >= 1 && Number.isInteger(times) && Number.isInteger(from)))
		return;
	const all = overview.expanded || (overview.expanded = expandCells(overview, Math.ceil((overview.end - lba) / overview.per)));

	for (let cell = 0; cell < cells.n; cell++) {
		const part = [...Array(times).keys()].map(k => from + cell * times + k).filter(i => all.share[i] > 0);
		const share = part.reduce((sum, i) => sum + all.share[i], 0);
		const mean = shift => Math.round(part.reduce((sum, i) => sum + all.share[i] * (all.rgb[i] >>> shift & 255), 0) / share);

		cells.share[cell] = share / times;
		cells.unknown[cell] = 0;
		cells.rgb[cell] = share ? mean(16) << 16 | mean(8) << 8 | mean(0) : 0;
	}
}

/*
 * Colours and shares of cells, as serve_view.c computes them: the mean of what is not free. Here a place may be
 * unknown, too; then the share is that of the rest.
 */
function mixCells(volume, first, per, n, lit) {
	const v = volume.index, used = new Float64Array(n), sums = [0, 1, 2].map(() => new Float64Array(n));
	const cells = newCells(n), end = Math.min(first + n * per, volume.end);

	for (let i = pieceAt(v, v.lba, first); i < v.n && v.lba[i] < end; i++) {
		const rgb = colorOf(v, i), from = Math.max(v.lba[i], first), to = Math.min(v.lba[i + 1], end);

		if (rgb === undefined && v.owner[i] !== UNKNOWN)
			continue;
		for (let cell = Math.floor((from - first) / per); first + cell * per < to; cell++) {
			const blocks = Math.min(to, first + (cell + 1) * per) - Math.max(from, first + cell * per);

			if (rgb === undefined) {
				cells.unknown[cell] += blocks / per;
				continue;
			}
			used[cell] += blocks;
			[rgb >>> 16, rgb >>> 8 & 255, rgb & 255].forEach((value, k) => sums[k][cell] += blocks * value);
			cells.lit[cell] |= lit && v.owner[i] === lit.index ? 1 : 0;
		}
	}
	for (let cell = 0; cell < n; cell++) {
		const mean = sum => Math.round(sum[cell] / used[cell]);

		cells.share[cell] = used[cell] && used[cell] / (per * (1 - cells.unknown[cell]));
		if (used[cell])
			cells.rgb[cell] = mean(sums[0]) << 16 | mean(sums[1]) << 8 | mean(sums[2]);
	}
	mixOverview(volume, first, per, cells);
	return cells;
}
