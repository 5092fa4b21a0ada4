/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calls in time, a lane for each thread, on a canvas. What is narrower than a pixel is drawn
 * together with its neighbours; what the page has only as a sum is hatched, and says which command
 * shows its calls. Positions are ticks since the start of the run; the address has ns.
 */

import { dimColour, dimText, frameColour, frameText, heatColour, type Theme } from "./colour";
import type { Fn, Model } from "./data";
import { byId, el } from "./dom";
import { formatCount, formatExact, formatShare, formatTime, plural } from "./format";
import { parseQuery } from "./search";
import { wireThemes, type Page, type Shell, type State, type View } from "./shell";
import { lowerBound, makeTimeline, type Timeline } from "./timeline-data";

const ROW = 19, HEAD = 20, AXIS = 24, GAP = 8, AWAY = 5, MIN_TEXT = 34, MIN_WIDTH = 0.8;
const FONT = '11.5px ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

interface Drawn {
	item: number; /* a call; sums count from -1 down */
	x: number;
	y: number;
	width: number;
}

class TimelineView implements View {
	private readonly line: Timeline;
	private readonly regions: Set<number>;
	private readonly points: Set<number>;
	private readonly canvas = el("canvas", { id: "timeline" });
	private readonly box = el("div", { id: "timeline-box", tabindex: "0", role: "application", "aria-roledescription": "timeline",
					   "aria-label": "Calls in time. Arrow keys move, plus and minus zoom, 0 shows everything, l finds the longest call, n and p the next and the one before." },
				  this.canvas);
	private readonly facts = el("div", { id: "timeline-facts", class: "quiet" });
	private readonly note = el("p", { id: "timeline-note", class: "quiet hint" });
	private readonly context = this.canvas.getContext("2d")!;
	private from: number;
	private to: number;
	private width = 0;
	private theme: Theme = "light";
	private drawn: Drawn[] = [];
	private marked: Uint8Array | null = null;
	private fn: Fn | null = null;
	private call = -1;
	private pending = 0;
	private drag: { x: number; from: number; moved: boolean } | null = null;
	private urlTimer = 0;

	constructor(private readonly model: Model, private readonly shell: Shell, place: HTMLElement) {
		this.line = makeTimeline(model.payload, model.payload.timeline!);
		this.regions = new Set(model.payload.marks?.regions);
		this.points = new Set(model.payload.marks?.points);
		[this.from, this.to] = this.whole();
		const button = (id: string, label: string, title: string, then: () => void) => {
			const node = el("button", { type: "button", id, title }, label);

			node.addEventListener("click", then);
			return node;
		};

		place.append(el("main", { class: "single" }, el("section", { "aria-labelledby": "timeline-heading" },
			el("div", { class: "head" }, el("h2", { id: "timeline-heading" }, "When it happened"),
			   button("timeline-longest", "Longest call", "of the selected or searched function (l)", () => this.longest()),
			   button("timeline-previous", "←", "the call before (p)", () => this.step(-1)),
			   button("timeline-next", "→", "the next call (n)", () => this.step(1)),
			   button("timeline-out", "−", "farther (−)", () => this.zoomBy(2)),
			   button("timeline-in", "+", "nearer (+)", () => this.zoomBy(0.5)),
			   button("timeline-all", "All", "the whole run (0)", () => this.lookAt(...this.whole()))),
			this.box, this.facts, this.note)));
		this.wire();
		this.describe();
	}

	private whole(): [number, number] {
		const { from, to } = this.model.payload.timeline!;

		return [from, Math.max(to, from + 1)];
	}

	private describe(): void {
		const { calls, all, slice } = this.line.payload, rest = all - calls.begin.length;

		this.note.textContent = all === 0 ? "No call is in this part of the run."
			: `${plural(all, "call")}: ` + (rest === 0 ? "all of them one by one."
			: `${formatCount(calls.begin.length)} one by one, the longest and the longest of each function; the other ${formatCount(rest)} ` +
				`are sums over ${formatTime(slice * this.line.nsPerTick)}, hatched, as high as the share of that time they take. ` +
				(this.from > this.whole()[0] || this.to < this.whole()[1] ? `More of those in sight, one by one: ${this.command()}`
				: "Zoom in, and the command that shows more of them one by one stands here.")) +
			(this.line.absences ? " Above a thread's calls a pale bar is where it waited, a strong one where it could have run and another thread did" +
				(this.line.absences.payload.is_all ? "." : " (the longest of the run).") : "");
	}

	/** The command for what is in sight. */
	private command(): string {
		const us = (ticks: number) => `${Math.max(0, Math.floor(ticks * this.line.nsPerTick / 1000))}us`;

		return `rarog report ${this.model.payload.profile.replace(/^.*\//, "")} --from ${us(this.from)} --to ${us(this.to + 1000 / this.line.nsPerTick)}`;
	}

	private wire(): void {
		wireThemes((theme) => {
			this.theme = theme;
			this.drawNow();
		});
		new ResizeObserver(() => this.resize()).observe(this.box);
		this.canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
		this.canvas.addEventListener("pointerdown", (event) => {
			this.drag = { x: event.offsetX, from: this.from, moved: false };
			this.canvas.setPointerCapture(event.pointerId);
		});
		this.canvas.addEventListener("pointermove", (event) => this.onMove(event));
		this.canvas.addEventListener("pointerup", (event) => this.onUp(event));
		this.canvas.addEventListener("pointerleave", () => {
			byId("tip").hidden = true;
		});
	}

	show(state: State): void {
		const fn = this.model.functions.find(({ name }) => name === state.fn) ?? null;
		const { nsPerTick } = this.line, from = Number(state.from ?? NaN), to = Number(state.to ?? NaN);

		if (fn !== this.fn) {
			this.fn = fn;
			this.call = this.longestOf((each) => fn !== null && each === fn.id);
		}
		if (state.at) {
			const call = this.callAt(state.at);

			this.call = call >= 0 ? call : this.call;
		}
		if (to > from)
			[this.from, this.to] = this.within(from / nsPerTick, to / nsPerTick);
		this.showFacts();
		this.draw();
	}

	/** "STRAND:TICKS": the call of the chosen function that began there; -1: none stands alone. */
	private callAt(text: string): number {
		const [strand, at] = text.split(":").map(Number), { begin, payload: { calls } } = this.line;

		return begin.findIndex((each, i) => each === at && calls.strand[i] === strand && (!this.fn || calls.function[i] === this.fn.id));
	}

	search(): void {
		const query = parseQuery(byId<HTMLInputElement>("search").value);
		const hits = query.empty || query.error !== "" ? null
			: Uint8Array.from(this.model.functions, (fn) => Number(query.test(fn.name) || (fn.symbol !== "" && query.test(fn.symbol))));

		this.marked = hits;
		byId("matches").textContent = query.error !== "" ? query.error : hits ? plural(hits.reduce((a, b) => a + b, 0), "function") : "";
		this.draw();
	}

	enter(): void {
		this.longest();
	}

	escape(): void {
		this.lookAt(...this.whole());
	}

	key(key: string): boolean {
		const keys: Record<string, () => void> = {
			"+": () => this.zoomBy(0.5), "=": () => this.zoomBy(0.5), "-": () => this.zoomBy(2), "0": () => this.lookAt(...this.whole()),
			ArrowLeft: () => this.moveBy(-0.2), ArrowRight: () => this.moveBy(0.2),
			l: () => this.longest(), n: () => this.step(1), p: () => this.step(-1),
		};

		if (!keys[key] || (key.startsWith("Arrow") && document.activeElement?.closest("#tabs")))
			return false;
		keys[key]();
		return true;
	}

	/* --- calls --- */

	private isWanted(fn: number): boolean {
		return this.marked ? this.marked[fn] === 1 : this.fn === null || this.fn.id === fn;
	}

	private longestOf(wanted: (fn: number) => boolean): number {
		return this.line.byLength.find((call) => wanted(this.line.payload.calls.function[call])) ?? -1;
	}

	private longest(): void {
		const call = this.longestOf((fn) => this.isWanted(fn));

		if (call < 0)
			return this.shell.announce("no call of it in this part of the run");
		this.choose(call, true);
	}

	/** The next call of the same function, of any thread. */
	private step(direction: 1 | -1): void {
		const { begin, payload } = this.line, fns = payload.calls.function;

		if (this.call < 0)
			return this.longest();
		const fn = fns[this.call];
		const isAfter = (i: number, j: number) => begin[i] > begin[j] || (begin[i] === begin[j] && i > j);
		let best = -1;

		for (let i = 0; i < begin.length; i++)
			if (fns[i] === fn && i !== this.call && isAfter(i, this.call) === direction > 0 &&
			    (best < 0 || isAfter(best, i) === direction > 0))
				best = i;
		if (best < 0)
			return this.shell.announce(`${direction > 0 ? "the last" : "the first"} call that is here one by one`);
		this.choose(best, true);
	}

	private choose(call: number, reveal: boolean): void {
		const { begin, payload, row } = this.line, fn = this.model.functions[payload.calls.function[call]];

		this.call = call;
		this.fn = fn;
		if (reveal && (begin[call] < this.from || begin[call] + payload.calls.extent[call] > this.to ||
			       payload.calls.extent[call] < (this.to - this.from) / 200)) {
			const room = Math.max(payload.calls.extent[call], 1);

			this.lookAt(begin[call] - room, begin[call] + 2 * room);
		}
		if (reveal)
			this.box.scrollTop = Math.max(0, this.rowTop(row[call]) - this.box.clientHeight / 2);
		this.shell.set({ fn: fn.name, at: `${payload.calls.strand[call]}:${begin[call]}` });
		this.showFacts();
		this.shell.announce(`${fn.name}, ${formatTime(this.durationOf(call))}, ${formatTime((begin[call]) * this.line.nsPerTick)} after the start`);
		this.draw();
	}

	private durationOf(call: number): number {
		const { extent, waited } = this.line.payload.calls;

		return (extent[call] - waited[call]) * this.line.nsPerTick;
	}

	private laneOf(row: number): string {
		return this.line.lanes.find(({ top, depths }) => row >= top && row < top + depths)?.label ?? "";
	}

	/** Where no single absence is kept, all calls of the function together. */
	private awayFacts(call: number): [string, string][] {
		const { absences, begin, payload: { calls }, nsPerTick } = this.line;

		if (!absences) {
			const { totalCpu, total } = this.model.functions[calls.function[call]];

			return Number.isFinite(totalCpu) && total > 0 ? [["on a processor", `${formatShare(totalCpu / total)} of the time of all its calls`]] : [];
		}
		const away = absences.within(calls.strand[call], begin[call], begin[call] + calls.extent[call]);
		const least = absences.payload.is_all ? "" : "at least ";
		const fact = (name: string, ticks: number): [string, string][] =>
			ticks > 0 ? [[name, `${least}${formatTime(ticks * nsPerTick)}, ${formatShare(ticks / Math.max(calls.extent[call], 1))}`]] : [];

		return [...fact("waited", away.waited), ...fact("pre-empted", away.preempted)];
	}

	private callFacts(call: number): [string, string][] {
		const { begin, payload, row, nsPerTick } = this.line, waited = payload.calls.waited[call] * nsPerTick;

		return [["took", `${formatTime(this.durationOf(call))} (${formatExact(this.durationOf(call))})`],
			["began", `${formatTime(begin[call] * nsPerTick)} after the start`], ["in", this.laneOf(row[call])],
			["depth", formatCount(payload.calls.depth[call])],
			...this.awayFacts(call),
			...(waited > 0 ? [["paused", `${formatTime(waited)} for rarog, not counted`] as [string, string]] : [])];
	}

	private sumFacts(sum: number): [string, string][] {
		const { payload, sumBegin, sumRow, nsPerTick } = this.line;

		return [["calls", formatCount(payload.sums.calls[sum])], ["took", `${formatTime(payload.sums.ticks[sum] * nsPerTick)} together`],
			["began", `${formatTime(sumBegin[sum] * nsPerTick)} after the start`], ["in", this.laneOf(sumRow[sum])],
			["", `the longest is of ${this.model.functions[payload.sums.function[sum]].short}`]];
	}

	private showFacts(): void {
		const { call } = this;

		this.facts.replaceChildren(...(call < 0 ? [] : [el("b", { class: "code" }, this.model.functions[this.line.payload.calls.function[call]].name),
			...this.callFacts(call).map(([key, value]) => el("span", {}, `${key} ${value}`))]));
	}

	/* --- where we look --- */

	private within(from: number, to: number): [number, number] {
		const [first, last] = this.whole(), width = Math.min(Math.max(to - from, 4), last - first);
		const start = Math.min(Math.max(from, first), last - width);

		return [start, start + width];
	}

	private lookAt(from: number, to: number): void {
		const [first, last] = this.whole(), { nsPerTick } = this.line;

		[this.from, this.to] = this.within(from, to);
		this.draw();
		const isAll = this.from <= first && this.to >= last;
		const state = isAll ? { from: "", to: "" } : { from: (this.from * nsPerTick).toFixed(0), to: (this.to * nsPerTick).toFixed(0) };

		window.clearTimeout(this.urlTimer); /* a wheel turns often */
		this.urlTimer = window.setTimeout(() => {
			this.shell.set(state, true);
			this.describe();
		}, 150);
	}

	private zoomBy(factor: number, at = (this.from + this.to) / 2): void {
		this.lookAt(at - (at - this.from) * factor, at + (this.to - at) * factor);
	}

	private moveBy(share: number): void {
		const step = (this.to - this.from) * share;

		this.lookAt(this.from + step, this.to + step);
	}

	private onWheel(event: WheelEvent): void {
		const at = this.from + event.offsetX / this.width * (this.to - this.from);

		if (event.shiftKey)
			return;
		event.preventDefault();
		if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
			this.moveBy(event.deltaX / this.width);
		else
			this.zoomBy(1.0015 ** event.deltaY, at);
	}

	private onMove(event: PointerEvent): void {
		if (this.drag) {
			const by = (this.drag.x - event.offsetX) / this.width * (this.to - this.from);

			this.drag.moved ||= Math.abs(this.drag.x - event.offsetX) > 3;
			if (this.drag.moved)
				this.lookAt(this.drag.from + by, this.drag.from + by + this.to - this.from);
			return;
		}
		const hit = this.at(event.offsetX, event.offsetY);

		this.canvas.style.cursor = hit ? "pointer" : "grab";
		if (hit && event.pointerType !== "touch")
			this.showTip(hit, event.clientX, event.clientY);
		else
			byId("tip").hidden = true;
	}

	private onUp(event: PointerEvent): void {
		const hit = this.at(event.offsetX, event.offsetY), { drag } = this;

		this.drag = null;
		if (!drag || drag.moved || !hit)
			return;
		if (hit.item >= 0)
			return this.choose(hit.item, false);
		const begin = this.line.sumBegin[-1 - hit.item];

		this.lookAt(begin - this.line.payload.slice, begin + 2 * this.line.payload.slice);
	}

	private at(x: number, y: number): Drawn | undefined {
		for (let i = this.drawn.length - 1; i >= 0; i--) {
			const each = this.drawn[i];

			if (y >= each.y && y < each.y + ROW && x >= each.x && x < each.x + Math.max(each.width, 2))
				return each;
		}
		return undefined;
	}

	private showTip({ item }: Drawn, x: number, y: number): void {
		const tip = byId("tip"), { payload } = this.line;
		const name = item >= 0 ? this.model.functions[payload.calls.function[item]].name : plural(payload.sums.calls[-1 - item], "short call");
		const facts = item >= 0 ? this.callFacts(item) : this.sumFacts(-1 - item);

		tip.replaceChildren(el("b", {}, name), el("dl", {}, ...facts.map(([key, value]) =>
			el("div", {}, el("dt", {}, key), el("dd", {}, value)))));
		tip.hidden = false;
		tip.style.left = `${Math.max(8, Math.min(window.innerWidth - tip.offsetWidth - 8, x + 14))}px`;
		tip.style.top = `${y + tip.offsetHeight + 24 > window.innerHeight ? Math.max(8, y - tip.offsetHeight - 12) : y + 18}px`;
	}

	/* --- the picture --- */

	private rowTop(row: number): number {
		const lane = this.line.lanes.findIndex(({ top, depths }) => row >= top && row < top + depths);

		return AXIS + (lane + 1) * HEAD + lane * GAP + row * ROW;
	}

	private resize(): void {
		const ratio = window.devicePixelRatio || 1, lanes = this.line.lanes.length;
		const height = Math.min(AXIS + lanes * (HEAD + GAP) + this.line.rows * ROW + 4, 30000 / ratio);

		this.width = this.box.clientWidth;
		this.canvas.width = Math.round(this.width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.height = `${height}px`;
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.drawNow();
	}

	private draw(): void {
		this.pending ||= requestAnimationFrame(() => this.drawNow());
	}

	private drawNow(): void {
		const c = this.context;

		cancelAnimationFrame(this.pending);
		this.pending = 0;
		this.drawn = [];
		if (this.width <= 0)
			return;
		c.clearRect(0, 0, this.width, this.canvas.height);
		c.font = FONT;
		c.textBaseline = "middle";
		this.drawAxis();
		const first = this.box.scrollTop, last = first + this.box.clientHeight;

		this.line.lanes.forEach((lane) => {
			c.fillStyle = dimText[this.theme];
			c.fillText(lane.label, 2, this.rowTop(lane.top) - HEAD / 2 - 1);
			this.drawAbsences(lane.strand, this.rowTop(lane.top) - AWAY - 1);
			for (let row = lane.top; row < lane.top + lane.depths; row++) {
				const y = this.rowTop(row);

				if (y + ROW >= first && y <= last)
					this.drawRow(row, y);
			}
		});
		this.drawLosses();
	}

	/** Round times, about one in 130 px. */
	private drawAxis(): void {
		const c = this.context, { nsPerTick } = this.line, ns = (this.to - this.from) * nsPerTick;
		const rough = ns / Math.max(2, this.width / 130), power = 10 ** Math.floor(Math.log10(rough));
		const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? rough;

		c.fillStyle = dimText[this.theme];
		for (let at = Math.ceil(this.from * nsPerTick / step) * step; at <= this.to * nsPerTick; at += step) {
			const x = (at / nsPerTick - this.from) / (this.to - this.from) * this.width;

			c.globalAlpha = 0.25;
			c.fillRect(Math.round(x), 0, 1, this.canvas.height);
			c.globalAlpha = 1;
			c.fillText(formatTime(at), x + 4, AXIS / 2 - 2);
		}
	}

	/** A thread off-CPU, above its calls: waiting is pale, pre-emption is not. */
	private drawAbsences(strand: number, y: number): void {
		const c = this.context, scale = this.width / (this.to - this.from);
		const last = { waited: -1, preempted: -1 }; /* the pixel that is taken */

		this.line.absences?.each(strand, this.from, this.to, (begin, end, isPreempted) => {
			const x = Math.max(0, (begin - this.from) * scale), right = Math.min(this.width, (end - this.from) * scale);
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

		if (this.marked && !this.marked[fn])
			return [dimColour(this.theme), dimText[this.theme]];
		return [frameColour(this.theme, this.model.families[family]?.colour ?? -1, shade), frameText[this.theme]];
	}

	private drawRow(row: number, y: number): void {
		const { sumRange, sumBegin, callRange, begin, payload } = this.line, scale = this.width / (this.to - this.from);
		const [firstSum, sums] = sumRange[row], [firstCall, calls] = callRange[row];
		let last = -1; /* the pixel that is taken */

		for (let i = lowerBound(sumBegin, firstSum, sums, this.from - payload.slice); i < sums && sumBegin[i] < this.to; i++) {
			const x = (sumBegin[i] - this.from) * scale, width = Math.max(MIN_WIDTH, payload.slice * scale);

			if (x + width > last)
				this.drawSum(i, x, y, width);
			last = Math.max(last, x + MIN_WIDTH);
		}
		last = -1;
		/* calls of one row do not overlap: the one before the first may reach into the picture */
		const start = Math.max(firstCall, lowerBound(begin, firstCall, calls, this.from) - 1);

		for (let i = start; i < calls && begin[i] < this.to; i++) {
			const x = (begin[i] - this.from) * scale, width = payload.calls.extent[i] * scale;

			if (x + width < 0 || (x + width <= last && i !== this.call))
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
		const c = this.context, middle = y + ROW / 2 - 0.5, r = call === this.call ? 6 : 4.5;
		const name = this.model.functions[fn].short, room = this.line.begin[call + 1] > this.line.begin[call] && this.line.row[call + 1] === this.line.row[call]
			? (this.line.begin[call + 1] - this.line.begin[call]) / (this.to - this.from) * this.width - 24 : 200;

		c.fillStyle = this.marked && !this.marked[fn] ? dimText[this.theme] : frameText[this.theme];
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
		if (call === this.call || (fn === this.fn?.id && width > 4)) {
			c.strokeStyle = frameText[this.theme];
			c.lineWidth = call === this.call ? 2 : 1;
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

			if (lane && at >= this.from && at <= this.to)
				c.fillRect((at - this.from) / (this.to - this.from) * this.width - 1, this.rowTop(lane.top) - HEAD + 2, 3, HEAD - 4);
		});
	}

	get probe() {
		return {
			spans: () => {
				const place = this.canvas.getBoundingClientRect();

				this.drawNow();
				return this.drawn.map(({ item, x, y, width }) => ({
					item, width, x: place.left + x + width / 2, y: place.top + y + ROW / 2,
					fn: item >= 0 ? this.model.functions[this.line.payload.calls.function[item]].name : "",
				}));
			},
			look: () => [this.from * this.line.nsPerTick, this.to * this.line.nsPerTick],
			call: () => this.call,
		};
	}
}

export const timelinePage: Page = {
	id: "timeline",
	title: "Timeline",
	shows: ({ calls }) => !!calls?.payload.timeline && calls.payload.timeline.all > 0 && !calls.payload.calls_sampled,
	make: ({ calls }, shell, place) => new TimelineView(calls!, shell, place),
	keys: [["← →", "in the timeline: earlier, later"], ["+ − 0", "nearer, farther, the whole run; so does the wheel"],
	       ["l", "the longest call of the selected function"], ["n, p", "its next call, the one before"]],
};
