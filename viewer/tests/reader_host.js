// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader of pages outside of a browser, for tests: node reader_host.js READER. Each line of the input is a message as
 * open.js posts it; one with an input begins a new reader, and has paths instead of contents; one with take uses up so many
 * bytes. Answers are lines, too, with the size of the reader's memory.
 */
"use strict";

const fs = require("fs"), readline = require("readline"), vm = require("vm");
const script = new vm.Script(fs.readFileSync(process.argv[2], "utf8"));
const globals = { process, require, console, Buffer, WebAssembly, TextDecoder, TextEncoder, performance, atob, setTimeout, clearTimeout, URL,
		  __dirname: ".", __filename: "reader.js" };

let context = null;

function load({ path, name, time }) {
	return [name, Uint8Array.from(fs.readFileSync(path)).buffer, time];
}

function begin() {
	/* each reader listens */
	process.removeAllListeners("uncaughtException");
	process.removeAllListeners("unhandledRejection");
	context = vm.createContext({ ...globals, Uint8Array, Int8Array, Int16Array, Int32Array, Uint16Array, Uint32Array, Float32Array, Float64Array,
				     Promise, Error });
	context.self = { postMessage: answer => answered(answer) };
	context.globalThis = context;
	script.runInContext(context);
	/* a browser only notes them */
	process.removeAllListeners("unhandledRejection");
	process.on("unhandledRejection", () => {});
}

let answered = null;

(async () => {
	for await (const line of readline.createInterface({ input: process.stdin })) {
		const message = JSON.parse(line);

		if (message.input) {
			begin();
			message.input.files = message.input.paths.map(load);
		}
		if (message.take)
			vm.runInContext(`Module._malloc(${message.take})`, context);
		const answer = message.take ? {} : await new Promise(resolve => {
			answered = resolve;
			context.self.onmessage({ data: message });
		});

		console.log(JSON.stringify({ ...answer, data: Buffer.from(answer.data || []).toString("base64"),
					     memory: vm.runInContext("Module.HEAP8 ? Module.HEAP8.length : 0", context) }));
	}
	process.exit(0);
})();
