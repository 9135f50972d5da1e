// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two moments of a recording: one stays fixed, and what is shown is compared with it. Cells with blocks that have changed are lit
 * up, and the list says how files have changed.
 */
"use strict";

/*
 * The fixed moment, as questions name it, and its table; an empty text: none. How many of its files are not shown. A run is one
 * change of these.
 */
const compared = { at: "", table: null, gone: 0, run: 0 };

/* As ask(); if the moments cannot be compared any more, the page says why and shows one of them. */
async function askCompared(what, args) {
	const { at, run } = compared, answer = at ? await request(what, { ...args, since: at }) : null;

	if (!at)
		return ask(what, args);
	if (answer && !answer.ok && run === compared.run)
		endComparison(await answer.text());
	return answer && answer.ok && run === compared.run ? answer.json() : null;
}

/* What the list says of the lines that it has got. */
function takeChanges({ files: listed, changes, gone = 0 }) {
	if (gone !== compared.gone) {
		compared.gone = gone;
		drawSummary();
	}
	return listed.map((line, i) => ({ ...fileOf(line), change: changes ? changes[i] : null }));
}

function describeCompared() {
	if (!compared.at)
		return "";
	const { time, total } = compared.table;

	return "; at " + timeText(time) + ": " + count(total.files, "file") + ", split factor " + total.split.toFixed(3) +
	       (compared.gone ? "; " + count(compared.gone, "file") + " of then not here" : "");
}

function drawCompare() {
	$("toCompare").setAttribute("aria-pressed", String(Boolean(compared.at)));
	drawHead();
}

function forgetCompared() {
	Object.assign(compared, { at: "", table: null, gone: 0, run: compared.run + 1 });
	if (state.sort === CHANGE)
		Object.assign(state, { sort: COLUMNS[1].key, down: true });
	drawCompare();
}

function adoptCompared() {
	keepState();
	keepLink();
	drawLegend();
	drawSummary();
	drawTrack();
	drawChosen();
}

function endComparison(why) {
	forgetCompared();
	drawTrouble(why);
	adoptCompared();
}

/* An empty text: compare no more. */
async function compareWith(at) {
	const run = ++compared.run;

	if (!at) {
		endComparison("");
		return;
	}
	const answer = await request("table", { at }), table = answer && answer.ok ? await answer.json() : null;
	/* some colours have no room for two tables */
	const test = table && await request("files", { n: 0, at, since: at });

	if (run !== compared.run)
		return;
	if (!test || !test.ok) {
		endComparison(test || answer ? await (table ? test : answer).text() : "");
		return;
	}
	drawTrouble("");
	Object.assign(compared, { at, table, gone: 0 });
	Object.assign(state, { sort: CHANGE, down: true });
	drawCompare();
	adoptCompared();
}

/* What a link says; it is newer than what was asked for before it. */
async function followCompared(at) {
	if (at !== compared.at)
		await compareWith(at);
	else
		compared.run++;
}

/* With the moment that is shown. */
function startCompare() {
	if (state.sort === CHANGE)
		state.sort = COLUMNS[1].key;
	$("toCompare").addEventListener("click", () => compareWith(compared.at ? "" : moment || new Date(Math.ceil(data.time)).toISOString()));
}
