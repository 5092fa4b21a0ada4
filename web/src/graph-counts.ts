/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the control flow of a counted function looks like: heat, counts, loops. */

import { blockHeat, originWords, shortCount, type Block, type Fn, type Frame, type Way } from "./blocks-data";
import { heatColour, type Theme } from "./colour";
import { formatCount, formatShare } from "./format";
import type { BlockPaint, GraphLook, WayPaint } from "./graph-look";

/** A way's width says how much of all that happens in the function goes along. */
export function wayWidth(count: number, executions: number): number {
	return count === 0 ? 1 : Math.min(5, 1.2 + 9 * (count / Math.max(1, executions) || 0));
}

/** "7", "7–12": the first and the last. */
export function linesWords(lines: number[]): string {
	return lines.length === 0 ? "" : lines.length === 1 ? `line ${lines[0]}` : `${lines[0]}–${lines[lines.length - 1]}`;
}

export class CountsLook implements GraphLook<Block, Way> {
	private readonly headers: Set<number>;
	private readonly origins = new Map<number, Frame[]>();

	/** @findOrigin: what the code of a block was inlined from. */
	constructor(private readonly fn: Fn, private readonly findOrigin: (block: Block) => Frame[]) {
		this.headers = new Set(fn.loops.map(({ header }) => header));
	}

	private originOf(block: Block): Frame[] {
		let origin = this.origins.get(block.number);

		if (!origin) {
			origin = this.findOrigin(block);
			this.origins.set(block.number, origin);
		}
		return origin;
	}

	isIdle(block: Block): boolean {
		return block.count === 0;
	}

	weight(block: Block): number {
		return block.cost;
	}

	wayWeight(way: Way): number {
		return way.count;
	}

	name(block: Block): string {
		return `block ${block.number}`;
	}

	facts(block: Block): [string, string][] {
		const inlined = originWords(this.originOf(block));
		const list: [string, string][] = [
			["executed", `${formatCount(block.count)} times`],
			["instructions", `${formatCount(block.size)}, executed ${formatCount(block.cost)}`],
			["share", `${formatShare(block.cost / this.fn.instructions)} of the function's instructions`],
		];

		if (block.lines.length > 0)
			list.push([block.lines.length > 1 ? "lines" : "line", block.lines.join(", ")]);
		if (inlined !== "")
			list.push(["inlined", inlined]);
		if (block.loop)
			list.push(["loop", `depth ${block.loop.depth}, at block ${block.loop.header}`]);
		return list;
	}

	paintBlock(block: Block, theme: Theme): BlockPaint {
		const heat = blockHeat(block, this.fn.instructions), isHeader = this.headers.has(block.number);
		const [inlined] = this.originOf(block);

		return {
			fill: heatColour(theme, heat), isDashed: heat === 0, isRound: isHeader, isHatched: false, bars: block.loop?.depth ?? 0,
			corner: `${block.number}${isHeader ? " ↻" : ""}`, place: inlined && inlined.line > 0 ? `↳ ${inlined.line}` : linesWords(block.lines),
			middle: block.count === 0 ? "never ran" : `${shortCount(block.count)} × ${block.size}`,
			below: block.count > 0 ? formatShare(block.cost / this.fn.instructions) : "",
		};
	}

	paintWay(way: Way): WayPaint {
		return {
			width: wayWidth(way.count, this.fn.executions), dash: way.count === 0 ? [4, 4] : [], colour: "",
			label: shortCount(way.count),
		};
	}
}
