/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The panel about one function: numbers, histogram, its callers and callees, where it went. */

import { isSeen, type Edge, type Fn, type Model } from "./data";
import { byId, el, fillName, picture } from "./dom";
import { formatCount, formatExact, formatShare, formatTime, plural, UNKNOWN } from "./format";
import { barLow, barsPath, rebin } from "./histogram";

export interface DetailActions {
	select(fn: Fn): void;
	zoom(fn: Fn): void;
	/** Its hottest loop in words, "" none is known; and the page that has it. */
	loop?(fn: Fn): string;
	blocks?(fn: Fn): void;
}

const PLOT = { width: 320, height: 84 };
const LISTED = 12;

type Line = [name: string, value: string, title: string];

function pairs(list: Line[]): HTMLElement {
	return el("dl", { class: "pairs" }, ...list.map(([name, value, title]) =>
		el("div", title ? { title } : {}, el("dt", {}, name), el("dd", {}, value))));
}

/** Decades between two times in ns, as labelled ticks. */
export function decades(low: number, high: number): number[] {
	const ticks: number[] = [];

	for (let e = Math.ceil(Math.log10(Math.max(low, 1))); 10 ** e <= high; e++)
		ticks.push(10 ** e);
	return ticks;
}

function histogram(model: Model, fn: Fn): HTMLElement {
	const first = fn.bars.bar[0], last = fn.bars.bar[fn.bars.bar.length - 1];
	const bins = Math.max(8, last - first + 1);
	const low = barLow(first) * model.nsPerTick, high = barLow(first + bins) * model.nsPerTick;
	const svg = picture(PLOT.width, PLOT.height,
			    barsPath(rebin(fn.bars, first, first + bins - 1, bins), PLOT.width, PLOT.height));
	const axis = el("div", { class: "axis", "aria-hidden": "true" });
	const at = (ns: number) => Math.log(ns / low) / Math.log(high / low);
	const label = `Durations of ${plural(fn.timed, "call")}: half took at most ${formatTime(fn.p50)}, ` +
		`99 % at most ${formatTime(fn.p99)}, the longest ${formatTime(fn.max)}`;

	svg.setAttribute("role", "img");
	svg.setAttribute("aria-label", label);
	svg.setAttribute("preserveAspectRatio", "none");
	const ticks = low > 0 ? decades(low, high).filter((ns) => at(ns) > 0.04 && at(ns) < 0.96) : [];

	for (const ns of ticks) {
		const tick = el("span", {}, formatTime(ns).replace(".00", "").replace(".0", ""));

		tick.style.left = `${(at(ns) * 100).toFixed(2)}%`;
		axis.append(tick);
	}
	if (ticks.length === 0)
		axis.append(el("span", { class: "edge" }, formatTime(low)));
	return el("figure", { class: "histogram" }, svg, axis,
		  el("figcaption", {}, "durations of the calls, logarithmic; heights go with √count"));
}

function edgeRow(model: Model, edge: Edge, most: number, actions: DetailActions): HTMLElement {
	const fn = edge.fn >= 0 ? model.functions[edge.fn] : null;
	const bar = el("span", { class: "bar" });
	const amount = model.hasTimes ? formatTime(edge.time) : "";
	const name = el("span", { class: fn ? "parts" : "quiet" }, ...(fn ? [] : ["not traced (start of a thread)"]));

	if (fn)
		fillName(name, fn.short);
	const row = el(fn ? "button" : "div", fn ? { type: "button", class: "edge", title: fn.name } : { class: "edge" },
		bar, name,
		el("span", { class: "amount" }, amount),
		...(model.hasSamples ? [] : [el("span", { class: "calls" }, `${formatCount(edge.count)} ×`)]));

	bar.style.width = `${((model.hasTimes ? edge.time : edge.count) / most * 100 || 0).toFixed(1)}%`;
	if (fn)
		row.addEventListener("click", () => actions.select(fn));
	return el("li", {}, row);
}

function edgeList(model: Model, title: string, edges: Edge[] | undefined, none: string,
		  actions: DetailActions): HTMLElement {
	const section = el("section", {}, el("h3", {}, title));

	if (!edges || edges.length === 0) {
		section.append(el("p", { class: "quiet" }, none));
		return section;
	}
	const most = edges.reduce((a, e) => Math.max(a, model.hasTimes ? e.time : e.count), 0);
	const list = el("ol", { class: "edges" });
	const add = (from: number, to: number) =>
		list.append(...edges.slice(from, to).map((edge) => edgeRow(model, edge, most, actions)));

	add(0, LISTED);
	section.append(list);
	if (edges.length > LISTED) {
		const more = el("button", { type: "button", class: "link" }, `show ${edges.length - LISTED} more`);

		more.addEventListener("click", () => {
			add(LISTED, edges.length);
			more.remove();
		});
		section.append(more);
	}
	return section;
}

function loopLine(fn: Fn, actions: DetailActions): HTMLElement[] {
	const words = actions.loop?.(fn) ?? "";

	if (words === "")
		return [];
	const button = el("button", { type: "button", class: "link" }, words);

	button.addEventListener("click", () => actions.blocks?.(fn));
	return [el("section", {}, el("h3", {}, "Hottest loop"), el("p", {}, button))];
}

function inlinedList(model: Model, fn: Fn, actions: DetailActions): HTMLElement {
	const list = el("ol", { class: "inlined" });
	const add = (from: number, to: number) => {
		for (const place of fn.inlinedInto.slice(from, to)) {
			const host = model.functions[place.host];
			const button = el("button", { type: "button", class: "link", title: host.name }, host.short);
			const where = place.file === "" ? "" : ` at ${place.file}:${place.line}`;

			button.addEventListener("click", () => actions.select(host));
			list.append(el("li", {}, "into ", button, where));
		}
	};

	add(0, LISTED);
	const section = el("section", {}, el("h3", {}, "Inlined"), list);

	if (fn.inlinedInto.length > LISTED) {
		const more = el("button", { type: "button", class: "link" },
				`show ${fn.inlinedInto.length - LISTED} more`);

		more.addEventListener("click", () => {
			add(LISTED, fn.inlinedInto.length);
			more.remove();
		});
		section.append(more);
	}
	return section;
}

const part = (ns: number, all: number) => `${formatTime(ns)} (${formatShare(ns / all)})`;

/** What the exclusive time was spent with. */
function parts(fn: Fn): Line[] {
	if (!Number.isFinite(fn.cpu))
		return [];
	const list: Line[] = [["of it CPU time", part(fn.cpu, fn.exclusive), formatExact(fn.cpu)]];

	if (fn.waited > 0)
		list.push(["of it waited", part(fn.waited, fn.exclusive), `${formatExact(fn.waited)}: waiting, asleep or stopped`]);
	if (fn.preempted > 0)
		list.push(["of it preempted", part(fn.preempted, fn.exclusive), `${formatExact(fn.preempted)}: another thread had the processor`]);
	return list;
}

function numbers(model: Model, fn: Fn): HTMLElement {
	const share = (ns: number) => model.hasTimes ? `${formatTime(ns)} (${formatShare(ns / model.tracedNs)})` : UNKNOWN;
	const sampled = model.payload.calls_sampled;
	const known: Line[] = Number.isFinite(fn.exclusive) ? [["Exclusive", formatTime(fn.exclusive), formatExact(fn.exclusive)]] : [];
	const list: Line[] = [
		...(sampled ? known : [["Exclusive", share(fn.exclusive), formatExact(fn.exclusive)] as Line]),
		...parts(fn),
		["Total", share(fn.total), formatExact(fn.total)],
		...(Number.isFinite(fn.totalCpu) ? [["of it CPU time", part(fn.totalCpu, fn.total), formatExact(fn.totalCpu)] as Line] : []),
	];
	const calls: Line[] = model.hasSamples ? [["Samples", formatCount(fn.calls), "in which it was on the stack"]] : [
		["Calls", formatCount(fn.calls), ""],
		["Mean", formatTime(fn.mean) + (fn.deviation > 0 ? ` ± ${formatTime(fn.deviation)}` : ""),
		 "mean and standard deviation"],
		["Min", formatTime(fn.min), formatExact(fn.min)],
		["p50", formatTime(fn.p50), formatExact(fn.p50)],
		["p99", formatTime(fn.p99), formatExact(fn.p99)],
		["Max", formatTime(fn.max), formatExact(fn.max)],
	];

	list.push(...calls);

	if (!model.hasTimes)
		return pairs([["Calls", `${formatCount(fn.calls)} (${formatShare(fn.calls / model.tracedCalls)})`, ""]]);
	if (fn.timed !== fn.calls)
		list.push(["Timed", `${formatCount(fn.timed)} of the calls`, ""]);
	if (fn.open > 0)
		list.push(["Still open", plural(fn.open, "call"), "closed when the run ended"]);
	if (fn.unwound > 0)
		list.push(["Unwound", plural(fn.unwound, "call"), "ended by longjmp or an exception"]);
	return pairs(list);
}

export function showDetail(model: Model, fn: Fn | null, actions: DetailActions, place = "detail"): void {
	const panel = byId(place);

	if (!fn) {
		panel.replaceChildren(el("p", { class: "quiet" }, "Select a function to see its callers" +
			(model.hasSamples ? " and callees." : ", its callees and how long its calls take.")));
		return;
	}
	const where = fn.file === "" ? "" : `${fn.file}:${fn.line}`;
	const children: HTMLElement[] = [
		el("h2", { class: "code" }, fn.name),
		el("p", { class: "where" }, ...[fn.binary, where].filter((x) => x !== "").map((x) => el("span", {}, x))),
	];

	if (fn.symbol !== "")
		children.push(el("p", { class: "symbol code" }, fn.symbol));
	if (isSeen(fn)) {
		const zoom = el("button", { type: "button", class: "zoom-to" }, "Show in flame graph");

		zoom.addEventListener("click", () => actions.zoom(fn));
		if (model.tree.n > 1 && !model.payload.calls_sampled)
			children.push(zoom);
		children.push(numbers(model, fn));
		if (fn.bars.bar.length > 0)
			children.push(histogram(model, fn));
		children.push(
			edgeList(model, "Called by", model.callers.get(fn.id), "Callers are not in this profile.", actions),
			edgeList(model, "Calls", model.callees.get(fn.id), "No traced function.", actions),
			...loopLine(fn, actions));
	} else if (fn.inlinedInto.length > 0) {
		children.push(el("p", {}, "This function has no calls of its own: the compiler inlined it. " +
			"Its time is part of the functions below."));
	} else {
		children.push(el("p", {}, "This function was traced and not called during this run."));
	}
	if (fn.inlinedInto.length > 0)
		children.push(inlinedList(model, fn, actions));
	panel.replaceChildren(...children);
	panel.scrollTop = 0;
}
