/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What blocks and ways of a control flow graph look like: a GraphLook paints those of one profile (graph-counts.ts), another those of two versions (graph-pair.ts). */

import type { Theme } from "./colour";

export interface GraphBlock {
	number: number; /* its place in the list of blocks; 0 is the entry */
}

export interface GraphWay {
	from: number; /* block */
	to: number;
}

export interface BlockPaint {
	fill: string;
	isDashed: boolean;
	isRound: boolean;
	isHatched: boolean;
	bars: number; /* in a corner: loops around it */
	corner: string; /* above, left … */
	place: string; /* … and right */
	middle: string;
	below: string;
}

export interface WayPaint {
	width: number;
	dash: number[];
	colour: string; /* "": by its direction */
	label: string;
}

export interface GraphLook<B extends GraphBlock, W extends GraphWay> {
	/** Blocks that may be hidden in large graphs, because nothing happened there. */
	isIdle(block: B): boolean;
	/** The heaviest block is looked at first. */
	weight(block: B): number;
	/** Walks go along the heaviest way. */
	wayWeight(way: W): number;
	name(block: B): string;
	facts(block: B): [string, string][];
	paintBlock(block: B, theme: Theme): BlockPaint;
	paintWay(way: W, theme: Theme): WayPaint;
}
