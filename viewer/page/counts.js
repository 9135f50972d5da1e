// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the module has counted, in place of the list of files: what breaks cost, who writes what, and garbage collections. The sentences are
 * those of the command, and the tables have values of its JSON.
 */
"use strict";

/* === Numbers, as the commands write them === */

function bytesText(bytes) {
	const units = ["KiB", "MiB", "GiB", "TiB"];
	let value = bytes / 1024;

	while (value >= 1023.5 && units.length > 1) {
		value /= 1024;
		units.shift();
	}
	return (value > 0 && value < 0.05 ? "<0.1" : value.toFixed(value >= 99.95 || Number.isInteger(value) ? 0 : 1)) + " " + units[0];
}

function shareText(share) {
	if (share > 0 && share < 0.05 || share < 100 && share >= 99.95)
		return share < 50 ? "<0.1 %" : ">99.9 %";
	return share.toFixed(Number.isInteger(share) ? 0 : 1) + " %";
}

function durationText(ns) {
	if (ns === undefined)
		return "unknown";
	const [unit, size, digits] = ns < 1e6 ? ["\u00b5s", 1e3, 0] : ns < 1e9 ? ["ms", 1e6, 1] : ["s", 1e9, 1];

	return ns ? (ns / size).toFixed(digits) + " " + unit : "0";
}

/* === Tables === */

/* Of each table, the server gives so many lines at most. */
const MOST_LINES = 100;

const costs = line => [line.name, count(line.extra), durationText(line.cost_s && 1e9 * line.cost_s), durationText(1e9 * line.waited_s)];
const gotOf = line => line.direct + line.data + line.nodes + line.collected + line.moved;
const wroteOf = line => line.buffered + line.mapped + line.direct;

/* Those of all logs together, the largest first. */
function kindsOf({ kinds }) {
	const sums = new Map();

	for (const { meaning, bytes } of kinds)
		sums.set(meaning, (sums.get(meaning) || 0) + bytes);
	return [...sums].sort(([, a], [, b]) => b - a);
}

/* By command: the name of its panel, and its tables: heads, the lines of a volume, which of these are shown, and how. The first table is
 * before the sentences. */
const PANELS = {
	files: { name: "Files", title: "the files that are shown" },
	cost: {
		name: "Cost", title: "what breaks cost those who read, in time that was measured (fragtrace cost)",
		tables: [[[], () => []],
			 [["Extension", "Extra", "Cost", "Waited"], volume => volume.extensions, one => one.files > 1 && one.extra, costs],
			 [["File", "Extra", "Cost", "Waited"], volume => volume.files, one => one.extra, costs]],
	},
	ledger: {
		name: "Writes", title: "who writes what, and the write amplification (fragtrace ledger)",
		tables: [[["Kind", "Bytes", "Share"], kindsOf, () => true, ([meaning, bytes], volume) =>
				[meaning, bytesText(bytes), shareText(volume.device && 100 * bytes / volume.device)]],
			 [["Process", "Wrote", "Got", "Got/wrote"], volume => volume.processes, one => wroteOf(one) || gotOf(one), one =>
				[one.name, bytesText(wroteOf(one)), bytesText(gotOf(one)), one.amplification === undefined ? "-" : one.amplification.toFixed(2)]]],
	},
	gc: {
		name: "Collections", title: "why garbage collection ran, how it chose, and whom it stopped (fragtrace gc)",
		tables: [[["Why", "Runs", "Took", "Sections", "Blocks in use", "Sections freed"], volume => volume.reasons, () => true, one =>
				[one.meaning, count(one.runs), durationText(one.ns), ...[one.victims, one.blocks, one.sections].map(n => count(n))]],
			 [["Process", "Lost", "In own runs", "In waits"], volume => volume.processes, () => true, one =>
				[one.name, ...[one.ns + one.waited_ns, one.ns, one.waited_ns].map(durationText)]]],
	},
};

function tableOf([heads, linesOf, isShown, rowOf], volume) {
	const lines = linesOf(volume), rows = lines.filter(one => isShown(one)).map(one => rowOf(one, volume)), head = element("tr", "", ...heads.map(name => Object.assign(element("th", name), { scope: "col" })));
	const body = element("tbody", "", ...rows.map(row => element("tr", "", ...row.map(value => element("td", value)))));

	return [...(rows.length ? [element("table", "", element("thead", "", head), body)] : []),
		...(lines.length >= MOST_LINES ? [element("p", `Of the first ${MOST_LINES}; fragtrace ${state.panel} --json has all.`)] : [])];
}

/* === Panels === */

/* Of a recording, which moment the counts are of. */
function describeCounted(time) {
	if (!data.recording)
		return [];
	return [element("p", time ? describeOlder("counts", data.time - time)[0] : "counts: of the end of the recording, whichever moment is shown")];
}

function drawVolume(volume) {
	const [headline, ...said] = volume.said.split("\n").map(line => line.trim()).filter(Boolean).map(line => element("p", line));
	const [first, ...others] = PANELS[state.panel].tables.map(table => tableOf(table, volume));
	const { path } = data.volumes.find(({ dev }) => dev === volume.dev);

	return [...(data.volumes.length > 1 ? [element("h2", path)] : []), element("b", "", headline), ...first, ...said, ...others.flat()];
}

/* What was drawn is not drawn again, so that a selection stays. */
let drawnCounts = "";

const drawPanel = oneAtATime(async () => {
	const { panel } = state, hasCounts = panel !== "files";

	$("tools").hidden = $("scroll").hidden = hasCounts;
	$("counts").hidden = !hasCounts;
	$("panel-" + panel).checked = true;
	const answer = hasCounts && await request(panel);

	if (!answer || !data.volumes)
		return;
	const text = await answer.text(), drawn = panel + (data.recording ? data.time : "") + text;

	if (drawn === drawnCounts || panel !== state.panel)
		return;
	drawnCounts = drawn;
	if (!answer.ok) {
		$("counts").replaceChildren(element("p", text));
		return;
	}
	const { time, answer: { volumes } } = JSON.parse(text), shown = volumes.filter(({ dev }) => data.volumes.some(one => one.dev === dev));

	$("counts").replaceChildren(...describeCounted(time), ...shown.flatMap(drawVolume),
				    ...(shown.length ? [] : [element("p", "Nothing was counted on what is shown.")]));
});

function showPanel(panel) {
	state.panel = panel;
	keepState();
	keepLink();
	drawPanel();
}

function startPanels() {
	for (const [panel, { name, title }] of Object.entries(PANELS)) {
		const input = Object.assign(element("input", ""), { type: "radio", name: "panel", id: "panel-" + panel });

		input.addEventListener("change", () => showPanel(panel));
		$("panels").append(input, Object.assign(element("label", name), { htmlFor: input.id, title }));
	}
}
