/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the control flow of two versions of a function looks like: one graph, in which red blocks
 * and ways execute more than before and blue ones less. What only one version has is hatched, too.
 */

import { shortCount } from "./blocks-data";
import { shiftColour, shiftInk, type Theme } from "./colour";
import { formatCount, formatMore, formatShare } from "./format";
import type { BlockPaint, GraphLook, WayPaint } from "./graph-look";
import { wayWidth } from "./graph-counts";
import type { FunctionGraph } from "./pair-data";

/** How a version has a block; number −1: it has none. */
export interface BlockSide {
	number: number;
	size: number;
	count: number;
	line: number;
	column: number;
	lines: number[]; /* all, that one too; [] not known */
}

/** A block of either version or both. */
export interface PairBlock {
	number: number; /* in the joined graph */
	before: BlockSide;
	now: BlockSide;
	gain: number; /* executed instructions, now less before */
}

/** Count −1: that version has no such way, NaN: it is not known. */
export interface PairWay {
	from: number;
	to: number;
	before: number;
	now: number;
}

export type Presence = "both" | "new" | "gone";

export const presenceOf = ({ before, now }: PairBlock): Presence => before.number < 0 ? "new" : now.number < 0 ? "gone" : "both";

const wayPresence = ({ before, now }: PairWay): Presence => before === -1 ? "new" : now === -1 ? "gone" : "both";

/** Shares of the function's instructions from which each step of a block's colour counts. */
export const GAIN_SHARES = [0, 0.01, 0.05, 0.2];

/** −4 to 4: how much of what the function executes @gain is; 0: nothing. */
export function gainStep(gain: number, all: number): number {
	return gain === 0 ? 0 : Math.sign(gain) * Math.max(1, GAIN_SHARES.filter((limit) => Math.abs(gain) >= limit * all).length);
}

export function joinedBlocks(graph: FunctionGraph): PairBlock[] {
	const side = (number: number, size: number, count: number, line: number, column: number): BlockSide =>
		({ number, size, count, line, column, lines: line > 0 ? [line] : [] });
	const blocks = graph.blocks.map(([a, sizeA, countA, lineA, columnA, b, sizeB, countB, lineB, columnB], number) => ({
		number, before: side(a, sizeA, countA, lineA, columnA), now: side(b, sizeB, countB, lineB, columnB),
		gain: sizeB * countB - sizeA * countA,
	}));

	for (const [block, version, ...lines] of graph.lines)
		blocks[block][version === 0 ? "before" : "now"].lines.push(...lines);
	return blocks;
}

export function joinedWays(graph: FunctionGraph): PairWay[] {
	return graph.ways.map(([from, to, before, now]) => ({ from, to, before: before ?? NaN, now: now ?? NaN }));
}

/** "block 7", "block 7, which was 5", "block 5, gone". */
export function pairBlockName(block: PairBlock): string {
	const { before: { number: a }, now: { number: b } } = block;

	return b < 0 ? `block ${a}, gone` : a < 0 ? `block ${b}, new` : a === b ? `block ${b}` : `block ${b}, which was ${a}`;
}

/** Number and line, as far as there is room for both. */
function cornerWords(block: PairBlock): [corner: string, place: string] {
	const { before, now } = block, presence = presenceOf(block), { line, number } = presence === "gone" ? before : now;
	const place = line > 0 ? `line ${line}` : "", short = presence === "new" ? `+ ${number}` : presence === "gone" ? `− ${number}` : String(number);
	const long = presence !== "both" ? `${short} ${presence}` : before.number === number ? short : `${before.number} → ${number}`;

	return [long.length + place.length > 18 ? short : long, place];
}

const withSize = ({ count, size }: { count: number; size: number }) => `${formatCount(count)} × ${formatCount(size)}`;

/** How often, times the size, in few letters. */
function middleWords({ before, now }: PairBlock): string {
	if (before.number < 0 || now.number < 0) {
		const { count, size } = before.number < 0 ? now : before;

		return count === 0 ? "never ran" : `${shortCount(count)} × ${size}`;
	}
	if (before.count === 0 && now.count === 0)
		return "never ran";
	if (before.count === now.count)
		return `${shortCount(now.count)} × ${before.size === now.size ? now.size : `${before.size} → ${now.size}`}`;
	return `${shortCount(before.count)} → ${shortCount(now.count)}` + (before.size === now.size ? "" : " *");
}

export class PairLook implements GraphLook<PairBlock, PairWay> {
	private readonly instructions: number; /* of the version that executed more */
	private readonly executions: number;

	constructor(blocks: PairBlock[]) {
		const most = (of: (side: PairBlock["now"]) => number) => Math.max(
			blocks.reduce((sum, { before }) => sum + of(before), 0), blocks.reduce((sum, { now }) => sum + of(now), 0));

		this.instructions = most(({ count, size }) => count * size);
		this.executions = most(({ count }) => count);
	}

	isIdle({ before, now }: PairBlock): boolean {
		return before.count === 0 && now.count === 0;
	}

	/** The greatest change; without any, the hottest. */
	weight({ gain, now }: PairBlock): number {
		return gain !== 0 ? this.instructions + Math.abs(gain) : now.count * now.size;
	}

	wayWeight({ before, now }: PairWay): number {
		return Math.max(before || 0, now || 0);
	}

	name(block: PairBlock): string {
		return pairBlockName(block);
	}

	facts(block: PairBlock): [string, string][] {
		const { before, now, gain } = block, list: [string, string][] = [];

		if (before.number >= 0)
			list.push(["before", `${withSize(before)} instructions${before.line > 0 ? `, line ${before.line}` : ""}`]);
		if (now.number >= 0)
			list.push(["now", `${withSize(now)} instructions${now.line > 0 ? `, line ${now.line}` : ""}`]);
		list.push(["difference", gain === 0 ? "none" : `${formatMore(gain)}, ${this.share(gain)} of the function's`]);
		return list;
	}

	private share(gain: number): string {
		return `${gain < 0 ? "−" : "+"}${formatShare(Math.abs(gain) / this.instructions)}`;
	}

	paintBlock(block: PairBlock, theme: Theme): BlockPaint {
		const { gain } = block, presence = presenceOf(block), isIdle = this.isIdle(block), [corner, place] = cornerWords(block);

		return {
			fill: isIdle && presence === "both" ? shiftColour(theme, null) : shiftColour(theme, gainStep(gain, this.instructions)),
			isDashed: isIdle, isRound: false, isHatched: presence !== "both", bars: 0,
			corner, place, middle: middleWords(block),
			below: gain === 0 ? "" : `${gain > 0 ? "+" : "−"}${shortCount(Math.abs(gain))} (${this.share(gain)})`,
		};
	}

	paintWay(way: PairWay, theme: Theme): WayPaint {
		const { before, now } = way, presence = wayPresence(way), most = this.wayWeight(way);
		const isSame = before === now || Number.isNaN(before) || Number.isNaN(now);
		const label = presence === "new" ? `+ ${shortCount(now)}` : presence === "gone" ? `− ${shortCount(before)}`
			: isSame ? shortCount(now) : `${shortCount(before)} → ${shortCount(now)}`;

		return {
			width: wayWidth(most, this.executions), dash: presence === "gone" ? [9, 4, 2, 4] : most === 0 ? [4, 4] : [],
			colour: isSame && presence === "both" ? this.plain(theme) : shiftInk(theme, (presence === "gone" ? 0 : now) - (presence === "new" ? 0 : before), presence),
			label,
		};
	}

	/** Directions have no colour here: colours mean change. */
	private plain(theme: Theme): string {
		return theme === "light" ? "#8b857e" : "#85827d";
	}
}
