/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profile of influence (rarog blow): which part of a delay in a function reaches the end of the run. */

import type { Model, Trials } from "./data";
import { byId, el } from "./dom";
import { formatCount, formatTime, plural, UNKNOWN } from "./format";
import { pick } from "./header";
import { isGain, isOfNoise, part, rowsOf, type Row } from "./noise-rows";
import { Plot } from "./plot";
import { parseQuery } from "./search";
import type { Page, Shell, State, View } from "./shell";
import { FunctionTable, setText, type Column } from "./table";

/** Of one function and one thread: noise and time of each run, ns. */
interface Runs {
	x: number[];
	y: number[];
	number: number[];
}

function runsOf(trials: Trials, nsPerTick: number, fn: number, strand: number): Runs {
	const runs: Runs = { x: [], y: [], number: [] };

	trials.function.forEach((at, i) => {
		if (at !== fn || trials.strand[i] !== strand)
			return;
		runs.x.push(trials.injected[i] * nsPerTick);
		runs.y.push(trials.time[i] * nsPerTick);
		runs.number.push(trials.number[i]);
	});
	return runs;
}

/* Of the header: what noise did to each progress point, and the profile of speed-up. */
interface Step {
	part: number; /* of the function, by which it was faster … */
	gain: number; /* … and of the run, or the time for a passage */
	runs: number;
}

interface PointEffects {
	name: string; /* of the function, as the linker knows it */
	profile?: Step[];
	points: { point: string; estimate?: number; profile?: Step[] }[];
}

interface ThreadEffects {
	starts: string[];
	functions: { name: string; calls: number[]; effects: (number | null)[] }[];
}

const PROFILE = "profile:";

/** The profile of speed-up of a function: of its point number @at, or of the whole run. */
function profileOf(effects: PointEffects[], name: string, at: number): Step[] {
	const of = effects.find((one) => one.name === name);

	return (of && (of.points.length > 0 ? of.points[at]?.profile : of.profile)) ?? [];
}

const mean = (values: number[]): number => values.reduce((all, value) => all + value, 0) / values.length;

class NoiseView implements View {
	private readonly trials: Trials | null;
	private readonly plot: Plot;
	private readonly thread = byId<HTMLSelectElement>("noise-thread");
	private row: Row | null = null;
	private runs: Runs = { x: [], y: [], number: [] };
	private readonly rows: Row[];
	private readonly table: FunctionTable<Row>;
	private readonly from: number;
	private readonly to: number;
	private readonly isGain: boolean;
	private readonly effects: PointEffects[];

	constructor(private readonly model: Model, private readonly shell: Shell) {
		this.rows = rowsOf(model, model.payload.experiments!);
		this.from = Math.min(0, ...this.rows.map(({ low }) => low));
		this.to = Math.max(1, ...this.rows.map(({ high }) => high));
		this.isGain = this.rows.every(isGain);
		byId("noise-heading").textContent = this.isGain ? "What faster code would gain" : "What slower code would cost the run";
		this.table = new FunctionTable<Row>({
			rows: this.rows, sortKey: this.rows.some(({ sensitivity }) => Number.isFinite(sensitivity)) ? "sensitivity" : "effect",
			isUsual: () => true, place: "noise", columns: this.columns(),
			choose: (row) => {
				this.row = row;
				this.draw();
				this.shell.set({ fn: row.fn.name });
			},
		});
		this.trials = model.payload.experiments!.trials ?? null;
		this.effects = (pick(model.header, "noise_points") ?? []) as PointEffects[];
		this.plot = new Plot(byId("noise-plot-box"), "noise-plot", "", {
			tip: (i) => this.thread.value.startsWith(PROFILE) ? [plural(this.runs.number[i], "run"), [["function faster by", part(this.runs.x[i])], ["program faster by", part(this.runs.y[i])]]] : [`run ${this.runs.number[i]}`, [["noise", this.runs.x[i] > 0 ? formatTime(this.runs.x[i]) : "none"], ["took", formatTime(this.runs.y[i])]]],
		});
		this.fillThreads();
		this.fillThreadTable();
		const meaning = this.isGain ? "At 40 % the run would be shorter by 40 % if the function took no time at all; at 0 % nothing would be gained. " +
			"The bar is the 95 % interval; lines are at 0 and 100 %." : `At 100 % each moment of a delay there is lost at the end, at 0 % none is: something else is waited for. The bar is the 95 % interval; ` +
			`lines are at 0 and 100 %. Sensitivity: by what part of itself the run gets slower when the function gets slower by a part of itself.`;

		byId("noise-note").textContent = `${plural(this.rows.length, "place")} got noise in ${plural(this.rows.reduce((all, { runs }) => all + runs, 0), "run")}. ${meaning}`;
	}

	/** The whole run, and each thread of which times are known. */
	private fillThreads(): void {
		const strands = [...new Set(this.trials?.strand ?? [])].sort((a, b) => a - b);

		const points = this.effects[0]?.points ?? [], hasProfile = this.effects.some((one) => (one.profile?.length ?? 0) > 0);
		const profiles = points.length > 0 ? points.map(({ point }) => `a passage of ${point}, by how much faster the function is`) : ["the run, by how much faster the function is"];

		this.thread.replaceChildren(...strands.map((strand) => el("option", { value: String(strand) }, strand < 0 ? "the run" : `thread ${strand}`)),
					    ...(hasProfile ? profiles : []).map((text, i) => el("option", { value: `${PROFILE}${i}` }, text)));
		byId("noise-thread-label").hidden = this.thread.options.length < 2;
		this.thread.addEventListener("change", () => this.draw());
	}

	/** Functions across threads: calls of the traced run, and what noise did to the thread's time. */
	private fillThreadTable(): void {
		const threads = pick(this.model.header, "noise_threads") as ThreadEffects | undefined;

		byId("noise-by-thread").hidden = !threads;
		if (!threads)
			return;
		const short = (name: string) => this.model.functions.find((fn) => fn.name === name)?.short ?? name;
		const cell = (calls: number, effect: number | null | undefined) =>
			calls === 0 ? "" : effect === null || effect === undefined ? formatCount(calls) : `${formatCount(calls)} (${part(effect)})`;

		byId("noise-threads").replaceChildren(
			el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Function"), ...threads.starts.map((start, i) => el("th", { scope: "col", class: "number" }, `${i} ${start}`)))),
			el("tbody", {}, ...threads.functions.map(({ name, calls, effects }) => el("tr", {}, el("th", { scope: "row", class: "code" }, short(name)),
				...calls.map((n, i) => el("td", { class: "number" }, cell(n, effects[i])))))));
	}

	/** By which part the function was virtually faster across, by which the program was upwards. */
	private drawProfile(row: Row, at: number): void {
		const steps = profileOf(this.effects, row.fn.name, at), format = (value: number) => part(value);

		this.runs = { x: steps.map((step) => step.part), y: steps.map((step) => step.gain), number: steps.map((step) => step.runs) };
		byId("noise-plot-note").textContent = `${plural(steps.length, "strength")}; across by what part of itself the function was virtually faster, upwards by what part of itself ` +
			`the program was: the median of ${steps.map((step) => step.runs).join(", ") || "no"} runs.`;
		this.plot.show({ x: { isLog: false, format, fromZero: true }, y: { isLog: false, format, fromZero: true }, lines: steps.length > 1 ? [{ x: this.runs.x, y: this.runs.y, colour: "--curve" }] : [],
				 dots: { x: this.runs.x, y: this.runs.y } }, `${row.title}: profile of speed-up, ${plural(steps.length, "strength")}`);
	}

	/** Noise across, time upwards; the line is the estimate of the whole run. */
	private draw(): void {
		const { row, trials } = this;

		byId("noise-runs").hidden = !row || !trials;
		if (!row || !trials)
			return;
		byId("noise-name").textContent = row.title;
		if (this.thread.value.startsWith(PROFILE)) {
			this.drawProfile(row, Number(this.thread.value.slice(PROFILE.length)));
			return;
		}
		const strand = Number(this.thread.value), runs = this.runs = runsOf(trials, this.model.nsPerTick, row.at, strand);
		const none = runs.y.filter((_, i) => runs.x[i] === 0), most = Math.max(...runs.x), base = mean(none.length > 0 ? none : runs.y);
		const lines = strand < 0 && !this.isGain ? [{ x: [0, most], y: [base, base + row.effect * most], colour: "--curve" }] : [];

		byId("noise-plot-note").textContent = `${plural(runs.x.length, "run")}, ${none.length} of them without noise there; across the noise of all calls together, upwards the time of ` +
			`${strand < 0 ? "the run" : "the thread"}${lines.length > 0 ? "; the line is the estimate" : ""}.`;
		this.plot.show({ x: { isLog: false, format: formatTime }, y: { isLog: false, format: formatTime, fromZero: false }, lines, dots: { x: runs.x, y: runs.y } },
			       `${row.title}: time of ${plural(runs.x.length, "run")} by the noise in it`);
	}

	private columns(): Column<Row>[] {
		return [
			{ key: "name", label: "Function", hint: "where the noise was", width: 260, isText: true, sort: (row) => row.title, fill: (cell, row) => setText(cell, row.title, row.fn.name) },
			{ key: "effect", label: this.isGain ? "Would be gained" : "Reaches the end", hint: this.isGain ? "of the run, if the function took no time" : "estimate", width: 130, sort: (row) => row.effect, fill: (cell, row) => setText(cell, part(row.effect)) },
			{ key: "interval", label: "95 % interval", hint: "drawn from the least to the largest of all", width: 300, sort: (row) => row.low, fill: (cell, row) => this.drawInterval(cell, row) },
			{ key: "sensitivity", label: "Sensitivity", hint: "the part that reaches the end, times the function's part of the run", width: 110, sort: (row) => row.sensitivity,
			  fill: (cell, row) => setText(cell, Number.isFinite(row.sensitivity) ? row.sensitivity.toFixed(3).replace("-", "−") : UNKNOWN) },
			{ key: "calls", label: "Calls", hint: "of the traced run", width: 100, sort: (row) => row.fn.calls, fill: (cell, row) => setText(cell, formatCount(row.fn.calls)) },
			{ key: "amount", label: "Noise a call", hint: "of the last run", width: 110, sort: (row) => row.amount, fill: (cell, row) => setText(cell, formatTime(row.amount)) },
			{ key: "runs", label: "Runs", hint: "with noise there", width: 80, sort: (row) => row.runs, fill: (cell, row) => setText(cell, formatCount(row.runs)) },
			{ key: "kind", label: "Kind", hint: "of the experiment", width: 90, isText: true, sort: (row) => row.kind, fill: (cell, row) => setText(cell, row.kind) },
		];
	}

	private drawInterval(cell: HTMLElement, { effect, low, high }: Row): void {
		const at = (value: number) => `${((value - this.from) / (this.to - this.from) * 100).toFixed(2)}%`;
		const place = (node: HTMLElement, value: number, to = value) => {
			node.style.left = at(value);
			node.style.width = to > value ? `${((to - value) / (this.to - this.from) * 100).toFixed(2)}%` : "";
			return node;
		};

		cell.title = `${part(low)} … ${part(high)}`;
		cell.replaceChildren(el("span", { class: "hidden" }, cell.title), el("div", { class: "track", "aria-hidden": "true" },
			place(el("s"), 0), place(el("s"), 1), place(el("b"), low, high), place(el("i"), effect)));
	}

	show(state: State): void {
		const chosen = this.rows.find(({ fn }) => fn.name === state.fn) ?? null;

		this.table.select(chosen, true);
		this.row = chosen ?? [...this.rows].sort((a, b) => b.sensitivity - a.sensitivity || b.effect - a.effect)[0] ?? null;
		this.draw();
	}

	search(): void {
		const query = parseQuery(byId<HTMLInputElement>("search").value), active = !query.empty && query.error === "";

		this.table.filter(active ? (row) => query.test(row.fn.name) : null);
		byId("matches").textContent = query.error !== "" ? query.error : plural(this.table.count, "experiment");
	}
}

export const noisePage: Page = {
	id: "noise",
	title: "Noise",
	shows: ({ calls }) => calls !== null && isOfNoise(calls),
	make: ({ calls }, shell) => new NoiseView(calls!, shell),
};
