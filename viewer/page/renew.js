// SPDX-License-Identifier: GPL-2.0-only
/* New data of a served page: it asks for a new table, and loads cells only if there is one. */
"use strict";

let renewedAt = Date.now(), isLost = false, wasLost = false;

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

const renew = oneAtATime(async () => {
	const fresh = await ask("table", {}, { "If-None-Match": `"${data.generation}"` });

	if (!fresh || moment)
		return;
	renewedAt = Date.now();
	await adopt(fresh);
});

function startRenewal() {
	if (!data.interval)
		return;
	setInterval(() => moment || renew(), Math.max(data.interval, 500));
	setInterval(drawFresh, 1000);
}
