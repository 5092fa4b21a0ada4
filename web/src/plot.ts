/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Points, curves and bands on a canvas with two axes. Many points are drawn as hexagons, darker
 * where more of them lie: dots on top of each other would hide how many they are.
 */

import { scale, type Scale } from "./axis";
import type { Theme } from "./colour";
import { byId, el } from "./dom";
import { plural } from "./format";
import { wireThemes } from "./shell";

const LEFT = 78, BOTTOM = 30, TOP = 14, RIGHT = 18, DOT = 3, HEX = 8, NEAR = 10, LINE = 15, TICK = 20;

export interface Axis {
	isLog: boolean;
	format(value: number): string;
	fromZero?: boolean; /* true if not given */
	ticks?: number[]; /* instead of round values */
	reach?: readonly number[]; /* upwards: values that it has room for as well */
}

export interface Dots {
	x: readonly number[];
	y: readonly number[];
	n?: readonly number[]; /* what each stands for */
	low?: readonly number[]; /* with high: a thin line from there to there */
	high?: readonly number[];
	colour?: (i: number, theme: Theme) => string;
	former?: number; /* so many of the first are of the version before: rings of another colour */
}

export interface Line {
	x: readonly number[];
	y: readonly (number | null)[];
	colour: string; /* a property of the style sheet: "--curve" */
	dash?: number[];
	isStep?: boolean;
}

export interface Band {
	x: readonly number[];
	low: readonly (number | null)[];
	high: readonly (number | null)[];
	colour: string;
	strength: number;
}

/** A vertical line with a word at its foot. */
export interface Mark {
	x: number;
	colour: string;
	text?: string;
}

export interface Picture {
	x: Axis;
	y: Axis;
	dots: Dots;
	isHex?: boolean;
	lines?: Line[];
	bands?: Band[];
	marks?: Mark[];
	chosen?: number; /* dot */
}

export interface PlotActions {
	/** What the tip says of a dot: a head and facts. */
	tip(i: number): [string, [string, string][]];
	choose?(i: number): void;
}

interface Cell {
	x: number;
	y: number;
	n: number;
}

/** From the first of these values to the last, with a little room. */
function evenly(ticks: number[]): Scale {
	const first = ticks[0] ?? 0, last = ticks[ticks.length - 1] ?? 0, room = Math.max(0.5, (last - first) / 50);

	return { at: (value) => (value - first + room) / (last - first + 2 * room), ticks };
}

/** Hexagons with their points; @r from the middle to a corner. */
export function hexagons(places: readonly [number, number][], weights: readonly number[] | undefined, r: number): Cell[] {
	const cells = new Map<string, Cell>(), width = Math.sqrt(3) * r, height = 1.5 * r;

	places.forEach(([x, y], i) => {
		if (!Number.isFinite(x) || !Number.isFinite(y))
			return;
		const row = Math.round(y / height), nears = [row - 1, row, row + 1].map((k) => {
			const shift = (k & 1) * width / 2, column = Math.round((x - shift) / width);

			return { k, column, cx: column * width + shift, cy: k * height };
		});
		const best = nears.reduce((a, b) => (b.cx - x) ** 2 + (b.cy - y) ** 2 < (a.cx - x) ** 2 + (a.cy - y) ** 2 ? b : a);
		const key = `${best.k} ${best.column}`, cell = cells.get(key) ?? { x: best.cx, y: best.cy, n: 0 };

		cell.n += weights?.[i] ?? 1;
		cells.set(key, cell);
	});
	return [...cells.values()];
}

export class Plot {
	private readonly canvas: HTMLCanvasElement;
	private readonly context: CanvasRenderingContext2D;
	private picture: Picture | null = null;
	private theme: Theme = "light";
	private cells: Cell[] = [];
	private free = 0; /* where the next mark's text may begin */
	places: [number, number][] = [];

	/** @box gives the size; the canvas in it gets the id @id. */
	constructor(private readonly box: HTMLElement, id: string, label: string, private readonly actions: PlotActions) {
		this.canvas = el("canvas", { id, role: "img", "aria-label": label });
		this.context = this.canvas.getContext("2d")!;
		this.box.append(this.canvas);
		new ResizeObserver(() => this.draw()).observe(box);
		this.canvas.addEventListener("pointermove", (event) => this.onMove(event));
		this.canvas.addEventListener("pointerleave", () => {
			byId("tip").hidden = true;
		});
		this.canvas.addEventListener("click", (event) => {
			const i = this.nearest(event.offsetX, event.offsetY);

			if (i >= 0)
				this.actions.choose?.(i);
		});
		wireThemes((theme) => {
			this.theme = theme;
			this.draw();
		});
	}

	show(picture: Picture, label = ""): void {
		this.picture = picture;
		if (label !== "")
			this.canvas.setAttribute("aria-label", label);
		this.draw();
	}

	/** Points that have no place on an axis of powers of ten. */
	get withoutPlace(): number {
		return this.places.filter(([x, y]) => !Number.isFinite(x) || !Number.isFinite(y)).length;
	}

	private colour(name: string): string {
		return getComputedStyle(this.box).getPropertyValue(name);
	}

	private scales({ x, y, dots, lines }: Picture): [Scale, Scale] {
		const steps = Math.max(1, Math.min(6, Math.floor((this.box.clientHeight - TOP - BOTTOM) / TICK)));
		const curves = (lines ?? []).flatMap((line) => line.y as number[]);

		return [x.ticks ? evenly(x.ticks) : scale(dots.x, x.isLog, x.fromZero), scale([...dots.y, ...curves, ...(y.reach ?? [])], y.isLog, y.fromZero, steps)];
	}

	private draw(): void {
		const ratio = window.devicePixelRatio || 1, width = this.box.clientWidth, height = this.box.clientHeight;
		const c = this.context, picture = this.picture;

		if (width <= 0 || !picture)
			return;
		const [horizontal, vertical] = this.scales(picture);
		const toX = (value: number) => LEFT + horizontal.at(value) * (width - LEFT - RIGHT);
		const toY = (value: number) => height - BOTTOM - vertical.at(value) * (height - TOP - BOTTOM);

		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${height}px`;
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		c.font = "12px system-ui, sans-serif";
		c.textBaseline = "middle";
		this.drawAxes(picture, picture.x.ticks ?? horizontal.ticks, vertical.ticks, toX, toY);
		const { dots } = picture, { x, y } = dots, hasPlace = (i: number) => (!picture.x.isLog || x[i] > 0) && (!picture.y.isLog || y[i] > 0);

		this.places = x.map((value, i): [number, number] => hasPlace(i) ? [toX(value), toY(y[i])] : [NaN, NaN]);
		c.save();
		c.beginPath();
		c.rect(LEFT - DOT, 0, width - LEFT + DOT, height - BOTTOM + DOT);
		c.clip();
		picture.bands?.forEach((band) => this.drawBand(band, picture, toX, toY));
		if (dots.low && dots.high)
			this.drawRanges(picture, toX, toY);
		if (picture.isHex)
			this.drawHexagons(picture.dots);
		else
			this.drawDots(picture);
		this.free = 0;
		picture.marks?.forEach((mark) => this.drawMark(mark, toX, height));
		picture.lines?.forEach((line) => this.drawLine(line, picture, toX, toY));
		c.restore();
	}

	private drawAxes(picture: Picture, ticksX: number[], ticksY: number[], toX: (x: number) => number, toY: (y: number) => number): void {
		const c = this.context, width = this.box.clientWidth, height = this.box.clientHeight;
		let free = -Infinity;

		for (const tick of ticksY) {
			c.fillStyle = this.colour("--line");
			c.fillRect(LEFT, Math.round(toY(tick)), width - LEFT - RIGHT, 1);
			c.fillStyle = this.colour("--quiet");
			c.textAlign = "right";
			c.fillText(picture.y.format(tick), LEFT - 8, toY(tick));
		}
		c.textAlign = "center";
		for (const tick of ticksX) {
			const text = picture.x.format(tick), half = c.measureText(text).width / 2;
			const x = Math.min(toX(tick), width - half - 2);

			if (x - half < free)
				continue;
			free = x + half + 12;
			c.fillText(text, x, height - BOTTOM / 2);
		}
	}

	private drawMark(mark: Mark, toX: (x: number) => number, height: number): void {
		const c = this.context, x = Math.round(toX(mark.x));

		c.fillStyle = this.colour(mark.colour);
		c.globalAlpha = 0.7;
		c.fillRect(x, TOP, 1.5, height - TOP - BOTTOM);
		c.globalAlpha = 1;
		if (mark.text)
			this.writeMark(mark.text, x);
	}

	/** Beside the line, or below the text before where there is no room. */
	private writeMark(text: string, x: number): void {
		const c = this.context, width = c.measureText(text).width;
		const left = x > this.box.clientWidth - 90 ? x - 5 - width : x + 5, isBelow = left < this.free;

		c.textAlign = "left";
		c.fillText(text, left, TOP + (isBelow ? LINE : 0));
		if (!isBelow)
			this.free = left + width + 4;
	}

	private drawRanges({ dots, y }: Picture, toX: (x: number) => number, toY: (y: number) => number): void {
		const c = this.context;

		c.fillStyle = this.colour("--accent");
		c.globalAlpha = 0.35;
		dots.x.forEach((x, i) => {
			const low = dots.low![i], high = dots.high![i];

			if (!y.isLog || low > 0)
				c.fillRect(toX(x) - 0.75, toY(high), 1.5, toY(low) - toY(high));
		});
		c.globalAlpha = 1;
	}

	private drawDots({ dots, chosen }: Picture): void {
		const c = this.context, all = this.colour("--accent"), former = dots.former ?? 0;

		c.strokeStyle = this.colour("--before");
		c.lineWidth = 1.5;
		c.globalAlpha = this.places.length > 1000 ? 0.35 : 0.65;
		this.places.forEach(([x, y], i) => {
			if (!Number.isFinite(x))
				return;
			c.fillStyle = dots.colour?.(i, this.theme) ?? all;
			c.beginPath();
			c.arc(x, y, DOT, 0, 2 * Math.PI);
			if (i < former)
				c.stroke();
			else
				c.fill();
		});
		c.globalAlpha = 1;
		if (chosen !== undefined && this.places[chosen]) {
			c.strokeStyle = this.colour("--ink");
			c.lineWidth = 2;
			c.beginPath();
			c.arc(...this.places[chosen], DOT + 3, 0, 2 * Math.PI);
			c.stroke();
		}
	}

	private drawHexagons(dots: Dots): void {
		const c = this.context;

		this.cells = hexagons(this.places, dots.n, HEX);
		const most = this.cells.reduce((a, { n }) => Math.max(a, n), 1);

		c.fillStyle = this.colour("--accent");
		for (const { x, y, n } of this.cells) {
			c.globalAlpha = 0.15 + 0.8 * (most > 1 ? Math.log(n) / Math.log(most) : 1);
			c.beginPath();
			for (let k = 0; k < 6; k++)
				c.lineTo(x + (HEX - 0.5) * Math.sin(k * Math.PI / 3), y + (HEX - 0.5) * Math.cos(k * Math.PI / 3));
			c.fill();
		}
		c.globalAlpha = 1;
	}

	private drawLine(line: Line, picture: Picture, toX: (x: number) => number, toY: (y: number) => number): void {
		const c = this.context;
		let isDown = false, before = NaN;

		c.strokeStyle = this.colour(line.colour);
		c.lineWidth = 2;
		c.setLineDash(line.dash ?? []);
		c.beginPath();
		line.x.forEach((x, i) => {
			const y = line.y[i];

			if (y === null || !Number.isFinite(y) || (picture.x.isLog && x <= 0) || (picture.y.isLog && y <= 0)) {
				isDown = false;
				return;
			}
			if (!isDown)
				c.moveTo(toX(x), toY(y));
			else if (line.isStep)
				c.lineTo(toX(x), toY(before));
			c.lineTo(toX(x), toY(y));
			isDown = true;
			before = y;
		});
		c.stroke();
		c.setLineDash([]);
	}

	private drawBand(band: Band, picture: Picture, toX: (x: number) => number, toY: (y: number) => number): void {
		const c = this.context, floor = this.box.clientHeight;
		const usable = [...band.x.keys()].filter((i) => band.low[i] !== null && band.high[i] !== null &&
			(!picture.x.isLog || band.x[i] > 0) && (!picture.y.isLog || band.high[i]! > 0));
		const place = (y: number) => picture.y.isLog && y <= 0 ? floor : toY(y);

		c.fillStyle = this.colour(band.colour);
		c.globalAlpha = band.strength;
		c.beginPath();
		usable.forEach((i) => c.lineTo(toX(band.x[i]), place(band.high[i]!)));
		usable.reverse().forEach((i) => c.lineTo(toX(band.x[i]), place(band.low[i]!)));
		c.fill();
		c.globalAlpha = 1;
	}

	private nearest(x: number, y: number): number {
		const far = ([px, py]: [number, number]) => (px - x) ** 2 + (py - y) ** 2;

		return this.places.reduce((a, place, i) => far(place) < (a < 0 ? NEAR ** 2 : far(this.places[a])) ? i : a, -1);
	}

	private onMove(event: PointerEvent): void {
		const tip = byId("tip"), i = this.nearest(event.offsetX, event.offsetY);
		const cell = this.picture?.isHex ? this.cells.find((each) => (each.x - event.offsetX) ** 2 + (each.y - event.offsetY) ** 2 < HEX ** 2) : undefined;

		tip.hidden = i < 0 && !cell;
		this.canvas.style.cursor = i >= 0 && this.actions.choose ? "pointer" : "";
		if (tip.hidden)
			return;
		const [head, facts] = i >= 0 ? this.actions.tip(i) : ["", []];
		const more: [string, string][] = cell ? [["here", plural(cell.n, "point")]] : [];

		tip.replaceChildren(el("b", {}, head), el("dl", {}, ...[...facts, ...more].map(([key, value]) =>
			el("div", {}, el("dt", {}, key), el("dd", {}, value)))));
		tip.style.left = `${Math.max(8, Math.min(window.innerWidth - tip.offsetWidth - 8, event.clientX + 14))}px`;
		tip.style.top = `${event.clientY + tip.offsetHeight + 24 > window.innerHeight ? Math.max(8, event.clientY - tip.offsetHeight - 12) : event.clientY + 18}px`;
	}
}
