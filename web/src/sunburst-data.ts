/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions as parts of a circle, around each its blocks: the largest of both, what is left of each
 * as one wedge, so that nothing is missing.
 */

import type { BlocksModel, Fn } from "./blocks-data";

/** By what a wedge is wide. Calls are of functions; the blocks of one then share it by executions. */
export type SunWeight = "instructions" | "executions" | "calls" | "time";

export const OTHERS = -1; /* blocks, or functions, that have no wedge of their own */

export interface Wedge {
	fn: number; /* OTHERS: all smaller functions */
	block: number | null; /* null: the function itself */
	from: number; /* parts of the circle */
	to: number;
	weight: number;
	n: number; /* what it stands for: blocks, or functions */
}

/** Of each block, by its index in the payload. */
function blockWeight({ payload }: BlocksModel, weight: SunWeight): (i: number) => number {
	const { count, instructions, ticks } = payload.blocks;

	return weight === "instructions" ? (i) => count[i] * instructions[i]
		: weight === "time" ? (i) => ticks?.[i] ?? 0 : (i) => count[i];
}

function functionWeight(fn: Fn, weight: SunWeight, block: (i: number) => number): number {
	let sum = 0;

	if (weight === "calls")
		return fn.calls;
	for (let i = fn.firstBlock; i < fn.firstBlock + fn.blocks; i++)
		sum += block(i);
	return sum;
}

function blockWedges(fn: Fn, inner: Wedge, most: number, of: (i: number) => number): Wedge[] {
	const list = Array.from({ length: fn.blocks }, (_, number) => ({ number, weight: of(fn.firstBlock + number) })).filter(({ weight }) => weight > 0);
	const sum = list.reduce((all, { weight }) => all + weight, 0), scale = sum > 0 ? (inner.to - inner.from) / sum : 0;
	let at = inner.from;

	list.sort((a, b) => b.weight - a.weight || a.number - b.number);
	const wedge = (block: number, weight: number, n: number): Wedge => {
		const from = at;

		at += weight * scale;
		return { fn: fn.id, block, from, to: at, weight, n };
	};
	const wedges = list.slice(0, most).map(({ number, weight }) => wedge(number, weight, 1)), rest = list.slice(most);

	return rest.length === 0 ? wedges : [...wedges, wedge(OTHERS, rest.reduce((all, { weight }) => all + weight, 0), rest.length)];
}

/** Inner wedges, each followed by the wedges around it. */
export function sunburst(model: BlocksModel, weight: SunWeight, functions: number, blocks: number): Wedge[] {
	const of = blockWeight(model, weight), out: Wedge[] = [];
	const list = model.functions.map((fn) => ({ fn, weight: functionWeight(fn, weight, of) })).filter((each) => each.weight > 0)
		.sort((a, b) => b.weight - a.weight || a.fn.id - b.fn.id);
	const sum = list.reduce((all, each) => all + each.weight, 0), rest = list.slice(functions);
	let at = 0;

	for (const each of list.slice(0, functions)) {
		const inner = { fn: each.fn.id, block: null, from: at, to: at + each.weight / sum, weight: each.weight, n: 1 };

		out.push(inner, ...blockWedges(each.fn, inner, blocks, of));
		at = inner.to;
	}
	if (rest.length > 0)
		out.push({ fn: OTHERS, block: null, from: at, to: 1, weight: rest.reduce((all, each) => all + each.weight, 0), n: rest.length });
	return out;
}
