/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The panel: the function that is looked at, one of its blocks, its loops. */

import { codeOf, isInside, originOf, placeWords, type Block, type BlocksModel, type Fn, type Frame, type Loop, type Path, type Way } from "./blocks-data";
import { loopPlace, stepsWords, tripsWords } from "./columns-blocks";
import { byId, el } from "./dom";
import { formatBig, formatCount, formatShare, formatTime, plural, shortName, UNKNOWN, visibleText } from "./format";
import { pick } from "./header";

export interface BlocksActions {
	selectBlock(number: number): void;
	selectLoop(loop: Loop): void;
	selectPath(path: Path): void;
	selectPlace(frame: Frame): void;
}

const LISTED = 12;

type Pair = [name: string, value: string];

/** "47.2 million (9.3 %)", which may be broken before the share only. */
const withShare = (n: number, share: number) => `${formatBig(n)} (${formatShare(share).replace(" ", "\u00a0")})`;

function pairs(list: Pair[]): HTMLElement {
	return el("dl", { class: "pairs" }, ...list.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

function wayRow(way: Way, other: number, all: number, actions: BlocksActions): HTMLElement {
	const bar = el("span", { class: "bar" });
	const row = el("button", { type: "button", class: "edge" }, bar, el("span", { class: "parts" }, `block ${other}`),
		       el("span", { class: "amount" }, formatShare(way.count / all)),
		       el("span", { class: "calls" }, Number.isFinite(way.count) ? `${formatCount(way.count)} ×` : "not known"));

	bar.style.width = `${Math.min(100, way.count / all * 100 || 0).toFixed(1)}%`;
	row.addEventListener("click", () => actions.selectBlock(other));
	return el("li", {}, row);
}

/** A list of which the first rows are there at once. */
function longList(rows: HTMLElement[]): HTMLElement[] {
	const list = el("ol", { class: "edges" }, ...rows.slice(0, LISTED));

	if (rows.length <= LISTED)
		return [list];
	const more = el("button", { type: "button", class: "link" }, `show ${formatCount(rows.length - LISTED)} more`);

	more.addEventListener("click", () => {
		list.append(...rows.slice(LISTED));
		more.remove();
	});
	return [list, more];
}

function wayList(title: string, ways: Way[], block: Block, other: (way: Way) => number, none: string, actions: BlocksActions): HTMLElement {
	const sorted = [...ways].sort((a, b) => (b.count || 0) - (a.count || 0));

	return el("section", {}, el("h3", {}, title), ...(sorted.length === 0 ? [el("p", { class: "quiet" }, none)]
		: longList(sorted.map((way) => wayRow(way, other(way), block.count, actions)))));
}

function loopRow(loop: Loop, all: number, actions: BlocksActions): HTMLElement {
	const bar = el("span", { class: "bar" }), trips = tripsWords(loop);
	const name = `${"· ".repeat(loop.depth - 1)}${loopPlace(loop)}`;
	const row = el("button", { type: "button", class: "edge", title: `${plural(loop.iterations, "iteration")}, entered ` +
			(loop.entries === null ? "an unknown number of times" : `${formatCount(loop.entries)} times`) },
		       bar, el("span", { class: "parts" }, name), el("span", { class: "amount" }, formatShare(loop.instructions / all)),
		       el("span", { class: "calls" }, trips === UNKNOWN ? "not entered" : `${trips} per entry`));

	bar.style.width = `${(loop.instructions / all * 100 || 0).toFixed(1)}%`;
	row.addEventListener("click", () => actions.selectLoop(loop));
	return el("li", {}, row);
}

function heading(fn: Fn): HTMLElement[] {
	const where = fn.file === "" ? "" : fn.line > 0 ? `${fn.file}:${fn.line}` : fn.file;

	return [
		el("h2", { class: "code" }, fn.name),
		el("p", { class: "where" }, ...[fn.binary, where].filter((x) => x !== "").map((x) => el("span", {}, x))),
		...(fn.symbol !== "" ? [el("p", { class: "symbol code" }, fn.symbol)] : []),
	];
}

function pathRow(path: Path, actions: BlocksActions): HTMLElement {
	const bar = el("span", { class: "bar" }), share = path.cost / path.fn.instructions;
	const row = el("button", { type: "button", class: "edge", title: `blocks ${stepsWords(path)}` },
		       bar, el("span", { class: "parts steps" }, stepsWords(path)), el("span", { class: "amount" }, formatShare(share)),
		       el("span", { class: "calls" }, `${formatCount(path.count)} ×`));

	bar.style.width = `${Math.min(100, share * 100 || 0).toFixed(1)}%`;
	row.addEventListener("click", () => actions.selectPath(path));
	return el("li", {}, row);
}

function timePairs(model: BlocksModel, ticks: number, all: number): Pair[] {
	return ticks >= 0 ? [[model.payload.blocks.estimated ? "Time, estimated" : "Time",
			      `${formatTime(ticks * model.nsPerTick)}, ${formatShare(ticks / all)}`]] : [];
}

/** Its time and that of one execution, where that is more than a time stamp can tell. */
function blockTime(model: BlocksModel, fn: Fn, block: Block): Pair[] {
	const { ticks, most, estimated } = model.payload.blocks, i = fn.firstBlock + block.number;

	if (!ticks || block.count === 0)
		return [];
	const mean = ticks[i] / block.count, at = resolution(model), top = estimated ? most?.[i] ?? 0 : 0;

	return [...timePairs(model, ticks[i], fn.ticks),
		["One execution", !estimated && mean < at ? "below resolution" : `${formatTime(mean * model.nsPerTick)}` +
			(top > 0 ? `, less than ${formatTime(top * model.nsPerTick)} with 95 %` : "")]];
}

/** Half a time stamp, with the stamp itself unless that has been subtracted; ticks. */
function resolution({ header }: BlocksModel): number {
	const stamp = pick(header, "times.stamp_ticks");

	return typeof stamp === "number" ? stamp * (pick(header, "times.compensated") === true ? 0.5 : 1.5) : 0;
}

function functionPart(model: BlocksModel, fn: Fn, paths: Path[], actions: BlocksActions): HTMLElement[] {
	const parts: HTMLElement[] = [pairs([
		["Instructions", withShare(fn.instructions, fn.instructions / model.instructions)],
		...timePairs(model, fn.ticks, model.ticks),
		["Calls", formatCount(fn.calls)],
		["Blocks executed", formatBig(fn.executions)],
		["Blocks that ran", model.onlyExecuted ? formatCount(fn.executed) : `${formatCount(fn.executed)} of ${formatCount(fn.blocks)}`],
	])];

	if (fn.loops.length > 0)
		parts.push(el("section", {}, el("h3", {}, "Loops"), ...longList(
			[...fn.loops].sort((a, b) => Number(a.iterations === 0) - Number(b.iterations === 0))
				.map((loop) => loopRow(loop, fn.instructions, actions)))));
	if (paths.length > 0)
		parts.push(el("section", {}, el("h3", {}, "Hottest paths"), ...longList(paths.map((path) => pathRow(path, actions)))));
	return parts;
}

function linesOf(model: BlocksModel, fn: Fn, block: Block): HTMLElement {
	const text = fn.fileId >= 0 ? model.payload.sources.text[fn.fileId] : null;
	const lines = text?.split("\n", block.lines[block.lines.length - 1]);

	return el("ol", { class: "lines code" }, ...block.lines.map((number) => el("li", {},
		el("span", { class: "number" }, String(number)), ` ${lines?.[number - 1]?.trim() ?? ""}`)));
}

/** From the inlined function inside to the one that the block is in. */
function origin(model: BlocksModel, fn: Fn, block: Block, actions: BlocksActions): HTMLElement[] {
	const chain = originOf(model, fn, block);

	if (chain.length === 0)
		return [];
	return [el("section", {}, el("h3", {}, "Inlined from"), el("ol", { class: "chain" }, ...chain.map((frame, i) => {
		const place = el("button", { type: "button", class: "link code", title: frame.file }, placeWords(frame));

		place.disabled = frame.line === 0 || (model.payload.sources.text[frame.fileId] ?? null) === null;
		place.addEventListener("click", () => actions.selectPlace(frame));
		return el("li", {}, el("span", { class: "code", title: frame.name }, shortName(frame.name)),
			  el("small", {}, i === 0 ? "at " : "calls it at ", place));
	})))];
}

function code(model: BlocksModel, fn: Fn, block: Block): HTMLElement {
	const { text, why } = codeOf(model, fn, block);

	return el("section", {}, el("h3", {}, "Intermediate code"), text === null ? el("p", { class: "quiet" }, why)
		: el("pre", { class: "ir code", tabindex: "0" }, text.trimEnd().split("\n").map(visibleText).join("\n")));
}

function blockPart(model: BlocksModel, fn: Fn, block: Block, ways: Way[], actions: BlocksActions): HTMLElement[] {
	const loops = fn.loops.filter((loop) => isInside(block, loop)).reverse();
	const list: Pair[] = [
		["Executed", `${formatCount(block.count)} ×`],
		["Size", plural(block.size, "instruction")],
		["Instructions executed", withShare(block.cost, block.cost / fn.instructions)],
		...blockTime(model, fn, block),
		["Begins at", block.line > 0 ? `${block.line}${block.column > 0 ? `:${block.column}` : ""}` : UNKNOWN],
	];

	if (loops.length > 0)
		list.push(["Loop depth", String(loops.length)]);
	const left = block.count - ways.filter(({ from }) => from === block.number).reduce((sum, way) => sum + way.count, 0);

	if (left > 0)
		list.push(["Left the function", `${formatCount(left)} ×`]);
	const into = ways.filter(({ to }) => to === block.number), out = ways.filter(({ from }) => from === block.number);

	return [
		el("h3", { class: "block-head" }, `Block ${block.number}${block.number === 0 ? ", where calls enter" : ""}`), pairs(list),
		...(block.lines.length > 0 ? [el("section", {}, el("h3", {}, block.lines.length > 1 ? "Source lines" : "Source line"),
						 linesOf(model, fn, block))] : []),
		...origin(model, fn, block, actions),
		code(model, fn, block),
		wayList("Leads to", out, block, ({ to }) => to, "It leaves the function.", actions),
		wayList("Comes from", into, block, ({ from }) => from, block.number === 0 ? "Calls." : "Nothing.", actions),
	];
}

/** What the panel is about. */
export interface BlocksView {
	fn: Fn | null;
	block: Block | null;
	ways: Way[];
	paths: Path[];
}

export function showBlocksDetail(model: BlocksModel, { fn, block, ways, paths }: BlocksView, actions: BlocksActions): void {
	const panel = byId("counted-detail");

	if (!fn) {
		panel.replaceChildren(el("p", { class: "quiet" }, "Select a function to see its blocks, its loops and its source."));
		return;
	}
	panel.replaceChildren(...heading(fn), ...(block ? blockPart(model, fn, block, ways, actions) : []),
			      ...(block ? [el("h3", { class: "block-head" }, "Whole function")] : []), ...functionPart(model, fn, paths, actions));
	panel.scrollTop = 0;
}
