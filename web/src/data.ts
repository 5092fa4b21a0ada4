/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the page carries (doc/design/report.md) and the model the views work on. The data is
 * JSON, deflated, in base64: nothing in it can end the element it stands in, and names reach the
 * document as text only.
 */

import { baseName, shortName, visibleText } from "./format";
import { FAMILIES, hash } from "./colour";
import { parseHeader } from "./header";
import type { FeatureColumns } from "./features-data";
import type { Bars } from "./histogram";
import type { ModelsPayload } from "./models-data";
import type { TimelinePayload } from "./timeline-data";
import { buildTree, type Tree, type TreeColumns } from "./tree";

/** What every page of one profile begins with. */
export interface HeadPayload {
	version: number;
	rarog: string;
	title: string | null;
	profile: string;
	profile_bytes: number;
	partial: boolean;
	verdict?: string | null; /* that rarog check kept of its version */
	changes?: number; /* that it found */
	/** Calls from which the sums of a cut-off file were computed again; -1: they were in it. */
	rebuilt_from: number;
	header: string; /* the profile's header, JSON text */
	clock: { hz: number; start_ns: number; suspect: boolean };
	losses: { what: string[]; count: number[] };
	binaries: { path: string[]; build_id: string[] };
	processes: {
		pid: number[]; parent: number[]; start: number[]; end: number[];
		wait_status: number[]; command: string[]; threads: number[];
	};
	files: string[];
	models?: ModelsPayload | null; /* absent where the data is a part of another's */
}

/** A run: what the head of its page needs. */
export interface Run {
	payload: HeadPayload;
	header: Record<string, unknown>;
	nsPerTick: number;
}

export interface Payload extends HeadPayload {
	blocks?: HeadPayload; /* blocks-data.ts: where calls and blocks were counted together */
	whole_program?: boolean; /* nothing but the program as a whole was measured */
	calls_sampled?: boolean; /* only some calls were recorded: contexts are not known, nor some exclusive times */
	unsure?: number[]; /* functions whose total is not told: too few of their calls were recorded */
	functions: {
		name: string[]; demangled: (string | null)[]; binary: number[]; file: number[];
		line: number[]; count: number[]; timed: number[]; sum: number[]; total: (number | null)[];
		exclusive: (number | null)[]; /* null: not known */
		min: number[]; max: number[]; p50: number[]; p99: number[];
		deviation: number[]; open: number[]; unwound: number[];
		away: Away | null; /* CPU time was not measured */
	};
	marks?: { regions: number[]; points: number[] }; /* of functions: what the program's author marked */
	histograms: { n: number[]; bar: number[]; count: number[] };
	inlined: { name: string[]; demangled: (string | null)[]; host: number[]; file: number[]; line: number[] };
	inlined_left_out: number;
	edges: { caller: number[]; callee: number[]; count: number[]; time: number[] };
	tree: TreeColumns;
	arguments?: ArgumentPoints[] | null;
	experiments?: Experiments | null;
	features?: FeatureColumns | null; /* null: no regions of features were measured */
	threads?: Omit<TreeColumns, "waited" | "preempted"> | null; /* below each thread what it called; null: there is one */
	timeline?: TimelinePayload | null; /* null: only sums of calls were kept, or no times */
	left_out: { contexts: number; time: number; calls: number };
}

/** Places that were made slower, or virtually faster, and which part of that reached the end of the run. */
export interface Experiments {
	function: number[];
	line: number[]; /* 0: the whole function */
	kind: string[];
	amount: number[]; /* ticks a call */
	runs: number[];
	effect: number[];
	low: number[];
	high: number[];
	trials?: Trials | null;
}

/** The runs that experiments are made of; times are ticks. */
export interface Trials {
	function: number[];
	strand: number[]; /* whose time it is; -1: the whole run's */
	number: number[];
	injected: number[]; /* 0: a run to compare with */
	time: number[];
}

/** Values of one argument, and what the calls took, ns. */
export interface ArgumentPoints {
	function: number;
	within: number; /* of a mark: the function that it was passed in; -1: none */
	name: string;
	type: string | null;
	seen: number; /* calls; x and y are of some of them when they are many */
	x: number[];
	y: number[];
	strand?: number[];
	begin?: (number | null)[]; /* ticks since the start of the run; null: not known */
}

/** Ticks of exclusive and of total times that were no CPU time; null: not known of this function. */
export interface Away {
	waited: (number | null)[];
	preempted: (number | null)[];
	total_waited: (number | null)[];
	total_preempted: (number | null)[];
}

export interface Inlined {
	host: number; /* function */
	file: string;
	line: number;
}

export interface Edge {
	fn: number; /* the other function; -1: called from outside of what was traced */
	count: number;
	time: number; /* ns */
}

/** One row of the table: a function, called or not, or one that was only ever inlined. */
export interface Fn {
	id: number;
	name: string; /* demangled, every character visible */
	short: string;
	symbol: string; /* as in the binary, "" when the same as name */
	binary: string;
	binaryPath: string;
	file: string;
	line: number;
	source: string; /* file:line without folders, "" unknown */
	/* times in ns; NaN: not known */
	calls: number;
	timed: number;
	exclusive: number;
	total: number;
	min: number;
	mean: number;
	p50: number;
	p99: number;
	max: number;
	deviation: number;
	cpu: number; /* with waited and preempted: the parts of exclusive */
	waited: number;
	preempted: number;
	totalCpu: number;
	open: number;
	unwound: number;
	bars: Bars;
	inlinedInto: Inlined[];
	family: number;
	shade: number;
}

export interface Family {
	name: string;
	exclusive: number; /* ns */
	colour: number; /* index of its hue, -1: grey */
}

export interface Model {
	payload: Payload;
	header: Record<string, unknown>;
	functions: Fn[]; /* also those never called, and those that were only inlined */
	nCalled: number; /* of them, functions with calls */
	tree: Tree;
	families: Family[];
	familyKind: "binary" | "source file" | "name";
	tracedNs: number; /* time of the whole tree */
	tracedCalls: number;
	hasTimes: boolean;
	hasSamples: boolean; /* counts are samples: of functions on the stack, of the tree in the function itself */
	hasExclusive: boolean; /* of any function */
	hasCpu: boolean; /* of functions; of the tree: tree.cpu is not empty */
	nsPerTick: number;
	callers: Map<number, Edge[]>;
	callees: Map<number, Edge[]>;
	firstBar: number;
	lastBar: number;
}

/** Text of the data element to the payload. */
export async function decodePayload<P extends { version: number }>(base64: string): Promise<P> {
	const packed = atob(base64.trim());
	const bytes = new Uint8Array(packed.length);

	for (let i = 0; i < packed.length; i++)
		bytes[i] = packed.charCodeAt(i);
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
	const payload = JSON.parse(await new Response(stream).text()) as P;

	if (payload.version !== 1)
		throw new Error(`data of version ${payload.version}, this page reads version 1`);
	return payload;
}

/** The parts of a function's times, ticks; NaN: not known. */
function partsOf({ functions: { away, exclusive, total } }: Payload, id: number) {
	const waited = away?.waited[id] ?? NaN, preempted = away?.preempted[id] ?? NaN;
	const totalAway = (away?.total_waited[id] ?? NaN) + (away?.total_preempted[id] ?? NaN);

	return { waited, preempted, cpu: Math.max(0, (exclusive[id] ?? NaN) - waited - preempted), totalCpu: Math.max(0, (total[id] ?? NaN) - totalAway) };
}

function makeFunctions(payload: Payload): Fn[] {
	const f = payload.functions, ns = 1e9 / payload.clock.hz;
	const binaries = payload.binaries.path.map(visibleText);
	const files = payload.files.map(visibleText);
	let bar = 0;

	return f.name.map((symbol, id) => {
		const timed = f.timed[id];
		const time = (ticks: number | null) => ticks !== null && (timed > 0 || (f.total[id] ?? 0) > 0) ? ticks * ns : NaN;
		const demangled = f.demangled[id];
		const name = visibleText(demangled ?? symbol);
		const file = f.file[id] >= 0 ? files[f.file[id]] : "";
		const binaryPath = f.binary[id] >= 0 ? binaries[f.binary[id]] : "";
		const bars: Bars = { bar: [], count: [] };
		const parts = partsOf(payload, id);
		let at = 0;

		for (let k = 0; k < payload.histograms.n[id]; k++, bar++) {
			at += payload.histograms.bar[bar];
			bars.bar.push(at);
			bars.count.push(payload.histograms.count[bar]);
		}
		return {
			id, name, short: shortName(name), binaryPath, file, bars, timed,
			symbol: demangled !== null && demangled !== symbol ? visibleText(symbol) : "",
			binary: baseName(binaryPath),
			line: f.line[id],
			source: file === "" ? "" : `${baseName(file)}:${f.line[id]}`,
			calls: f.count[id],
			exclusive: time(f.exclusive[id]), total: time(f.total[id]),
			min: time(f.min[id]), max: time(f.max[id]),
			mean: time(f.sum[id] / timed),
			p50: time(f.p50[id]), p99: time(f.p99[id]), deviation: time(f.deviation[id]),
			cpu: time(parts.cpu), waited: time(parts.waited), preempted: time(parts.preempted), totalCpu: time(parts.totalCpu),
			open: f.open[id], unwound: f.unwound[id],
			inlinedInto: [], family: 0, shade: hash(name) & 3,
		};
	});
}

/** Adds what was inlined to the functions of that name, or as functions without calls. */
function addInlined(payload: Payload, functions: Fn[]): void {
	const bySymbol = new Map<string, Fn>();
	const { name, demangled, host, file, line } = payload.inlined;

	for (const fn of functions)
		bySymbol.set(payload.functions.name[fn.id], fn);
	name.forEach((symbol, i) => {
		let fn = bySymbol.get(symbol);

		if (!fn) {
			fn = withoutCalls(functions.length, symbol, demangled[i], functions[host[i]]);
			functions.push(fn);
			bySymbol.set(symbol, fn);
		}
		fn.inlinedInto.push({
			host: host[i], line: line[i],
			file: file[i] >= 0 ? visibleText(payload.files[file[i]]) : "",
		});
	});
}

function withoutCalls(id: number, symbol: string, demangled: string | null, host: Fn): Fn {
	const name = visibleText(demangled ?? symbol);

	return {
		...host, id, name, short: shortName(name),
		symbol: demangled !== null && demangled !== symbol ? visibleText(symbol) : "",
		file: "", line: 0, source: "", calls: 0, timed: 0, exclusive: NaN, total: NaN, min: NaN,
		mean: NaN, p50: NaN, p99: NaN, max: NaN, deviation: NaN, cpu: NaN, waited: NaN, preempted: NaN, totalCpu: NaN, open: 0, unwound: 0,
		bars: { bar: [], count: [] }, inlinedInto: [], shade: hash(name) & 3,
	};
}

/** It was called; or there are samples of it, or of threads that waited below it. */
export function isSeen(fn: Fn): boolean {
	return fn.calls > 0 || fn.total > 0;
}

function namespaceOf(name: string): string {
	const match = /^([A-Za-z][A-Za-z0-9]*?)(?:::|_|\d)/.exec(name.replace(/^_+/, ""));

	return match ? match[1] : name;
}

/** The area of the flame graph that a family covers: what is large in it should not be grey. */
function areaOf(model: Model, family: (fn: Fn) => string): Map<string, number> {
	const { tree } = model, areas = new Map<string, number>();
	const weight = model.hasTimes ? tree.time : tree.calls;

	for (let node = 1; node < tree.n; node++) {
		const fn = model.functions[tree.fn[node]];

		if (fn !== undefined && isSeen(fn))
			areas.set(family(fn), (areas.get(family(fn)) ?? 0) + weight[node]);
	}
	return areas;
}

function makeFamilies(model: Model): void {
	const called = model.functions.filter(isSeen);
	const binaries = new Set(called.map((fn) => fn.binaryPath));
	const files = called.filter((fn) => fn.file !== "").length;
	const kind = binaries.size > 1 ? "binary" : files * 2 > called.length ? "source file" : "name";
	const keys = {
		"binary": (fn: Fn) => fn.binary || "unknown binary",
		"source file": (fn: Fn) => baseName(fn.file) || "unknown source",
		"name": (fn: Fn) => namespaceOf(fn.short),
	};
	const sums = new Map<string, number>();

	for (const fn of called)
		sums.set(keys[kind](fn), (sums.get(keys[kind](fn)) ?? 0) +
			(model.hasTimes ? fn.exclusive || 0 : fn.calls));
	model.familyKind = kind;
	const areas = areaOf(model, (fn) => keys[kind](fn));
	const byTime = [...sums.keys()].sort((a, b) => sums.get(b)! - sums.get(a)!);
	const byArea = [...sums.keys()].sort((a, b) => (areas.get(b) ?? 0) - (areas.get(a) ?? 0));
	const hued = new Set(byTime.slice(0, FAMILIES / 2)); /* what costs, then what fills the picture */

	for (let i = 0; i < byArea.length && hued.size < FAMILIES; i++)
		hued.add(byArea[i]);
	const hues = new Map([...hued].map((name, i) => [name, i]));

	model.families = [...sums].sort((a, b) => b[1] - a[1]).map(([name, exclusive]) =>
		({ name, exclusive, colour: hues.get(name) ?? -1 }));
	const index = new Map(model.families.map((family, i) => [family.name, i]));

	for (const fn of called)
		fn.family = index.get(keys[kind](fn)) ?? 0;
}

function makeEdges(model: Model): void {
	const { caller, callee, count, time } = model.payload.edges;
	const add = (map: Map<number, Edge[]>, key: number, edge: Edge) => {
		const list = map.get(key);

		if (list)
			list.push(edge);
		else
			map.set(key, [edge]);
	};

	caller.forEach((from, i) => {
		const ns = model.hasTimes ? time[i] * model.nsPerTick : NaN;

		add(model.callers, callee[i], { fn: from, count: count[i], time: ns });
		if (from >= 0)
			add(model.callees, from, { fn: callee[i], count: count[i], time: ns });
	});
	for (const list of [...model.callers.values(), ...model.callees.values()])
		list.sort((a, b) => (b.time || 0) - (a.time || 0) || b.count - a.count);
}

export function makeModel(payload: Payload): Model {
	const functions = makeFunctions(payload);
	const tree = buildTree(payload.tree);
	const nsPerTick = 1e9 / payload.clock.hz;
	const header = parseHeader(payload.header);
	const model: Model = {
		payload, functions, tree, nsPerTick,
		header, hasSamples: header.counts === "samples",
		nCalled: functions.filter(isSeen).length,
		families: [], familyKind: "name",
		tracedNs: tree.n > 0 ? tree.time[0] * nsPerTick
			: payload.functions.exclusive.reduce<number>((a, b) => a + (b ?? 0), 0) * nsPerTick,
		tracedCalls: header.counts === "samples" ? tree.n > 0 ? tree.calls[0] : 0
			: payload.functions.count.reduce((a, b) => a + b, 0),
		hasTimes: payload.functions.timed.some((n) => n > 0),
		hasExclusive: functions.some((fn) => isSeen(fn) && Number.isFinite(fn.exclusive)),
		hasCpu: payload.functions.away !== null && functions.some((fn) => Number.isFinite(fn.cpu)),
		callers: new Map(), callees: new Map(),
		firstBar: Infinity, lastBar: -Infinity,
	};

	for (const { bars } of functions) {
		if (bars.bar.length === 0)
			continue;
		model.firstBar = Math.min(model.firstBar, bars.bar[0]);
		model.lastBar = Math.max(model.lastBar, bars.bar[bars.bar.length - 1]);
	}
	addInlined(payload, functions);
	makeFamilies(model);
	makeEdges(model);
	return model;
}
