/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a page of counts of blocks carries (doc/design/report.md), and the model of its views. */

import type { HeadPayload, Run } from "./data";
import { baseName, formatShare, plural, shortName, visibleText } from "./format";
import { parseHeader, pick } from "./header";

export type SourceState = "whole" | "changed" | "missing" | "large" | "unwanted";

export interface LoopRecord {
	function: number;
	header: number; /* block */
	parent: number; /* loop of the same function, -1: none */
	depth: number;
	blocks: number;
	line: number;
	irreducible: boolean;
	unrolled?: number; /* rounds that the compiler has made one; not there: not known */
	entries: number | null; /* null: not known */
	iterations: number;
	least: number | null; /* iterations of an entry, where they were counted or the sums tell */
	most: number | null;
	ended?: number; /* entries whose iterations were counted … */
	bars?: number[]; /* … of 1 iteration, of 2 and 3, of 4 to 7, … */
	instructions: number;
	own: number;
}

export interface BlocksPayload extends HeadPayload {
	sources: { text: (string | null)[]; state: SourceState[] };
	functions: {
		name: string[]; demangled: (string | null)[]; binary: number[]; file: number[]; line: number[];
		calls: number[]; blocks: number[]; edges: number[];
	};
	edges: { from: number[]; to: number[]; count: (number | null)[] };
	blocks: { count: number[]; instructions: number[]; line: number[]; column: number[]; lines: number[];
		  /* Time in each, where it is known; most: the most of one execution, estimated: what its mean is below with 95 %. */
		  ticks?: number[]; most?: number[]; estimated?: boolean };
	lines: number[]; /* further ones of the blocks */
	branches: { all: number[]; taken: number[] }; /* by file */
	/** Of each binary "written", "unwritten", "missing" or "rebuilt"; of each block its code, or null. */
	ir: { state: string[]; text: (string | null)[] };
	covered: { function: number[]; file: number[]; line: number[]; count: number[]; partly: number[] };
	loops: LoopRecord[];
	innermost: number[]; /* of each block, loop of its function; -1: none */
	/** Calls that were inlined, those around before those inside, and blocks whose code comes from one. */
	inlined: {
		names: string[];
		frames: { parent: number[]; name: number[]; file: number[]; line: number[]; column: number[] }; /* where it was called */
		block: number[]; frame: number[]; file: number[]; line: number[]; column: number[]; /* ascending; where the code is */
	};
	/** By function, those with most instructions first. */
	paths: {
		function: number[]; count: number[];
		next: number[]; /* block where another began; -1: the function ended */
		blocks: number[]; steps: number[]; /* how many blocks each has, and which */
		left_out: { function: number[]; paths: number[]; instructions: number[] };
		uncounted: number[]; /* functions that ran and whose paths were not counted */
	};
}

export interface Block {
	number: number; /* in its function */
	count: number;
	size: number; /* instructions */
	cost: number; /* instructions that were executed */
	line: number;
	column: number;
	lines: number[]; /* all, ascending; [] not known */
	loop: Loop | null; /* the innermost */
}

export interface Way {
	from: number; /* block */
	to: number;
	count: number; /* NaN: not known */
}

export interface Loop extends LoopRecord {
	id: number; /* on the page */
	number: number; /* in its function */
	fn: Fn;
	outer: Loop | null;
}

/** A place in the source, and whose code it is. */
export interface Frame {
	name: string;
	file: string;
	fileId: number; /* -1: not known */
	line: number;
	column: number;
}

/** Blocks that ran one after the other. */
export interface Path {
	id: number; /* on the page */
	fn: Fn;
	count: number;
	blocks: number[];
	next: number; /* block where another began; -1: the function ended */
	size: number; /* instructions of its blocks */
	cost: number; /* … that were executed on it */
}

export interface Fn {
	id: number;
	name: string;
	short: string;
	symbol: string; /* as in the binary, "" when the same as name */
	binary: string;
	binaryPath: string;
	file: string;
	fileId: number; /* -1: not known */
	line: number;
	source: string; /* file:line without folders */
	module: Module;
	calls: number;
	instructions: number;
	ticks: number; /* in its blocks; NaN: not known */
	executions: number;
	blocks: number;
	executed: number; /* blocks that ran */
	firstBlock: number;
	edges: number;
	firstEdge: number;
	loops: Loop[];
}

/** A source file, or a binary where files are not known. */
export interface Module {
	id: number;
	name: string;
	path: string;
	instructions: number;
	functions: number;
	called: number;
	blocks: number;
	executed: number;
	lines: number;
	reached: number; /* lines that ran */
	branches: number;
	taken: number;
}

export interface Line {
	count: number;
	partly: boolean; /* a block of it never ran */
	fns: number[];
}

export interface BlocksModel extends Run {
	payload: BlocksPayload;
	functions: Fn[];
	modules: Module[];
	loops: Loop[];
	lines: Map<number, Line>[]; /* by file, then line */
	instructions: number;
	executions: number;
	calls: number;
	ticks: number; /* in all blocks; NaN: not known */
	ofMachine: boolean; /* blocks are those of machine code, of a program as it is */
	onlyExecuted: boolean; /* of the engine vex: nothing is known of what did not run */
	nCalled: number;
	nExecuted: number; /* blocks */
	nBlocks: number;
	nLines: number;
	nReached: number;
	nBranches: number;
	nTaken: number;
}

interface Modules {
	get: (name: string, path: string) => Module;
	list: Module[];
}

function makeModules(): Modules {
	const byPath = new Map<string, Module>(), list: Module[] = [];

	return {
		list,
		get: (name, path) => {
			let module = byPath.get(path);

			if (!module) {
				module = { id: list.length, name, path, instructions: 0, functions: 0, called: 0, blocks: 0, executed: 0,
					   lines: 0, reached: 0, branches: 0, taken: 0 };
				byPath.set(path, module);
				list.push(module);
			}
			return module;
		},
	};
}

function addToModule(fn: Fn): void {
	fn.module.instructions += fn.instructions;
	fn.module.functions++;
	fn.module.called += fn.executed > 0 ? 1 : 0;
	fn.module.blocks += fn.blocks;
	fn.module.executed += fn.executed;
}

function makeFunctions(payload: BlocksPayload): { functions: Fn[]; modules: Modules } {
	const f = payload.functions, { count, instructions, ticks } = payload.blocks;
	const binaries = payload.binaries.path.map(visibleText), files = payload.files.map(visibleText);
	const modules = makeModules();
	let firstBlock = 0, firstEdge = 0;

	const functions = f.name.map((symbol, id) => {
		const demangled = f.demangled[id], name = visibleText(demangled ?? symbol);
		const file = f.file[id] >= 0 ? files[f.file[id]] : "";
		const binaryPath = f.binary[id] >= 0 ? binaries[f.binary[id]] : "";
		const fn: Fn = {
			id, name, short: shortName(name), binaryPath, binary: baseName(binaryPath), file, fileId: f.file[id],
			symbol: demangled !== null && demangled !== symbol ? visibleText(symbol) : "",
			line: f.line[id], source: file === "" ? "" : f.line[id] > 0 ? `${baseName(file)}:${f.line[id]}` : baseName(file),
			module: file !== "" ? modules.get(baseName(file), file)
				: modules.get(baseName(binaryPath) || "unknown", binaryPath),
			calls: f.calls[id], blocks: f.blocks[id], edges: f.edges[id], firstBlock, firstEdge,
			instructions: 0, ticks: ticks ? 0 : NaN, executions: 0, executed: 0, loops: [],
		};

		for (let i = firstBlock; i < firstBlock + fn.blocks; i++) {
			fn.instructions += count[i] * instructions[i];
			fn.ticks += ticks?.[i] ?? 0;
			fn.executions += count[i];
			fn.executed += count[i] > 0 ? 1 : 0;
		}
		firstBlock += fn.blocks;
		firstEdge += fn.edges;
		addToModule(fn);
		return fn;
	});

	return { functions, modules };
}

function makeLoops(payload: BlocksPayload, functions: Fn[]): Loop[] {
	return payload.loops.map((record, id) => {
		const fn = functions[record.function];
		const loop: Loop = { ...record, id, fn, number: fn.loops.length, outer: fn.loops[record.parent] ?? null };

		fn.loops.push(loop);
		return loop;
	});
}

function addBranches(payload: BlocksPayload, modules: Module[]): void {
	const byPath = new Map(modules.map((module) => [module.path, module]));

	payload.files.forEach((path, file) => {
		const module = byPath.get(visibleText(path));

		if (!module)
			return;
		module.branches += payload.branches.all[file];
		module.taken += payload.branches.taken[file];
	});
}

/**
 * Lines of several functions (templates, inlined code) are summed, and count for the file that they are in: it may have
 * no function of its own, as a header whose code is inlined everywhere.
 */
function makeLines(payload: BlocksPayload, functions: Fn[], modules: Modules): Map<number, Line>[] {
	const lines = payload.files.map(() => new Map<number, Line>()), c = payload.covered;
	const paths = payload.files.map(visibleText);

	c.line.forEach((number, i) => {
		const fn = functions[c.function[i]], file = lines[c.file[i]], line = file.get(number);
		const module = modules.get(baseName(paths[c.file[i]]), paths[c.file[i]]);

		if (!line) {
			file.set(number, { count: c.count[i], partly: c.partly[i] !== 0, fns: [fn.id] });
			module.lines++;
			module.reached += c.count[i] > 0 ? 1 : 0;
			return;
		}
		module.reached += line.count === 0 && c.count[i] > 0 ? 1 : 0;
		line.count += c.count[i];
		line.partly ||= c.partly[i] !== 0;
		line.fns.push(fn.id);
	});
	return lines;
}

export function makeBlocksModel(payload: BlocksPayload): BlocksModel {
	const { functions, modules: found } = makeFunctions(payload), modules = found.list;
	const sum = <T>(list: T[], of: (item: T) => number) => list.reduce((a, item) => a + of(item), 0);
	const loops = makeLoops(payload, functions), lines = makeLines(payload, functions, found);
	const header = parseHeader(payload.header);

	addBranches(payload, modules);
	return {
		payload, functions, modules, loops, lines, header, onlyExecuted: pick(header, "engine") === "vex", nsPerTick: 1e9 / payload.clock.hz,
		instructions: sum(functions, (fn) => fn.instructions),
		ticks: sum(functions, (fn) => fn.ticks), ofMachine: pick(header, "engine") === "rewrite",
		executions: sum(functions, (fn) => fn.executions),
		calls: sum(functions, (fn) => fn.calls),
		nCalled: sum(modules, (module) => module.called),
		nBlocks: sum(modules, (module) => module.blocks),
		nExecuted: sum(modules, (module) => module.executed),
		nLines: sum(modules, (module) => module.lines),
		nReached: sum(modules, (module) => module.reached),
		nBranches: sum(modules, (module) => module.branches),
		nTaken: sum(modules, (module) => module.taken),
	};
}

const starts = new WeakMap<BlocksPayload, Int32Array>();

/** Where the further lines of each block begin. */
function lineStarts(payload: BlocksPayload): Int32Array {
	let first = starts.get(payload);

	if (!first) {
		const { lines } = payload.blocks;

		first = new Int32Array(lines.length + 1);
		for (let i = 0; i < lines.length; i++)
			first[i + 1] = first[i] + lines[i];
		starts.set(payload, first);
	}
	return first;
}

/** The blocks of a function, made when somebody looks at it. */
export function blocksOf({ payload }: BlocksModel, fn: Fn): Block[] {
	const { count, instructions, line, column } = payload.blocks, first = lineStarts(payload);

	return Array.from({ length: fn.blocks }, (_, number) => {
		const i = fn.firstBlock + number;
		const lines = new Set(payload.lines.slice(first[i], first[i + 1]));

		if (line[i] > 0)
			lines.add(line[i]);
		return {
			number, count: count[i], size: instructions[i], cost: count[i] * instructions[i],
			line: line[i], column: column[i], lines: [...lines].sort((a, b) => a - b),
			loop: fn.loops[payload.innermost[i]] ?? null,
		};
	});
}

/** At which of the ascending @list @value is; −1: nowhere. */
function find(list: number[], value: number): number {
	let low = 0, high = list.length;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (list[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return list[low] === value ? low : -1;
}

/**
 * Where the code of a block comes from: the innermost inlined function with the place of the code,
 * then each function around with the place of the call; last is @fn itself. [] if nothing was inlined.
 */
export function originOf({ payload: { inlined, files } }: BlocksModel, fn: Fn, block: Block): Frame[] {
	const { frames } = inlined, chain: Frame[] = [], at = find(inlined.block, fn.firstBlock + block.number);
	const place = (name: string, of: { file: number[]; line: number[]; column: number[] }, i: number): Frame => ({
		name, fileId: of.file[i], file: of.file[i] >= 0 ? visibleText(files[of.file[i]]) : "", line: of.line[i], column: of.column[i],
	});

	if (at < 0)
		return [];
	let frame = inlined.frame[at], where = place("", inlined, at);

	for (; frame >= 0; frame = frames.parent[frame]) {
		chain.push({ ...where, name: frames.name[frame] >= 0 ? visibleText(inlined.names[frames.name[frame]]) : "?" });
		where = place("", frames, frame);
	}
	return [...chain, { ...where, name: fn.name }];
}

/** "swap in sort.h:12 ‹ order": for small places. */
export function originWords(chain: Frame[]): string {
	return chain.length === 0 ? "" : chain.slice(0, -1).map(({ name }) => shortName(name)).join(" ‹ ") +
		(chain[0].file !== "" ? ` (${placeWords(chain[0])})` : "");
}

/** "sort.h:12:3" */
export function placeWords({ file, line, column }: Frame): string {
	return [file !== "" ? baseName(file) : "?", ...[line, column].filter((n) => n > 0)].join(":");
}

interface PathStarts {
	byFn: Map<number, number[]>;
	first: Int32Array; /* in the steps */
}

const pathStarts = new WeakMap<BlocksPayload, PathStarts>();

function startsOfPaths(payload: BlocksPayload): PathStarts {
	let starts = pathStarts.get(payload);

	if (!starts) {
		const { paths } = payload, first = new Int32Array(paths.blocks.length + 1), byFn = new Map<number, number[]>();

		paths.blocks.forEach((n, i) => {
			const list = byFn.get(paths.function[i]);

			first[i + 1] = first[i] + n;
			if (list)
				list.push(i);
			else
				byFn.set(paths.function[i], [i]);
		});
		starts = { byFn, first };
		pathStarts.set(payload, starts);
	}
	return starts;
}

/** The paths of a function, heaviest first, made when somebody looks at it. */
export function pathsOf({ payload }: BlocksModel, fn: Fn): Path[] {
	const { paths, blocks } = payload, { byFn, first } = startsOfPaths(payload);

	return (byFn.get(fn.id) ?? []).map((id) => {
		const steps = paths.steps.slice(first[id], first[id + 1]);
		const size = steps.reduce((sum, block) => sum + blocks.instructions[fn.firstBlock + block], 0);

		return { id, fn, count: paths.count[id], blocks: steps, next: paths.next[id], size, cost: size * paths.count[id] };
	});
}

/** The ways that a path goes along. */
export function waysOfPath(path: Path, ways: Way[]): Set<Way> {
	const ends = path.next >= 0 ? [...path.blocks, path.next] : path.blocks;
	const steps = new Set(ends.slice(1).map((to, i) => `${ends[i]} ${to}`));

	return new Set(ways.filter(({ from, to }) => steps.has(`${from} ${to}`)));
}

/** Why a function has no paths here, or that it has more. */
export function pathsNote({ payload: { paths } }: BlocksModel, fn: Fn): string {
	const at = paths.left_out.function.indexOf(fn.id);

	if (at >= 0)
		return `and ${plural(paths.left_out.paths[at], "path")} more with ` +
			`${formatShare(paths.left_out.instructions[at] / fn.instructions)} of its instructions (rarog show --paths has all)`;
	if (paths.uncounted.includes(fn.id))
		return "Paths of this function were not counted: it has too many, or calls setjmp.";
	return fn.executed === 0 ? "It never ran." : "";
}

export function waysOf({ payload: { edges } }: BlocksModel, fn: Fn): Way[] {
	return Array.from({ length: fn.edges }, (_, k) => {
		const i = fn.firstEdge + k;

		return { from: edges.from[i], to: edges.to[i], count: edges.count[i] ?? NaN };
	});
}

/** A block's intermediate code, or why it is not there. */
export function codeOf({ payload: { ir, functions } }: BlocksModel, fn: Fn, block: Block): { text: string | null; why: string } {
	const text = ir.text[fn.firstBlock + block.number] ?? null, state = ir.state[functions.binary[fn.id]] ?? "unwanted";
	const reasons: Record<string, string> = {
		unwanted: "The page was written without sources.",
		unwritten: "It was not kept: compile with rarog cc --rarog-ir, and do not strip, or keep the debug file.",
		missing: "The binary was not there when this page was written.",
		rebuilt: "The binary was built anew since it ran.",
	};

	return { text, why: fn.executed === 0 ? "Kept of functions that ran." : reasons[state] ?? "It was not kept of this function." };
}

/** Is @block inside @loop? */
export function isInside(block: Block, loop: Loop): boolean {
	for (let at = block.loop; at; at = at.outer)
		if (at === loop)
			return true;
	return false;
}

export const HEAT_STEPS = 5;

/** Shares of a function's instructions from which each step of a block's heat counts. */
export const HEAT_SHARES = [0, 0.001, 0.01, 0.05, 0.2];

/** 0: never ran; 1 to 5: how much of the function's instructions its executions were. */
export function blockHeat(block: { count: number; cost: number }, all: number): number {
	if (block.count === 0)
		return 0;
	return Math.max(1, HEAT_SHARES.filter((limit) => block.cost >= limit * all).length);
}

/** 0: never ran; each step down is a tenth of the executions, or a quarter step of less. */
export function countHeat(count: number, most: number): number {
	if (!(count > 0))
		return 0;
	return Math.max(1, Math.min(HEAT_STEPS, HEAT_STEPS + Math.ceil(Math.log10(count / most) - 0.5)));
}

/** 12,345 · 1.2 M · 3.4 G: for small places. */
export function shortCount(n: number): string {
	if (!Number.isFinite(n))
		return "?";
	for (const [unit, size] of [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]] as const)
		if (n >= size * (size === 1e3 ? 100 : 1))
			return `${(n / size).toFixed(n >= 100 * size ? 0 : n >= 10 * size ? 1 : 2)} ${unit}`;
	return n.toLocaleString("en-US");
}
