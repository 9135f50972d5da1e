// SPDX-License-Identifier: GPL-2.0-only
/* Start, and what connects the parts: the file that is lit up, the text below the map, new data. */
"use strict";

/* The text describes the cell below the pointer, or else the selected file. */
function drawText() {
	let text = HINT;

	if (mapCursor)
		text = pointed.text;
	else if (chosen)
		text = describeFile(chosen) + describeStep();
	else if (state.chosen)
		text = "The file that was lit up is not there any more.";
	$("cell").textContent = text;
}

async function choose(key) {
	state.chosen = key === state.chosen ? null : key;
	keepState();
	keepLink();
	chosen = state.chosen ? await source.file(state.chosen) : null;
	drawChosen();
}

function drawChosen() {
	if (compared.at)
		drawLegend();
	loadCells();
	loadOverview();
	drawRows();
	drawSteps();
	drawText();
}

/* A click on a cell: its file, or none. */
async function chooseKey(key) {
	if (key && key !== state.chosen) {
		const file = await source.file(key);

		if (file)
			await listFile(file);
	}
	if (key || state.chosen)
		choose(key || state.chosen);
}

/* Show the first block of a file. */
function showFile({ dev, place }) {
	const volume = data.volumes.find(v => v.dev === dev);

	if (volume && place >= volume.lba && place < volume.end &&
	    (volume !== view.volume || place < view.first || place >= view.first + visible()))
		showMap(volume, place, false);
}

/* === The map === */

function showVolume(volume) {
	view.volume = volume;
	$("volume").value = String(data.volumes.indexOf(volume));
	showWhole();
	loadOverview();
}

function showMap(volume, lba, isClose) {
	if (volume !== view.volume)
		showVolume(volume);
	showBlock(lba, isClose);
}

function drawVolumes() {
	$("volume").replaceChildren(...data.volumes.map(({ path }, i) => new Option(path, i)));
	$("volume").hidden = data.volumes.length < 2;
}

/* The volume that was shown is found again by its number. If it is another one, all of it is shown. */
function keepView() {
	const { volume } = view, found = volume && data.volumes.find(v => v.dev === volume.dev);

	if (found && found.lba === volume.lba && found.end === volume.end) {
		view.volume = found;
		$("volume").value = String(data.volumes.indexOf(found));
		loadCells();
		loadText();
		return;
	}
	view.volume = shown = null;
	if (data.volumes.length)
		showVolume(found || data.volumes[0]);
}

/* === Data === */

function drawNotes() {
	const said = notes();

	$("notes").textContent = said.join(" ");
	$("notes").hidden = !said.length;
}

/* What has to be known before the page is believed: it is a part, something is unknown, F2FS does not run. */
function notes() {
	const { only, lba, files: all } = data.lens;
	const said = data.volumes.filter(volume => volume.stopped).map(({ path }) =>
		path + ": F2FS has stopped after an error or a shutdown; nothing is written any more.");

	if (isLost)
		said.push("fragtrace does not answer: the page shows what it had last, and cannot move.");
	if (only !== null)
		said.push(`Only the ${count(data.total.files, "file")} of ${count(all)} that match ${only}.`);
	if (lba !== null)
		said.push(`Only LBA ${lba} of the volume; figures are of whole files.`);
	return said;
}

function drawSummary() {
	const names = data.volumes.map(v => v.path).join(", "), { files: n, fragmented, stale, split, leftOut: missing } = data.total;

	document.title = "fragtrace " + names;
	$("volumes").textContent = names || "no directory is watched";
	$("summary").textContent = count(n) + " files, " + count(fragmented) + " of them fragmented" +
		"; split factor " + split.toFixed(3) +
		(stale ? "; " + count(stale) + " stale: their blocks may have moved" : "") +
		(missing ? "; " + count(missing) + " left out: fragtrace's memory was short" : "") + describeDiscards(data.volumes) + describeCompared();
	drawNotes();
}

/* Show all data. */
async function adopt(fresh) {
	const { inputs } = data;

	data = inputs ? { ...fresh, inputs } : fresh;
	followTable();
	drawSummary();
	drawVolumes();
	drawColorings();
	drawLegend();
	keepView();
	chosen = state.chosen ? await source.file(state.chosen) : null;
	drawChosen();
	drawFresh();
	drawPanel();
}

/* === Start === */

function onKey(event) {
	const onMap = event.target === $("map") && view.volume;

	if (event.ctrlKey || event.altKey || event.metaKey || $("plot").open)
		return;
	if (event.key === "Escape" && state.chosen)
		choose(state.chosen);
	else if (!(onMap && onMapKey(event.key)) && !onPlayerKey(event) &&
		 !((onMap || event.target === document.body || event.target.tagName === "BUTTON") && onStepKey(event.key)))
		return;
	event.preventDefault();
}

function startMap() {
	$("volume").addEventListener("change", event => showVolume(data.volumes[Number(event.target.value)]));
	new ResizeObserver(() => {
		if (view.volume) {
			if (isWhole())
				showWhole();
			else
				resizeMap();
		}
	}).observe($("map"));
}

/* The first data, with what a link says about it. */
async function begin(fresh, link) {
	adoptLink(link);
	await adopt(fresh);
	if (data.colorings.includes(state.coloring) && state.coloring !== data.coloring)
		await recolor(state.coloring);
	await followLink(link);
}

function start() {
	readState();
	startTheme();
	startList();
	startPanels();
	startMap();
	startLayout();
	startGestures();
	startPlayer();
	startCompare();
	startSteps();
	if (data.inputs) {
		startInputs();
		beginInputs();
	} else {
		begin(data, readLink());
		startRenewal();
	}
	addEventListener("hashchange", onLink);
	document.addEventListener("keydown", onKey);
}

start();
