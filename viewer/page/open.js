// SPDX-License-Identifier: GPL-2.0-only
/*
 * A page that reads files itself: it asks a reader instead of fragtrace serve. A reader is a worker with one input, see
 * reader/worker.js. With another input it is replaced, and what it has not answered is not answered any more; see request()
 * in source.js for answers that are on their way.
 */
"use strict";

/* What enum answer_status in answers.h is in HTTP. */
const STATUSES = [200, 304, 400, 404, 503];

/* The files of a recording, without its folder; F2FS's own state is in folders. */
const COUNTED = /^(?:gc_runs|latency|ledger)$/;
const RECORDED = /^fragtrace-\d+\.\d{3}\.(?:(?:snapshot|table|events|discards|gc_runs|heat|latency|ledger)(?:\.zst)?|f2fs\/(?:[\w.:-]+\/)?[\w.-]+)$/;

/* What reader.c reads of a file, and what the files of one input may have. */
const MAX_FILE = 256 << 20, MAX_FILES = 1 << 30;

/* A browser reads what is saved a little later. */
const REVOKE_MS = 60000;

/* Inputs that can be chosen: name, isRecording, and files (the name of each, and a File), or text that has them. */
const inputs = [];

let reader = null;

/* === The reader === */

function endReader() {
	if (!reader)
		return;
	reader.worker.terminate();
	URL.revokeObjectURL(reader.url);
	reader.waiting.forEach(answer => answer(reader.ended ? { ended: reader.ended } : null));
	reader = null;
}

/* Return: a promise for the answer; null: there will be none. */
function tell(of, message, transferred = []) {
	return new Promise(resolve => {
		const id = ++of.number;

		of.waiting.set(id, resolve);
		of.worker.postMessage({ id, ...message }, transferred);
	});
}

/* Files are read when they are shown. Return: why the input cannot be shown; an empty text: it can. */
async function tellInput(of) {
	const { name, isRecording, text, files = [] } = of.input, sizes = files.map(([, file]) => file.size);

	if (sizes.some(size => size > MAX_FILE) || sizes.reduce((sum, size) => sum + size, 0) > MAX_FILES)
		return name + ": is too large for a page: a file may have 256 MiB, a recording 1 GiB; use fragtrace serve";
	try {
		const read = await Promise.all(files.map(async ([path, file]) => [path, await file.arrayBuffer(), file.lastModified]));

		if (of !== reader)
			return "";
		const opened = await tell(of, { input: { name, isRecording, text, files: read } }, read.map(([, content]) => content));

		return opened && opened.ended || "";
	} catch (error) {
		return name + ": cannot be read: " + error.message;
	}
}

/* Return: as that of tellInput(). */
async function beginReader(input) {
	const url = URL.createObjectURL(new Blob([$("reader").textContent], { type: "text/javascript" }));
	const of = { worker: new Worker(url), url, input, waiting: new Map(), number: 0, ended: "" };

	endReader();
	reader = of;
	of.worker.onmessage = ({ data: answer }) => {
		const resolve = of.waiting.get(answer.id);

		of.waiting.delete(answer.id);
		resolve(answer);
	};
	of.worker.onerror = event => {
		event.preventDefault();
		of.ended = "the browser cannot run the reader: " + event.message;
		of.waiting.forEach(resolve => resolve({ ended: of.ended }));
		of.waiting.clear();
	};
	of.opened = tellInput(of);
	of.ended = await of.opened;
	return of.ended;
}

/* As fetch() answers; a reader that has ended is begun anew, once for a question: its memory may be used up. */
async function askReader(what, query, isLast = false) {
	if (reader && reader.ended)
		beginReader(reader.input);
	const of = reader, why = of && await of.opened;

	if (why)
		return new Response(why, { status: 404 });
	const answer = of && of === reader && await tell(of, { what, pairs: [...query] });

	if (!answer)
		return null;
	if (answer.ended) {
		of.ended = answer.ended;
		return isLast ? new Response(answer.ended, { status: 404 }) : askReader(what, query, true);
	}
	const status = STATUSES[answer.status];

	return new Response(status === 304 ? null : answer.data, { status, headers: { "Content-Type": answer.type } });
}

/* === Inputs === */

function drawTrouble(why) {
	$("trouble").textContent = why;
	$("trouble").hidden = !why;
}

function drawInputs() {
	$("input").replaceChildren(...inputs.map(({ name }, i) => new Option(name, i)));
	$("input").hidden = inputs.length < 2;
	$("input").value = String(reader ? inputs.indexOf(reader.input) : 0);
}

/* Nothing of the input before stays. */
function forget() {
	pause();
	epoch++;
	data = { inputs: data.inputs };
	moment = "";
	chosen = steps = overview = shown = mapCursor = view.volume = null;
	Object.assign(state, { chosen: null, folder: null, find: "", rows: ROWS, speed: null });
	Object.assign(player, { first: 0, last: 0, at: 0, spans: [], curves: [] });
	forgetCompared();
	$("rows").replaceChildren();
	$("ticks").classList.remove("curve");
	$("find").value = "";
	drawRefusal("");
}

async function showInput(input, link = {}) {
	forget();
	drawTrouble("");
	document.body.classList.add("reading");
	const why = await beginReader(input);

	if (reader && reader.input !== input)
		return;
	document.body.classList.remove("reading");
	drawInputs();
	const fresh = why ? null : await ask("table");

	document.body.classList.toggle("empty", !fresh);
	if (!fresh) {
		drawTrouble(why || input.name + ": cannot be shown");
		return;
	}
	renewedAt = Date.now();
	await begin(fresh, link);
}

/* Links name inputs, so no two have the same name. */
function addInput(input) {
	let { name } = input;

	for (let n = 2; inputs.some(one => one.name === name); n++)
		name = `${input.name} (${n})`;
	inputs.push({ ...input, name });
}

/* The recorded files of each folder are one input, without others of a folder that was dropped; each other file is one. */
async function openFiles(files) {
	const folders = new Map(), first = inputs.length;

	for (const file of files) {
		const path = file.path || file.name, [name] = /[^/]*\.f2fs\/.*$|[^/]*$/.exec(path), folder = path.slice(0, -name.length);

		if (!folders.has(folder))
			folders.set(folder, []);
		if (RECORDED.test(name) || COUNTED.test(name) || !folder)
			folders.get(folder).push([name, file]);
	}
	for (const [folder, named] of folders) {
		const recorded = named.filter(([name]) => RECORDED.test(name)), isRecording = recorded.length > 1;
		const counted = isRecording || folder ? named.filter(([name]) => COUNTED.test(name)) : [];

		if (isRecording)
			addInput({ name: folder.split("/").at(-2) || "recording", isRecording, files: [...recorded, ...counted] });
		for (const one of named.filter(one => !counted.includes(one) && !(isRecording && recorded.includes(one))))
			addInput({ name: one[0].replace(/^[-.]/, "_"), isRecording: false, files: [one] });
	}
	if (inputs.length > first)
		await showInput(inputs[first]);
	else if (files.length)
		drawTrouble("There is no recording in it: a folder that fragtrace record wrote is expected.");
}

/* The files of a folder that was dropped, and those of its folders. Chromium gives them only by a handle to a page in a file. */
async function filesBelow(handle, path) {
	if (handle.kind === "file")
		return [Object.assign(await handle.getFile(), { path })];
	const found = [];

	for await (const one of handle.values())
		found.push(...await filesBelow(one, path + "/" + one.name));
	return found;
}

/* Firefox has no handles. */
async function filesOfEntry(entry, path) {
	if (entry.isFile)
		return [Object.assign(await new Promise((resolve, refuse) => entry.file(resolve, refuse)), { path })];
	const lister = entry.createReader(), found = [];

	for (let some; !some || some.length; found.push(...some))
		some = await new Promise((resolve, refuse) => lister.readEntries(resolve, refuse));
	return (await Promise.all(found.map(one => filesOfEntry(one, path + "/" + one.name)))).flat();
}

/* What was dropped is there only until this returns. */
function filesOfItem(item) {
	const entry = item.webkitGetAsEntry();

	if (!entry)
		return [];
	if (entry.isFile)
		return [item.getAsFile()];
	return item.getAsFileSystemHandle ? item.getAsFileSystemHandle().then(handle => filesBelow(handle, handle.name)) :
	       filesOfEntry(entry, entry.name);
}

async function onDrop(event) {
	event.preventDefault();
	document.body.classList.remove("dragging");
	try {
		await openFiles((await Promise.all([...event.dataTransfer.items].map(filesOfItem))).flat());
	} catch (error) {
		drawTrouble(String(error));
	}
}

/* For ui.perfetto.dev, which opens a file that is dropped on it. */
async function saveTrace() {
	const link = element("a", ""), { name } = reader.input, of = epoch;

	$("trace").disabled = true;
	document.body.classList.add("reading");
	const answer = await request("trace");

	$("trace").disabled = false;
	if (of !== epoch)
		return;
	document.body.classList.remove("reading");
	if (!answer || !answer.ok) {
		drawTrouble(answer ? await answer.text() : "the trace cannot be made");
		return;
	}
	link.href = URL.createObjectURL(await answer.blob());
	link.download = name.replace(/[^\w.-]+/g, "_") + ".json";
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_MS);
}

function startInputs() {
	$("inputs").hidden = $("trace").hidden = false;
	$("trace").addEventListener("click", saveTrace);
	data.inputs.forEach(({ name, recording }, i) => addInput({ name, isRecording: recording, text: $("input" + i).textContent }));
	$("input").addEventListener("change", event => showInput(inputs[Number(event.target.value)]));
	$("open").addEventListener("click", () => $("files").click());
	$("files").addEventListener("change", event => {
		openFiles([...event.target.files]).catch(error => drawTrouble(String(error)));
		event.target.value = "";
	});
	addEventListener("dragover", event => {
		event.preventDefault();
		document.body.classList.add("dragging");
	});
	addEventListener("dragleave", event => document.body.classList.toggle("dragging", Boolean(event.relatedTarget)));
	addEventListener("drop", onDrop);
	drawInputs();
	document.body.classList.toggle("empty", !inputs.length);
}

/* The input that a link names, or the first one. If there is no such input, the link is about something else. */
async function beginInputs() {
	const link = readLink(), isNamed = link.input !== undefined;
	const input = isNamed ? inputs.find(({ name }) => name === link.input) : inputs[0];

	if (input) {
		await showInput(input, link);
		return;
	}
	if (inputs.length)
		await showInput(inputs[0]);
	if (isNamed)
		drawTrouble(link.input + ": the link is about this input, which is not open here.");
}
