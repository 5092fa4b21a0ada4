/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of the functions of two versions. */

import { el, fillName } from "./dom";
import { formatCount, formatDifference, formatExact, formatFactor, formatMore, formatTime, UNKNOWN } from "./format";
import { signs, timeWords, toneOf, type Change, type PairFn, type PairModel, type Tone } from "./pair-data";
import { setText, type Column } from "./table";

/** What rarog check says of a function, or why it says nothing. */
export function verdictOf(fn: PairFn): { tone: Tone | ""; words: string; hint: string } {
	const change = fn.changes[0];

	if (change)
		return { tone: toneOf(change.class), words: change.words.class, hint: change.reason ?? "" };
	if (fn.isFolded)
		return { tone: "", words: "inlined", hint: "inlined in one version only: counted with its callers" };
	if (!(fn.callsBefore > 0) && !(fn.callsNow > 0))
		return { tone: "", words: "not called", hint: "called in neither version" };
	return { tone: "", words: "too small", hint: "too small a part of the run to be tested" };
}

/** What rarog check says of the time (or calls) in the columns beside; what it waits is not in those. */
function ofColumns(fn: PairFn): Change | undefined {
	return fn.changes.find(({ metric }) => metric !== "waiting-time");
}

/** Sign and words, in the colour of the tone. */
export function badge(tone: Tone | "", words: string): HTMLElement {
	return el("span", { class: `verdict ${tone || "none"}` },
		  ...(tone ? [el("i", { "aria-hidden": "true" }, signs[tone])] : []), words);
}

function timeCell(of: (fn: PairFn) => number): Column<PairFn>["fill"] {
	return (cell, fn) => setText(cell, formatTime(of(fn)), formatExact(of(fn)));
}

function countCell(of: (fn: PairFn) => number): Column<PairFn>["fill"] {
	return (cell, fn) => setText(cell, formatCount(of(fn)));
}

/** A bar from the middle: to the right slower, to the left faster. */
function differenceCell(most: number, say: (x: number) => string, exact: (x: number) => string): Column<PairFn>["fill"] {
	return (cell, fn) => {
		if (cell.childElementCount === 0)
			cell.append(el("span", { class: "axis-of" }, el("i")), el("span", { class: "amount" }));
		const amount = cell.children[1], bar = cell.querySelector("i")!;
		const share = Math.min(1, Math.abs(fn.difference) / most) || 0;

		bar.className = fn.difference > 0 ? "up" : "down";
		bar.style.width = `${(share * 50).toFixed(2)}%`;
		amount.textContent = say(fn.difference);
		cell.title = exact(fn.difference);
	};
}

function callsCell(cell: HTMLTableCellElement, fn: PairFn): void {
	const same = fn.callsBefore === fn.callsNow;

	setText(cell, same ? formatCount(fn.callsNow) : `${formatCount(fn.callsBefore)} → ${formatCount(fn.callsNow)}`,
		same ? "as often as before" : "before → now");
	cell.classList.toggle("moved", !same);
}

function nameCell(cell: HTMLTableCellElement, fn: PairFn): void {
	if (cell.childElementCount === 0)
		cell.append(el("span", { class: "parts" }), el("span", { class: "note" }));
	fillName(cell.children[0], fn.name);
	cell.children[1].textContent = fn.was !== "" ? `was ${fn.was}` : fn.matchedBy;
	cell.title = fn.was !== "" ? `${fn.name}\nwas ${fn.was}` : fn.name;
}

const COUNTED = ["name", "verdict", "change", "calls", "why", "source"];

/** Of counts of blocks: what each function executed itself, beside what is not about times. */
function instructionColumns(most: number, columns: Column<PairFn>[]): Column<PairFn>[] {
	const own: Column<PairFn>[] = [
		{ key: "before", label: "Before", hint: "instructions that the function executed itself, a run of the baseline", width: 110,
		  sort: (fn) => fn.before, fill: countCell((fn) => fn.before) },
		{ key: "now", label: "Now", hint: "instructions that the function executed itself, a run of the target", width: 110,
		  sort: (fn) => fn.now, fill: countCell((fn) => fn.now) },
		{ key: "difference", label: "Difference", hint: "instructions now less before; bars to the right: more", width: 180,
		  sort: (fn) => fn.difference, fill: differenceCell(most, formatMore, (x) => `${formatMore(x)} instructions`) },
	];
	const change: Column<PairFn> = {
		...columns.find(({ key }) => key === "change")!,
		fill: (cell, fn) => setText(cell, fn.before === fn.now ? "0 %" : Number.isFinite(fn.relative) ? formatFactor(1 + fn.relative) : UNKNOWN),
	};

	own.push(change);
	const of = (key: string) => own.find((column) => column.key === key) ?? columns.find((column) => column.key === key)!;

	return ["name", "verdict", "before", "now", "difference", "change", "calls", "why", "source"].map(of);
}

export function makePairColumns(model: PairModel): Column<PairFn>[] {
	const most = model.functions.reduce((a, fn) => Math.max(a, Math.abs(fn.difference) || 0), 0) || 1;
	const columns: Column<PairFn>[] = [
		{ key: "name", label: "Function", hint: "name of the function", width: 220, isText: true,
		  sort: (fn) => fn.name, fill: nameCell },
		{ key: "verdict", label: "Verdict", hint: "what rarog check says; sorts by what matters most", width: 130,
		  sort: (fn) => -fn.rank,
		  fill: (cell, fn) => {
			const { tone, words, hint } = verdictOf(fn);

			cell.replaceChildren(badge(tone, words));
			cell.title = hint;
		  } },
		{ key: "before", label: model.check.function_time === "cpu" ? "CPU before" : "Before", hint: `${timeWords(model.check)} in the function itself, median of the runs of the baseline`,
		  width: 82, sort: (fn) => fn.before, fill: timeCell((fn) => fn.before) },
		{ key: "now", label: model.check.function_time === "cpu" ? "CPU now" : "Now", hint: `${timeWords(model.check)} in the function itself, median of the runs of the target`,
		  width: 82, sort: (fn) => fn.now, fill: timeCell((fn) => fn.now) },
		{ key: "difference", label: "Difference", hint: "now less before; bars to the right: slower", width: 148,
		  sort: (fn) => fn.difference, fill: differenceCell(most, formatDifference, formatExact) },
		{ key: "change", label: "Change", hint: "of the verdict where there is one, else of the medians", width: 84,
		  sort: (fn) => fn.relative,
		  fill: (cell, fn) => setText(cell, ofColumns(fn) ? minus(ofColumns(fn)!.words.change) : formatFactor(1 + fn.relative)) },
		{ key: "interval", label: "95 % interval", hint: "the change lies in here, 95 times of 100", width: 150,
		  sort: (fn) => ofColumns(fn)?.low ?? NaN,
		  fill: (cell, fn) => setText(cell, minus(ofColumns(fn)?.words.interval ?? "")) },
		{ key: "calls", label: "Calls", hint: "number of calls, before → now", width: 140,
		  sort: (fn) => fn.callsNow - fn.callsBefore, fill: callsCell },
		{ key: "why", label: "Why", hint: "slower itself, called more often, or what it calls", width: 330, isText: true,
		  sort: (fn) => fn.changes[0]?.reason ?? "",
		  fill: (cell, fn) => setText(cell, fn.changes[0]?.reason ?? "", fn.changes[0]?.reason ?? "") },
		{ key: "totalbefore", label: "Total before", hint: "with what it calls, recursion counted once", width: 92,
		  sort: (fn) => fn.totalBefore, fill: timeCell((fn) => fn.totalBefore) },
		{ key: "totalnow", label: "Total now", hint: "with what it calls, recursion counted once", width: 92,
		  sort: (fn) => fn.totalNow, fill: timeCell((fn) => fn.totalNow) },
		{ key: "source", label: "Source", hint: "file and line now", width: 150, isText: true,
		  sort: (fn) => fn.source, fill: (cell, fn) => setText(cell, fn.source, fn.file === "" ? "" : `${fn.file}:${fn.line}`) },
	];

	if (model.hasInstructions)
		return instructionColumns(most, columns);
	/* where calls were only counted, columns of dashes tell nothing */
	return model.check.has_times ? columns : columns.filter(({ key }) => COUNTED.includes(key));
}

/** Words of rarog check with a minus that is as wide as the plus. */
export function minus(words: string): string {
	return words === "-" ? UNKNOWN : words.replace(/-(?=\d)/g, "−");
}
