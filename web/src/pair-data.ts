/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a page of two versions carries (doc/design/report.md; src/view/html/pair-data.c writes it)
 * and the model its views work on. Times are in ns; a function's index is its row.
 */

import type { FeaturePairs } from "./features-data";
import { baseName, shortName, visibleText } from "./format";
import type { PairModels } from "./models-data";
import type { PairSources } from "./pair-sources";
import { buildShape, LEFT_OUT, sumUp, type Shape, type ShapeColumns } from "./tree";

export type Sides<T> = { before: T; now: T };

export interface SideColumns {
	name: string;
	version: string | null;
	runs: number;
	untraced_runs: number;
	first_ns: number;
	last_ns: number;
	profile: string;
	header: string; /* of its first run, JSON text */
}

/** One thing that rarog check compared; numbers that are not known are null. */
export interface Change {
	row: number; /* -1: the whole program */
	location: string;
	class: string; /* "SevereDegradation" */
	metric: string;
	unit: string;
	before: number | null;
	now: number | null;
	relative: number | null;
	low: number | null;
	high: number | null;
	p: number | null;
	q: number | null;
	impact: number | null;
	method: string;
	reason: string | null;
	path: string | null;
	lines: string | null;
	/** The same as rarog check prints it. */
	words: { class: string; before: string; now: string; change: string; interval: string; sure: string; impact: string };
	runs_before: number[];
	runs_now: number[];
}

export interface PairTreeColumns extends ShapeColumns {
	before: number[]; /* own time, tenths of a ns */
	now: number[];
	calls_before: number[];
	calls_now: number[];
	margin: (number | null)[]; /* ns by which inclusive times may differ by chance; null: unknown */
}

export interface CheckColumns {
	job: string;
	verdict: string;
	sentence: string;
	is_forced: boolean;
	has_times: boolean;
	function_time: "cpu" | "wall"; /* what times of functions and contexts are */
	tests: number;
	runs_needed: number;
	notes: string[];
	before: SideColumns;
	now: SideColumns;
	traced_ns: [number | null, number | null];
	changes: Change[];
	texts: string[];
	functions: {
		name: string[]; symbol: (string | null)[]; was: (string | null)[]; matched_by: (string | null)[];
		folded: (string | null)[]; is_folded: number[]; binary: number[]; file: number[]; line: number[];
		share: number[];
		exclusive: Sides<number[]>; inclusive: Sides<number[]>; calls: Sides<number[]>;
	};
	graphs: FunctionGraph[]; /* of counts of blocks: functions that ran */
	graphs_left_out: number; /* functions for which there was no room */
	sources: Sides<PairSources> | null; /* null: blocks were not counted */
	features?: FeaturePairs | null; /* null: no regions of features in both */
	models?: PairModels | null; /* of calls by what they were given */
	without_tree: number; /* runs that have no call contexts */
	tree: PairTreeColumns;
	contexts_left_out: number;
}

/** number (-1: that version has none), instructions, executions, line, column; before, then now */
export type JoinedBlock = [number, number, number, number, number, number, number, number, number, number];

/** The control flow of both versions of a function as one graph. */
export interface FunctionGraph {
	row: number;
	blocks: JoinedBlock[];
	lines: number[][]; /* of a block, besides the one it begins on: its index, 0 before or 1 now, line … */
	ways: [from: number, to: number, before: number | null, now: number | null][]; /* -1: that version has none; null: not known */
}

export interface PairPayload {
	version: number;
	rarog: string;
	title: string | null;
	baseline: string;
	target: string;
	notes: string[];
	checks: CheckColumns[];
	source_texts: string[]; /* of all files of all checks, each once */
}

export type Tone = "slower" | "faster" | "maybe-slower" | "maybe-faster" | "new" | "gone" | "same" | "unknown";

/** Direction of a class, whatever how sure or how much. */
export function toneOf(name: string): Tone {
	if (name === "NotInBaseline")
		return "new";
	if (name === "NotInTarget")
		return "gone";
	if (name === "NoChange")
		return "same";
	const maybe = name.startsWith("Maybe");

	if (name.endsWith("Degradation"))
		return maybe ? "maybe-slower" : "slower";
	return !name.endsWith("Optimization") ? "unknown" : maybe ? "maybe-faster" : "faster";
}

/** So that nothing is said by colour alone. */
export const signs: Record<Tone, string> = {
	"slower": "▲", "maybe-slower": "△", "faster": "▼", "maybe-faster": "▽",
	"new": "+", "gone": "−", "same": "=", "unknown": "?",
};

export interface PairFn {
	id: number;
	name: string;
	short: string;
	symbol: string; /* "" when the same as name */
	was: string; /* name before, "" the same */
	matchedBy: string; /* "renamed", "moved"; "" the same name at the same place */
	folded: string; /* inlined into it in one version only, "" none */
	isFolded: boolean; /* all its calls are counted with its callers */
	binary: string;
	binaryPath: string;
	file: string;
	line: number;
	source: string;
	share: number;
	/* medians of the runs; NaN: not known */
	before: number; /* own time; of counts of blocks its own instructions */
	now: number;
	difference: number;
	totalBefore: number;
	totalNow: number;
	callsBefore: number;
	callsNow: number;
	changes: Change[]; /* what rarog check says of it, what matters most first */
	rank: number; /* in its order; functions without a verdict after all others */
	relative: number; /* of the verdict, else of the medians */
}

export type PairWeight = "now" | "before" | "difference";

export interface PairTree extends Shape, Record<PairWeight, Float64Array> {
	ownBefore: Float64Array;
	ownNow: Float64Array;
	callsBefore: Float64Array;
	callsNow: Float64Array;
	margin: Float64Array; /* NaN: unknown */
}

export interface PairModel {
	payload: PairPayload;
	check: CheckColumns;
	functions: PairFn[];
	tree: PairTree;
	program: Change[]; /* of the whole program */
	hasInstructions: boolean; /* blocks were counted: what functions executed, not their times */
	nCalled: number;
	hasMargins: boolean; /* enough runs to know what chance does */
}

/** What times of functions are, in the middle of a sentence. */
export const timeWords = (check: CheckColumns) => check.function_time === "cpu" ? "CPU time" : "time";

const known = (x: number | null | undefined) => x ?? NaN;

export const INSTRUCTIONS = "instructions";

function makeFunctions(check: CheckColumns): PairFn[] {
	const f = check.functions, texts = check.texts.map(visibleText);
	const text = (at: number) => at >= 0 ? texts[at] : "";
	const clean = (value: string | null) => value === null ? "" : visibleText(value);

	return f.name.map((raw, id) => {
		const name = visibleText(raw), file = text(f.file[id]);
		const time = (ns: number) => check.has_times ? known(ns) : NaN;
		const before = time(f.exclusive.before[id]), now = time(f.exclusive.now[id]);

		return {
			id, name, short: shortName(name), symbol: clean(f.symbol[id]), was: clean(f.was[id]),
			matchedBy: clean(f.matched_by[id]), folded: clean(f.folded[id]), isFolded: f.is_folded[id] === 1,
			binaryPath: text(f.binary[id]), binary: baseName(text(f.binary[id])), file, line: f.line[id],
			source: file === "" ? "" : `${baseName(file)}:${f.line[id]}`, share: f.share[id],
			before, now, difference: now - before,
			totalBefore: time(f.inclusive.before[id]), totalNow: time(f.inclusive.now[id]),
			callsBefore: known(f.calls.before[id]), callsNow: known(f.calls.now[id]),
			changes: [], rank: Infinity, relative: before > 0 && now > 0 ? now / before - 1 : NaN,
		};
	});
}

/** Gives every function its verdicts, and the order of those that have none: by how much. */
function rankFunctions(functions: PairFn[], changes: Change[]): void {
	changes.forEach((change, at) => {
		const fn = functions[change.row];

		if (fn === undefined)
			return;
		fn.changes.push(change);
		if (fn.changes.length > 1)
			return;
		fn.rank = at;
		fn.relative = known(change.relative);
		if (change.metric === INSTRUCTIONS) {
			fn.before = known(change.before);
			fn.now = known(change.now);
			fn.difference = fn.now - fn.before;
		}
	});
	const size = (fn: PairFn) => Math.abs(fn.difference) || Math.abs(fn.callsNow - fn.callsBefore) * 1e-9 || 0;

	functions.filter((fn) => fn.changes.length === 0).sort((a, b) => size(b) - size(a) || a.id - b.id)
		.forEach((fn, i) => { fn.rank = changes.length + i; });
}

/** Tenths of a ns to ns. */
const nanoseconds = (tenths: number[]) => Float64Array.from(tenths, (x) => x / 10);

export function buildPairTree(columns: PairTreeColumns): PairTree {
	const shape = buildShape(columns);
	const ownBefore = nanoseconds(columns.before), ownNow = nanoseconds(columns.now);

	return {
		...shape, ownBefore, ownNow,
		before: sumUp(shape, ownBefore), now: sumUp(shape, ownNow),
		difference: sumUp(shape, ownNow.map((ns, i) => Math.abs(ns - ownBefore[i]))),
		callsBefore: Float64Array.from(columns.calls_before), callsNow: Float64Array.from(columns.calls_now),
		margin: Float64Array.from(columns.margin, known),
	};
}

/** Reasons, paths and lines name functions and files of the measured program. */
function withVisibleTexts(change: Change): Change {
	const { reason, path, lines } = change, clean = (text: string | null) => text === null ? null : visibleText(text);

	return { ...change, reason: clean(reason), path: clean(path), lines: clean(lines) };
}

export function makePairModel(payload: PairPayload, at: number): PairModel {
	const check = payload.checks[at], functions = makeFunctions(check), tree = buildPairTree(check.tree);
	const changes = check.changes.map(withVisibleTexts);

	rankFunctions(functions, changes);
	return {
		payload, check, functions, tree,
		program: changes.filter(({ row }) => row < 0),
		hasInstructions: !check.has_times && changes.some(({ metric }) => metric === INSTRUCTIONS),
		nCalled: functions.filter(wasCalled).length,
		hasMargins: tree.margin.some((ns) => !Number.isNaN(ns)),
	};
}

export function wasCalled(fn: PairFn): boolean {
	return fn.callsBefore > 0 || fn.callsNow > 0 || fn.changes.length > 0;
}

/** A difference that is told from none: more than 2 %, and more than runs differ among themselves. */
export const SMALLEST_EFFECT = 0.02;

export type Shift = { kind: "same" | "new" | "gone" | "changed"; ratio: number };

/** What became of a node's time with all below. */
export function shiftOf(tree: PairTree, node: number): Shift {
	const before = tree.before[node], now = tree.now[node], ratio = now / before;

	if (Math.abs(now - before) <= (tree.margin[node] || 0) || before === now)
		return { kind: "same", ratio };
	if (tree.fn[node] !== LEFT_OUT && !(before > 0))
		return { kind: "new", ratio };
	if (tree.fn[node] !== LEFT_OUT && !(now > 0))
		return { kind: "gone", ratio };
	return { kind: Math.abs(Math.log(ratio)) <= Math.log1p(SMALLEST_EFFECT) ? "same" : "changed", ratio };
}
