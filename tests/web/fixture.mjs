/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Made-up profiles for the tests of the report, and the page around them: the same template and
 * encoding that `rarog report` uses. Everything is deterministic.
 */
import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";

const template = readFileSync(new URL("../../web/dist/report.html", import.meta.url), "utf8");

export function makePage(payload, title = "test") {
	const data = deflateRawSync(Buffer.from(JSON.stringify(payload))).toString("base64");
	const escaped = title.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
	const [head, middle, tail] = template.split(/\{\{(?:title|data)\}\}/);

	return head + escaped + middle + data + tail;
}

/** Numbers in [0, 1), the same ones every time (mulberry32). */
export function random(seed) {
	return () => {
		seed = seed + 0x6d2b79f5 | 0;
		let t = Math.imul(seed ^ seed >>> 15, 1 | seed);

		t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
		return ((t ^ t >>> 14) >>> 0) / 4294967296;
	};
}

export function emptyPayload() {
	return {
		version: 1, rarog: "0.1.0", title: null, profile: "empty.rarog", profile_bytes: 1234, partial: false,
		header: JSON.stringify({ command: "./empty", collector: "trace", engine: "inline" }),
		clock: { hz: 1e9, start_ns: 1763640000e9, suspect: false },
		losses: { what: [], count: [] }, binaries: { path: [], build_id: [] },
		processes: { pid: [], parent: [], start: [], end: [], wait_status: [], command: [], threads: [] },
		files: [],
		functions: { name: [], demangled: [], binary: [], file: [], line: [], count: [], timed: [], sum: [],
			     total: [], exclusive: [], min: [], max: [], p50: [], p99: [], deviation: [], open: [],
			     unwound: [], away: null },
		histograms: { n: [], bar: [], count: [] },
		inlined: { name: [], demangled: [], host: [], file: [], line: [] }, inlined_left_out: 0,
		edges: { caller: [], callee: [], count: [], time: [] },
		tree: { depth: [0], function: [-1], count: [0], self: [0], waited: [], preempted: [], left_out: [] },
		left_out: { contexts: 0, time: 0, calls: 0 },
	};
}

/** The bar of a duration in ticks: eight to an octave, see web/src/histogram.ts. */
export function barOf(ticks) {
	if (ticks < 32)
		return ticks >> 2;
	const exponent = Math.floor(Math.log2(ticks));

	return ((exponent - 4) << 5) + (Math.floor(ticks / 2 ** (exponent - 5)) & 31) >> 2;
}

/**
 * A payload from a tree of calls. @roots: nodes { f, count, self, children } where f indexes
 * @functions: { name, demangled?, binary?, file?, line? }. All sums are made by walking the tree.
 */
export function payloadOf(functions, roots, seed = 1) {
	const p = emptyPayload(), rand = random(seed);
	const binaries = [...new Set(functions.map((f) => f.binary ?? "/usr/bin/prog"))];
	const files = [...new Set(functions.map((f) => f.file).filter(Boolean))];
	const sums = functions.map(() => ({ count: 0, total: 0, exclusive: 0, sum: 0 }));
	const edges = new Map(), active = new Map();

	p.files = files;
	p.binaries = { path: binaries, build_id: binaries.map((_, i) => `${i}`.repeat(8)) };
	const enter = (key, amount) => {
		const n = active.get(key) ?? 0;

		active.set(key, n + 1);
		return n === 0 ? amount : 0;
	};
	const stack = roots.slice().reverse().map((node) => ({ node, depth: 1, from: -1 }));
	const inclusive = (node) => node.all ??= node.self + node.children.reduce((a, c) => a + inclusive(c), 0);

	roots.forEach(inclusive);
	while (stack.length > 0) {
		const item = stack.pop();

		if (item.leave) {
			item.leave.forEach((key) => active.set(key, active.get(key) - 1));
			continue;
		}
		const { node, depth, from } = item, sum = sums[node.f], key = `${from} ${node.f}`;

		p.tree.depth.push(depth);
		p.tree.function.push(node.f);
		p.tree.count.push(node.count);
		p.tree.self.push(node.self);
		sum.count += node.count;
		sum.exclusive += node.self;
		sum.sum += node.all;
		sum.total += enter(node.f, node.all);
		const edge = edges.get(key) ?? { from, to: node.f, count: 0, time: 0 };

		edge.count += node.count;
		edge.time += enter(key, node.all);
		edges.set(key, edge);
		stack.push({ leave: [node.f, key] });
		for (let i = node.children.length - 1; i >= 0; i--)
			stack.push({ node: node.children[i], depth: depth + 1, from: node.f });
	}
	for (const edge of edges.values()) {
		p.edges.caller.push(edge.from);
		p.edges.callee.push(edge.to);
		p.edges.count.push(edge.count);
		p.edges.time.push(edge.time);
	}
	functions.forEach((f, i) => addFunction(p, f, sums[i], binaries, files, rand));
	p.processes = { pid: [4711], parent: [-1], start: [0], end: [p.functions.exclusive.reduce((a, b) => a + b, 0)],
			wait_status: [0], command: ["./prog input.dat"], threads: [1] };
	return p;
}

function addFunction(p, f, sum, binaries, files, rand) {
	const mean = sum.count > 0 ? sum.sum / sum.count : 0;
	const bars = new Map();
	const draws = Math.min(400, sum.count);
	const spread = 0.12 + rand() * 0.5;
	let min = Infinity, max = 0;

	for (let i = 0; i < draws; i++) {
		const slow = rand() < 0.03 ? 2.5 + rand() : 0;
		const ticks = Math.max(1, Math.round(mean * Math.exp(spread * (rand() + rand() + rand() - 1.5) * 1.6 + slow)));

		min = Math.min(min, ticks);
		max = Math.max(max, ticks);
		bars.set(barOf(ticks), (bars.get(barOf(ticks)) ?? 0) + Math.round(sum.count / draws));
	}
	const sorted = [...bars].sort((a, b) => a[0] - b[0]);
	const row = {
		name: f.name, demangled: f.demangled ?? null, binary: binaries.indexOf(f.binary ?? "/usr/bin/prog"),
		file: f.file ? files.indexOf(f.file) : -1, line: f.line ?? 0, count: sum.count, timed: sum.count,
		sum: sum.sum, total: sum.total, exclusive: sum.exclusive, min: min === Infinity ? 0 : min, max,
		p50: Math.round(mean * 0.96), p99: Math.round(Math.min(max, mean * 3)), deviation: Math.round(mean * spread),
		open: 0, unwound: 0,
	};

	for (const [key, value] of Object.entries(row))
		p.functions[key].push(value);
	p.histograms.n.push(sorted.length);
	sorted.forEach(([bar, count], i) => {
		p.histograms.bar.push(i === 0 ? bar : bar - sorted[i - 1][0]);
		p.histograms.count.push(count);
	});
}

/** A page of two versions with @count functions and about @nodes contexts; a change every 40 functions. */
export function largePairPayload(nodes, count, seed = 3) {
	const rand = random(seed), one = largePayload(nodes, count, seed), f = one.functions;
	const factor = f.name.map((_, i) => i % 40 === 3 ? 1.3 : 1);
	const side = (name) => ({ name, version: null, runs: 9, untraced_runs: 0, first_ns: 0, last_ns: 0, profile: "", header: "{}" });
	const own = (i, now) => one.tree.self[i] * 10 * (now && one.tree.function[i] >= 0 ? factor[one.tree.function[i]] : 1);
	const both = (of, scale) => ({ before: of, now: of.map((x, i) => scale ? x * factor[i] : x) });
	const blank = f.name.map(() => null);

	return {
		version: 1, rarog: "0.1.0", title: null, baseline: "a", target: "b", notes: [], source_texts: [],
		checks: [{
			job: "./large", verdict: "degradation", sentence: "slower", is_forced: false, has_times: true, function_time: "wall", tests: 9,
			runs_needed: 0, notes: [], before: side("a"), now: side("b"), traced_ns: [1, 1], changes: [],
			texts: one.binaries.path.concat(one.files),
			functions: {
				name: f.demangled, symbol: f.name, was: blank, matched_by: blank, folded: blank, is_folded: f.name.map(() => 0),
				binary: f.binary, file: f.file.map((i) => i + one.binaries.path.length), line: f.line, share: f.name.map(() => rand() / count),
				exclusive: both(f.exclusive, true), inclusive: both(f.total, true), calls: both(f.count, false),
			},
			without_tree: 0, contexts_left_out: 0, graphs: [], graphs_left_out: 0, sources: null,
			tree: {
				depth: one.tree.depth, "function": one.tree.function, left_out: [],
				before: one.tree.depth.map((_, i) => own(i, false)), now: one.tree.depth.map((_, i) => own(i, true)),
				calls_before: one.tree.count, calls_now: one.tree.count, margin: one.tree.depth.map(() => 5),
			},
		}],
	};
}

export const node = (f, count, self, children = []) => ({ f, count, self, children });

/** Six functions whose numbers one can add up in one's head; times in ns. */
export function smallPayload() {
	const functions = [
		{ name: "main", file: "/src/app/main.c", line: 10 },
		{ name: "parse_input", file: "/src/app/parse.c", line: 42 },
		{ name: "_ZN4core5solveEi", demangled: "core::solve(int)", file: "/src/app/solve.cc", line: 7 },
		{ name: "compare", file: "/src/app/solve.cc", line: 99 },
		{ name: "memcpy", binary: "/lib/x86_64-linux-gnu/libc.so.6" },
		{ name: "write_output", file: "/src/app/main.c", line: 88 },
	];
	const p = payloadOf(functions, [
		node(0, 1, 1000, [
			node(2, 10, 50000, [node(3, 1000, 20000), node(2, 5, 4000, [node(3, 100, 2000)])]),
			node(1, 4, 13000, [node(4, 400, 6000)]),
			node(5, 1, 3000, [node(4, 20, 1000)]),
		]),
	]);

	p.header = JSON.stringify({
		command: ["./prog", "input.dat"], workload: "input.dat", collector: "trace", engine: "inline",
		detail: "calls", machine: { host: "forge", cpu: "Ryzen 9 5950X" }, commit: "0123456789abcdef0123", dirty: true,
		probe_cost: { call_ticks: 25.4, self_ticks: 12, compensated: false }, end: { signal: 11 },
	});
	p.inlined = { name: ["swap_items", "_ZN4core5clampEi"], demangled: [null, "core::clamp(int)"], host: [3, 2],
		      file: [p.files.indexOf("/src/app/solve.cc"), -1], line: [101, 0] };
	return p;
}

/**
 * A model as doc/design/json.md describes it: y = 100 + 20 x with a deviation of @noise, at x = 1 … @n,
 * and a quadratic that is behind.
 */
export function linearModel(fn, name, n, noise = 0) {
	const rand = random(11), column = (f) => Array.from({ length: n }, (_, i) => f(i + 1));
	const value = (x) => 100 + 20 * x, off = 3 * noise;
	const curve = { x: [1, n], value: [value(1), value(n)], low: [value(1) - noise, value(n) - noise], high: [value(1) + noise, value(n) + noise],
			low_one: [value(1) - off, value(n) - off], high_one: [value(1) + off, value(n) + off] };
	const candidate = (family, behind, weight, r2, values) => ({ family, class: family, behind, weight, r2, formula: `${family} of n`, value: values });

	return {
		function: fn, name, x: "n", y: "wall", unit: "ns", over_runs: false, count: n, not_finite: 0, are_typical: false, missing: null, fitted: n,
		points: { x: column((x) => x), y: column((x) => value(x) + (rand() - 0.5) * 2 * noise), n: [], value: column(value) },
		pieces: [{ from: 1, to: n, class: "linear", is_told: true, certainty: 0.98, reason: null, family: "linear", formula: "100 ns + 20 ns n",
			   coefficients: [{ value: 100, error: 1, low: 98, high: 102 }, { value: 20, error: 0.1, low: 19.8, high: 20.2 }],
			   r2: 0.999, rmse: noise, aicc: 1, left_out: 0, curve,
			   candidates: [candidate("linear", 0, 0.98, 0.999, curve.value), candidate("quadratic", 7.25, 0.02, 0.9991, [130, value(n) * 1.1])] }],
	};
}

/** A random program of @nodes contexts, @count functions and C++-like names. */
export function largePayload(nodes, count = 2000, seed = 7) {
	const rand = random(seed);
	const words = ["parse", "token", "node", "value", "buffer", "insert", "lookup", "hash", "scan", "emit", "page",
		       "cursor", "expr", "visit", "encode", "decode", "merge", "split", "write", "read"];
	const word = () => words[Math.floor(rand() * words.length)];
	const libraries = ["/usr/bin/forge", "/usr/lib/libengine.so.4", "/usr/lib/libstdc++.so.6", "/lib/libc.so.6"];
	const functions = Array.from({ length: count }, (_, i) => ({
		name: `_ZN6engine${i}`, demangled: `engine::${word()}::${word()}_${word()}<${word()}>(int, ${word()} const&)${i % 7 ? "" : " const"}`,
		binary: libraries[Math.floor(rand() ** 2 * 4)], file: `/src/engine/${word()}.cc`, line: 1 + Math.floor(rand() * 900),
	}));
	const roots = [node(0, 1, 50)];
	const all = [roots[0]];

	while (all.length < nodes) {
		const recent = rand() < 0.6 ? all.length - 1 - Math.floor(rand() * Math.min(60, all.length)) : Math.floor(rand() * all.length);
		const parent = all[recent];
		const child = node(Math.floor(rand() ** 3 * count), 1 + Math.floor(rand() ** 4 * 500), 1 + Math.floor(rand() ** 6 * 90000));

		parent.children.push(child);
		all.push(child);
	}
	const inclusive = (n) => n.all ??= n.self + n.children.reduce((a, c) => a + inclusive(c), 0);

	inclusive(roots[0]);
	for (const n of all)
		n.children.sort((a, b) => b.all - a.all);
	return payloadOf(functions, roots, seed);
}

/**
 * A made-up program of counted blocks: @functions functions of @size blocks, as a chain with loops
 * and branches that a random walk went through, so that counts fit together.
 */
export function blocksPayload(functions, size, seed = 1) {
	const { histograms, inlined, inlined_left_out, tree, left_out, ...head } = emptyPayload(), rand = random(seed);
	const p = {
		...head, header: JSON.stringify({ command: "./made up", collector: "blocks", engine: "compiled" }), rebuilt_from: -1,
		files: [], sources: { text: [], state: [] }, binaries: { path: ["/usr/bin/made"], build_id: [""] },
		functions: { name: [], demangled: [], binary: [], file: [], line: [], calls: [], blocks: [], edges: [] },
		edges: { from: [], to: [], count: [] }, blocks: { count: [], instructions: [], line: [], column: [], lines: [] },
		lines: [], branches: { all: [], taken: [] }, ir: { state: ["unwritten"], text: [] }, covered: { function: [], file: [], line: [], count: [], partly: [] }, loops: [], innermost: [],
		inlined: { names: [], frames: { parent: [], name: [], file: [], line: [], column: [] }, block: [], frame: [], file: [], line: [], column: [] },
		paths: { function: [], count: [], next: [], blocks: [], steps: [], left_out: { function: [], paths: [], instructions: [] }, uncounted: [] },
	};
	const files = Math.max(1, Math.ceil(functions / 40));

	for (let i = 0; i < files; i++) {
		p.files.push(`/src/made${i}.c`);
		p.sources.text.push(Array.from({ length: 40 * (size + 2) }, (_, k) => `\tif (x${k}) y${k}++; /* ${k + 1} */`).join("\n"));
		p.sources.state.push("whole");
		p.branches.all.push(80);
		p.branches.taken.push(60);
	}
	for (let f = 0; f < functions; f++) {
		const calls = f % 5 === 4 ? 0 : 1 + Math.floor(rand() * 1000), first = f % 40 * (size + 2) + 1;
		const counts = new Array(size).fill(0), edges = [];

		counts[0] = calls;
		for (let b = 0; b + 1 < size; b++) { /* on, past one block, or back once for each round */
			const skip = b + 2 < size && rand() < 0.3 ? Math.floor(counts[b] * rand()) : -1;

			edges.push([b, b + 1, counts[b] - Math.max(0, skip)]);
			counts[b + 1] += counts[b] - Math.max(0, skip);
			if (skip >= 0) {
				edges.push([b, b + 2, skip]);
				counts[b + 2] += skip;
			}
		}
		for (let b = 3; b < size; b += 7) { /* loops of one block */
			const rounds = counts[b] * 3;

			edges.push([b, b, rounds]);
			counts[b] += rounds;
			p.loops.push({ function: f, header: b, parent: -1, depth: 1, blocks: 1, line: first + b, irreducible: false,
				       entries: rounds / 3, iterations: counts[b], least: null, most: null, instructions: counts[b] * 5, own: counts[b] * 5 });
		}
		edges.sort((a, b) => a[0] - b[0]);
		const file = Math.floor(f / 40), columns = p.functions;

		for (const [key, value] of Object.entries({ name: `made_${f}`, demangled: null, binary: 0, file, line: first, calls, blocks: size, edges: edges.length }))
			columns[key].push(value);
		for (const [from, to, count] of edges) {
			p.edges.from.push(from);
			p.edges.to.push(to);
			p.edges.count.push(count);
		}
		counts.forEach((count, b) => {
			const columns = { count, instructions: 5, line: first + b, column: 2, lines: 0 };

			for (const [key, value] of Object.entries(columns))
				p.blocks[key].push(value);
			p.innermost.push(b % 7 === 3 ? (b - 3) / 7 : -1);
			for (const [key, value] of Object.entries({ function: f, file, line: first + b, count, partly: count === 0 ? 1 : 0 }))
				p.covered[key].push(value);
		});
	}
	return p;
}

/* Line 3 is another, behind line 4 is a new one, which no block is in. */
const changedText = (text) => text.split("\n").flatMap((line, i) => i === 2 ? [`${line} changed`] : i === 3 ? [line, "\tnew();"] : [line]).join("\n");

/** The sources of a version of @graphs: its lines are those of its blocks. */
function madeSources({ files, functions, sources }, graphs, version) {
	const made = { path: files, text: files.map((_, i) => version * files.length + i), state: sources.state, file: [], lines: [], line: [], count: [], partly: [],
		       of_row: functions.file, begin: functions.line };

	graphs.forEach(({ row, blocks }) => {
		const of = blocks.map((block) => block.slice(version * 5, version * 5 + 5)).filter(([number]) => number >= 0);

		if (made.file.at(-1) !== functions.file[row]) {
			made.file.push(functions.file[row]);
			made.lines.push(0);
		}
		made.lines[made.lines.length - 1] += of.length;
		made.line.push(...of.map((block) => block[3]));
		made.count.push(...of.map((block) => block[2]));
		made.partly.push(...of.map((block) => Number(block[2] === 0)));
	});
	return made;
}

/**
 * Two versions of a made-up program of counted blocks: every 40th function loses a block, gets another,
 * and runs one more often.
 */
export function pairGraphsPayload(functions, size, seed = 1) {
	const one = blocksPayload(functions, size, seed), f = one.functions, pair = largePairPayload(1, 1), [check] = pair.checks, graphs = [];
	const sums = { before: [], now: [] }, zero = () => f.name.map(() => 0), none = () => f.name.map(() => null);
	let block = 0, way = 0;

	f.name.forEach((_, row) => {
		const graph = { row, blocks: [], lines: [], ways: [] }, isChanged = row % 40 === 0;
		const side = (i, count) => [i, one.blocks.instructions[block + i], count, one.blocks.line[block + i], 2], absent = [-1, 0, 0, 0, 0];

		for (let i = 0; i < size; i++) {
			const count = one.blocks.count[block + i];

			graph.blocks.push([...(isChanged && i === 2 ? absent : side(i, count)),
					   ...(isChanged && i === 3 ? absent : side(i, isChanged && i === 1 ? 2 * count : count))]);
		}
		for (let i = 0; i < f.edges[row]; i++, way++) {
			const { from, to, count } = one.edges, ends = [from[way], to[way]];

			if (!isChanged || !ends.includes(2) || !ends.includes(3)) /* else it is in neither version */
				graph.ways.push([...ends, isChanged && ends.includes(2) ? -1 : count[way], isChanged && ends.includes(3) ? -1 : count[way]]);
		}
		block += size;
		graphs.push(graph);
		sums.before.push(graph.blocks.reduce((sum, b) => sum + b[1] * b[2], 0));
		sums.now.push(graph.blocks.reduce((sum, b) => sum + b[6] * b[7], 0));
	});
	Object.assign(pair, { source_texts: [...one.sources.text, ...one.sources.text.map(changedText)] });
	check.sources = { before: madeSources(one, graphs, 0), now: madeSources(one, graphs, 1) };
	const changed = graphs.filter(({ row }) => sums.before[row] !== sums.now[row]);

	Object.assign(check, {
		has_times: false, traced_ns: [null, null], graphs, texts: one.files,
		functions: { name: f.name, symbol: none(), was: none(), matched_by: none(), folded: none(), is_folded: zero(), binary: f.name.map(() => -1),
			     file: f.file, line: f.line, share: zero(), exclusive: { before: none(), now: none() }, inclusive: { before: none(), now: none() },
			     calls: { before: f.calls, now: f.calls } },
		tree: { depth: [0], function: [-1], left_out: [], before: [0], now: [0], calls_before: [0], calls_now: [0], margin: [null] },
		changes: changed.map(({ row }) => {
			const [before, now] = [sums.before[row], sums.now[row]], relative = now / before - 1;

			return { row, location: f.name[row], "class": now > before ? "Degradation" : "Optimization", metric: "instructions", unit: "count", before, now,
				 relative, low: null, high: null, p: null, q: null, impact: 0, method: "exact", reason: null, path: null, lines: null,
				 words: { "class": now > before ? "slower" : "faster", before: `${before}`, now: `${now}`, change: `${(relative * 100).toFixed(1)} %`,
					  interval: "", sure: "", impact: "" }, runs_before: [], runs_now: [] };
		}),
	});
	return pair;
}
