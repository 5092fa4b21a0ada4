/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of the three tables of a page of counts of blocks: source files, functions, loops. */

import type { Block, BlocksModel, Fn, Loop, Module, Path } from "./blocks-data";
import { el, fillName } from "./dom";
import { formatBig, formatCount, formatShare, formatTime, UNKNOWN } from "./format";
import { setText, type Column, type Row } from "./table";

/** Instructions with their share as a bar. */
function shareCell<R extends Row>(of: (row: R) => number, all: (row: R) => number): Column<R>["fill"] {
	return (cell, row) => {
		const value = of(row), share = value / all(row);

		if (cell.childElementCount === 0)
			cell.append(el("span", { class: "bar" }), el("span", { class: "share" }), el("span", { class: "amount" }));
		const [bar, percent, amount] = cell.children as unknown as HTMLElement[];

		bar.style.width = `${Math.min(100, (share || 0) * 100).toFixed(2)}%`;
		percent.textContent = formatShare(share);
		amount.textContent = formatBig(value);
		cell.title = `${formatCount(value)} instructions`;
	};
}

export function big(cell: HTMLElement, value: number): void {
	setText(cell, value < 1e8 ? formatCount(value) : formatBig(value), formatCount(value));
}

const each = (value: number) => value < 1e6 ? formatCount(value) : formatBig(value);

/** "12 of 34": what ran of what is there; "12" where that is not known. */
function partCell<R extends Row>(model: BlocksModel, part: (row: R) => number, all: (row: R) => number, words: string): Column<R>["fill"] {
	if (model.onlyExecuted)
		return (cell, row) => setText(cell, formatCount(part(row)));
	return (cell, row) => setText(cell, all(row) > 0 ? `${formatCount(part(row))} of ${formatCount(all(row))}` : UNKNOWN,
				      all(row) > 0 ? `${formatShare(part(row) / all(row))} of its ${words} ran` : "");
}

const nameCell = <R extends Row>(name: (row: R) => string, title: (row: R) => string, note: (row: R) => string): Column<R>["fill"] =>
	(cell, row) => {
		if (cell.childElementCount === 0)
			cell.append(el("span", { class: "parts" }), el("span", { class: "note" }));
		fillName(cell.children[0], name(row));
		cell.children[1].textContent = note(row);
		cell.title = title(row);
	};

export function moduleColumns(model: BlocksModel): Column<Module>[] {
	const unknown = model.onlyExecuted ? ["lines", "branches"] : [];
	const columns: Column<Module>[] = [
		{ key: "name", label: "Source file", hint: "source file; the binary where lines are not known", width: 196, isText: true,
		  sort: (m) => m.name, fill: nameCell((m) => m.name, (m) => m.path, () => "") },
		{ key: "instructions", label: "Instructions", hint: "executed instructions of its functions, and their share of all", width: 140,
		  sort: (m) => m.instructions, fill: shareCell((m) => m.instructions, () => model.instructions) },
		{ key: "functions", label: "Functions", hint: model.onlyExecuted ? "functions that ran" : "functions that ran, of all that were compiled with counters", width: 100,
		  sort: (m) => m.called, fill: partCell(model, (m) => m.called, (m) => m.functions, "functions") },
		{ key: "blocks", label: "Blocks", hint: "blocks that ran", width: 122, sort: (m) => model.onlyExecuted ? m.executed : m.executed / m.blocks,
		  fill: partCell(model, (m) => m.executed, (m) => m.blocks, "blocks") },
		{ key: "lines", label: "Lines", hint: "lines that ran, of those that have code", width: 118,
		  sort: (m) => m.lines > 0 ? m.reached / m.lines : NaN, fill: partCell(model, (m) => m.reached, (m) => m.lines, "lines") },
		{ key: "branches", label: "Branches", hint: "ways that were taken, of those where blocks lead to several", width: 128,
		  sort: (m) => m.branches > 0 ? m.taken / m.branches : NaN, fill: partCell(model, (m) => m.taken, (m) => m.branches, "branches") },
	];

	return columns.filter(({ key }) => !unknown.includes(key));
}

const binaryColumn: Column<Fn> = {
	key: "binary", label: "Binary", hint: "program or library", width: 100, isText: true, sort: (fn) => fn.binary,
	fill: (cell, fn) => setText(cell, fn.binary, fn.binaryPath),
};

const loopsColumn: Column<Fn> = {
	key: "loops", label: "Loops", hint: "loops in it", width: 56, sort: (fn) => fn.loops.length,
	fill: (cell, fn) => setText(cell, fn.loops.length > 0 ? formatCount(fn.loops.length) : UNKNOWN),
};

/** The loop with the most instructions of its own, without inner loops'. */
export function hottestLoop(fn: Fn): Loop | null {
	return fn.loops.reduce<Loop | null>((best, loop) => loop.iterations > 0 && loop.own > (best?.own ?? -1) ? loop : best, null);
}

/** "1,234 × 5.50, line 41": entries, iterations for each, and where. */
export function loopWords(loop: Loop | null): string {
	if (loop === null)
		return "";
	return (loop.entries ? `${each(loop.entries)} × ${tripsWords(loop)}` : `${each(loop.iterations)} iterations`) + `, ${loopPlace(loop)}`;
}

const hottestHint = "the loop with the most instructions of its own: entries × iterations for each, and where it begins; sorted by these instructions";

export function hottestColumn<R extends Row>(of: (row: R) => Loop | null): Column<R> {
	return {
		key: "hottest", label: "Hottest loop", hint: hottestHint, width: 170, sort: (row) => of(row)?.own ?? NaN,
		fill: (cell, row) => setText(cell, loopWords(of(row)) || UNKNOWN),
	};
}

const timeColumn = (model: BlocksModel): Column<Fn> => ({
	key: "time", label: "Time", hint: "in its own blocks, and its share of all blocks' time", width: 110, sort: (fn) => fn.ticks,
	fill: (cell, fn) => setText(cell, `${formatTime(fn.ticks * model.nsPerTick)} ${formatShare(fn.ticks / model.ticks)}`),
});

export function functionColumns(model: BlocksModel, isPartOf: () => Module | null): Column<Fn>[] {
	return [
		{ key: "name", label: "Function", hint: "name of the function", width: 204, isText: true, sort: (fn) => fn.name,
		  fill: nameCell((fn) => fn.name, (fn) => fn.name, (fn) => fn.executed > 0 ? "" : "never ran") },
		{ key: "instructions", label: "Instructions", hint: "executed by the function itself, and their share of all (of the file, when one is chosen)",
		  width: 140, sort: (fn) => fn.instructions,
		  fill: shareCell((fn) => fn.instructions, () => isPartOf()?.instructions ?? model.instructions) },
		{ key: "calls", label: "Calls", hint: "how often it was called", width: 90, sort: (fn) => fn.calls, fill: (cell, fn) => big(cell, fn.calls) },
		{ key: "percall", label: "Per call", hint: "instructions of its own for each call", width: 82,
		  sort: (fn) => fn.calls > 0 ? fn.instructions / fn.calls : NaN,
		  fill: (cell, fn) => setText(cell, fn.calls > 0 ? each(fn.instructions / fn.calls) : UNKNOWN) },
		{ key: "blocks", label: "Blocks", hint: "blocks that ran", width: 110, sort: (fn) => fn.blocks,
		  fill: partCell(model, (fn) => fn.executed, (fn) => fn.blocks, "blocks") },
		...(model.ticks > 0 ? [timeColumn(model)] : []),
		...(model.onlyExecuted ? [] : [loopsColumn]),
		...(model.loops.length > 0 ? [hottestColumn<Fn>(hottestLoop)] : []),
		...(new Set(model.functions.map((fn) => fn.binaryPath)).size > 1 ? [binaryColumn] : []),
		{ key: "source", label: "Source", hint: "file and line", width: 150, isText: true, sort: (fn) => fn.source,
		  fill: (cell, fn) => setText(cell, fn.source, fn.file === "" ? "" : `${fn.file}:${fn.line}`) },
	];
}

/** Have all entries as many iterations? */
export function isEven(loop: Loop): boolean {
	return loop.least !== null && loop.least === loop.most;
}

/** Least and most iterations of an entry, and how many entries had how many. */
export function tripsTitle(loop: Loop): string {
	if (loop.entries === null || loop.entries === 0)
		return "";
	if (loop.least === null || loop.most === null)
		return "mean; least and most are not known (rarog cc --rarog-loops=trips, or --loops=trips of programs as they are, counts them)";
	if (isEven(loop))
		return "every entry";
	const unseen = loop.ended !== undefined && loop.ended < loop.entries ? `; ${formatCount(loop.entries - loop.ended)} entries did not end` : "";

	return `mean; least ${formatCount(loop.least)}, most ${formatCount(loop.most)}${unseen}`;
}

/** "4 to 7": what a bar of the histogram stands for. */
export function barName(bar: number): string {
	const low = 2 ** bar;

	return bar === 0 ? "1" : bar === 31 ? `${formatCount(low)} and more` : `${formatCount(low)} to ${formatCount(2 * low - 1)}`;
}

/** Iterations for each entry: a whole number where every entry had as many. */
export function tripsWords(loop: Loop): string {
	if (loop.entries === null || loop.entries === 0)
		return UNKNOWN;
	if (loop.least !== null && loop.least === loop.most)
		return formatCount(loop.least);
	const mean = loop.iterations / loop.entries;

	return mean >= 99.95 ? each(mean) : mean.toFixed(2);
}

/** Known where iterations of entries were counted, or sums tell. */
const extentColumns: Column<Loop>[] = [
	{ key: "least", label: "Least", hint: "the fewest iterations of an entry", width: 54, sort: (l) => l.least ?? NaN,
	  fill: (cell, l) => big(cell, l.least ?? NaN) },
	{ key: "most", label: "Most", hint: "the most iterations of an entry", width: 68, sort: (l) => l.most ?? NaN,
	  fill: (cell, l) => big(cell, l.most ?? NaN) },
];

/** Where iterations of entries were counted. */
const tripColumns: Column<Loop>[] = [
	{ key: "histogram", label: "1 2 4 8 …", hint: "entries by their iterations: 1, 2 and 3, 4 to 7, 8 to 15 and so on", width: 150,
	  isText: true, sort: (l) => l.most ?? NaN, fill: (cell, l) => setText(cell, drawBars(l.bars ?? []), barsTitle(l)) },
];

function drawBars(bars: number[]): string {
	const most = Math.max(1, ...bars);

	return bars.map((n) => (n === 0 ? "\u2007" : "▁▂▃▄▅▆▇█"[Math.max(0, Math.round(n / most * 8) - 1)])).join("");
}

function barsTitle(loop: Loop): string {
	return (loop.bars ?? []).map((n, i) => (n > 0 ? `${barName(i)}: ${formatCount(n)}` : "")).filter(Boolean).join(", ");
}

/** Where the compiler has unrolled any. */
const unrolledColumns: Column<Loop>[] = [
	{ key: "unrolled", label: "Unrolled", hint: "how many rounds the compiler has made one; 1: it has not", width: 76, sort: (l) => l.unrolled ?? NaN,
	  fill: (cell, l) => setText(cell, l.unrolled === undefined ? UNKNOWN : formatCount(l.unrolled)) },
];

const isKnown = (loop: Loop) => loop.least !== null;

export function loopColumns(model: BlocksModel): Column<Loop>[] {
	const entered = model.loops.filter((loop) => loop.iterations > 0);

	return [
		{ key: "name", label: "Loop", hint: "the function it is in, and the line where it begins", width: 226, isText: true,
		  sort: (l) => `${l.fn.name} ${String(l.line).padStart(9)}`,
		  fill: nameCell((l) => l.fn.name, (l) => `${l.fn.name}, ${loopPlace(l)}${l.irreducible ? ", a loop of several headers" : ""}`, loopPlace) },
		{ key: "instructions", label: "Instructions", hint: "executed inside of it, inner loops included, and their share of all", width: 134,
		  sort: (l) => l.instructions, fill: shareCell((l) => l.instructions, () => model.instructions) },
		{ key: "entries", label: "Entries", hint: "how often it was entered from outside", width: 80, sort: (l) => l.entries ?? NaN,
		  fill: (cell, l) => big(cell, l.entries ?? NaN) },
		{ key: "iterations", label: "Iterations", hint: "how often its header ran", width: 92, sort: (l) => l.iterations,
		  fill: (cell, l) => big(cell, l.iterations) },
		{ key: "trips", label: "Per entry", hint: "iterations for each entry: the mean; a whole number where every entry had as many", width: 76,
		  sort: (l) => l.entries ? l.iterations / l.entries : NaN, fill: (cell, l) => setText(cell, tripsWords(l),
			tripsTitle(l)) },
		/* without counters of their own only where a loop was entered once, or never went round: that may be few */
		...(entered.filter(isKnown).length * 4 > entered.length ? extentColumns : []),
		...(model.loops.some((l) => l.bars) ? tripColumns : []),
		{ key: "depth", label: "Nesting", hint: "how deep, 1 is outermost, and in which loop", width: 112, sort: (l) => l.depth,
		  fill: (cell, l) => setText(cell, l.outer ? `${l.depth}, in ${loopPlace(l.outer)}` : formatCount(l.depth)) },
		{ key: "own", label: "Own", hint: "instructions outside of its inner loops", width: 100, sort: (l) => l.own, fill: (cell, l) => big(cell, l.own) },
		...(model.loops.some((l) => (l.unrolled ?? 1) > 1) ? unrolledColumns : []),
		{ key: "blocks", label: "Blocks", hint: "blocks in it", width: 70, sort: (l) => l.blocks, fill: (cell, l) => setText(cell, formatCount(l.blocks)) },
		{ key: "source", label: "Source", hint: "file and line", width: 150, isText: true, sort: (l) => l.fn.source,
		  fill: (cell, l) => setText(cell, sourceOf(l), l.fn.file) },
	];
}

/** "line 12": where a loop begins. */
export function loopPlace(loop: Loop): string {
	return loop.line > 0 ? `line ${loop.line}` : `block ${loop.header}`;
}

function sourceOf(loop: Loop): string {
	const file = loop.fn.source.replace(/:\d+$/, "");

	return loop.line > 0 && file !== "" ? `${file}:${loop.line}` : file;
}

/** "0 2 5 → 1": where control went on and another path began. */
export function stepsWords(path: Path): string {
	return path.blocks.join(" ") + (path.next >= 0 ? ` → ${path.next}` : "");
}

/** "4 7 5": the first line of each block, where it is another than the one before. */
export function pathLines(path: Path, blocks: Block[]): string {
	const lines = path.blocks.map((number) => blocks[number]?.line ?? 0).filter((line) => line > 0);

	return lines.filter((line, i) => i === 0 || line !== lines[i - 1]).join(" ");
}

export function pathColumns(blocksOf: () => Block[]): Column<Path>[] {
	return [
		{ key: "instructions", label: "Instructions", hint: "executed on this path, and their share of the function's", width: 150,
		  sort: (p) => p.cost, fill: shareCell((p) => p.cost, (p) => p.fn.instructions) },
		{ key: "taken", label: "Taken", hint: "how often it was taken from its begin to its end", width: 100, sort: (p) => p.count,
		  fill: (cell, p) => big(cell, p.count) },
		{ key: "each", label: "Each", hint: "instructions each time", width: 76, sort: (p) => p.size, fill: (cell, p) => setText(cell, formatCount(p.size)) },
		{ key: "length", label: "Blocks", hint: "how many blocks it has", width: 70, sort: (p) => p.blocks.length,
		  fill: (cell, p) => setText(cell, formatCount(p.blocks.length)) },
		{ key: "steps", label: "Through", hint: "its blocks; after the arrow the one where another path begins", width: 230, isText: true,
		  sort: (p) => p.blocks.map((block) => String(block).padStart(6)).join(" "), fill: (cell, p) => setText(cell, stepsWords(p), stepsWords(p)) },
		{ key: "places", label: "Lines", hint: "where its blocks begin", width: 230, isText: true, sort: (p) => pathLines(p, blocksOf()),
		  fill: (cell, p) => setText(cell, pathLines(p, blocksOf()), pathLines(p, blocksOf())) },
	];
}
