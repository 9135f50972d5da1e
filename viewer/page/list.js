// SPDX-License-Identifier: GPL-2.0-only
/* The table of files: sorted, searched, and the file that is lit up. */
"use strict";

/* === Search: the rule of serve_view.c === */

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

function rowOf(file) {
	const row = element("tr", ""), button = element("button", ""), swatch = element("i", "");

	swatch.style.background = themedText(file.color);
	button.type = "button";
	button.title = file.path;
	button.dataset.key = file.key;
	button.setAttribute("aria-pressed", file.key === state.chosen);
	button.append(swatch, element("span", "", element("bdi", file.path)));
	row.classList.toggle("lit", file.key === state.chosen);
	row.append(element("td", "", button));
	for (const { value, show } of COLUMNS.slice(1))
		row.append(element("td", show ? show(value(file)) : count(value(file))));
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
	const isFull = listed.length >= found || (data.served && listed.length >= data.maxFiles);
	const said = leftOut();

	if (!found && state.find)
		said.unshift(`No file matches ${state.find}.`);
	if (isFull && listed.length < found)
		said.unshift(`The first ${count(listed.length)} of ${count(found)} files; narrow them with Find, or sort them otherwise.`);
	$("left").textContent = said.join(" ");
	$("rows").replaceChildren(...listed.map(rowOf));
	$("more").hidden = isFull;
	$("more").textContent = "Show more of " + count(found, "file");
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

function drawHead() {
	for (const { key, name, title } of COLUMNS) {
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
	const unlisted = data.total.files - files.length, parts = [];

	if (data.served)
		return [];
	if (unlisted)
		parts.push(`Only the ${count(files.length)} worst files are listed, ${count(unlisted)} are left out.`);
	if (data.unplaced)
		parts.push(`The cells of ${count(data.unplaced)} listed files are left out; there are too many.`);
	return parts;
}

/* Make the row of a file visible, if the page has all files: a search that hides it is cleared. */
function listFile(file) {
	if (!finder(state.find)(file)) {
		state.find = "";
		$("find").value = "";
	}
	if (!data.served)
		state.rows = Math.max(state.rows, files.filter(finder(state.find)).sort(compare)
						       .findIndex(f => f.key === file.key) + 1);
}

function startList() {
	drawHead();
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
