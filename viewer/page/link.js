// SPDX-License-Identifier: GPL-2.0-only
/*
 * The address of the page says what it shows, behind the #, so that a reload or a link that is sent shows it again:
 * input, volume, first block, blocks in a cell, columns and layout of the map, the file that is lit up, the search, the folder, the list, the colours, the moment, and the one that it is compared with.
 */
"use strict";

const LINK_MS = 200;

let linkTimer = 0, lastLink = location.hash;

function linkOf() {
	const link = {};

	if (reader && reader.input !== inputs[0])
		link.input = reader.input.name;
	if (view.volume && shown && !isWhole())
		Object.assign(link, { volume: view.volume.dev, first: view.first, per: view.per, columns: view.columns });
	else if (view.volume && view.volume !== data.volumes[0])
		link.volume = view.volume.dev;
	if (state.square !== null)
		link.layout = LAYOUTS[Number(isSquare())];
	if (state.chosen)
		link.file = state.chosen;
	if (state.find)
		link.find = state.find;
	if (state.folder !== null)
		link.folder = state.folder;
	if (state.panel !== "files")
		link.panel = state.panel;
	if (moment)
		link.at = moment;
	if (compared.at)
		link.since = compared.at;
	if (data.colorings && state.coloring && state.coloring !== data.colorings[0])
		link.colors = state.coloring;
	return String(new URLSearchParams(link));
}

/* What moves all the time is written when it rests. */
function keepLink() {
	clearTimeout(linkTimer);
	linkTimer = setTimeout(() => {
		const link = linkOf();

		/* the user has just changed it, and onLink() is about to be called */
		if (location.hash !== lastLink)
			return;
		try {
			if (link !== location.hash.slice(1))
				history.replaceState(null, "", link ? "#" + link : location.href.split("#")[0]);
			lastLink = location.hash;
		} catch { /* the browser has had too many */ }
	}, LINK_MS);
}

function readLink() {
	return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/* What the data does not depend on. */
function adoptLink({ file, find, folder, colors, layout, panel }) {
	if (Object.hasOwn(PANELS, panel))
		state.panel = panel;
	if (LAYOUTS.includes(layout))
		state.square = layout === LAYOUTS[1];
	drawLayout();
	if (colors)
		state.coloring = colors;
	if (file)
		state.chosen = file;
	if (find !== undefined)
		state.find = $("find").value = find;
	if (folder !== undefined)
		state.folder = folder;
}

/* The moment and the place, when there is data. */
async function followLink({ volume: dev, first, per, columns, at, since = "" }) {
	const time = at ? Date.parse(at) : NaN;

	if (data.recording && time > 0) {
		player.at = time;
		await showPosition();
		drawPosition();
	}
	if (data.recording)
		await followCompared(Date.parse(since) > 0 ? new Date(Date.parse(since)).toISOString() : "");
	const volume = data.volumes.find(v => v.dev === dev);

	if (!volume)
		return;
	showVolume(volume);
	if (!(first >= volume.lba && first < volume.end && per >= 1 && columns >= 1))
		return;
	view.per = 2 ** Math.floor(Math.log2(per));
	setColumns(Math.min(mostColumns(), Math.max(LEAST_COLUMNS, 2 ** Math.floor(Math.log2(columns)))));
	if (isWhole()) {
		showWhole();
		return;
	}
	setFirst(Number(first));
	moved();
}

async function onLink() {
	const link = readLink();

	lastLink = location.hash;
	if (linkOf() === location.hash.slice(1))
		return;
	if (data.inputs && link.input !== (reader && reader.input !== inputs[0] ? reader.input.name : undefined)) {
		await beginInputs();
		return;
	}
	adoptLink(link);
	chosen = state.chosen ? await source.file(state.chosen) : null;
	if (data.colorings.includes(link.colors))
		await recolor(link.colors);
	await followLink(link);
	drawChosen();
}
