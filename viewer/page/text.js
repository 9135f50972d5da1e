// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is in a piece, in words. A piece has lba and blocks; zone, with lastZone if it is in several, or condition, written and
 * capacity, on a zoned device; then path, offset and key of its file, with kind, writer and age of its fragment, and reads and
 * overwrites of its window where they are known; or what it is instead: free, other, nodes, left.
 */
"use strict";

const TYPES = ["hot data", "warm data", "cold data", "hot nodes", "warm nodes", "cold nodes"];
const LINES = 3;
const HINT = "Point at a cell, or click it to light up its file.";

function describeUse(is) {
	if (is === "left")
		return "a file that is left out";
	if (is === "other")
		return "other data: a file that is not watched, or a directory";
	if (is === "nodes")
		return "node";
	return data.knowsFree ? "free" : "free, or not watched";
}

function describeAge(seconds) {
	const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
	const [word, size] = units.find(([, s]) => seconds >= s) || units[3];

	return count(Math.floor(seconds / size), word);
}

/* What a recording has only of its snapshots is older than the moment that is shown; undefined: the page has it not. */
function describeOlder(what, ms) {
	if (ms === undefined)
		return [];
	return [what + ": " + (ms < 1000 ? "of this moment" : describeAge(ms / 1000) + " older than this moment")];
}

/* Why a fragment begins where it does, and who wrote it when. */
function describeCause({ kind, writer, age }) {
	const when = age === undefined ? "" : "which last wrote " + describeAge(age) + " before this reading";

	if (kind)
		return "\nnot contiguous: " + kind + (writer ? "; by " + writer : "") + (when ? ", " + when : "");
	return writer ? "\nwritten by " + writer + (when ? ", " + when : "") : "";
}

function describeHeat({ reads, overwrites }) {
	return reads === undefined ? "" : "\nits window: " + count(reads, "read") + ", " + count(overwrites, "overwrite");
}

function describeSegment(volume, { lba, blocks, type }) {
	const number = block => Math.floor((block - volume.main) / volume.segment);
	const first = number(lba), last = number(lba + blocks - 1);

	return (first === last ? "segment " : "segments ") + range(first, last) +
	       (type !== undefined && first === last ? " (" + TYPES[type] + ")" : "");
}

function describeZone({ zone, lastZone, condition, written, capacity }) {
	if (zone === undefined)
		return "";
	if (lastZone !== undefined)
		return " \u00b7 zones " + zone + " to " + lastZone;
	return " \u00b7 zone " + zone + " (" + condition +
	       (written === undefined ? ")" : ", " + count(written) + " of " + count(capacity, "block") + " written)");
}

function describePiece(volume, piece) {
	const { lba, blocks, is, path, offset } = piece;
	const place = "LBA " + range(lba, lba + blocks - 1) + " \u00b7 " +
		      describeSegment(volume, piece) + describeZone(piece);

	if (is)
		return place + " \u00b7 " + describeUse(is);
	return place + " \u00b7 offset " + range(offset, offset + blocks - 1) + " \u00b7 " + path + describeHeat(piece) +
	       describeCause(piece);
}

/* The first pieces of several; there are this many in all. */
function describePieces(volume, pieces, all) {
	const lines = pieces.slice(0, LINES).map(piece => describePiece(volume, piece));

	if (all > LINES)
		lines.push("and " + count(all - LINES) + " more in this cell");
	return lines.join("\n");
}

/* Of a recording with the file discards: as of the snapshot before the moment. */
function describeDiscards(volumes) {
	return volumes.filter(volume => volume.discards).map(({ path, discards }) =>
		"; discards" + (volumes.length > 1 ? " of " + path : "") + ": " + discards).join("");
}

function describeFile(file) {
	return file.path + " \u00b7 " + count(file.blocks, "block") + " in " + count(file.fragments, "fragment");
}
