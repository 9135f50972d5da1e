// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page of fragtrace; the build puts its scripts into one, in the order of PAGE_JS in the Makefile:
 *
 *	base	data of the page, selections of the user, small helpers
 *	text	what is in a piece, in words
 *	source	answers to the other parts: from fragtrace serve, or from the reader
 *	square	cells in rows, or along a curve in a square
 *	map	the map: any range of blocks at any scale
 *	gestures mouse and keys on the map
 *	list	the table of files
 *	counts	what the module has counted, in place of it
 *	theme	light and dark
 *	renew	new data of a served page
 *	player	the time of a recording: slider and play
 *	compare	two moments of it
 *	link	the address of what is shown
 *	steps	fragments of the file that is lit up, and its picture
 *	open	the inputs of a page that reads files itself
 *	page	start, and what connects the parts
 *
 * Only page.js runs code when it is loaded. Names of files reach the page as text, never as HTML.
 */
"use strict";

const $ = id => document.getElementById(id);

/* Written by serve_view.c or page_file.c; the latter has only the inputs. */
let data = JSON.parse($("data").textContent);

/* === Selections of the user; they stay when the data is updated === */

const ROWS = 100, MORE_ROWS = 400;

const state = { sort: "extra", down: true, chosen: null, find: "", rows: ROWS, theme: "auto", speed: null, coloring: null,
		folder: null, square: null, panel: "files" };
const stateName = "fragtrace " + location.pathname;

function keepState() {
	try {
		sessionStorage.setItem(stateName, JSON.stringify(state));
	} catch { /* storage is not allowed: the selections last until the page is closed */ }
}

function readState() {
	try {
		Object.assign(state, JSON.parse(sessionStorage.getItem(stateName)));
	} catch { /* as above */ }
}

/* === Helpers === */

function element(tag, text, ...children) {
	const e = document.createElement(tag);

	e.textContent = text;
	e.append(...children);
	return e;
}

function range(first, last) {
	return first === last ? String(first) : first + "\u2013" + last;
}

/* A time in ms since 1970, to a second. */
function timeText(ms) {
	const time = new Date(ms), pad = n => String(n).padStart(2, "0");
	const day = [time.getFullYear(), pad(time.getMonth() + 1), pad(time.getDate())].join("-");

	return day + " " + [time.getHours(), time.getMinutes(), time.getSeconds()].map(pad).join(":");
}

/* A number with separators, and the word for it. */
function count(n, word = "") {
	const number = n.toLocaleString("en");

	return word ? number + " " + word + (n === 1 ? "" : "s") : number;
}

/*
 * A function that runs another one, which takes time: again if it was asked for meanwhile, but never twice at a time.
 * It returns a promise for the end of the last one.
 */
function oneAtATime(work) {
	let running = null, again = false;

	async function run() {
		try {
			while (again) {
				again = false;
				await work();
			}
		} finally {
			running = null;
		}
	}

	return () => {
		again = true;
		running = running || run();
		return running;
	};
}
