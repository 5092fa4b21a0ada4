/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What calls took, by the value of an argument: a point for each call, coloured by another argument
 * of the same call if that is asked for. A click leads to the call in the timeline.
 */

import { Multiples } from "./arguments-multiples";
import { choices } from "./choices";
import { heatColour } from "./colour";
import type { ArgumentPoints, Model } from "./data";
import { byId, el } from "./dom";
import { formatCount, formatTime, formatValue, plural, visibleText } from "./format";
import type { CostModel } from "./models-data";
import { classOf } from "./models-data";
import { curvesOf } from "./models-page";
import { Plot, type Picture } from "./plot";
import { parseQuery } from "./search";
import type { Page, Shell, State, View } from "./shell";
import { FunctionTable, setText } from "./table";

const HEATS = 5;

export interface Row {
	id: number;
	name: string;
	points: ArgumentPoints;
	fn: string;
	model: CostModel | null;
}

/** Steps 1 … 5 of equally many values each. */
export function heatSteps(values: readonly number[]): (value: number) => number {
	const sorted = [...values].sort((a, b) => a - b);
	const limits = Array.from({ length: HEATS - 1 }, (_, k) => sorted[Math.floor((k + 1) * sorted.length / HEATS)]);

	return (value) => 1 + limits.filter((limit) => value >= limit).length;
}

class ArgumentsView implements View {
	private readonly rows: Row[];
	private readonly table: FunctionTable<Row>;
	private readonly plot: Plot;
	private readonly multiples: Multiples;
	private readonly axes = choices(["scatter-x", "scatter-y", "scatter-of"], () => {
		this.shell.set({ together: this.axes["scatter-of"] === "all" ? "1" : "", log: (this.axes["scatter-x"] === "log" ? "x" : "") + (this.axes["scatter-y"] === "log" ? "y" : "") }, true);
		this.draw();
	});
	private readonly select = byId<HTMLSelectElement>("scatter-colour");
	private row: Row | null = null;
	private other: Row | null = null; /* colours the points */

	constructor(private readonly model: Model, private readonly shell: Shell) {
		const models = model.payload.models?.models ?? [];

		this.rows = model.payload.arguments!.map((points, id) => {
			const fn = model.functions[points.function].name, within = points.within >= 0 ? model.functions[points.within].name : "";
			const of = points.within >= 0 ? points.within : points.function;

			return { id, points, fn: within || fn, name: `${fn}: ${visibleText(points.name)}${within ? ` in ${within}` : ""}`,
				 model: models.find((each) => each.function === of && each.x === points.name && each.unit === "ns" && !each.over_runs) ?? null };
		});
		this.table = this.makeTable();
		this.plot = new Plot(byId("scatter-box"), "scatter", "", {
			tip: (i) => [this.row!.name, this.factsOf(this.row!, i)], choose: (i) => this.toTimeline(this.row!, i),
		});
		this.multiples = new Multiples(byId("scatter-all"), {
			choose: (row) => this.choose(row, { together: "" }),
			tip: (row, i) => [row.name, this.factsOf(row, i)], toTimeline: (row, i) => this.toTimeline(row, i),
		});
		this.select.addEventListener("change", () => {
			this.shell.set({ colour: this.select.value });
			this.colourBy(this.select.value);
		});
		this.take(this.rows[0] ?? null);
	}

	private makeTable(): FunctionTable<Row> {
		return new FunctionTable<Row>({
			rows: this.rows, sortKey: "values", isUsual: () => true, place: "arguments", choose: (row) => this.choose(row),
			columns: [
				{ key: "name", label: "Argument", hint: "function and argument", width: 240, isText: true, sort: (row) => row.name,
				  fill: (cell, row) => setText(cell, row.name, row.name) },
				{ key: "type", label: "Type", hint: "of the value", width: 120, isText: true, sort: (row) => row.points.type ?? "",
				  fill: (cell, row) => setText(cell, visibleText(row.points.type ?? "")) },
				{ key: "values", label: "Calls", hint: "with a value", width: 90, sort: (row) => row.points.seen,
				  fill: (cell, row) => setText(cell, formatCount(row.points.seen)) },
				{ key: "class", label: "Grows", hint: "how the time grows with the value (Models)", width: 120, isText: true,
				  sort: (row) => row.model ? classOf(row.model) : "", fill: (cell, row) => setText(cell, row.model ? classOf(row.model) : "") },
			],
		});
	}

	/** The user's choice; @more of the address. */
	private choose(row: Row, more: State = {}): void {
		if (more.together === "")
			this.axes.set("scatter-of", "one");
		this.take(row);
		this.shell.set({ fn: row.fn, argument: row.name, colour: "", ...more });
	}

	/** All arguments of its function. */
	private family(row: Row): Row[] {
		return this.rows.filter(({ points }) => points.function === row.points.function && points.within === row.points.within);
	}

	/** Other arguments of the same calls. */
	private others(row: Row): Row[] {
		const { begin, x } = row.points;

		return this.rows.filter((each) => each !== row && each.fn === row.fn && each.points.x.length === x.length &&
			each.points.begin?.every((at, i) => at === begin?.[i] && each.points.strand?.[i] === row.points.strand?.[i]));
	}

	private take(row: Row | null): void {
		this.row = row;
		this.table.select(row, true);
		this.select.replaceChildren(el("option", { value: "" }, "nothing"),
			...(row ? this.others(row) : []).map(({ points }) => el("option", { value: points.name }, visibleText(points.name))));
		this.colourBy("");
	}

	private colourBy(name: string): void {
		this.other = this.row && this.others(this.row).find(({ points }) => points.name === name) || null;
		this.select.value = this.other ? name : "";
		this.draw();
	}

	show(state: State): void {
		const row = this.rows.find(({ name }) => name === state.argument) ?? this.rows.find(({ fn }) => fn === state.fn) ?? this.rows[0] ?? null;

		this.axes.set("scatter-x", (state.log ?? "").includes("x") ? "log" : "linear");
		this.axes.set("scatter-of", state.together ? "all" : "one");
		this.axes.set("scatter-y", (state.log ?? "").includes("y") ? "log" : "linear");
		if (row !== this.row)
			this.take(row);
		this.colourBy(state.colour ?? "");
	}

	search(): void {
		const query = parseQuery(byId<HTMLInputElement>("search").value), active = !query.empty && query.error === "";

		this.table.filter(active ? (row) => query.test(row.name) : null);
		byId("matches").textContent = query.error !== "" ? query.error : plural(this.table.count, "argument");
	}

	enter(): void {
		if (this.table.count === 0)
			return;
		this.choose(this.table.current[0]);
	}

	private toTimeline(row: Row, i: number): void {
		const { begin, strand } = row.points, at = begin?.[i];

		if (at === undefined || at === null || !strand || !this.shell.has("timeline"))
			return this.shell.announce("when this call was is not known");
		const ns = at * this.model.nsPerTick, took = Math.max(1, row.points.y[i]);

		this.shell.go("timeline", { fn: row.fn, at: `${strand[i]}:${at}`,
					    from: Math.max(0, ns - took).toFixed(0), to: (ns + 2 * took).toFixed(0) });
	}

	private factsOf(row: Row, i: number): [string, string][] {
		const { x, y, begin } = row.points, at = begin?.[i];

		return [[visibleText(row.points.name), String(x[i])],
			...(this.other && row === this.row ? [[visibleText(this.other.points.name), String(this.other.points.x[i])] as [string, string]] : []),
			["took", formatTime(y[i])],
			...(at !== undefined && at !== null ? [["began", formatTime(at * this.model.nsPerTick)] as [string, string]] : [])];
	}

	private draw(): void {
		const { row } = this;

		if (!row)
			return;
		const family = this.family(row), isAll = family.length > 1 && this.axes["scatter-of"] === "all";

		byId("scatter-which").hidden = family.length < 2;
		byId("scatter-box").hidden = isAll;
		byId("scatter-all").hidden = !isAll;
		byId("scatter-colour-label").hidden = isAll || this.select.options.length < 2;
		byId("scatter-name").textContent = isAll ? row.fn : row.name;
		if (isAll)
			this.multiples.show(family.map((each) => [each, this.picture(each, null)]));
		else
			this.plot.show(this.picture(row, this.other), `${row.name}: time of ${plural(row.points.x.length, "call")} by the value`);
		byId("scatter-note").textContent = isAll ? this.noteOfAll(family) : this.note(row);
	}

	private picture(row: Row, other: Row | null): Picture {
		const { x, y } = row.points, step = other ? heatSteps(other.points.x) : null;

		return { x: { isLog: this.axes["scatter-x"] === "log", format: formatValue },
			 y: { isLog: this.axes["scatter-y"] === "log", format: formatTime },
			 ...(row.model ? curvesOf(row.model) : {}),
			 dots: { x, y, ...(step ? { colour: (i, theme) => heatColour(theme, step(other!.points.x[i])) } : {}) } };
	}

	private noteOfAll(rows: Row[]): string {
		const seen = rows.map(({ points }) => points.seen), most = Math.max(...seen), shown = Math.max(...rows.map(({ points }) => points.x.length));
		const parts = [`${plural(rows.length, "argument")} of ${plural(most, "call")}${most > shown ? `, ${formatCount(shown)} of them drawn` : ""}`,
			       "upwards the same time everywhere; a name shows that argument alone"];

		return `${parts.join("; ")}.`;
	}

	private note(row: Row): string {
		const { x, seen } = row.points, hidden = this.plot.withoutPlace;
		const parts = [`${plural(x.length, "point")}${seen > x.length ? ` of ${formatCount(seen)} calls, spread evenly over them` : ", one a call"}; ` +
			       "across the value, upwards the time of the call"];

		if (row.points.begin && this.shell.has("timeline"))
			parts.push("a click shows the call in the timeline");
		if (this.other)
			parts.push(`the darker, the larger is ${visibleText(this.other.points.name)}`);
		if (row.model)
			parts.push(`the curve is its model (${classOf(row.model)}), the bands where it is and where 95 % of its points are expected`);
		return `${parts.join("; ")}.${hidden > 0 ? ` ${plural(hidden, "point")} at or below zero have no place on this axis.` : ""}`;
	}

	get probe() {
		return { points: () => this.plot.places, multiples: () => this.multiples.places };
	}
}

export const argumentsPage: Page = {
	id: "arguments",
	title: "Arguments",
	shows: ({ calls }) => (calls?.payload.arguments ?? []).length > 0,
	make: ({ calls }, shell) => new ArgumentsView(calls!, shell),
};
