// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two moments of a recording: one stays fixed, and what is shown is compared with it. Cells with blocks that have changed are lit
 * up, and the list says how files have changed.
 */
"use strict";

/* The fixed moment, as questions name it, and its table; an empty text: none. How many of its files are no more. */
const compared = { at: "", table: null, gone: 0 };

function sinceArgument() {
	return compared.at ? { since: compared.at } : {};
}

/* What the list says of the lines that it has got. */
function takeChanges({ files: listed, changes, gone = 0 }) {
	if (gone !== compared.gone) {
		compared.gone = gone;
		drawSummary();
	}
	return listed.map((line, i) => ({ ...fileOf(line), change: changes ? changes[i] : 0 }));
}

function describeCompared() {
	if (!compared.at)
		return "";
	const { time, total } = compared.table;

	return "; at " + timeText(time) + ": " + count(total.files, "file") + ", split factor " + total.split.toFixed(3) +
	       (compared.gone ? "; " + count(compared.gone, "file") + " gone since" : "");
}

function drawCompare() {
	$("toCompare").setAttribute("aria-pressed", String(Boolean(compared.at)));
	drawHead();
	drawLegend();
	drawSummary();
	drawTrack();
}

/* An empty text: compare no more. */
async function compareWith(at) {
	const of = epoch, fresh = at ? await ask("table", { at }) : null;
	/* both tables may be too large together */
	const answer = fresh && await request("files", { n: 0, since: at });

	if (of !== epoch)
		return;
	if (answer && !answer.ok)
		drawRefusal(await answer.text());
	const isThere = Boolean(answer && answer.ok);

	Object.assign(compared, { at: isThere ? at : "", table: fresh, gone: 0 });
	if (isThere || state.sort === CHANGE)
		Object.assign(state, { sort: isThere ? CHANGE : COLUMNS[1].key, down: true });
	keepState();
	keepLink();
	drawCompare();
	drawChosen();
}

function startCompare() {
	if (state.sort === CHANGE)
		state.sort = COLUMNS[1].key;
	$("toCompare").addEventListener("click", () => compareWith(compared.at ? "" : new Date(Math.round(player.at)).toISOString()));
}
