// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader of a page that opens files, in a thread of its own; reader.c is behind it. The first message has the files of
 * one input, the others are questions about it. If the program ends, why it did is the answer to this and all later messages.
 */
"use strict";

const FOLDER = "/input";

/* Why the program has ended; null: it has not. */
let ended = null;

var Module = {
	/* What the program has said, without its name. */
	said: [],
	print() {},
	printErr(line) {
		Module.said.push(line.replace(/^fragtrace: /, ""));
	},
	quit(status, thrown) {
		throw thrown;
	},
};

const isReady = new Promise((resolve, reject) => {
	Module.onRuntimeInitialized = resolve;
	/* also when the browser refuses the program, or has no memory for it */
	Module.onAbort = what => {
		ended = "the reader of this page has stopped: " + what + "; fragtrace on the command line may have room for the input";
		reject(new Error(ended));
	};
});

function bytesOf(content) {
	if (typeof content !== "string")
		return new Uint8Array(content);
	const letters = atob(content), bytes = new Uint8Array(letters.length);

	for (let i = 0; i < letters.length; i++)
		bytes[i] = letters.charCodeAt(i);
	return bytes;
}

/* A name may have folders; the time is in ms since 1970. */
function write([name, content, time]) {
	Module.FS.mkdirTree([Module.FS.cwd(), ...name.split("/").slice(0, -1)].join("/"));
	Module.FS.writeFile(name, bytesOf(content));
	Module.FS.utime(name, time, time);
}

/* A folder is a recording. */
function openInput({ name, isRecording, text, files }) {
	const all = text ? JSON.parse(text) : files;

	Module.FS.mkdir(FOLDER);
	Module.FS.chdir(FOLDER);
	if (isRecording) {
		Module.FS.mkdir(name);
		Module.FS.chdir(name);
	}
	all.forEach(file => write(isRecording ? file : [name, ...file.slice(1)]));
	Module.FS.chdir(FOLDER);
	Module.ccall("reader_open", null, ["string"], [name]);
	return { status: 0, type: "", data: new Uint8Array(0) };
}

function put(text) {
	const length = Module.lengthBytesUTF8(text) + 1, at = Module._malloc(length);

	Module.stringToUTF8(text, at, length);
	return at;
}

function ask({ what, pairs }) {
	const name = put(what), list = put(pairs.map(pair => pair.map(word => word + "\0").join("")).join("") + "\0");
	const status = Module._reader_ask(name, list), from = Module._reader_answer();
	const answer = { status, type: Module.UTF8ToString(Module._reader_type()),
			 data: Module.HEAPU8.slice(from, from + Module._reader_length()) };

	Module._free(name);
	Module._free(list);
	return answer;
}

/* An error of the input ends the program by exit(), with a message. */
function whyEnded(error) {
	return ended || error.name === "ExitStatus" && Module.said.pop() || "the reader of this page has failed: " + error;
}

self.onmessage = async ({ data }) => {
	let answer = null;

	try {
		await isReady;
		if (ended === null)
			answer = data.input ? openInput(data.input) : ask(data);
	} catch (error) {
		ended = whyEnded(error);
	}
	if (answer)
		self.postMessage({ id: data.id, ...answer }, [answer.data.buffer]);
	else
		self.postMessage({ id: data.id, ended });
};
