/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The flame graph on a canvas. Only what has a width on the screen is drawn (tree.ts), and only
 * the levels in sight: the canvas is as large as the window onto the graph and stays in place
 * while a spacer of the graph's full height scrolls behind it. doc/design/report.md has the
 * measurements that led to a canvas of our own.
 */

import { dimColour, dimText, frameText, type Theme } from "./colour";
import { byId, el, prefersDark } from "./dom";
import { plural } from "./format";
import {
	frameAt, frameStarts, LEFT_OUT, leftOutWeight, markedWeight, pathTo, ROOT, visibleFrames,
	type Frame, type Weighted,
} from "./tree";

const ROW = 21;
const FONT = '11.5px ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const MIN_TEXT = 30;
const SHORTEST = 6; /* levels: the least height */
const TALLEST = 24;
const ANIMATION_MS = 180;

export interface FlameEvents {
	/** A frame was chosen; -1: none (the root or left-out contexts). */
	choose(fn: number): void;
	zoomed(node: number): void;
	announce(text: string): void;
}

/** What the graph is of. */
export interface FlameSource<W extends string> {
	tree: Weighted<W>;
	name(fn: number): string; /* short, for a frame */
	/** In words, behind the name, and kept where the name gives way; "": nothing. */
	remark(node: number): string;
	/** Ground and text of a frame of a function that is not dimmed. */
	colours(node: number, theme: Theme): [string, string];
	isHatched(node: number): boolean;
	/** Whole name and where it is, for the tooltip. */
	heading(fn: number): [string, string];
	/** Label and value, for the tooltip and for screen readers. */
	facts(node: number, weight: W, zoom: number): [string, string][];
}

export class FlameGraph<W extends string> {
	private readonly box = byId("flame-box");
	private readonly spacer = byId("flame-spacer");
	private readonly canvas = byId<HTMLCanvasElement>("flame");
	private readonly tip = byId("tip");
	private readonly context = this.canvas.getContext("2d")!;
	private readonly dark = prefersDark();
	private starts: Float64Array;
	private from = 0;
	private to = 1;
	private animation = 0;
	private pending = 0;
	private charWidth = 7;
	private width = 0;
	private height = 0;
	private full = 0; /* height of the whole graph; asking the document at each frame is dear */
	private scrolled = 0;
	private theme: Theme = "light";
	private drawn: Frame[] = [];
	private marked: Uint8Array | null = null;
	private selected = -1;
	private hovered = -1;
	private cursor = 0; /* the frame the keyboard is at */
	icicle = true;
	zoom = 0;
	forcedTheme: Theme | null = null;

	constructor(private source: FlameSource<W>, public weight: W, private readonly events: FlameEvents) {
		this.starts = frameStarts(source.tree, weight);
		this.to = this.extent(0)[1];
		this.box.addEventListener("scroll", () => this.draw());
		this.canvas.addEventListener("pointermove", (event) => this.onMove(event));
		this.canvas.addEventListener("pointerleave", () => this.hover(-1));
		this.canvas.addEventListener("click", (event) => this.onClick(event));
		this.box.addEventListener("keydown", (event) => this.onKey(event));
		this.dark.addEventListener("change", () => this.draw());
		this.fit();
		new ResizeObserver(() => this.resize()).observe(this.box);
		this.resize();
	}

	/** As high as the tree is deep. */
	private fit(): void {
		const { tree } = this.source, levels = Math.min(TALLEST, Math.max(SHORTEST, tree.levels));

		this.box.style.height = `${levels * ROW + 1}px`;
		this.spacer.style.height = `${Math.max(tree.levels, levels) * ROW}px`;
	}

	/** Another tree of the same functions. */
	setSource(source: FlameSource<W>, weight: W): void {
		this.source = source;
		this.weight = weight;
		this.starts = frameStarts(source.tree, weight);
		this.fit();
		this.resize();
		this.zoomTo(0, false);
	}

	get empty(): boolean {
		return this.source.tree.n < 2 || this.source.tree[this.weight][0] <= 0;
	}

	private extent(node: number): [number, number] {
		const width = this.source.tree.n > 0 ? this.source.tree[this.weight][node] : 1;
		const start = this.starts[node] ?? 0;

		return [start, start + (width > 0 ? width : 1)];
	}

	private resize(): void {
		const ratio = window.devicePixelRatio || 1;

		this.width = this.box.clientWidth;
		this.height = this.box.clientHeight;
		this.full = Math.max(this.spacer.offsetHeight, this.height);
		this.canvas.width = Math.round(this.width * ratio);
		this.canvas.height = Math.round(this.height * ratio);
		this.canvas.style.width = `${this.width}px`;
		this.canvas.style.height = `${this.height}px`;
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.context.font = FONT;
		this.charWidth = this.context.measureText("mmmmmmmmmm").width / 10;
		this.drawNow(); /* resizing has cleared it */
	}

	setWeight(weight: W): void {
		this.weight = weight;
		this.starts = frameStarts(this.source.tree, weight);
		if (this.source.tree[weight][this.zoom] <= 0)
			this.zoom = 0;
		this.zoomTo(this.zoom, false);
	}

	setIcicle(icicle: boolean): void {
		this.icicle = icicle;
		this.box.scrollTop = icicle ? 0 : this.box.scrollHeight;
		this.draw();
	}

	/** Shows which functions were searched for (null: no search). */
	mark(marked: Uint8Array | null): void {
		this.marked = marked;
		this.draw();
	}

	select(fn: number): void {
		this.selected = fn;
		this.draw();
	}

	/** Share of what is zoomed to that lies in marked functions, and that might (left out). */
	markedShare(): { share: number; unknown: number } {
		const { tree } = this.source;
		const all = tree[this.weight][this.zoom];

		if (!this.marked || this.empty)
			return { share: NaN, unknown: 0 };
		return {
			share: markedWeight(tree, this.weight, this.marked, this.zoom) / all,
			unknown: leftOutWeight(tree, this.weight, this.zoom) / all,
		};
	}

	zoomTo(node: number, animate = true): void {
		const [from, to] = this.extent(node);
		const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches || !animate;
		const begin = performance.now(), [from0, to0] = [this.from, this.to];

		this.zoom = this.cursor = node;
		cancelAnimationFrame(this.animation);
		const step = (now: number) => {
			const t = still ? 1 : Math.min(1, Math.max(0, (now - begin) / ANIMATION_MS));
			const eased = 1 - (1 - t) ** 3;

			this.from = t < 1 ? from0 + (from - from0) * eased : from;
			this.to = t < 1 ? to0 + (to - to0) * eased : to;
			this.drawNow();
			if (t < 1)
				this.animation = requestAnimationFrame(step);
		};

		step(begin);
		this.revealLevel(this.source.tree.depth[node]);
		this.events.zoomed(node);
	}

	private revealLevel(level: number): void {
		this.scrolled = this.box.scrollTop;
		const top = this.levelTop(level) + this.scrolled;

		if (top < this.box.scrollTop || top + ROW > this.box.scrollTop + this.height)
			this.box.scrollTop = top - this.height / 3;
	}

	/** Top of a level on the canvas, in px. */
	private levelTop(level: number): number {
		const row = this.icicle ? level * ROW : this.full - (level + 1) * ROW;

		return row - this.scrolled;
	}

	private levelsInSight(): [number, number] {
		const a = -this.levelTop(0) / ROW * (this.icicle ? 1 : -1);

		if (this.icicle)
			return [Math.floor(a), Math.ceil(a + this.height / ROW)];
		const bottom = (this.levelTop(0) + ROW - this.height) / ROW;

		return [Math.floor(bottom), Math.ceil(bottom + this.height / ROW)];
	}

	/** Draws with the next frame of the screen, however often it is asked for before. */
	draw(): void {
		this.pending ||= requestAnimationFrame(() => this.drawNow());
	}

	drawNow(): void {
		this.theme = this.forcedTheme ?? (this.dark.matches ? "dark" : "light");
		this.scrolled = this.box.scrollTop;
		const { tree } = this.source;
		const [firstLevel, lastLevel] = this.levelsInSight();

		cancelAnimationFrame(this.pending);
		this.pending = 0;
		this.context.clearRect(0, 0, this.width, this.height);
		this.drawn = [];
		if (this.empty || this.width <= 0)
			return;
		visibleFrames(tree, this.weight, this.starts,
			      { from: this.from, to: this.to, width: this.width, firstLevel, lastLevel },
			      (frame) => this.drawn.push(frame));
		this.context.font = FONT;
		this.context.textBaseline = "middle";
		for (const frame of this.drawn)
			this.drawFrame(frame);
		this.outline(this.hovered, 1.5);
		if (document.activeElement === this.box)
			this.outline(this.cursor, 2.5);
	}

	private colours(node: number): [string, string] {
		const fn = this.source.tree.fn[node], theme = this.theme;

		if (fn < 0 || (this.marked && !this.marked[fn]))
			return [dimColour(theme), dimText[theme]];
		return this.source.colours(node, theme);
	}

	private drawFrame({ node, x, width, more }: Frame): void {
		const { tree } = this.source;
		const c = this.context, y = this.levelTop(tree.depth[node]);
		const [fill, ink] = this.colours(node);
		const w = width > 3 ? width - 1 : width;

		c.globalAlpha = tree.depth[node] < tree.depth[this.zoom] ? 0.55 : more > 0 ? 0.6 : 1;
		c.fillStyle = fill;
		c.fillRect(x, y, w, ROW - 1);
		if ((tree.fn[node] === LEFT_OUT || this.source.isHatched(node)) && w > 2)
			this.hatch(x, y, w, ink);
		c.globalAlpha = 1;
		if (width < MIN_TEXT || more > 0)
			return;
		if (tree.fn[node] === this.selected && this.selected >= 0) {
			c.strokeStyle = ink;
			c.lineWidth = 1.5;
			c.strokeRect(x + 0.75, y + 0.75, w - 1.5, ROW - 2.5);
		}
		const room = Math.floor((w - 10) / this.charWidth);
		const label = this.labelFor(node, room);

		if (room < 2)
			return;
		c.fillStyle = ink;
		c.fillText(label, x + 5, y + ROW / 2);
	}

	private hatch(x: number, y: number, w: number, ink: string): void {
		const c = this.context;

		c.save();
		c.beginPath();
		c.rect(x, y, w, ROW - 1);
		c.clip();
		c.globalAlpha = 0.25;
		c.strokeStyle = ink;
		c.lineWidth = 1;
		c.beginPath();
		for (let at = x - ROW; at < x + w; at += 6) {
			c.moveTo(at, y + ROW);
			c.lineTo(at + ROW, y);
		}
		c.stroke();
		c.restore();
	}

	private outline(node: number, line: number): void {
		const frame = node >= 0 ? this.drawn.find((f) => f.node === node) : undefined;

		if (!frame)
			return;
		const c = this.context, y = this.levelTop(this.source.tree.depth[node]);

		c.strokeStyle = frameText[this.theme];
		c.lineWidth = line;
		c.strokeRect(frame.x + line / 2, y + line / 2, Math.max(1, frame.width - 1 - line), ROW - 1 - line);
	}

	/** The text on a frame. */
	label(node: number): string {
		const fn = this.source.tree.fn[node];

		if (fn === ROOT)
			return "all";
		if (fn === LEFT_OUT)
			return plural(this.source.tree.leftOut.get(node) ?? 0, "smaller context");
		return this.source.name(fn);
	}

	/** The label in at most @room letters: the last part of the name is what tells most. */
	private labelFor(node: number, room: number): string {
		const remark = this.source.remark(node), last = remark === "" ? "" : ` ${remark}`;
		let label = this.label(node);
		const parts = label.split("::");

		if (label.length + last.length > room && last !== "") {
			if (room < last.length + 4)
				return room >= remark.length ? remark : "";
			room -= last.length;
		}
		while (label.length > room && parts.length > 1) {
			parts.shift();
			label = parts.join("::");
		}
		return (label.length > room ? label.slice(0, room - 1) + "…" : label) + last;
	}

	private facts(node: number): [string, string][] {
		return this.source.facts(node, this.weight, this.zoom);
	}

	private nodeAt(event: MouseEvent): number {
		const place = this.canvas.getBoundingClientRect();
		const x = event.clientX - place.left, y = event.clientY - place.top;
		const level = Math.floor((this.icicle ? y - this.levelTop(0) : this.levelTop(0) + ROW - y) / ROW);

		if (this.empty)
			return -1;
		return frameAt(this.source.tree, this.weight, this.starts,
			       this.from + x / this.width * (this.to - this.from), level);
	}

	private onMove(event: PointerEvent): void {
		const node = this.nodeAt(event);

		this.hover(node);
		if (node < 0 || event.pointerType === "touch")
			return;
		this.showTip(node, event.clientX, event.clientY);
	}

	private showTip(node: number, x: number, y: number): void {
		const fn = this.source.tree.fn[node];
		const [name, where] = fn >= 0 ? this.source.heading(fn) : [this.label(node), ""];

		this.tip.replaceChildren(el("b", {}, name), ...(where !== "" ? [el("em", {}, where)] : []),
			el("dl", {}, ...this.facts(node).map(([key, value]) =>
				el("div", {}, el("dt", {}, key), el("dd", {}, value)))));
		this.tip.hidden = false;
		const { offsetWidth: w, offsetHeight: h } = this.tip;

		this.tip.style.left = `${Math.max(8, Math.min(window.innerWidth - w - 8, x + 14))}px`;
		this.tip.style.top = `${y + h + 24 > window.innerHeight ? Math.max(8, y - h - 12) : y + 18}px`;
	}

	private hover(node: number): void {
		if (node < 0)
			this.tip.hidden = true;
		this.canvas.style.cursor = node >= 0 ? "pointer" : "default";
		if (node === this.hovered)
			return;
		this.hovered = node;
		this.draw();
	}

	private onClick(event: MouseEvent): void {
		const node = this.nodeAt(event);

		if (node >= 0)
			this.activate(node);
	}

	private activate(node: number): void {
		const fn = this.source.tree.fn[node];

		if (fn === LEFT_OUT)
			return;
		this.zoomTo(node);
		this.events.choose(fn);
	}

	private siblings(node: number): number[] {
		const { tree } = this.source;
		const parent = tree.parent[node], list: number[] = [];

		if (parent < 0)
			return [node];
		for (let i = parent + 1; i < tree.end[parent]; i = tree.end[i])
			list.push(i);
		return list;
	}

	private neighbour(key: string): number {
		const { tree } = this.source, at = this.cursor;
		const deeper = this.icicle ? "ArrowDown" : "ArrowUp", outer = this.icicle ? "ArrowUp" : "ArrowDown";

		if (key === deeper)
			return at + 1 < tree.end[at] ? at + 1 : at;
		if (key === outer)
			return Math.max(0, tree.parent[at]);
		const list = this.siblings(at), next = list.indexOf(at) + (key === "ArrowRight" ? 1 : -1);

		return list[next] ?? at;
	}

	private onKey(event: KeyboardEvent): void {
		if (this.empty || event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (event.key.startsWith("Arrow"))
			this.moveCursor(this.neighbour(event.key));
		else if (event.key === "Enter" || event.key === " ")
			this.activate(this.cursor);
		else if (event.key === "Backspace")
			this.zoomTo(Math.max(0, this.source.tree.parent[this.zoom]));
		else if (event.key === "Home")
			this.moveCursor(this.zoom);
		else
			return;
		event.preventDefault();
	}

	private moveCursor(node: number): void {
		this.cursor = node;
		this.revealLevel(this.source.tree.depth[node]);
		this.draw();
		this.events.announce(`${this.label(node)}, level ${this.source.tree.depth[node]}, ` +
			this.facts(node).map(([key, value]) => `${key} ${value}`).join(", "));
	}

	/** Names from the root to what is zoomed to. */
	path(): { node: number; label: string }[] {
		return pathTo(this.source.tree, this.zoom).map((node) => ({ node, label: this.label(node) }));
	}

	/** Where the frames stand, for tests: client coordinates of their middles. */
	frames(): { node: number; fn: number; label: string; remark: string; x: number; y: number; width: number }[] {
		const place = this.canvas.getBoundingClientRect(), { tree } = this.source;

		this.drawNow();

		return this.drawn.filter(({ more }) => more === 0).map(({ node, x, width }) => ({
			node, fn: tree.fn[node], label: this.label(node), remark: this.source.remark(node), width,
			x: place.left + x + width / 2, y: place.top + this.levelTop(tree.depth[node]) + ROW / 2,
		}));
	}
}
