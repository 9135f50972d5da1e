// SPDX-License-Identifier: GPL-2.0-only
/*
 * New data. A page in a file loads itself again in a hidden frame, which only passes its data to the page; this
 * also works with file:, where a page must not read other files. A served page asks for a new table, and loads
 * cells only if there is one.
 */
"use strict";

const RENEW = "#renew";

let renewedAt = Date.now(), frame = null, isLost = false, wasLost = false;

/* Show the time of the reading, and how long a new one is overdue. */
function drawFresh() {
	const silent = Date.now() - renewedAt;
	const old = isLost || (data.interval > 0 && !moment && silent > 3 * data.interval + 5000);
	let text = timeText(data.time);

	if (isLost)
		text += ", fragtrace does not answer";
	else if (old)
		text += ", nothing new for " + Math.round(silent / 1000) + " s";
	else if (data.interval && !moment)
		text += ", renewed every " + data.interval / 1000 + " s";
	if ($("fresh").textContent !== text)
		$("fresh").textContent = text;
	$("fresh").classList.toggle("old", old);
	if ($("view").classList.toggle("lost", isLost) !== wasLost) {
		wasLost = isLost;
		drawNotes();
	}
}

/* === A page in a file === */

/* Return: whether this is the hidden frame. */
function isFrame() {
	if (location.hash !== RENEW || parent === window)
		return false;
	parent.postMessage([data, answers], location.protocol === "file:" ? "*" : location.origin);
	return true;
}

function renewByFrame() {
	if (frame)
		frame.remove();
	frame = document.createElement("iframe");
	frame.hidden = true;
	frame.src = location.href.split(/[?#]/)[0] + "?" + Date.now() + RENEW;
	document.body.append(frame);
}

async function onMessage(event) {
	if (!frame || event.source !== frame.contentWindow)
		return;
	frame.remove();
	frame = null;
	const [fresh, all] = event.data;

	if (fresh.written === data.written)
		return;
	renewedAt = Date.now();
	answers = all;
	await adopt(fresh);
}

/* === A served page === */

const renewByServer = oneAtATime(async () => {
	const fresh = await ask("table", {}, { "If-None-Match": `"${data.generation}"` });

	if (!fresh || moment)
		return;
	renewedAt = Date.now();
	await adopt(fresh);
});

function startRenewal() {
	if (!data.interval)
		return;
	addEventListener("message", onMessage);
	setInterval(() => answers ? renewByFrame() : moment || renewByServer(), Math.max(data.interval, 500));
	setInterval(drawFresh, 1000);
}
