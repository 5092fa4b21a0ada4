// SPDX-License-Identifier: GPL-3.0-or-later
// Functions hot enough to be compiled, exceptions through them, garbage, promises, a worker.
'use strict';
const { Worker, isMainThread, parentPort } = require('worker_threads');

const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2);
if (!isMainThread) {
	parentPort.postMessage(fib(22));
} else {
	let caught = 0, garbage = [];
	for (let i = 0; i < 20000; i++) {
		try {
			if (i % 7 === 0) throw new Error(String(i));
			garbage = [garbage.length, i, { i }];
		} catch (e) {
			caught++;
		}
	}
	console.log(fib(24), caught, [3, 1, 2].sort((a, b) => b - a).join());
	new Worker(__filename).on('message', async answer => {
		for (let i = 0; i < 1000; i++) answer += await i;
		console.log(answer);
	});
}
