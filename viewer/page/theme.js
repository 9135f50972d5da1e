// SPDX-License-Identifier: GPL-2.0-only
/*
 * Light and dark: as the system says, or as the user has chosen; and the legend of the map. In the dark, free
 * space is black, and dark colours are lighter. tests/check_palette.py checks that all eyes can tell them apart.
 */
"use strict";

const THEMES = ["auto", "light", "dark"];

/* Paper is light. */
function isDark() {
	if (matchMedia("print").matches)
		return false;
	return state.theme === "dark" || (state.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
}

/* === Colours in the dark === */

/* Below twice this lightness of CIE Lab, half of the lightness is added to it. */
const LEAST_LIGHTNESS = 15;

const D65 = [0.95047, 1, 1.08883];
const TO_XYZ = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]];
const TO_RGB = [[3.2404542, -1.5371385, -0.4985314], [-0.969266, 1.8760108, 0.041556],
		[0.0556434, -0.2040259, 1.0572252]];

const product = (matrix, v) => matrix.map(row => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
const toLight = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const fromLight = v => v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
const root = v => v > 216 / 24389 ? Math.cbrt(v) : (24389 / 27 * v + 16) / 116;
const cube = v => v ** 3 > 216 / 24389 ? v ** 3 : (116 * v - 16) * 27 / 24389;

/* The same hue, lighter. */
function lighten(rgb) {
	const light = [rgb >>> 16, rgb >>> 8 & 255, rgb & 255].map(v => toLight(v / 255));
	const [x, y, z] = product(TO_XYZ, light).map((v, i) => root(v / D65[i]));
	const lightness = 116 * y - 16;

	if (lightness >= 2 * LEAST_LIGHTNESS)
		return rgb;
	const more = (LEAST_LIGHTNESS - lightness / 2) / 116;
	const mixed = product(TO_RGB, [x, y, z].map((v, i) => cube(v + more) * D65[i]));
	const [red, green, blue] = mixed.map(v => Math.round(255 * fromLight(Math.min(1, Math.max(0, v)))));

	return red << 16 | green << 8 | blue;
}

const lightened = new Map();

/* A colour as it is shown, 0xrrggbb. */
function themed(rgb, dark = isDark()) {
	if (!dark)
		return rgb;
	if (!lightened.has(rgb))
		lightened.set(rgb, lighten(rgb));
	return lightened.get(rgb);
}

/* The same for "#rrggbb". */
function themedText(color) {
	return "#" + themed(parseInt(color.slice(1), 16)).toString(16).padStart(6, "0");
}

/* === The page === */

function drawTheme() {
	document.documentElement.dataset.theme = isDark() ? "dark" : "light";
	$("theme").value = state.theme;
}

function swatchOf(color) {
	const swatch = element("i", "");

	swatch.style.background = color;
	return swatch;
}

function legendItem(name, colors) {
	const item = element("span", "");

	item.append(...[...new Set(colors)].map(color => swatchOf(themedText(color))), name);
	return item;
}

function drawLegend() {
	const items = data.legend.map(([name, ...colors]) => legendItem(name, colors));

	items.unshift(element("b", data.heading + ":"));

	if (data.knowsFree)
		items.push(legendItem("other data", ["#efefaf"]), legendItem("nodes", ["#af9f8f"]));
	if (data.lens.only !== null)
		items.push(legendItem("other files", ["#d8e2f2"]));
	items.push(element("span", data.knowsFree ? "free" : "free, or not watched"));
	items[items.length - 1].prepend(swatchOf(isDark() ? "#000" : "#fff"));
	for (const text of [...describeOlder("state of F2FS", data.stateAge), ...describeOlder("counts of reads", data.heatAge)])
		items.push(element("span", text));
	items.push(element("span", data.meaning));
	if (compared.at && !chosen) {
		const free = element("span", "free, but not at " + timeText(compared.table.time));

		free.prepend(swatchOf("var(--lit)"));
		items.push(free, element("span", "what is the same as then is grey"));
	}
	$("legend").replaceChildren(...items);
}

/* === Other colours === */

function drawColorings() {
	$("colors").replaceChildren(...data.colorings.map(name => element("option", name)));
	$("colors").value = data.coloring;
}

async function recolor(name) {
	state.coloring = name;
	keepState();
	keepLink();
	const fresh = await ask("table");

	if (fresh)
		await adopt(fresh);
}

function startTheme() {
	const changed = () => {
		drawTheme();
		drawLegend();
		drawMap();
		drawOverview();
		drawTrack();
		drawRows();
	};

	$("theme").append(...THEMES.map(name => element("option", name)));
	drawTheme();
	$("theme").addEventListener("change", event => {
		state.theme = event.target.value;
		keepState();
		changed();
	});
	$("colors").addEventListener("change", event => recolor(event.target.value));
	for (const query of ["(prefers-color-scheme: dark)", "print"])
		matchMedia(query).addEventListener("change", changed);
}
