// SPDX-License-Identifier: GPL-2.0-only
/*
 * The player of a recording that is served: a slider over its time, with a tick for each snapshot and a mark for
 * each gap, and play. A moment is asked for when the picture of the one before is there, so that a slow answer
 * makes the steps larger, and never a queue.
 */
"use strict";

const SPEEDS = [0.1, 1, 10, 60, 600, 3600], PLAY_SECONDS = 60, LEAST_WAIT = 50, THUMB = 16, TICK = 9;

/*
 * Times are in ms since 1970: the beginning and the end of the recording, and the position of the slider. A span is
 * the time of a snapshot, the last exact moment after it, and how many events were lost then, null if that is not known. A curve is what follows a
 * snapshot, as points: time, the most breaks of all files until the next point, and how many they are then. A run is one play.
 * It seeks until the picture of its position is there: what is renewed meanwhile does not move it.
 */
const player = { first: 0, last: 0, at: 0, spans: [], curves: [], run: 0, plays: false, seeks: 0 };

/* === Moments === */

/* The index of the last span that begins before a time, or -1. */
function spanBefore(time) {
	let low = 0, high = player.spans.length;

	while (low < high) {
		const middle = low + high >>> 1;

		if (player.spans[middle][0] <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

/* The gap that a time is in, from its last exact moment before it to the next one; or null. */
function gapAt(time) {
	const i = spanBefore(time), next = player.spans[i + 1];

	if (i < 0 || !next || time <= player.spans[i][1])
		return null;
	return { from: player.spans[i][1], to: next[0], lost: player.spans[i][2] };
}

/* A time after the beginning, as --at has it. */
function spanText(ms) {
	const hours = Math.floor(ms / 3600000), minutes = Math.floor(ms / 60000) % 60;
	const seconds = (ms % 60000 / 1000).toFixed(3).replace(/\.?0+$/, "");

	return (hours ? hours + "h" : "") + (hours || minutes ? minutes + "m" : "") + seconds + "s";
}

function clamp(time) {
	return Math.min(player.last, Math.max(player.first, time));
}

/* === Drawing === */

function placeOnTrack(time, width) {
	return THUMB / 2 + (width - THUMB) * (time - player.first) / Math.max(1, player.last - player.first);
}

function mostBreaks() {
	return player.curves.flat().reduce((most, [, peak]) => Math.max(most, peak), 0);
}

/* Breaks above the ticks, from 0 to the most; each number is there until the next one, or the end of what is known. */
function drawCurve(context, width, height) {
	const most = mostBreaks(), room = height - TICK;

	context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--curve");
	player.curves.forEach((points, i) => points.forEach(([time, peak, n], k) => {
		const left = placeOnTrack(time, width), next = k + 1 < points.length ? points[k + 1][0] : player.spans[i] ? player.spans[i][1] : time;
		const draw = (right, value) => context.fillRect(Math.round(left), room - room * value / most,
								Math.max(1, Math.round(right) - Math.round(left)), room * value / most);

		draw(placeOnTrack(next, width), n);
		draw(left, peak);
	}));
}

/* How many breaks there were, in words; they may not be known yet. */
function breaksText(time) {
	const points = player.curves[spanBefore(time)] || [], point = points.filter(([at]) => at <= time).at(-1);

	return point && !gapAt(time) ? `, ${count(point[2], "break")} of at most ${count(mostBreaks())}` : "";
}

function drawTrack() {
	const canvas = $("ticks"), ratio = window.devicePixelRatio || 1, context = canvas.getContext("2d");
	const style = getComputedStyle(document.documentElement);
	const width = canvas.clientWidth, height = canvas.clientHeight;
	let drawn = -1;

	if (!data.recording)
		return;
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	context.scale(ratio, ratio);
	drawCurve(context, width, height);
	player.spans.forEach(([time, exact], i) => {
		const x = Math.round(placeOnTrack(time, width)), next = player.spans[i + 1];

		if (next && next[0] > exact + 1) {
			const left = placeOnTrack(exact, width);

			context.fillStyle = style.getPropertyValue("--old");
			context.fillRect(left, height - TICK + 3, Math.max(2, placeOnTrack(next[0], width) - left), TICK - 3);
		}
		if (x === drawn)
			return;
		context.fillStyle = style.getPropertyValue("--ink");
		context.fillRect(x, height - TICK, 1, TICK);
		drawn = x;
	});
	if (!compared.at)
		return;
	context.fillStyle = style.getPropertyValue("--mark");
	context.fillRect(Math.round(placeOnTrack(Date.parse(compared.at), width)) - 1, 0, 3, height);
}

function drawPosition() {
	const time = Math.round(player.at), ms = String(time % 1000).padStart(3, "0");
	const text = timeText(time) + "." + ms + ", " + spanText(time - player.first) + " of " + spanText(player.last - player.first) +
		     breaksText(time);

	$("time").min = player.first;
	$("time").max = player.last;
	$("time").value = time;
	$("time").setAttribute("aria-valuetext", text);
	$("clock").textContent = text;
}

function drawPlay() {
	$("play").textContent = player.plays ? "Pause" : "Play";
}

/* Why the picture is not that of the slider; an empty text: it is. */
function drawRefusal(why) {
	$("refusal").textContent = why;
	document.body.classList.toggle("other-moment", Boolean(why));
}

/* === Showing === */

/* The picture of the position; where that is not exact, the one that was there stays, and is faint. */
const showPosition = oneAtATime(async () => {
	const time = Math.round(player.at), gap = gapAt(time);

	if (gap) {
		const lost = gap.lost ? count(gap.lost, "event") + " lost" : "what happened then was not recorded";

		drawRefusal("Nothing is exact here: " + lost + ", from " + spanText(gap.from - player.first) + " to " +
			    spanText(gap.to - player.first) + ". All that is faint is of " + timeText(data.time) + ".");
		return;
	}
	/* at the end of a recording that is being written, the page follows it */
	const at = data.interval && time >= player.last ? "" : new Date(time).toISOString();
	const of = epoch, answer = await request("table", { at });

	if (!answer)
		return;
	if (!answer.ok) {
		drawRefusal(await answer.text());
		return;
	}
	const fresh = await answer.json();

	if (of !== epoch)
		return;
	drawRefusal("");
	moment = at;
	keepLink();
	await adopt(fresh);
	await Promise.all([loadCells(), drawRows()]);
});

async function seek(time) {
	player.at = clamp(time);
	player.seeks++;
	drawPosition();
	await showPosition();
	player.seeks--;
}

/* What was adopted is not always what the player asked for. */
function followTable() {
	$("player").hidden = !data.recording;
	if (!data.recording || moment || player.seeks)
		return;
	player.at = data.time;
	drawRefusal("");
	if (data.time > player.last || !player.spans.length)
		loadSpans();
	else
		drawPosition();
}

/* The server answers with some spans at a time. The last one may have grown since. */
const loadSpans = oneAtATime(async () => {
	let next = Math.max(0, player.spans.length - 1);

	while (next !== null) {
		const answer = await request("recording", { first: next });
		const of = epoch, some = answer && answer.ok ? await answer.json() : null;

		if (!some || of !== epoch)
			return;
		/* the oldest snapshots were deleted: count again */
		if (next && some.first !== player.first) {
			player.spans = [];
			player.curves = [];
			next = 0;
			continue;
		}
		Object.assign(player, { first: some.first, last: some.last });
		player.spans.splice(next, Infinity, ...some.spans);
		next = some.next;
		drawSpeed();
		drawPosition();
		drawTrack();
	}
	loadCurves();
});

/* The breaks over time come after the spans, and take longer. Of a part of the files there are none. */
const loadCurves = oneAtATime(async () => {
	let next = Math.max(0, player.curves.length - 1);

	while (next !== null && data.recording) {
		const of = epoch, answer = await request("curve", { first: next }), some = answer && answer.ok ? await answer.json() : null;

		if (of !== epoch || !some)
			return;
		player.curves.splice(next, Infinity, ...some.curves.map(flat =>
			[...Array(flat.length / 3).keys()].map(i => flat.slice(3 * i, 3 * i + 3))));
		next = some.next;
		$("ticks").classList.toggle("curve", player.curves.some(points => points.length));
		drawPosition();
		drawTrack();
	}
});

/* === Play === */

function pause() {
	player.run++;
	player.plays = false;
	drawPlay();
}

async function play() {
	const run = ++player.run;
	let before = performance.now();

	player.plays = true;
	drawPlay();
	if (Math.round(player.at) >= player.last)
		await seek(player.first);
	while (player.run === run && !isLost && Math.round(player.at) < player.last) {
		await new Promise(resolve => setTimeout(resolve, LEAST_WAIT));
		if (player.run !== run)
			return;
		const now = performance.now(), time = player.at + (now - before) * state.speed, gap = gapAt(Math.round(time));

		before = now;
		await seek(gap ? gap.to : time);
	}
	if (player.run === run)
		pause();
}

function togglePlay() {
	if (player.plays)
		pause();
	else
		play();
}

/* If the user has not chosen one: the slowest that shows everything within a minute, but no slow motion. */
function drawSpeed() {
	const seconds = (player.last - player.first) / 1000;

	if (!state.speed)
		state.speed = SPEEDS.find(speed => speed >= 1 && seconds <= speed * PLAY_SECONDS) || SPEEDS[SPEEDS.length - 1];
	$("speed").value = String(state.speed);
}

/* === Actions of the user === */

function jump(time) {
	pause();
	seek(time);
}

/* To the snapshot before or after the position. */
function jumpToSnapshot(step) {
	const i = spanBefore(player.at), isOn = i >= 0 && player.spans[i][0] === Math.round(player.at);
	const span = player.spans[step > 0 || isOn ? i + step : i];

	jump(span ? span[0] : step > 0 ? player.last : player.first);
}

/* Return: whether the key means something to the player; a step is what play shows in a second. */
function onPlayerKey({ key, target }) {
	const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -1, PageUp: 1 }[key];

	if (!data.recording || !(target === $("time") || target === document.body || (key === " " && target === $("map"))))
		return false;
	if (key === " ")
		togglePlay();
	else if (step && key.startsWith("Page"))
		jumpToSnapshot(step);
	else if (step)
		jump(player.at + step * state.speed * 1000);
	else
		return false;
	return true;
}

function startPlayer() {
	$("speed").append(...SPEEDS.map(speed => new Option(speed + "\u00d7", speed)));
	$("speed").addEventListener("change", event => {
		state.speed = Number(event.target.value);
		keepState();
	});
	$("play").addEventListener("click", togglePlay);
	$("time").addEventListener("input", event => jump(Number(event.target.value)));
	new ResizeObserver(drawTrack).observe($("ticks"));
	drawPlay();
}
