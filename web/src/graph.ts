/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The control flow of one function on a canvas. Drag or scroll moves it, ctrl and the wheel, + and −
 * zoom, arrow keys walk along the ways. What blocks and ways look like is not said here (graph-look.ts).
 */

import type { Theme } from "./colour";
import { byId, el, prefersDark } from "./dom";
import { plural } from "./format";
import type { GraphBlock, GraphLook, GraphWay } from "./graph-look";
import { drawBlock, drawLabels, drawWay, labelAt } from "./graph-paint";
import { LAYER, layerTop, NODE_HEIGHT, routeWays, type Point, type Route } from "./graph-routes";
import { layOutSoon, NODE_WIDTH, type Layout } from "./layers";

const MARGIN = 22;
const READABLE = 0.62; /* scale from which there is text on blocks … */
const LABELLED = 0.72; /* … and on ways */
const LEAST = 0.03;
const MOST = 2.5;
const MANY = 150; /* blocks, from which on those that never ran are hidden at first */

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
		this.routes = routeWays(layout, this.place, ways);
		this.box.removeAttribute("aria-busy");
		this.note("");
		this.first();
	}

	/* --- what is in sight --- */

	private get size(): Point {
		return [this.layout?.width ?? 0, layerTop(Math.max(1, this.layout?.layers ?? 1)) - (LAYER - NODE_HEIGHT)];
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

		return [this.layout!.x[i], layerTop(this.layout!.layer[i]) + NODE_HEIGHT / 2];
	}

	private center(block: number): void {
		const [x, y] = this.middle(block);

		this.left = this.width / 2 - x * this.scale;
		this.top = this.filling(this.height / 2 - y * this.scale);
		this.draw();
	}

	/** Without room above the picture, or below it, that its other end could have. */
	private filling(top: number): number {
		return Math.min(MARGIN, Math.max(this.height - MARGIN - this.size[1] * this.scale, top));
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
			const middle = this.middle(block.number);

			if (middle[1] > from && middle[1] < to)
				this.drawBlock(block, middle);
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

	private drawRoute(route: Route<W>, from: number, to: number): void {
		const { way } = route, ys = route.points.map(([, y]) => y), isMarked = this.marked?.ways?.has(way) === true;

		if (Math.max(...ys) < from || Math.min(...ys) > to)
			return;
		drawWay(this.context, this.theme, route, this.look!.paintWay(way, this.theme), {
			isMarked, isDim: this.isDimWay(way), isChosen: isMarked || way.from === this.selected || way.to === this.selected,
		}, this.middle(way.from));
	}

	private drawBlock(block: B, middle: Point): void {
		const { number } = block;

		drawBlock(this.context, this.theme, this.look!.paintBlock(block, this.theme), {
			isDim: this.isDim(number), isChosen: number === this.selected, isHovered: number === this.hovered, hasText: this.scale >= READABLE,
		}, middle);
	}

	private drawLabels(from: number, to: number): void {
		const labels = this.routes.map((route) => {
			const { label: text } = this.look!.paintWay(route.way, this.theme);

			return { text, width: text.length * 6.4 + 6, at: labelAt(route, this.middle(route.way.from)), isDim: this.isDimWay(route.way) };
		});

		drawLabels(this.context, this.theme, labels.filter(({ at }) => at[1] >= from && at[1] <= to));
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
