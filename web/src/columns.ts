/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of a profile's functions. */

import { isSeen, type Fn, type Model } from "./data";
import { el, fillName, picture } from "./dom";
import { formatBig, formatCount, formatExact, formatShare, formatTime } from "./format";
import { barLow, barsPath, rebin } from "./histogram";
import { setText, type Column } from "./table";

const SPARK = { width: 88, height: 18, bins: 44 };

/** A time with its share of all traced time as a bar. */
function shareCell(of: (fn: Fn) => number, all: number): Column<Fn>["fill"] {
	return (cell, fn) => {
		const value = of(fn), share = value / all;

		if (cell.childElementCount === 0)
			cell.append(el("span", { class: "bar" }), el("span", { class: "share" }),
				    el("span", { class: "amount" }));
		const [bar, percent, amount] = cell.children as unknown as HTMLElement[];

		bar.style.width = `${Math.min(100, (share || 0) * 100).toFixed(2)}%`;
		percent.textContent = Number.isNaN(share) ? "" : formatShare(share);
		amount.textContent = formatTime(value);
		cell.title = formatExact(value);
	};
}

function timeCell(of: (fn: Fn) => number): Column<Fn>["fill"] {
	return (cell, fn) => setText(cell, formatTime(of(fn)), formatExact(of(fn)));
}

function timeColumn(key: "min" | "mean" | "p50" | "p99" | "max", label: string, hint: string): Column<Fn> {
	return {
		key, label, hint, width: 68, sort: (fn) => fn[key], fill: timeCell((fn) => fn[key]),
	};
}

function nameCell(cell: HTMLTableCellElement, fn: Fn): void {
	if (cell.childElementCount === 0)
		cell.append(el("span", { class: "parts" }), el("span", { class: "note" }));
	fillName(cell.children[0], fn.name);
	cell.children[1].textContent = isSeen(fn) ? ""
		: fn.inlinedInto.length > 0 ? "no calls of its own, inlined" : "not called";
	cell.title = fn.name;
}

const COUNTED = ["name", "calls", "binary", "source"];
const CPU = ["cpu", "waited", "preempted"];
const OF_CALLS = ["min", "mean", "p50", "p99", "max", "distribution"];

export function makeColumns(model: Model): Column<Fn>[] {
	const { firstBar, lastBar } = model;
	const scale = model.lastBar >= model.firstBar ? "; all rows on one scale from " +
		`${formatTime(barLow(firstBar) * model.nsPerTick)} to ${formatTime(barLow(lastBar + 1) * model.nsPerTick)}` : "";

	const columns: Column<Fn>[] = [
		{ key: "name", label: "Function", hint: "name of the function", width: 250,
		  isText: true, sort: (fn) => fn.name, fill: nameCell },
		{ key: "exclusive", label: "Exclusive", hint: "time in the function itself", width: 128,
		  sort: (fn) => fn.exclusive, fill: shareCell((fn) => fn.exclusive, model.payload.calls_sampled ? NaN : model.tracedNs) },
		{ key: "cpu", label: "CPU", hint: "the part of the exclusive time on a processor", width: 80,
		  sort: (fn) => fn.cpu, fill: timeCell((fn) => fn.cpu) },
		{ key: "waited", label: "Waited", hint: "the part of the exclusive time in which it waited, slept or was stopped",
		  width: 80, sort: (fn) => fn.waited, fill: timeCell((fn) => fn.waited) },
		{ key: "preempted", label: "Preempted", hint: "the part of the exclusive time in which another thread had the processor",
		  width: 84, sort: (fn) => fn.preempted, fill: timeCell((fn) => fn.preempted) },
		{ key: "total", label: "Total", hint: "time in the function and what it calls; recursion counted once",
		  width: 128, sort: (fn) => fn.total, fill: shareCell((fn) => fn.total, model.tracedNs) },
		{ key: "calls", label: model.hasSamples ? "Samples" : "Calls",
		  hint: model.hasSamples ? "samples in which it was on the stack" : "number of calls", width: 92, sort: (fn) => fn.calls,
		  fill: (cell, fn) => setText(cell, fn.calls < 1e8 ? formatCount(fn.calls) : formatBig(fn.calls),
					      formatCount(fn.calls)) },
		timeColumn("min", "Min", "shortest call"),
		timeColumn("mean", "Mean", "mean duration of a call"),
		timeColumn("p50", "p50", "half of the calls took at most this (3 % wide buckets)"),
		timeColumn("p99", "p99", "99 % of the calls took at most this (3 % wide buckets)"),
		timeColumn("max", "Max", "longest call"),
		{ key: "distribution", label: "Distribution", hint: `durations of the calls, logarithmic${scale}`, width: 104,
		  fill: (cell, fn) => {
			if (cell.childElementCount === 0)
				cell.append(picture(SPARK.width, SPARK.height));
			const bars = rebin(fn.bars, firstBar, lastBar, SPARK.bins);

			cell.firstElementChild!.firstElementChild!
				.setAttribute("d", barsPath(bars, SPARK.width, SPARK.height));
		  } },
		{ key: "binary", label: "Binary", hint: "program or library", width: 110, isText: true, sort: (fn) => fn.binary,
		  fill: (cell, fn) => setText(cell, fn.binary, fn.binaryPath) },
		{ key: "source", label: "Source", hint: "file and line", width: 150, isText: true, sort: (fn) => fn.source,
		  fill: (cell, fn) => setText(cell, fn.source, fn.file === "" ? "" : `${fn.file}:${fn.line}`) },
	];

	/* columns of dashes tell nothing: where calls were only counted, or CPU time is not known */
	return columns.filter(({ key }) => (model.hasTimes || COUNTED.includes(key)) && (model.hasCpu || !CPU.includes(key)) &&
		!(model.hasSamples && OF_CALLS.includes(key)) && (model.hasExclusive || key !== "exclusive"));
}
