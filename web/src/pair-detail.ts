/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The panel about one function of two versions: what changed, how sure, run by run, and why. */

import { badge, minus, verdictOf } from "./columns-pair";
import { byId, el, fillName, picture } from "./dom";
import { formatCount, formatDifference, formatExact, formatFactor, formatMore, formatTime, plural, visibleText } from "./format";
import { pairBlockName, presenceOf, type PairBlock } from "./graph-pair";
import type { Change, PairFn, PairModel } from "./pair-data";

export interface PairDetailActions {
	select(fn: PairFn): void;
	zoom(fn: PairFn): void;
	selectBlock(block: PairBlock): void;
}

const LISTED = 12;
const STRIP = { width: 300, height: 12 };

type Triple = [label: string, before: string, now: string, change: string, hint?: string];

/** Before, now, difference, a line for each amount. */
function amounts(model: PairModel, fn: PairFn): HTMLElement {
	const perCall = (ns: number, calls: number) => calls > 0 ? ns / calls : NaN;
	const time = (label: string, before: number, now: number): Triple =>
		[label, formatTime(before), formatTime(now), formatFactor(now / before),
		 `${formatExact(before)} → ${formatExact(now)}`];
	const rows: Triple[] = model.check.has_times ? [
		time(model.check.function_time === "cpu" ? "CPU time itself" : "Itself", fn.before, fn.now), time("With callees", fn.totalBefore, fn.totalNow),
		time("A call", perCall(fn.before, fn.callsBefore), perCall(fn.now, fn.callsNow)),
	] : [];
	const counts = (label: string, before: number, now: number): Triple =>
		[label, formatCount(before), formatCount(now), before === now ? "as many" : formatFactor(now / before)];

	if (model.hasInstructions)
		rows.push(counts("Instructions", fn.before, fn.now),
			  counts("A call", perCall(fn.before, fn.callsBefore), perCall(fn.now, fn.callsNow)));
	rows.push(["Calls", formatCount(fn.callsBefore), formatCount(fn.callsNow),
		   fn.callsBefore === fn.callsNow ? "as often" : formatFactor(fn.callsNow / fn.callsBefore)]);
	return el("table", { class: "sides" },
		el("thead", {}, el("tr", {}, ...["", "before", "now", "change"].map((name) => el("th", { scope: "col" }, name)))),
		el("tbody", {}, ...rows.map(([label, before, now, change, hint]) =>
			el("tr", hint ? { title: hint } : {}, el("th", { scope: "row" }, label), el("td", {}, before), el("td", {}, now), el("td", {}, change)))));
}

/** One dot a run, both versions on one scale: how far apart they are against how they scatter. */
export function dots(values: number[], low: number, high: number): string {
	const x = (value: number) => 3 + (high > low ? (value - low) / (high - low) : 0.5) * (STRIP.width - 6);

	return values.map((value) => `M${(x(value) - 2.5).toFixed(1)} ${STRIP.height / 2}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0`).join("");
}

function runs(change: Change): HTMLElement[] {
	const { runs_before: before, runs_now: now } = change;

	if (before.length === 0 || now.length === 0)
		return [];
	const all = before.concat(now), low = Math.min(...all), high = Math.max(...all);
	const say = (x: number) => change.unit === "ns" ? formatTime(x) : formatCount(x);
	const strip = (name: string, values: number[]) => {
		const svg = picture(STRIP.width, STRIP.height, dots(values, low, high));

		svg.setAttribute("role", "img");
		svg.setAttribute("aria-label", `${name}: ${plural(values.length, "run")}, ${say(Math.min(...values))} to ${say(Math.max(...values))}`);
		return el("div", { class: `strip ${name}` }, el("span", {}, name), svg);
	};

	return [el("h3", {}, "Each run is a dot"), strip("before", before), strip("now", now),
		el("div", { class: "ends", "aria-hidden": "true" }, el("span", {}, say(low)), el("span", {}, say(high)))];
}

function sureness(change: Change): string {
	const { words, method } = change;

	return [words.interval && `95 % interval ${minus(words.interval)}`, words.sure,
		words.impact && words.impact !== "-" && `${minus(words.impact)} of the run`, `method ${method}`].filter(Boolean).join(" · ");
}

function why(change: Change): HTMLElement[] {
	const lines: [string, string | null][] = [["Why", change.reason], ["Through", change.path], ["Changed lines", change.lines]];

	return lines.filter(([, text]) => text).flatMap(([title, text]) =>
		[el("h3", {}, title), el("p", { class: title === "Why" ? "" : "code quiet" }, text!)]);
}

interface PairEdge {
	fn: number;
	before: number;
	now: number;
}

/** Calls of @fn by its callers (@up) or by it, over all contexts of the page. */
export function edgesOf(model: PairModel, fn: number, up: boolean): PairEdge[] {
	const { tree } = model, edges = new Map<number, PairEdge>();

	for (let node = 1; node < tree.n; node++) {
		const parent = tree.fn[tree.parent[node]];

		if (tree.fn[node] < 0 || (up ? tree.fn[node] : parent) !== fn)
			continue;
		const other = up ? parent : tree.fn[node], edge = edges.get(other) ?? { fn: other, before: 0, now: 0 };

		edge.before += tree.callsBefore[node];
		edge.now += tree.callsNow[node];
		edges.set(other, edge);
	}
	const shift = (e: PairEdge) => Math.abs(e.now - e.before);

	return [...edges.values()].sort((a, b) => shift(b) - shift(a) || b.now - a.now || a.fn - b.fn);
}

function edgeRow(model: PairModel, edge: PairEdge, actions: PairDetailActions): HTMLElement {
	const fn = model.functions[edge.fn];
	const name = el("span", { class: fn ? "parts" : "quiet" }, ...(fn ? [] : ["not traced (start of a thread)"]));
	const calls = edge.before === edge.now ? `${formatCount(edge.now)} ×` : `${formatCount(edge.before)} → ${formatCount(edge.now)} ×`;
	const row = el(fn ? "button" : "div", fn ? { type: "button", class: "edge", title: fn.name } : { class: "edge" },
		       name, el("span", { class: "amount" }, calls));

	if (fn) {
		fillName(name, fn.short);
		row.addEventListener("click", () => actions.select(fn));
	}
	return el("li", {}, row);
}

function edgeList(model: PairModel, title: string, edges: PairEdge[], actions: PairDetailActions): HTMLElement[] {
	if (edges.length === 0)
		return [];
	const list = el("ol", { class: "edges" }, ...edges.slice(0, LISTED).map((edge) => edgeRow(model, edge, actions)));
	const rest = edges.length - LISTED;

	return [el("h3", {}, title), list, ...(rest > 0 ? [el("p", { class: "quiet" }, `and ${formatCount(rest)} more`)] : [])];
}

const CHANGED = 40;

/** Executions times size, of a version that has the block. */
const runsOf = ({ number, size, count }: PairBlock["now"]) =>
	number < 0 ? "none" : `${formatCount(count)} × ${formatCount(size)}`;

function blockRow(block: PairBlock, actions: PairDetailActions): HTMLElement {
	const { before, now, gain } = block, presence = presenceOf(block), line = presence === "gone" ? before.line : now.line;
	const row = el("button", { type: "button", class: "edge", title: pairBlockName(block) },
		       el("span", {}, presence === "both" ? `block ${now.number}` : pairBlockName(block),
			  ...(line > 0 ? [el("small", {}, ` line ${line}${presence === "gone" ? " before" : ""}`)] : [])),
		       el("span", { class: "amount" }, formatMore(gain)),
		       el("small", { class: "runs" }, el("span", {}, runsOf(before)), " → ", el("span", {}, runsOf(now))));

	row.addEventListener("click", () => actions.selectBlock(block));
	return el("li", {}, row);
}

/** Which blocks make the difference: how often they ran, times the instructions of each. */
function blocks(all: PairBlock[], actions: PairDetailActions): HTMLElement[] {
	const changed = all.filter(({ gain }) => gain !== 0).sort((a, b) => Math.abs(b.gain) - Math.abs(a.gain) || a.number - b.number);

	if (changed.length === 0)
		return [];
	return [el("h3", {}, "Changed blocks"), el("ol", { class: "edges blocks" }, ...changed.slice(0, CHANGED).map((block) => blockRow(block, actions))),
		el("p", { class: "quiet" }, "how often each ran × its instructions, before → now" +
		   (changed.length > CHANGED ? `; ${formatCount(changed.length - CHANGED)} more that changed less` : ""))];
}

function names(fn: PairFn): HTMLElement[] {
	const where = fn.file === "" ? "" : `${fn.file}:${fn.line}`;
	const list = [el("h2", { class: "code" }, fn.name),
		      el("p", { class: "where" }, ...[fn.binary, where].filter((x) => x !== "").map((x) => el("span", {}, x)))];

	if (fn.symbol !== "")
		list.push(el("p", { class: "symbol code" }, fn.symbol));
	if (fn.matchedBy !== "")
		list.push(el("p", { class: "where" }, el("span", {}, fn.was !== "" ? `${fn.matchedBy}: was ${fn.was}` : fn.matchedBy)));
	if (fn.folded !== "")
		list.push(el("p", { class: "where" }, el("span", {}, `with ${visibleText(fn.folded)}, inlined into it in one version only`)));
	return list;
}

export function showPairDetail(model: PairModel, fn: PairFn | null, joined: PairBlock[], actions: PairDetailActions): void {
	const panel = byId("detail");

	if (!fn) {
		panel.replaceChildren(el("p", { class: "quiet" }, "Select a function to see what became of it, and why."));
		return;
	}
	const { tone, words, hint } = verdictOf(fn);
	const children = names(fn);

	children.push(el("p", { class: "say" }, badge(tone, words), fn.changes[0]
		? el("b", {}, minus(fn.changes[0].words.change)) : el("span", { class: "quiet" }, hint)));
	if (model.tree.fn.includes(fn.id)) {
		const zoom = el("button", { type: "button", class: "zoom-to" }, "Show in flame graph");

		zoom.addEventListener("click", () => actions.zoom(fn));
		children.push(zoom);
	}
	if (!fn.isFolded)
		children.push(amounts(model, fn));
	if (Number.isFinite(fn.difference) && fn.difference !== 0)
		children.push(el("p", { class: "quiet" }, `difference ${model.hasInstructions ? `${formatMore(fn.difference)} instructions` : formatDifference(fn.difference)} a run`));
	children.push(...blocks(joined, actions));
	for (const change of fn.changes)
		children.push(...runs(change), el("p", { class: "quiet" }, sureness(change)), ...why(change));
	children.push(...edgeList(model, "Called by", edgesOf(model, fn.id, true), actions),
		      ...edgeList(model, "Calls", edgesOf(model, fn.id, false), actions));
	panel.replaceChildren(...children);
	panel.scrollTop = 0;
}
