/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calls in time, a lane for each thread: where we look, which call is chosen, and what is known
 * of it. What the page has only as a sum says which command shows its calls. Positions are ticks
 * since the start of the run; the address has ns.
 */

import type { Fn, Model } from "./data";
import { byId, el } from "./dom";
import { formatCount, formatExact, formatShare, formatTime, plural } from "./format";
import { pick } from "./header";
import { parseQuery } from "./search";
import type { Page, Shell, State, View } from "./shell";
import { makeTimeline, type Timeline } from "./timeline-data";
import { TimelinePicture, type Drawn } from "./timeline-picture";

class TimelineView implements View {
	private readonly line: Timeline;
	private readonly picture: TimelinePicture;
	private readonly box = el("div", { id: "timeline-box", tabindex: "0", role: "application", "aria-roledescription": "timeline",
					   "aria-label": "Calls in time. Arrow keys move, plus and minus zoom, 0 shows everything, l finds the longest call, n and p the next and the one before." });
	private readonly facts = el("div", { id: "timeline-facts", class: "quiet" });
	private readonly note = el("p", { id: "timeline-note", class: "quiet hint" });
	private from: number;
	private to: number;
	private marked: Uint8Array | null = null;
	private fn: Fn | null = null;
	private call = -1;
	private drag: { x: number; y: number; from: number; top: number; moved: boolean } | null = null;
	private urlTimer = 0;
	/** Of the run that rarog blow --timeline has made: the function that had the noise, which is marked. */
	private readonly noised: { name: string; mode: string; delay_ns: number } | undefined;

	constructor(private readonly model: Model, private readonly shell: Shell, place: HTMLElement) {
		this.noised = pick(model.header, "noised") as TimelineView["noised"];
		this.line = makeTimeline(model.payload, model.payload.timeline!);
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
			   button("timeline-all", "All", "from the first call to the end of the last (0)", () => this.lookAt(...this.whole()))),
			this.box, this.facts, this.note)));
		this.picture = new TimelinePicture(model, this.line, this.box);
		this.wire();
		this.describe();
	}

	private whole(): [number, number] {
		const [from, to] = this.line.span;

		return [from, Math.max(to, from + 1)];
	}

	private describe(): void {
		const { calls, all, slice } = this.line.payload, rest = all - calls.begin.length;

		this.note.textContent = this.describeNoise() + (all === 0 ? "No call is in this part of the run."
			: (this.model.payload.calls_sampled ? "Only some calls were recorded: the others are not shown, and the calls that they made are shown below their callers. " : "") +
			`${plural(all, "call")}: ` + (rest === 0 ? "all of them one by one."
			: `${formatCount(calls.begin.length)} one by one, the longest and the longest of each function; the other ${formatCount(rest)} ` +
				`are sums over ${formatTime(slice * this.line.nsPerTick)}, hatched, as high as the share of that time they take. ` +
				(this.from > this.whole()[0] || this.to < this.whole()[1] ? `This command shows more of the calls in sight one by one: ${this.command()}`
				: "Zoom in, and the command that shows more of them one by one stands here.")) +
			(this.line.absences ? " Above a thread's calls a pale bar is where it waited, a strong one where it could have run and another thread did" +
				(this.line.absences.payload.is_all ? "." : " (the longest of the run).") : ""));
	}

	private describeNoise(): string {
		const fn = this.noised && this.model.functions.find(({ name }) => name === this.noised!.name);

		if (!this.noised || !fn)
			return "";
		return this.noised.mode === "slow" ? `Each call of ${fn.short}, which is marked, was late by ${formatTime(this.noised.delay_ns)} (rarog blow). `
			: `${fn.short}, which is marked, was faster than the rest (rarog blow ${this.noised.mode}). `;
	}

	/** The command for what is in sight. */
	private command(): string {
		const us = (ticks: number) => `${Math.max(0, Math.floor(ticks * this.line.nsPerTick / 1000))}us`;

		return `rarog report ${this.model.payload.profile.replace(/^.*\//, "")} --from ${us(this.from)} --to ${us(this.to + 1000 / this.line.nsPerTick)}`;
	}

	private wire(): void {
		const { canvas } = this.picture;

		canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
		canvas.addEventListener("pointerdown", (event) => {
			this.drag = { x: event.offsetX, y: event.offsetY, from: this.from, top: this.box.scrollTop, moved: false };
			canvas.setPointerCapture(event.pointerId);
		});
		canvas.addEventListener("pointermove", (event) => this.onMove(event));
		canvas.addEventListener("pointerup", (event) => this.onUp(event));
		canvas.addEventListener("pointercancel", () => {
			this.drag = null;
		});
		canvas.addEventListener("pointerleave", () => {
			byId("tip").hidden = true;
		});
	}

	show(state: State): void {
		const wanted = state.fn || this.noised?.name, fn = this.model.functions.find(({ name }) => name === wanted) ?? null;
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
			this.picture.reveal(row[call]);
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

	private draw(): void {
		const { from, to, marked, fn, call } = this;

		this.picture.show({ from, to, marked, call, fn: fn?.id ?? -1 });
	}

	private zoomBy(factor: number, at = (this.from + this.to) / 2): void {
		this.lookAt(at - (at - this.from) * factor, at + (this.to - at) * factor);
	}

	private moveBy(share: number): void {
		const step = (this.to - this.from) * share;

		this.lookAt(this.from + step, this.to + step);
	}

	private onWheel(event: WheelEvent): void {
		const { width } = this.picture, at = this.from + event.offsetX / width * (this.to - this.from);

		event.preventDefault();
		if (event.shiftKey)
			this.box.scrollTop += event.deltaY || event.deltaX;
		else if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
			this.moveBy(event.deltaX / width);
		else
			this.zoomBy(1.0015 ** event.deltaY, at);
	}

	private onMove(event: PointerEvent): void {
		if (this.drag) {
			const by = this.drag.x - event.offsetX, down = this.drag.y - event.offsetY;
			const from = this.drag.from + by / this.picture.width * (this.to - this.from);

			this.drag.moved ||= Math.max(Math.abs(by), Math.abs(down)) > 3;
			if (this.drag.moved) {
				this.box.scrollTop = this.drag.top + down;
				this.lookAt(from, from + this.to - this.from);
			}
			return;
		}
		const hit = this.picture.at(event.offsetX, event.offsetY);

		this.picture.canvas.style.cursor = hit ? "pointer" : "grab";
		if (hit && event.pointerType !== "touch")
			this.showTip(hit, event.clientX, event.clientY);
		else
			byId("tip").hidden = true;
	}

	private onUp(event: PointerEvent): void {
		const hit = this.picture.at(event.offsetX, event.offsetY), { drag } = this;

		this.drag = null;
		if (!drag || drag.moved || !hit)
			return;
		if (hit.item >= 0)
			return this.choose(hit.item, false);
		const begin = this.line.sumBegin[-1 - hit.item];

		this.lookAt(begin - this.line.payload.slice, begin + 2 * this.line.payload.slice);
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

	get probe() {
		return {
			spans: () => {
				this.picture.drawNow();
				return this.picture.drawn.map((each) => {
					const { item, width } = each, [x, y] = this.picture.middleOf(each);

					return { item, width, x, y, fn: item >= 0 ? this.model.functions[this.line.payload.calls.function[item]].name : "" };
				});
			},
			look: () => [this.from * this.line.nsPerTick, this.to * this.line.nsPerTick],
			call: () => this.call,
		};
	}
}

export const timelinePage: Page = {
	id: "timeline",
	title: "Timeline",
	shows: ({ calls }) => !!calls?.payload.timeline && calls.payload.timeline.all > 0,
	make: ({ calls }, shell, place) => new TimelineView(calls!, shell, place),
	keys: [["← →", "in the timeline: earlier, later"], ["+ − 0", "nearer, farther, the whole run; so does the wheel, which goes up and down with shift"],
	       ["l", "the longest call of the selected function"], ["n, p", "its next call, the one before"]],
};
