// SPDX-License-Identifier: GPL-2.0-only
/* Start, and what connects the parts: the file that is lit up, the text below the picture, new data. */
"use strict";

/* The text describes the cell below the pointer, or else the selected file. */
function drawText() {
	let text = HINT;

	if (state.map && mapCursor)
		text = pointed.text;
	else if (!state.map && cursor)
		text = describeCell(cursor);
	else if (chosen)
		text = describeFile(chosen, whereabouts(chosen)) + describeStep();
	else if (state.chosen)
		text = "The file that was lit up is not there any more.";
	$("cell").textContent = text;
}

/* What is to be said if no cell is lit up. */
function whereabouts(file) {
	if (data.served)
		return "";
	if (!file.place)
		return "; its cells are left out of this page";
	return isDrawn(file) ? "" : "; none of them is in this picture";
}

async function choose(key) {
	state.chosen = key === state.chosen ? null : key;
	keepState();
	keepLink();
	chosen = state.chosen ? await source.file(state.chosen) : null;
	drawChosen();
}

function drawChosen() {
	if (!data.served)
		drawLight();
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
			listFile(file);
	}
	if (key || state.chosen)
		choose(key || state.chosen);
}

/* Show the first block of a file. */
function showFile(file) {
	if (!state.map) {
		showOnPicture(file);
		return;
	}
	const found = data.served ? null : firstPiece(file);
	const volume = data.volumes.find(v => v.dev === file.dev), lba = found ? found.volume.index.lba[found.i] : file.place;

	if (volume && (found || data.served) && lba >= volume.lba && lba < volume.end &&
	    (volume !== view.volume || lba < view.first || lba >= view.first + visible()))
		showMap(volume, lba, false);
}

/* === Picture and map === */

function setMap(on) {
	state.map = on || Boolean(data.served);
	keepState();
	$("stage").hidden = state.map;
	$("map").hidden = $("legend").hidden = $("zoom").hidden = $("overview").hidden = !state.map;
	$("toMap").setAttribute("aria-pressed", state.map);
	$("toPicture").setAttribute("aria-pressed", !state.map);
	$("full").parentElement.hidden = state.map;
	drawSteps();
	if (state.map && !view.volume && data.volumes.length)
		showVolume(data.volumes[0]);
	drawText();
}

function showVolume(volume) {
	view.volume = volume;
	$("volume").value = String(data.volumes.indexOf(volume));
	showWhole();
	loadOverview();
}

function showMap(volume, lba, isClose) {
	setMap(true);
	if (volume !== view.volume)
		showVolume(volume);
	showBlock(lba, isClose);
}

function drawVolumes() {
	const names = data.volumes.map((v, i) => {
		const option = element("option", v.path);

		option.value = String(i);
		return option;
	});

	$("volume").replaceChildren(...names);
	$("volume").hidden = names.length < 2;
}

/* The volume that was shown is found again by its number. */
function keepView() {
	const found = view.volume && data.volumes.find(v => v.dev === view.volume.dev);

	if (found) {
		view.volume = found;
		$("volume").value = String(data.volumes.indexOf(found));
		setFirst(view.first);
		loadCells();
		loadText();
	} else {
		view.volume = shown = null;
		setMap(state.map);
	}
}

function setFull(full) {
	state.full = full;
	keepState();
	$("full").checked = full;
	$("stage").classList.toggle("full", full);
}

/* === Data === */

function drawNotes() {
	const said = notes();

	$("notes").textContent = said.join(" ");
	$("notes").hidden = !said.length;
}

function hasUnknown() {
	return !data.served && data.volumes.some(volume => volume.index.owner.includes(UNKNOWN));
}

/* What has to be known before the page is believed: it is a part, something is unknown, F2FS does not run. */
function notes() {
	const { only, lba, files: all } = data.lens, listed = data.files && data.files.length - data.unplaced;
	const said = data.volumes.filter(volume => volume.stopped).map(({ path }) =>
		path + ": F2FS has stopped after an error or a shutdown; nothing is written any more.");

	if (isLost)
		said.push("fragtrace does not answer: the page shows what it had last, and cannot move.");
	if (only !== null)
		said.push(`Only the ${count(data.total.files, "file")} of ${count(all)} that match ${only}.`);
	if (lba !== null)
		said.push(`Only LBA ${lba} of the volume; figures are of whole files.`);
	if (hasUnknown())
		said.push(`Hatched is unknown: the page has the places of ${count(listed)} files of ${count(data.total.files)}. ` +
			  "fragtrace serve has all.");
	return said;
}

function drawSummary() {
	const names = data.volumes.map(v => v.path).join(", "), { files: n, fragmented, stale, split, leftOut: missing } = data.total;

	document.title = "fragtrace " + names;
	$("volumes").textContent = names || "no directory is watched";
	$("summary").textContent = count(n) + " files, " + count(fragmented) + " of them fragmented" +
		(data.served ? "; split factor " + split.toFixed(3) : "") +
		(stale ? "; " + count(stale) + " stale: their blocks may have moved" : "") +
		(missing ? "; " + count(missing) + " left out: fragtrace's memory was short" : "");
	drawNotes();
	$("cell").classList.toggle("causes", Boolean(data.kinds) || Boolean(data.served));
	$("picture").alt = "Where the blocks of " + (names || "no volume") + " lie: " + $("summary").textContent;
}

function adoptPicture(old) {
	for (const volume of data.volumes)
		volume.index = indexPieces(volume);
	files = data.files.map(fileOf);
	cursor = old && data.volumes[old.volumeIndex] ?
		 cellAt(data.volumes[old.volumeIndex], old.column, old.row) : null;
	if (cursor)
		cursor.volumeIndex = old.volumeIndex;
	$("picture").src = data.picture;
	$("light").width = data.width;
	$("light").height = data.height;
}

/* Show all data. The picture was decoded before, so that nothing flickers. */
async function adopt(fresh) {
	const { inputs } = data;

	data = inputs ? { ...fresh, inputs } : fresh;
	if (!data.served)
		adoptPicture(cursor);
	followTable();
	drawSummary();
	drawVolumes();
	drawColorings();
	drawLegend();
	keepView();
	chosen = state.chosen ? await source.file(state.chosen) : null;
	drawChosen();
	if (!data.served)
		drawCursor();
	drawFresh();
}

/* === Start === */

function onKey(event) {
	const onMap = event.target === $("map") && view.volume, onPicture = event.target === $("stage") && data.volumes.length;

	if (event.ctrlKey || event.altKey || event.metaKey || $("plot").open)
		return;
	if (event.key === "Escape" && state.chosen)
		choose(state.chosen);
	else if (!(onMap && onMapKey(event.key)) && !(onPicture && onPictureKey(event.key)) && !onPlayerKey(event) &&
		 !((onMap || event.target === document.body || event.target.tagName === "BUTTON") && onStepKey(event.key)))
		return;
	event.preventDefault();
}

function startPicture() {
	const stage = $("stage");

	$("modes").hidden = Boolean(data.served);
	$("toPicture").addEventListener("click", () => setMap(false));
	$("toMap").addEventListener("click", () => setMap(true));
	$("volume").addEventListener("change", event => showVolume(data.volumes[Number(event.target.value)]));
	$("full").addEventListener("change", event => setFull(event.target.checked));
	new ResizeObserver(() => {
		if (state.map && view.volume) {
			if (isWhole())
				showWhole();
			else
				resizeMap();
		}
	}).observe($("map"));
	if (data.served)
		return;
	stage.addEventListener("pointermove", event => pointAt(cellOfEvent(event)));
	stage.addEventListener("pointerleave", () => pointAt(null));
	stage.addEventListener("click", event => {
		const at = cellOfEvent(event);

		chooseKey(at && ownerOf(at));
	});
	stage.addEventListener("dblclick", event => {
		const at = cellOfEvent(event);

		if (at)
			showMap(at.volume, lbaOf(at), true);
	});
}

async function begin() {
	const link = readLink();

	adoptLink(link);
	await adopt(data);
	if (data.colorings && data.colorings.includes(state.coloring) && state.coloring !== data.coloring)
		await recolor(state.coloring);
	await followLink(link);
}

function start() {
	readState();
	startTheme();
	startList();
	startPicture();
	startGestures();
	startPlayer();
	startSteps();
	setFull(state.full);
	if (data.inputs) {
		startInputs();
		beginInputs();
	} else {
		begin();
	}
	addEventListener("hashchange", onLink);
	document.addEventListener("keydown", onKey);
	if (!data.inputs)
		startRenewal();
}

if (!isFrame())
	start();
