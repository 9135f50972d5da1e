// SPDX-License-Identifier: GPL-2.0-only
/* The table of files: sorted, searched, and the file that is lit up. */
"use strict";

/* A line that leads into another folder. */
function rowOfFolder(path, name, values) {
	const row = element("tr", ""), button = element("button", name);

	button.type = "button";
	button.title = path;
	row.append(element("td", "", button), ...values.map(value => element("td", value)));
	row.addEventListener("click", () => showFolder(path));
	return row;
}

function rowOf(file) {
	const values = columns().slice(1).map(({ value, show }) => show ? show(value(file)) : count(value(file)));

	if (file.below)
		return rowOfFolder(file.path, file.path.slice(state.folder.length) + " \u00b7 " + count(file.below, "file"), values);
	const row = element("tr", ""), button = element("button", ""), swatch = element("i", "");

	swatch.style.background = themedText(file.color);
	button.type = "button";
	button.title = file.path;
	button.dataset.key = file.key;
	button.setAttribute("aria-pressed", file.key === state.chosen);
	button.append(swatch, element("span", "", element("bdi", file.path)));
	row.classList.toggle("lit", file.key === state.chosen);
	row.append(element("td", "", button));
	row.append(...values.map(value => element("td", value)));
	row.addEventListener("click", async () => {
		await choose(file.key);
		if (state.chosen)
			showFile(file);
	});
	return row;
}

const drawRows = oneAtATime(async () => {
	const list = await source.files();

	if (!list)
		return;
	const { found, files: listed } = list;
	const focused = document.activeElement && document.activeElement.dataset.key;
	const isFull = listed.length >= found, up = state.folder && state.folder.slice(0, state.folder.slice(0, -1).lastIndexOf("/") + 1);

	$("left").textContent = !found && state.find ? `No file matches ${state.find}.` : "";
	$("rows").replaceChildren(...(up ? [rowOfFolder(up, "..", [])] : []), ...listed.map(rowOf));
	$("more").hidden = isFull;
	$("more").textContent = "Show more of " + count(found, state.folder === null ? "file" : "line");
	$("folders").checked = state.folder !== null;
	for (const th of $("head").children) {
		const { title } = COLUMNS.find(({ key }) => key === th.dataset.key);

		th.setAttribute("aria-sort", th.dataset.key !== state.sort ? "none" :
				state.down ? "descending" : "ascending");
		th.firstChild.title = typeof title === "function" ? title() : title || "";
	}
	if (focused)
		for (const button of $("rows").querySelectorAll("button"))
			if (button.dataset.key === focused)
				button.focus({ preventScroll: true });
	showLitRow();
});

function showLitRow() {
	const row = document.querySelector("tr.lit");

	if (row && row.dataset.shown !== state.chosen)
		row.scrollIntoView({ block: "nearest" });
	if (row)
		row.dataset.shown = state.chosen;
}

function sortBy(key) {
	state.down = key === state.sort ? !state.down : key !== "path";
	state.sort = key;
	keepState();
	drawRows();
}

function columns() {
	return COLUMNS.filter(({ key }) => key !== CHANGE || compared.at);
}

function drawHead() {
	$("head").replaceChildren();
	for (const { key, name } of columns()) {
		const button = element("button", name), th = element("th", "", button);

		button.type = "button";
		th.scope = "col";
		th.dataset.key = key;
		button.addEventListener("click", () => sortBy(key));
		$("head").append(th);
	}
}

/* Make the row of a file visible: a search that hides it is cleared. */
async function listFile({ key, path }) {
	const list = state.find && await ask("files", { n: 1, key, find: state.find });

	if (list && !list.found) {
		state.find = "";
		$("find").value = "";
	}
	if (state.folder !== null)
		state.folder = path.slice(0, path.lastIndexOf("/") + 1);
}

/* List the files and folders in a folder; null: all files. */
function showFolder(path) {
	state.folder = path;
	keepState();
	keepLink();
	drawRows();
}

function startList() {
	drawHead();
	$("folders").addEventListener("change", event => showFolder(!event.target.checked ? null :
		data.volumes.length === 1 && data.volumes[0].path !== "/" ? data.volumes[0].path + "/" : "/"));
	$("find").value = state.find;
	$("find").addEventListener("input", event => {
		state.find = event.target.value;
		keepState();
		keepLink();
		drawRows();
	});
	$("more").addEventListener("click", () => {
		state.rows += MORE_ROWS;
		drawRows();
	});
}
