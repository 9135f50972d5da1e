// SPDX-License-Identifier: GPL-2.0-only
/* The file that is lit up, fragment by fragment, in its own order; and its picture. */
"use strict";

/* Some of the fragments of a file, from the index first on, and the one that is shown. */
let steps = null;

/* A fragment of fewer cells is shown closer. */
const LEAST_STEP = 4;

function drawSteps() {
	$("steps").hidden = !chosen;
	if (steps && (!chosen || steps.key !== chosen.key || steps.time !== data.time))
		steps = null;
}

/* In words, below the map. */
function describeStep() {
	if (!steps || steps.at < 0)
		return "";
	const [lba, blocks, offset] = steps.fragments[steps.at - steps.first];

	return "\nfragment " + count(steps.at + 1) + " of " + count(steps.all) + ": LBA " + range(lba, lba + blocks - 1) +
	       " \u00b7 offset " + range(offset, offset + blocks - 1);
}

/* The fragment after or before the one that is shown; behind the last one comes the first. */
async function step(by) {
	const file = chosen, volume = file && data.volumes.find(v => v.dev === file.dev);

	if (!volume)
		return;
	const all = steps ? steps.all : file.fragments, old = steps ? steps.at : by > 0 ? -1 : 0;
	const at = (old + by + all) % all, isThere = steps && at >= steps.first && at < steps.first + steps.fragments.length;
	const found = isThere ? steps : await source.fragments(file, Math.floor(at / MOST_STEPS) * MOST_STEPS);

	if (!found || !found.fragments.length || file !== chosen)
		return;
	steps = { ...found, key: file.key, time: data.time, at: Math.min(at, found.first + found.fragments.length - 1) };
	const [lba, blocks] = steps.fragments[steps.at - steps.first];

	if (lba >= volume.lba && lba < volume.end)
		showMap(volume, lba, blocks < LEAST_STEP * view.per);
	drawText();
}

async function showPlot() {
	const { key } = chosen, image = new Image();

	image.alt = "Offsets of " + describeFile(chosen) + ", against block addresses";
	$("plotted").replaceChildren(image);
	$("why").textContent = "";
	$("plot").showModal();
	const [plot, why] = await Promise.all([request("plot", { key }), request("why", { key })]);

	if (why && why.ok)
		$("why").textContent = await why.text();
	if (!plot || !plot.ok)
		return;
	image.src = URL.createObjectURL(await plot.blob());
	await image.decode().catch(() => null);
	URL.revokeObjectURL(image.src);
}

/* Return: whether the key means something here. */
function onStepKey(key) {
	if (!chosen || (key !== "n" && key !== "p"))
		return false;
	step(key === "n" ? 1 : -1);
	return true;
}

function startSteps() {
	$("before").addEventListener("click", () => step(-1));
	$("after").addEventListener("click", () => step(1));
	$("toPlot").addEventListener("click", showPlot);
}
