/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The control flow of one function on a canvas. Drag or scroll moves it, ctrl and the wheel, + and −
 * zoom, arrow keys walk along the ways. What blocks and ways look like is not said here: a GraphLook
 * paints those of one profile (graph-counts.ts), another those of two versions (graph-pair.ts).
 */

import { dimColour, dimText, frameText, type Theme } from "./colour";
import { byId, el, prefersDark } from "./dom";
import { plural } from "./format";
import { layOutSoon, NODE_WIDTH, type Layout } from "./layers";

const NODE_HEIGHT = 50;
const LAYER = NODE_HEIGHT + 46;
const MARGIN = 22;
const FONT = '11.5px ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const SMALL = FONT.replace("11.5px", "10.5px");
const READABLE = 0.62; /* scale from which there is text on blocks … */
const LABELLED = 0.72; /* … and on ways */
const LEAST = 0.03;
const MOST = 2.5;
const MANY = 150; /* blocks, from which on those that never ran are hidden at first */

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

export interface GraphEvents<B extends GraphBlock> {
	choose(block: B): void;
	announce(text: string): void;
}

/** What is emphasised; all else is dim. Without ways: those between the blocks. */
export interface GraphMark<W extends GraphWay> {
	blocks: Set<number>;
	ways: Set<W> | null;
	focus: number; /* block that has to be in sight; −1: none */
}

type Point = [number, number];

/** A way with the points it passes, from its source to its target. */
interface Route<W extends GraphWay> {
	way: W;
	points: Point[];
	isBack: boolean;
}

export class ControlFlowGraph<B extends GraphBlock, W extends GraphWay> {
	private readonly box = byId("graph-box");
	private readonly canvas = byId<HTMLCanvasElement>("graph");
	private readonly tip = byId("tip");
	private readonly context = this.canvas.getContext("2d")!;
	private readonly dark = prefersDark();
	private look: GraphLook<B, W> | null = null;
	private all: B[] = [];
	private allWays: W[] = [];
	private shown: B[] = []; /* those that are in the picture … */
	private place = new Int32Array(0); /* … and where a block is in .shown; −1: hidden */
	private layout: Layout | null = null;
	private routes: Route<W>[] = [];
	private scale = 1;
	private left = 0; /* of the picture in the box, px */
	private top = 0;
	private width = 0;
	private height = 0;
	private pending = 0;
	private selected = -1;
	private hovered = -1;
	private marked: GraphMark<W> | null = null;
	private stop: () => void = () => {};
	private dragged: { x: number; y: number; moved: boolean } | null = null;
	forcedTheme: Theme | null = null;
	hidesIdle = false;

	constructor(private readonly events: GraphEvents<B>) {
		this.canvas.addEventListener("pointerdown", (event) => this.onDown(event));
		this.canvas.addEventListener("pointermove", (event) => this.onMove(event));
		this.canvas.addEventListener("pointerup", (event) => this.onUp(event));
		this.canvas.addEventListener("pointerleave", () => this.hover(-1));
		this.canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
		this.box.addEventListener("keydown", (event) => this.onKey(event));
		this.box.addEventListener("focus", () => this.draw());
		this.box.addEventListener("blur", () => this.draw());
		this.dark.addEventListener("change", () => this.draw());
		new ResizeObserver(() => this.resize()).observe(this.box);
		this.resize();
	}

	/** Another function; large ones appear a moment later. */
	show(look: GraphLook<B, W> | null, blocks: B[], ways: W[]): void {
		const idle = look ? blocks.filter((block) => look.isIdle(block)).length : 0;

		this.look = look;
		this.all = blocks;
		this.allWays = ways;
		this.selected = this.hovered = -1;
		this.marked = null;
		this.hidesIdle = blocks.length > MANY && idle > 0 && idle < blocks.length;
		this.arrange();
	}

	/** Blocks that may be hidden. */
	get idle(): number {
		return this.look ? this.all.filter((block) => this.look!.isIdle(block)).length : 0;
	}

	get hidden(): number {
		return this.all.length - this.shown.length;
	}

	setHidesIdle(hides: boolean): void {
		this.hidesIdle = hides;
		this.arrange();
	}

	private arrange(): void {
		this.stop();
		this.layout = null;
		this.routes = [];
		this.shown = this.all.filter((block) => !this.hidesIdle || block.number === 0 || !this.look!.isIdle(block));
		this.place = new Int32Array(this.all.length).fill(-1);
		this.shown.forEach((block, i) => { this.place[block.number] = i; });
		const ways = this.allWays.filter(({ from, to }) => this.place[from] >= 0 && this.place[to] >= 0);

		this.box.setAttribute("aria-busy", "true");
		this.note(this.shown.length > 0 ? `Laying out ${plural(this.shown.length, "block")} …` : "");
		this.draw();
		this.stop = layOutSoon({
			n: this.shown.length, from: ways.map(({ from }) => this.place[from]), to: ways.map(({ to }) => this.place[to]),
		}, (layout) => this.onLayout(layout, ways));
	}

	/** Words in the place of a picture; "": none. */
	note(text: string): void {
		byId("graph-note").textContent = text;
		byId("graph-note").hidden = text === "";
	}

	private onLayout(layout: Layout, ways: W[]): void {
		this.layout = layout;
		this.routes = this.route(layout, ways);
		this.box.removeAttribute("aria-busy");
		this.note("");
		this.first();
	}

	private y(layer: number): number {
		return layer * LAYER;
	}

	/** Where each way leaves and enters: side by side, in the order of where it goes. */
	private route(layout: Layout, ways: W[]): Route<W>[] {
		const routes = ways.map((way, e): Route<W> => {
			const a = this.place[way.from], b = this.place[way.to], isBack = layout.isBack[e] === 1;
			const [top, bottom] = isBack ? [layout.layer[b], layout.layer[a]] : [layout.layer[a], layout.layer[b]];
			const middle = layout.between[e].map((x, i): Point => [x, this.y(top + 1 + i) + NODE_HEIGHT / 2]);

			if (isBack) {
				middle.reverse();
				return { way, isBack, points: [[layout.x[a], this.y(bottom)], ...middle, [layout.x[b], this.y(top) + NODE_HEIGHT]] };
			}
			return { way, isBack, points: [[layout.x[a], this.y(top) + NODE_HEIGHT], ...middle, [layout.x[b], this.y(bottom)]] };
		});
		const ports = new Map<string, { point: Point; towards: number }[]>();

		for (const { way, points, isBack } of routes) {
			const add = (block: number, side: string, point: Point, next: Point) => {
				const key = `${block}${side}`, list = ports.get(key);
				const port = { point, towards: next[0] };

				if (list)
					list.push(port);
				else
					ports.set(key, [port]);
			};

			add(way.from, isBack ? "top" : "bottom", points[0], points[1]);
			add(way.to, isBack ? "bottom" : "top", points[points.length - 1], points[points.length - 2]);
		}
		for (const list of ports.values()) {
			const step = Math.min(30, (NODE_WIDTH - 20) / list.length);

			list.sort((a, b) => a.towards - b.towards);
			list.forEach(({ point }, i) => { point[0] += (i - (list.length - 1) / 2) * step; });
		}
		return routes;
	}

	/* --- what is in sight --- */

	private get size(): Point {
		return [this.layout?.width ?? 0, this.y(Math.max(1, this.layout?.layers ?? 1)) - (LAYER - NODE_HEIGHT)];
	}

	/** All of it if it can be read then, else the hottest block in the middle. */
	private first(): void {
		const [w, h] = this.size;
		const fits = Math.min((this.width - 2 * MARGIN) / w, (this.height - 2 * MARGIN) / h, 1);

		if (fits >= LABELLED || this.shown.length === 0)
			return this.fit();
		this.scale = 0.8;
		this.center(this.heaviest.number);
	}

	private get heaviest(): B {
		const look = this.look!;

		return this.shown.reduce((a, b) => look.weight(b) > look.weight(a) ? b : a);
	}

	fit(): void {
		const [w, h] = this.size;
		const scale = Math.min((this.width - 2 * MARGIN) / Math.max(w, 1), (this.height - 2 * MARGIN) / Math.max(h, 1), 1);

		this.scale = Math.max(LEAST, scale);
		this.left = (this.width - w * this.scale) / 2;
		this.top = Math.max(MARGIN, (this.height - h * this.scale) / 2);
		this.draw();
	}

	zoomBy(factor: number, x = this.width / 2, y = this.height / 2): void {
		const scale = Math.min(MOST, Math.max(LEAST, this.scale * factor));

		this.left = x - (x - this.left) * scale / this.scale;
		this.top = y - (y - this.top) * scale / this.scale;
		this.scale = scale;
		this.clamp();
		this.draw();
	}

	private moveBy(x: number, y: number): void {
		this.left += x;
		this.top += y;
		this.clamp();
		this.draw();
	}

	/** A corner of the picture always stays in the box. */
	private clamp(): void {
		const [w, h] = this.size, rest = 60;

		this.left = Math.min(this.width - rest, Math.max(rest - w * this.scale, this.left));
		this.top = Math.min(this.height - rest, Math.max(rest - h * this.scale, this.top));
	}

	private middle(block: number): Point {
		const i = this.place[block];

		return [this.layout!.x[i], this.y(this.layout!.layer[i]) + NODE_HEIGHT / 2];
	}

	private center(block: number): void {
		const [x, y] = this.middle(block);

		this.left = this.width / 2 - x * this.scale;
		this.top = this.height / 2 - y * this.scale;
		this.draw();
	}

	private reveal(block: number): void {
		if (!this.layout || this.place[block] < 0)
			return;
		const [x, y] = this.middle(block);
		const at = [this.left + x * this.scale, this.top + y * this.scale];
		const room = [NODE_WIDTH / 2 * this.scale + 6, NODE_HEIGHT / 2 * this.scale + 6];

		if (this.scale < READABLE || at[0] < room[0] || at[1] < room[1] || at[0] > this.width - room[0] || at[1] > this.height - room[1]) {
			this.scale = Math.max(this.scale, 0.8);
			this.center(block);
		}
	}

	/** All of @blocks in the middle if they can be read then, else @focus. */
	private revealAll(blocks: number[], focus: number): void {
		if (!this.layout || this.place[focus] < 0)
			return;
		const places = blocks.filter((block) => this.place[block] >= 0).map((block) => this.middle(block));
		const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)];
		const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
		const room = [this.width / (right - left + NODE_WIDTH + 2 * MARGIN), this.height / (bottom - top + NODE_HEIGHT + 2 * MARGIN)];
		const scale = Math.min(1, ...room);

		if (scale < READABLE)
			return this.reveal(focus);
		this.scale = scale;
		this.left = this.width / 2 - (left + right) / 2 * scale;
		this.top = this.height / 2 - (top + bottom) / 2 * scale;
	}

	private resize(): void {
		const ratio = window.devicePixelRatio || 1, isFirst = this.width === 0;

		this.width = this.box.clientWidth;
		this.height = this.box.clientHeight;
		this.canvas.width = Math.round(this.width * ratio);
		this.canvas.height = Math.round(this.height * ratio);
		this.canvas.style.width = `${this.width}px`;
		this.canvas.style.height = `${this.height}px`;
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		if (isFirst && this.layout)
			this.first();
		this.drawNow();
	}

	/* --- what is marked --- */

	/** Makes @block the current one without telling anybody. */
	select(block: number): void {
		this.selected = block;
		this.reveal(block);
		this.draw();
	}

	/** Dims all but @mark (null: nothing). */
	mark(mark: GraphMark<W> | null): void {
		this.marked = mark;
		if (mark && mark.focus >= 0)
			this.revealAll([...mark.blocks], mark.focus);
		this.draw();
	}

	/* --- drawing --- */

	draw(): void {
		this.pending ||= requestAnimationFrame(() => this.drawNow());
	}

	drawNow(): void {
		const c = this.context, ratio = window.devicePixelRatio || 1;

		cancelAnimationFrame(this.pending);
		this.pending = 0;
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		c.clearRect(0, 0, this.width, this.height);
		if (!this.layout || !this.look)
			return;
		c.setTransform(ratio * this.scale, 0, 0, ratio * this.scale, ratio * this.left, ratio * this.top);
		const from = -this.top / this.scale - LAYER, to = (this.height - this.top) / this.scale + LAYER;

		for (const route of this.routes)
			this.drawRoute(route, from, to);
		for (const block of this.shown) {
			const [x, y] = this.middle(block.number);

			if (y > from && y < to)
				this.drawBlock(block, x - NODE_WIDTH / 2, y - NODE_HEIGHT / 2);
		}
		if (this.scale >= LABELLED)
			this.drawLabels(from, to);
	}

	private get theme(): Theme {
		return this.forcedTheme ?? (this.dark.matches ? "dark" : "light");
	}

	private isDim(block: number): boolean {
		return this.marked !== null && !this.marked.blocks.has(block);
	}

	private isDimWay(way: W): boolean {
		return this.marked?.ways ? !this.marked.ways.has(way) : this.isDim(way.from) || this.isDim(way.to);
	}

	private line(style: "way" | "back" | "dim" | "chosen"): string {
		const colours = {
			light: { way: "#6d6760", back: "#a8430f", dim: "#ddd8d1", chosen: "#1d1b19" },
			dark: { way: "#97948f", back: "#ff9d66", dim: "#35373c", chosen: "#f6f4f1" },
		};

		return colours[this.theme][style];
	}

	private drawRoute({ way, points, isBack }: Route<W>, from: number, to: number): void {
		const c = this.context;
		const ys = points.map(([, y]) => y);

		if (Math.max(...ys) < from || Math.min(...ys) > to)
			return;
		const paint = this.look!.paintWay(way, this.theme), isMarked = this.marked?.ways?.has(way) === true;
		const isChosen = isMarked || way.from === this.selected || way.to === this.selected;

		c.strokeStyle = c.fillStyle = this.isDimWay(way) ? this.line("dim")
			: paint.colour !== "" ? paint.colour : isChosen ? this.line("chosen") : this.line(isBack ? "back" : "way");
		c.lineWidth = paint.width + (isMarked ? 1.6 : isChosen ? 0.8 : 0);
		c.setLineDash(paint.dash);
		c.beginPath();
		c.moveTo(...points[0]);
		if (way.from === way.to)
			this.selfLoop(this.middle(way.from));
		for (let i = 1; i < points.length && way.from !== way.to; i++)
			this.curve(points[i - 1], points[i], i > 1, i < points.length - 1);
		c.stroke();
		c.setLineDash([]);
		if (way.from !== way.to)
			this.arrow(points[points.length - 1], isBack);
	}

	/** Between two layers; a point in between is a straight piece as high as a block. */
	private curve(a: Point, b: Point, fromPoint: boolean, toPoint: boolean): void {
		const sign = b[1] > a[1] ? 1 : -1, c = this.context;
		const y0 = fromPoint ? a[1] + sign * NODE_HEIGHT / 2 : a[1], y1 = toPoint ? b[1] - sign * NODE_HEIGHT / 2 : b[1];
		const bend = (y1 - y0) / 2;

		if (fromPoint)
			c.lineTo(a[0], y0);
		c.bezierCurveTo(a[0], y0 + bend, b[0], y1 - bend, b[0], y1);
	}

	private selfLoop([x, y]: Point): void {
		const edge = x + NODE_WIDTH / 2 + 12, c = this.context, half = NODE_HEIGHT / 2;

		c.moveTo(x + 30, y + half);
		c.bezierCurveTo(x + 30, y + half + 20, edge, y + half + 20, edge, y);
		c.bezierCurveTo(edge, y - half - 20, x + 30, y - half - 20, x + 30, y - half);
	}

	private arrow([x, y]: Point, isUp: boolean): void {
		const c = this.context, back = isUp ? 7 : -7;

		c.beginPath();
		c.moveTo(x, y);
		c.lineTo(x - 4, y + back);
		c.lineTo(x + 4, y + back);
		c.fill();
	}

	private drawBlock(block: B, x: number, y: number): void {
		const c = this.context, { theme } = this;
		const paint = this.look!.paintBlock(block, theme), isDim = this.isDim(block.number);
		const ink = isDim ? dimText[theme] : frameText[theme];

		c.fillStyle = isDim ? dimColour(theme) : paint.fill;
		c.beginPath();
		c.roundRect(x, y, NODE_WIDTH, NODE_HEIGHT, paint.isRound ? 16 : 5);
		c.fill();
		if (paint.isHatched)
			this.hatch(x, y, ink);
		c.strokeStyle = block.number === this.selected ? this.line("chosen") : paint.isRound ? this.line("back") : this.line("way");
		c.lineWidth = block.number === this.selected ? 3 : block.number === this.hovered ? 2 : paint.isRound ? 1.6 : 1;
		c.setLineDash(paint.isDashed ? [4, 3] : []);
		c.stroke();
		c.setLineDash([]);
		if (this.scale >= READABLE)
			this.drawText(paint, x, y, ink);
	}

	/** Lines in the corners only, so that text stays readable. The path is that of the block. */
	private hatch(x: number, y: number, ink: string): void {
		const c = this.context;

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

	private drawText(paint: BlockPaint, x: number, y: number, ink: string): void {
		const c = this.context, inset = paint.isHatched ? 16 : 9;

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

	/** Counts on ways, where they do not cover each other. */
	private drawLabels(from: number, to: number): void {
		const c = this.context, taken: [number, number, number][] = [];

		c.font = SMALL;
		c.textAlign = "center";
		c.textBaseline = "middle";
		for (const { way, points, isBack } of this.routes) {
			const [x0, y0] = points[0], [x1, y1] = points[1];
			const text = this.look!.paintWay(way, this.theme).label, width = text.length * 6.4 + 6;
			const gap = isBack ? -(LAYER - NODE_HEIGHT) : LAYER - NODE_HEIGHT;
			const isSelf = way.from === way.to, end = points.length > 2 ? y0 + gap : y1;
			const [mx, my] = this.middle(way.from); /* a loop of one block has its label above it: beside, others may stand */
			const x = isSelf ? mx + NODE_WIDTH / 2 - 10 : (x0 + x1) / 2, y = isSelf ? my - NODE_HEIGHT / 2 - 11 : (y0 + end) / 2;

			if (y < from || y > to || taken.some(([tx, ty, tw]) => Math.abs(ty - y) < 12 && Math.abs(tx - x) < (tw + width) / 2))
				continue;
			taken.push([x, y, width]);
			c.fillStyle = this.theme === "light" ? "#fffffff0" : "#1d1f22f0";
			c.fillRect(x - width / 2, y - 6.5, width, 13);
			c.fillStyle = this.isDimWay(way) ? dimText[this.theme] : frameText[this.theme];
			c.fillText(text, x, y);
		}
	}

	/* --- hands --- */

	private blockAt(event: MouseEvent): number {
		const box = this.canvas.getBoundingClientRect();
		const x = (event.clientX - box.left - this.left) / this.scale, y = (event.clientY - box.top - this.top) / this.scale;

		if (!this.layout)
			return -1;
		return this.shown.find(({ number }) => {
			const [mx, my] = this.middle(number);

			return Math.abs(mx - x) <= NODE_WIDTH / 2 && Math.abs(my - y) <= NODE_HEIGHT / 2;
		})?.number ?? -1;
	}

	private onDown(event: PointerEvent): void {
		if (event.button !== 0)
			return;
		this.dragged = { x: event.clientX, y: event.clientY, moved: false };
		this.canvas.setPointerCapture(event.pointerId);
		this.box.focus({ preventScroll: true });
		event.preventDefault();
	}

	private onMove(event: PointerEvent): void {
		const from = this.dragged;

		if (!from) {
			const block = this.blockAt(event);

			this.hover(block);
			if (block >= 0 && event.pointerType !== "touch")
				this.showTip(this.all[block], event.clientX, event.clientY);
			return;
		}
		const x = event.clientX - from.x, y = event.clientY - from.y;

		if (!from.moved && Math.hypot(x, y) < 4)
			return;
		this.hover(-1);
		this.dragged = { x: event.clientX, y: event.clientY, moved: true };
		this.moveBy(x, y);
	}

	private onUp(event: PointerEvent): void {
		const block = this.dragged && !this.dragged.moved ? this.blockAt(event) : -1;

		this.dragged = null;
		if (block >= 0)
			this.choose(block);
	}

	/** The wheel moves the picture until its end, then the page; with ctrl it zooms. */
	private onWheel(event: WheelEvent): void {
		const box = this.canvas.getBoundingClientRect();

		if (event.ctrlKey || event.metaKey) {
			event.preventDefault();
			return this.zoomBy(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
		}
		const bottom = this.top + this.size[1] * this.scale;
		const isMore = event.deltaY > 0 ? bottom > this.height - MARGIN : this.top < MARGIN;

		if (!isMore && Math.abs(event.deltaY) >= Math.abs(event.deltaX))
			return;
		event.preventDefault();
		this.moveBy(-event.deltaX, -event.deltaY);
	}

	private hover(block: number): void {
		if (block < 0)
			this.tip.hidden = true;
		this.canvas.style.cursor = block >= 0 ? "pointer" : "grab";
		if (block === this.hovered)
			return;
		this.hovered = block;
		this.draw();
	}

	private showTip(block: B, x: number, y: number): void {
		this.tip.replaceChildren(el("b", {}, this.look!.name(block)), el("dl", {}, ...this.look!.facts(block).map(([key, value]) =>
			el("div", {}, el("dt", {}, key), el("dd", {}, value)))));
		this.tip.hidden = false;
		const { offsetWidth: w, offsetHeight: h } = this.tip;

		this.tip.style.left = `${Math.max(8, Math.min(window.innerWidth - w - 8, x + 14))}px`;
		this.tip.style.top = `${y + h + 24 > window.innerHeight ? Math.max(8, y - h - 12) : y + 18}px`;
	}

	/** All about a block, to be said. */
	words(block: B): string {
		return [this.look!.name(block), ...this.look!.facts(block).map(([key, value]) => `${key} ${value}`)].join(", ");
	}

	private choose(block: number): void {
		this.select(block);
		this.events.announce(this.words(this.all[block]));
		this.events.choose(this.all[block]);
	}

	/** Along the way that was taken most, or to the block beside. */
	private neighbour(key: string): number {
		const at = this.selected, ways = this.routes.map(({ way }) => way).filter(({ from, to }) => from !== to);
		const weight = (way: W) => this.look!.wayWeight(way) || 0;
		const most = (list: W[]) => list.reduce<W | null>((a, b) => !a || weight(b) > weight(a) ? b : a, null);

		if (at < 0 || this.place[at] < 0)
			return 0;
		const layer = (block: number) => this.layout!.layer[this.place[block]];

		if (key === "ArrowDown")
			return most(ways.filter(({ from, to }) => from === at && layer(to) > layer(at)))?.to ?? at;
		if (key === "ArrowUp")
			return most(ways.filter(({ from, to }) => to === at && layer(from) < layer(at)))?.from ?? at;
		const x = this.middle(at)[0], sign = key === "ArrowRight" ? 1 : -1;
		const beside = this.shown.filter(({ number }) => layer(number) === layer(at) && sign * (this.middle(number)[0] - x) > 0)
			.sort((a, b) => sign * (this.middle(a.number)[0] - this.middle(b.number)[0]));

		return beside[0]?.number ?? at;
	}

	private onKey(event: KeyboardEvent): void {
		if (!this.layout || this.shown.length === 0 || event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (event.key.startsWith("Arrow"))
			this.choose(this.neighbour(event.key));
		else if (event.key === "+" || event.key === "=")
			this.zoomBy(1.25);
		else if (event.key === "-")
			this.zoomBy(0.8);
		else if (event.key === "0")
			this.fit();
		else if (event.key === "Home")
			this.choose(0);
		else if (event.key === "End")
			this.choose(this.heaviest.number);
		else
			return;
		event.preventDefault();
	}

	/** For tests: what is drawn, with the client coordinates of blocks' middles. */
	get probe() {
		const box = this.canvas.getBoundingClientRect();

		return {
			isReady: this.layout !== null, scale: this.scale, hidden: this.hidden,
			blocks: this.layout ? this.shown.map((block) => {
				const { number } = block, [x, y] = this.middle(number);

				return { ...block, loop: undefined, layer: this.layout!.layer[this.place[number]], isMarked: !this.isDim(number),
					 paint: this.look!.paintBlock(block, this.theme), x: box.left + this.left + x * this.scale, y: box.top + this.top + y * this.scale };
			}) : [],
			ways: this.routes.map(({ way, isBack }) => ({ ...way, isBack, isMarked: !this.isDimWay(way), paint: this.look!.paintWay(way, this.theme) })),
		};
	}
}
