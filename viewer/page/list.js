// SPDX-License-Identifier: GPL-2.0-only
/* The table of files: sorted, searched, and the file that is lit up. */
"use strict";

/* === Search: the rule of serve_list.c === */

/* A glob that does not begin with a slash is compared with as many of the last components as it has itself. */
function globExpression(glob) {
	const parts = glob.match(/\\.|\[[!^]?\]?[^\]]*\]|./gsu) || [];
	const expressions = parts.map(part => {
		if (part === "*" || part === "?")
			return part === "*" ? "[^/]*" : "[^/]";
		if (part.length > 2 && part.startsWith("["))
			return "(?!/)[" + part.slice(1, -1).replace(/^!/, "^").replace(/[\\\][]/g, "\\$&") + "]";
		return part.slice(part.length > 1 && part.startsWith("\\") ? 1 : 0).replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
	});

	try {
		return new RegExp((glob.startsWith("/") ? "^" : "(?:^|/)") + expressions.join("") + "$", "su");
	} catch { /* such as [z-a] */
		return null;
	}
}

/* Part of a path, or a glob; in either case of letters if the text has no upper case. */
function finder(find) {
	const compared = path => /[A-Z]/.test(find) ? path : path.replace(/[A-Z]/g, c => c.toLowerCase());
	const glob = /[*?[]/.test(find) ? globExpression(find) : null;

	return ({ path }) => compared(path).includes(find) || Boolean(glob && glob.test(compared(path)));
}

/* === The table === */

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
	const said = leftOut();

	if (!found && state.find)
		said.unshift(`No file matches ${state.find}.`);
	$("left").textContent = said.join(" ");
	$("rows").replaceChildren(...(up ? [rowOfFolder(up, "..", [])] : []), ...listed.map(rowOf));
	$("more").hidden = isFull;
	$("more").textContent = "Show more of " + count(found, state.folder === null ? "file" : "line");
	$("folders").checked = state.folder !== null;
	for (const th of $("head").children)
		th.setAttribute("aria-sort", th.dataset.key !== state.sort ? "none" :
				state.down ? "descending" : "ascending");
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
	for (const { key, name, title } of columns()) {
		const button = element("button", name), th = element("th", "", button);

		button.type = "button";
		button.title = title || "";
		th.scope = "col";
		th.dataset.key = key;
		button.addEventListener("click", () => sortBy(key));
		$("head").append(th);
	}
}

function leftOut() {
	const unlisted = answers ? data.total.files - files.length : 0;

	return unlisted ? [`Only the ${count(files.length)} worst files are listed, ${count(unlisted)} are left out.`] : [];
}

/* Make the row of a file visible, if the page has all files: a search that hides it is cleared. */
function listFile(file) {
	if (!finder(state.find)(file)) {
		state.find = "";
		$("find").value = "";
	}
	if (state.folder !== null)
		state.folder = file.path.slice(0, file.path.lastIndexOf("/") + 1);
	if (answers)
		state.rows = Math.max(state.rows, files.filter(finder(state.find)).sort(compare)
						       .findIndex(f => f.key === file.key) + 1);
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
