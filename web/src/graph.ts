/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The control flow of one function on a canvas: blocks by cost, counts on blocks and ways, loops
 * marked. Drag or scroll moves it, ctrl and the wheel, + and − zoom, arrow keys walk along the ways.
 */

import { blockHeat, isInside, shortCount, type Block, type Fn, type Loop, type Way } from "./blocks-data";
import { dimColour, dimText, frameText, heatColour, type Theme } from "./colour";
import { byId, el, prefersDark } from "./dom";
import { formatCount, formatShare, plural } from "./format";
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

export interface GraphEvents {
	choose(block: Block): void;
	announce(text: string): void;
}

type Point = [number, number];

/** A way with the points it passes, from its source to its target. */
interface Route {
	way: Way;
	points: Point[];
	isBack: boolean;
}

export class ControlFlowGraph {
	private readonly box = byId("graph-box");
	private readonly canvas = byId<HTMLCanvasElement>("graph");
	private readonly tip = byId("tip");
	private readonly context = this.canvas.getContext("2d")!;
	private readonly dark = prefersDark();
	private fn: Fn | null = null;
	private all: Block[] = [];
	private allWays: Way[] = [];
	private shown: Block[] = []; /* those that are in the picture … */
	private place = new Int32Array(0); /* … and where a block is in .shown; −1: hidden */
	private layout: Layout | null = null;
	private routes: Route[] = [];
	private scale = 1;
	private left = 0; /* of the picture in the box, px */
	private top = 0;
	private width = 0;
	private height = 0;
	private pending = 0;
	private selected = -1;
	private hovered = -1;
	private marked: Set<number> | null = null;
	private stop: () => void = () => {};
	private dragged: { x: number; y: number; moved: boolean } | null = null;
	forcedTheme: Theme | null = null;
	hidesIdle = false;

	constructor(private readonly events: GraphEvents) {
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
	show(fn: Fn | null, blocks: Block[], ways: Way[]): void {
		this.fn = fn;
		this.all = blocks;
		this.allWays = ways;
		this.selected = this.hovered = -1;
		this.marked = null;
		this.hidesIdle = blocks.length > MANY && fn !== null && fn.executed > 0 && fn.executed < fn.blocks;
		this.arrange();
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
		this.shown = this.all.filter((block) => !this.hidesIdle || block.count > 0 || block.number === 0);
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

	private note(text: string): void {
		byId("graph-note").textContent = text;
		byId("graph-note").hidden = text === "";
	}

	private onLayout(layout: Layout, ways: Way[]): void {
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
	private route(layout: Layout, ways: Way[]): Route[] {
		const routes = ways.map((way, e): Route => {
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

		if (fits >= READABLE || this.shown.length === 0)
			return this.fit();
		const hottest = this.shown.reduce((a, b) => b.cost > a.cost ? b : a);

		this.scale = 0.8;
		this.center(hottest.number);
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

	/** Shows the blocks of a loop (null: of none). */
	markLoop(loop: Loop | null): void {
		this.marked = loop ? new Set(this.all.filter((block) => isInside(block, loop)).map(({ number }) => number)) : null;
		if (loop)
			this.reveal(loop.header);
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
		if (!this.layout || !this.fn)
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
		return this.marked !== null && !this.marked.has(block);
	}

	private line(style: "way" | "back" | "dim" | "chosen"): string {
		const colours = {
			light: { way: "#6d6760", back: "#a8430f", dim: "#ddd8d1", chosen: "#1d1b19" },
			dark: { way: "#97948f", back: "#ff9d66", dim: "#35373c", chosen: "#f6f4f1" },
		};

		return colours[this.theme][style];
	}

	private drawRoute({ way, points, isBack }: Route, from: number, to: number): void {
		const c = this.context;
		const ys = points.map(([, y]) => y);

		if (Math.max(...ys) < from || Math.min(...ys) > to)
			return;
		const isChosen = way.from === this.selected || way.to === this.selected;
		const isDim = this.isDim(way.from) || this.isDim(way.to);
		const share = way.count / Math.max(1, this.fn!.executions);

		c.strokeStyle = c.fillStyle = this.line(isDim ? "dim" : isChosen ? "chosen" : isBack ? "back" : "way");
		c.lineWidth = way.count === 0 ? 1 : Math.min(5, 1.2 + 9 * (share || 0)) + (isChosen ? 0.8 : 0);
		c.setLineDash(way.count === 0 ? [4, 4] : []);
		c.beginPath();
		c.moveTo(...points[0]);
		if (way.from === way.to)
			this.selfLoop([points[0][0], points[0][1] + NODE_HEIGHT]);
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
		const edge = x + NODE_WIDTH / 2 + 12, c = this.context;

		c.bezierCurveTo(x, y + 20, edge, y + 20, edge, y - NODE_HEIGHT / 2);
		c.bezierCurveTo(edge, y - NODE_HEIGHT - 20, x + 20, y - NODE_HEIGHT - 20, x + 20, y - NODE_HEIGHT);
	}

	private arrow([x, y]: Point, isUp: boolean): void {
		const c = this.context, back = isUp ? 7 : -7;

		c.beginPath();
		c.moveTo(x, y);
		c.lineTo(x - 4, y + back);
		c.lineTo(x + 4, y + back);
		c.fill();
	}

	private drawBlock(block: Block, x: number, y: number): void {
		const c = this.context, { theme } = this;
		const heat = blockHeat(block, this.fn!.instructions), isDim = this.isDim(block.number);
		const ink = isDim ? dimText[theme] : frameText[theme];
		const headed = this.fn!.loops.find(({ header }) => header === block.number);

		c.fillStyle = isDim ? dimColour(theme) : heatColour(theme, heat);
		c.beginPath();
		c.roundRect(x, y, NODE_WIDTH, NODE_HEIGHT, headed ? 16 : 5);
		c.fill();
		c.strokeStyle = block.number === this.selected ? this.line("chosen") : headed ? this.line("back") : this.line("way");
		c.lineWidth = block.number === this.selected ? 3 : block.number === this.hovered ? 2 : headed ? 1.6 : 1;
		c.setLineDash(heat === 0 ? [4, 3] : []);
		c.stroke();
		c.setLineDash([]);
		if (this.scale >= READABLE)
			this.drawText(block, x, y, ink, headed !== undefined);
	}

	private drawText(block: Block, x: number, y: number, ink: string, isHeader: boolean): void {
		const c = this.context, depth = block.loop?.depth ?? 0;
		const lines = block.lines.length === 0 ? "" : block.lines.length === 1 ? `line ${block.lines[0]}`
			: `${block.lines[0]}–${block.lines[block.lines.length - 1]}`;

		c.fillStyle = ink;
		c.textBaseline = "middle";
		c.textAlign = "left";
		c.font = SMALL;
		c.fillText(`${block.number}${isHeader ? " ↻" : ""}`, x + 9, y + 13);
		c.textAlign = "right";
		c.fillText(lines, x + NODE_WIDTH - 9, y + 13);
		c.textAlign = "center";
		c.font = FONT;
		c.fillText(block.count === 0 ? "never ran" : `${shortCount(block.count)} × ${block.size}`, x + NODE_WIDTH / 2, y + 28);
		c.font = SMALL;
		if (block.count > 0)
			c.fillText(formatShare(block.cost / this.fn!.instructions), x + NODE_WIDTH / 2, y + 42);
		for (let i = 0; i < depth; i++) /* a bar for each loop around */
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
			const text = shortCount(way.count), width = text.length * 6.4 + 6;
			const gap = isBack ? -(LAYER - NODE_HEIGHT) : LAYER - NODE_HEIGHT;
			const isSelf = way.from === way.to, end = points.length > 2 ? y0 + gap : y1;
			const x = isSelf ? x0 + NODE_WIDTH / 2 + 12 : (x0 + x1) / 2, y = isSelf ? y0 + NODE_HEIGHT / 2 : (y0 + end) / 2;

			if (y < from || y > to || taken.some(([tx, ty, tw]) => Math.abs(ty - y) < 12 && Math.abs(tx - x) < (tw + width) / 2))
				continue;
			taken.push([x, y, width]);
			c.fillStyle = this.theme === "light" ? "#fffffff0" : "#1d1f22f0";
			c.fillRect(x - width / 2, y - 6.5, width, 13);
			c.fillStyle = this.isDim(way.from) || this.isDim(way.to) ? dimText[this.theme] : frameText[this.theme];
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

	private facts(block: Block): [string, string][] {
		const list: [string, string][] = [
			["executed", `${formatCount(block.count)} times`],
			["instructions", `${formatCount(block.size)}, executed ${formatCount(block.cost)}`],
			["share", `${formatShare(block.cost / this.fn!.instructions)} of the function's instructions`],
		];

		if (block.lines.length > 0)
			list.push([block.lines.length > 1 ? "lines" : "line", block.lines.join(", ")]);
		if (block.loop)
			list.push(["loop", `depth ${block.loop.depth}, at block ${block.loop.header}`]);
		return list;
	}

	private showTip(block: Block, x: number, y: number): void {
		this.tip.replaceChildren(el("b", {}, `block ${block.number}`), el("dl", {}, ...this.facts(block).map(([key, value]) =>
			el("div", {}, el("dt", {}, key), el("dd", {}, value)))));
		this.tip.hidden = false;
		const { offsetWidth: w, offsetHeight: h } = this.tip;

		this.tip.style.left = `${Math.max(8, Math.min(window.innerWidth - w - 8, x + 14))}px`;
		this.tip.style.top = `${y + h + 24 > window.innerHeight ? Math.max(8, y - h - 12) : y + 18}px`;
	}

	private choose(block: number): void {
		this.select(block);
		this.events.announce(`block ${block}, ` + this.facts(this.all[block]).map(([key, value]) => `${key} ${value}`).join(", "));
		this.events.choose(this.all[block]);
	}

	/** Along the way that was taken most, or to the block beside. */
	private neighbour(key: string): number {
		const at = this.selected, ways = this.routes.map(({ way }) => way).filter(({ from, to }) => from !== to);
		const most = (list: Way[]) => list.reduce<Way | null>((a, b) => !a || (b.count || 0) > (a.count || 0) ? b : a, null);

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
			this.choose(this.shown.reduce((a, b) => b.cost > a.cost ? b : a).number);
		else
			return;
		event.preventDefault();
	}

	/** For tests: what is drawn, with the client coordinates of blocks' middles. */
	get probe() {
		const box = this.canvas.getBoundingClientRect();

		return {
			isReady: this.layout !== null, scale: this.scale, hidden: this.hidden,
			blocks: this.layout ? this.shown.map(({ number, count, cost }) => {
				const [x, y] = this.middle(number);

				return { number, count, cost, layer: this.layout!.layer[this.place[number]], isMarked: !this.isDim(number),
					 x: box.left + this.left + x * this.scale, y: box.top + this.top + y * this.scale };
			}) : [],
			ways: this.routes.map(({ way, isBack }) => ({ ...way, isBack })),
		};
	}
}
