/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The picture of the timeline: what of its rows is in sight, on a canvas as large as the box that
 * scrolls; so there may be any number of threads. What is narrower than a pixel is drawn together
 * with its neighbours; what the page has only as a sum is hatched.
 */

import { dimColour, dimText, frameColour, frameText, heatColour, type Theme } from "./colour";
import type { Model } from "./data";
import { el } from "./dom";
import { formatMoment } from "./format";
import { wireThemes } from "./shell";
import { lowerBound, type Timeline } from "./timeline-data";

const ROW = 19, HEAD = 20, AXIS = 24, GAP = 8, AWAY = 5, MIN_TEXT = 34, MIN_WIDTH = 0.8, TALLEST = 30000;
const FONT = '11.5px ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

export interface Drawn {
	item: number; /* a call; sums count from -1 down */
	x: number; /* in the canvas */
	y: number;
	width: number;
}

/** What is looked at. */
export interface Look {
	from: number; /* ticks */
	to: number;
	marked: Uint8Array | null; /* functions that are searched for */
	fn: number; /* chosen, with the call; -1: none */
	call: number;
}

export class TimelinePicture {
	readonly canvas = el("canvas", { id: "timeline" });
	private readonly rows = el("div", { id: "timeline-rows" }, this.canvas);
	private readonly context = this.canvas.getContext("2d")!;
	private readonly regions: Set<number>;
	private readonly points: Set<number>;
	private readonly tops: number[] = []; /* of rows, from the top of the first lane's head */
	private readonly height: number;
	private theme: Theme = "light";
	private pending = 0;
	private look: Look = { from: 0, to: 1, marked: null, fn: -1, call: -1 };
	width = 0;
	drawn: Drawn[] = [];

	constructor(private readonly model: Model, private readonly line: Timeline, private readonly box: HTMLElement) {
		this.regions = new Set(model.payload.marks?.regions);
		this.points = new Set(model.payload.marks?.points);
		line.lanes.forEach(({ depths, top }, i) => {
			for (let row = top; row < top + depths; row++)
				this.tops.push(AXIS + (i + 1) * HEAD + i * GAP + row * ROW);
		});
		this.height = AXIS + line.lanes.length * (HEAD + GAP) + line.rows * ROW + 4;
		this.rows.style.height = `${this.height}px`;
		box.append(this.rows);
		wireThemes((theme, forced) => {
			this.theme = theme;
			this.resize(forced);
		});
		new ResizeObserver(() => this.resize()).observe(box);
		box.addEventListener("scroll", () => this.draw());
	}

	/** What is drawn there; the last that was drawn lies above. */
	at(x: number, y: number): Drawn | undefined {
		return this.drawn.filter((each) => y >= each.y && y < each.y + ROW && x >= each.x && x < each.x + Math.max(each.width, 2)).pop();
	}

	middleOf({ x, y, width }: Drawn): [number, number] {
		const place = this.canvas.getBoundingClientRect();

		return [place.left + x + width / 2, place.top + y + ROW / 2];
	}

	/** Scrolls until @row is in the middle. */
	reveal(row: number): void {
		this.box.scrollTop = Math.max(0, this.tops[row] - this.box.clientHeight / 2);
	}

	/** Where @row is in the canvas. */
	private rowTop(row: number): number {
		return this.tops[row] - this.box.scrollTop;
	}

	/** @isWhole: for paper, which does not scroll. */
	private resize(isWhole = false): void {
		const ratio = window.devicePixelRatio || 1;
		const height = Math.min(this.height, isWhole ? TALLEST / ratio : this.box.clientHeight);

		this.width = this.box.clientWidth;
		this.canvas.width = Math.round(this.width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.height = `${height}px`;
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.drawNow();
	}

	show(look: Look): void {
		this.look = look;
		this.draw();
	}

	private draw(): void {
		this.pending ||= requestAnimationFrame(() => this.drawNow());
	}

	drawNow(): void {
		const c = this.context, last = this.canvas.height;

		cancelAnimationFrame(this.pending);
		this.pending = 0;
		this.drawn = [];
		if (this.width <= 0)
			return;
		c.clearRect(0, 0, this.width, last);
		c.font = FONT;
		c.textBaseline = "middle";
		this.drawLines();
		c.save();
		c.beginPath();
		c.rect(0, AXIS, this.width, last);
		c.clip();
		for (const lane of this.line.lanes) {
			const y = this.rowTop(lane.top);

			if (y > last + HEAD || y + lane.depths * ROW < 0)
				continue;
			c.fillStyle = dimText[this.theme];
			c.fillText(lane.label, 2, y - HEAD / 2 - 1);
			this.drawAbsences(lane.strand, y - AWAY - 1);
			for (let row = lane.top; row < lane.top + lane.depths; row++)
				if (this.rowTop(row) + ROW >= AXIS && this.rowTop(row) <= last)
					this.drawRow(row, this.rowTop(row));
		}
		this.drawLosses();
		c.restore();
	}

	/** Round times, about one in 130 px. */
	private drawLines(): void {
		const c = this.context, { nsPerTick } = this.line, ns = (this.look.to - this.look.from) * nsPerTick;
		const rough = ns / Math.max(2, this.width / 130), power = 10 ** Math.floor(Math.log10(rough));
		const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? rough;

		c.fillStyle = dimText[this.theme];
		for (let at = Math.ceil(this.look.from * nsPerTick / step) * step; at <= this.look.to * nsPerTick; at += step) {
			const x = (at / nsPerTick - this.look.from) / (this.look.to - this.look.from) * this.width;

			c.globalAlpha = 0.25;
			c.fillRect(Math.round(x), 0, 1, this.canvas.height);
			c.globalAlpha = 1;
			const text = formatMoment(at, step);

			if (x + 4 + c.measureText(text).width <= this.width)
				c.fillText(text, x + 4, AXIS / 2 - 2);
		}
	}

	/** A thread off-CPU, above its calls: waiting is pale, pre-emption is not. */
	private drawAbsences(strand: number, y: number): void {
		const c = this.context, scale = this.width / (this.look.to - this.look.from);
		const last = { waited: -1, preempted: -1 }; /* the pixel that is taken */

		this.line.absences?.each(strand, this.look.from, this.look.to, (begin, end, isPreempted) => {
			const x = Math.max(0, (begin - this.look.from) * scale), right = Math.min(this.width, (end - this.look.from) * scale);
			const kind = isPreempted ? "preempted" : "waited";

			if (right <= last[kind])
				return;
			last[kind] = Math.max(right, x + MIN_WIDTH);
			c.fillStyle = isPreempted ? heatColour(this.theme, 5) : dimText[this.theme];
			c.globalAlpha = isPreempted ? 1 : 0.45;
			c.fillRect(x, isPreempted ? y : y + 1, last[kind] - x, isPreempted ? AWAY : AWAY - 2);
			c.globalAlpha = 1;
		});
	}

	private colours(fn: number): [string, string] {
		const { family, shade } = this.model.functions[fn];

		if (this.look.marked && !this.look.marked[fn])
			return [dimColour(this.theme), dimText[this.theme]];
		return [frameColour(this.theme, this.model.families[family]?.colour ?? -1, shade), frameText[this.theme]];
	}

	private drawRow(row: number, y: number): void {
		const { sumRange, sumBegin, callRange, begin, payload } = this.line, scale = this.width / (this.look.to - this.look.from);
		const [firstSum, sums] = sumRange[row], [firstCall, calls] = callRange[row];
		let last = -1; /* the pixel that is taken */

		for (let i = lowerBound(sumBegin, firstSum, sums, this.look.from - payload.slice); i < sums && sumBegin[i] < this.look.to; i++) {
			const x = (sumBegin[i] - this.look.from) * scale, width = Math.max(MIN_WIDTH, payload.slice * scale);

			if (x + width > last)
				this.drawSum(i, x, y, width);
			last = Math.max(last, x + MIN_WIDTH);
		}
		last = -1;
		/* calls of one row do not overlap: the one before the first may reach into the picture */
		const start = Math.max(firstCall, lowerBound(begin, firstCall, calls, this.look.from) - 1);

		for (let i = start; i < calls && begin[i] < this.look.to; i++) {
			const x = (begin[i] - this.look.from) * scale, width = payload.calls.extent[i] * scale;

			if (x + width < 0 || (x + width <= last && i !== this.look.call))
				continue;
			last = x + Math.max(width, MIN_WIDTH);
			this.drawCall(i, Math.max(0, x), y, Math.max(MIN_WIDTH, Math.min(this.width, x + width) - Math.max(0, x)));
		}
	}

	private drawSum(sum: number, x: number, y: number, width: number): void {
		const c = this.context, { payload } = this.line;
		const full = Math.min(1, payload.sums.ticks[sum] / payload.slice), height = Math.max(3, (ROW - 1) * full);

		c.fillStyle = this.colours(payload.sums.function[sum])[0];
		c.globalAlpha = 0.45;
		c.fillRect(x, y + ROW - 1 - height, width > 3 ? width - 0.5 : width, height);
		c.globalAlpha = 1;
		if (width > 5)
			this.hatch(x, y + ROW - 1 - height, width - 0.5, height);
		this.drawn.push({ item: -1 - sum, x, y, width });
	}

	private hatch(x: number, y: number, width: number, height: number): void {
		const c = this.context;

		c.save();
		c.beginPath();
		c.rect(x, y, width, height);
		c.clip();
		c.globalAlpha = 0.3;
		c.strokeStyle = frameText[this.theme];
		c.beginPath();
		for (let at = x - ROW; at < x + width; at += 6) {
			c.moveTo(at, y + ROW);
			c.lineTo(at + ROW, y);
		}
		c.stroke();
		c.restore();
	}

	/** A moment that the program's author marked: a diamond with its name. */
	private drawPoint(call: number, fn: number, x: number, y: number): void {
		const c = this.context, middle = y + ROW / 2 - 0.5, r = call === this.look.call ? 6 : 4.5;
		const name = this.model.functions[fn].short, room = this.line.begin[call + 1] > this.line.begin[call] && this.line.row[call + 1] === this.line.row[call]
			? (this.line.begin[call + 1] - this.line.begin[call]) / (this.look.to - this.look.from) * this.width - 24 : 200;

		c.fillStyle = this.look.marked && !this.look.marked[fn] ? dimText[this.theme] : frameText[this.theme];
		c.beginPath();
		c.moveTo(x - r, middle);
		c.lineTo(x, middle - r);
		c.lineTo(x + r, middle);
		c.lineTo(x, middle + r);
		c.fill();
		this.drawn.push({ item: call, x: x - r, y, width: 2 * r });
		if (c.measureText(name).width < room)
			c.fillText(name, x + 9, y + ROW / 2);
	}

	private drawCall(call: number, x: number, y: number, width: number): void {
		const c = this.context, fn = this.line.payload.calls.function[call], [fill, ink] = this.colours(fn);
		const w = width > 3 ? width - 1 : width;

		if (this.points.has(fn))
			return this.drawPoint(call, fn, x, y);

		c.fillStyle = fill;
		c.fillRect(x, y, w, ROW - 1);
		this.drawn.push({ item: call, x, y, width });
		if (call === this.look.call || (fn === this.look.fn && width > 4)) {
			c.strokeStyle = frameText[this.theme];
			c.lineWidth = call === this.look.call ? 2 : 1;
			c.strokeRect(x + 0.75, y + 0.75, Math.max(1, w - 1.5), ROW - 2.5);
		}
		if (this.regions.has(fn)) {
			c.fillStyle = ink;
			c.fillRect(x, y, Math.min(3, w), ROW - 1);
			c.fillRect(x, y + ROW - 3, w, 2);
		}
		if (width < MIN_TEXT)
			return;
		const room = Math.floor((w - 8) / 7), name = this.model.functions[fn].short;

		c.fillStyle = ink;
		c.fillText(name.length > room ? name.slice(0, Math.max(1, room - 1)) + "…" : name, x + 4, y + ROW / 2);
	}

	/** Where events were lost. */
	private drawLosses(): void {
		const { losses } = this.line.payload, c = this.context;

		c.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--warn");
		losses.at.forEach((at, i) => {
			const lane = this.line.lanes.find(({ strand }) => strand === losses.strand[i]);

			if (lane && at >= this.look.from && at <= this.look.to)
				c.fillRect((at - this.look.from) / (this.look.to - this.look.from) * this.width - 1, this.rowTop(lane.top) - HEAD + 2, 3, HEAD - 4);
		});
	}
}
