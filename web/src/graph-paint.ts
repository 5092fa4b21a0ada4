/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How one block, one way and the count on it are drawn. */

import { dimColour, dimText, frameText, type Theme } from "./colour";
import type { BlockPaint, GraphWay, WayPaint } from "./graph-look";
import { LAYER, NODE_HEIGHT, type Point, type Route } from "./graph-routes";
import { NODE_WIDTH } from "./layers";

const FONT = '11.5px ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const SMALL = FONT.replace("11.5px", "10.5px");

type Canvas = CanvasRenderingContext2D;

const lines = {
	light: { way: "#6d6760", back: "#a8430f", dim: "#ddd8d1", chosen: "#1d1b19" },
	dark: { way: "#97948f", back: "#ff9d66", dim: "#35373c", chosen: "#f6f4f1" },
};

/** Between two layers; a point in between is a straight piece as high as a block. */
function curve(c: Canvas, a: Point, b: Point, fromPoint: boolean, toPoint: boolean): void {
	const sign = b[1] > a[1] ? 1 : -1;
	const y0 = fromPoint ? a[1] + sign * NODE_HEIGHT / 2 : a[1], y1 = toPoint ? b[1] - sign * NODE_HEIGHT / 2 : b[1];
	const bend = (y1 - y0) / 2;

	if (fromPoint)
		c.lineTo(a[0], y0);
	c.bezierCurveTo(a[0], y0 + bend, b[0], y1 - bend, b[0], y1);
}

function selfLoop(c: Canvas, [x, y]: Point): void {
	const edge = x + NODE_WIDTH / 2 + 12, half = NODE_HEIGHT / 2;

	c.moveTo(x + 30, y + half);
	c.bezierCurveTo(x + 30, y + half + 20, edge, y + half + 20, edge, y);
	c.bezierCurveTo(edge, y - half - 20, x + 30, y - half - 20, x + 30, y - half);
}

function arrow(c: Canvas, [x, y]: Point, isUp: boolean): void {
	const back = isUp ? 7 : -7;

	c.beginPath();
	c.moveTo(x, y);
	c.lineTo(x - 4, y + back);
	c.lineTo(x + 4, y + back);
	c.fill();
}

export interface WayState {
	isDim: boolean;
	isMarked: boolean;
	isChosen: boolean; /* marked, or a way of the chosen block */
}

/** @middle: of the block that the way comes from */
export function drawWay<W extends GraphWay>(c: Canvas, theme: Theme, { way, points, isBack }: Route<W>, paint: WayPaint, state: WayState, middle: Point): void {
	const colours = lines[theme], isSelf = way.from === way.to;

	c.strokeStyle = c.fillStyle = state.isDim ? colours.dim
		: paint.colour !== "" ? paint.colour : state.isChosen ? colours.chosen : isBack ? colours.back : colours.way;
	c.lineWidth = paint.width + (state.isMarked ? 1.6 : state.isChosen ? 0.8 : 0);
	c.setLineDash(paint.dash);
	c.beginPath();
	c.moveTo(...points[0]);
	if (isSelf)
		selfLoop(c, middle);
	for (let i = 1; i < points.length && !isSelf; i++)
		curve(c, points[i - 1], points[i], i > 1, i < points.length - 1);
	c.stroke();
	c.setLineDash([]);
	if (!isSelf)
		arrow(c, points[points.length - 1], isBack);
}

/** Lines in the corners only, so that text stays readable. The path is that of the block. */
function hatch(c: Canvas, x: number, y: number, ink: string): void {
	c.save();
	c.clip();
	c.globalAlpha = 0.5;
	c.strokeStyle = ink;
	c.lineWidth = 1;
	c.beginPath();
	for (const left of [x - 12, x + NODE_WIDTH - 12])
		for (let at = y - 24; at < y + NODE_HEIGHT + 24; at += 5) {
			c.moveTo(left, at + 24);
			c.lineTo(left + 24, at);
		}
	c.stroke();
	c.restore();
	c.beginPath();
	c.roundRect(x, y, NODE_WIDTH, NODE_HEIGHT, 5);
}

function drawText(c: Canvas, paint: BlockPaint, x: number, y: number, ink: string): void {
	const inset = paint.isHatched ? 16 : 9;

	c.fillStyle = ink;
	c.textBaseline = "middle";
	c.textAlign = "left";
	c.font = SMALL;
	c.fillText(paint.corner, x + inset, y + 13);
	c.textAlign = "right";
	c.fillText(paint.place, x + NODE_WIDTH - inset, y + 13);
	c.textAlign = "center";
	c.font = FONT;
	c.fillText(paint.middle, x + NODE_WIDTH / 2, y + 28);
	c.font = SMALL;
	c.fillText(paint.below, x + NODE_WIDTH / 2, y + 42);
	for (let i = 0; i < paint.bars; i++)
		c.fillRect(x + 9 + 4 * i, y + 38, 2, 7);
}

export interface BlockState {
	isDim: boolean;
	isChosen: boolean;
	isHovered: boolean;
	hasText: boolean;
}

export function drawBlock(c: Canvas, theme: Theme, paint: BlockPaint, state: BlockState, middle: Point): void {
	const x = middle[0] - NODE_WIDTH / 2, y = middle[1] - NODE_HEIGHT / 2;
	const ink = state.isDim ? dimText[theme] : frameText[theme], colours = lines[theme];

	c.fillStyle = state.isDim ? dimColour(theme) : paint.fill;
	c.beginPath();
	c.roundRect(x, y, NODE_WIDTH, NODE_HEIGHT, paint.isRound ? 16 : 5);
	c.fill();
	if (paint.isHatched)
		hatch(c, x, y, ink);
	c.strokeStyle = state.isChosen ? colours.chosen : paint.isRound ? colours.back : colours.way;
	c.lineWidth = state.isChosen ? 3 : state.isHovered ? 2 : paint.isRound ? 1.6 : 1;
	c.setLineDash(paint.isDashed ? [4, 3] : []);
	c.stroke();
	c.setLineDash([]);
	if (state.hasText)
		drawText(c, paint, x, y, ink);
}

export interface Label {
	text: string;
	at: Point;
	width: number;
	isDim: boolean;
}

/** Where a way's count stands. A loop of one block has its label above it: beside, others may stand. */
export function labelAt<W extends GraphWay>({ way, points, isBack }: Route<W>, middle: Point): Point {
	const [x0, y0] = points[0], [x1, y1] = points[1];
	const gap = isBack ? -(LAYER - NODE_HEIGHT) : LAYER - NODE_HEIGHT;
	const end = points.length > 2 ? y0 + gap : y1;

	if (way.from === way.to)
		return [middle[0] + NODE_WIDTH / 2 - 10, middle[1] - NODE_HEIGHT / 2 - 11];
	return [(x0 + x1) / 2, (y0 + end) / 2];
}

/** Those of @labels that do not cover one before. */
export function drawLabels(c: Canvas, theme: Theme, labels: Label[]): void {
	const taken: Label[] = [];

	c.font = SMALL;
	c.textAlign = "center";
	c.textBaseline = "middle";
	for (const label of labels) {
		const { text, at: [x, y], width } = label;

		if (taken.some(({ at, width: other }) => Math.abs(at[1] - y) < 12 && Math.abs(at[0] - x) < (other + width) / 2))
			continue;
		taken.push(label);
		c.fillStyle = theme === "light" ? "#fffffff0" : "#1d1f22f0";
		c.fillRect(x - width / 2, y - 6.5, width, 13);
		c.fillStyle = label.isDim ? dimText[theme] : frameText[theme];
		c.fillText(text, x, y);
	}
}
