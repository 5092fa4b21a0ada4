/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What calls took, by the value of an argument: a point for each call, coloured by another argument
 * of the same call if that is asked for. A click leads to the call in the timeline.
 */

import { choices } from "./choices";
import { heatColour } from "./colour";
import type { ArgumentPoints, Model } from "./data";
import { byId, el } from "./dom";
import { formatCount, formatTime, formatValue, plural, visibleText } from "./format";
import type { CostModel } from "./models-data";
import { classOf } from "./models-data";
import { curvesOf } from "./models-page";
import { Plot } from "./plot";
import { parseQuery } from "./search";
import type { Page, Shell, State, View } from "./shell";
import { FunctionTable, setText } from "./table";

const HEATS = 5;

interface Row {
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
	private readonly axes = choices(["scatter-x", "scatter-y"], () => {
		this.shell.set({ log: (this.axes["scatter-x"] === "log" ? "x" : "") + (this.axes["scatter-y"] === "log" ? "y" : "") }, true);
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
		this.plot = new Plot(byId("scatter-box"), "scatter", "", { tip: (i) => [this.row!.name, this.factsOf(i)], choose: (i) => this.toTimeline(i) });
		this.select.addEventListener("change", () => {
			this.shell.set({ colour: this.select.value });
			this.colourBy(this.select.value);
		});
		this.take(this.rows[0] ?? null);
	}

	private makeTable(): FunctionTable<Row> {
		return new FunctionTable<Row>({
			rows: this.rows, sortKey: "values", isUsual: () => true, place: "arguments", choose: (row) => {
				this.take(row);
				this.shell.set({ fn: row.fn, argument: row.name, colour: "" });
			},
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
		byId("scatter-colour-label").hidden = this.select.options.length < 2;
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
		this.take(this.table.current[0]);
		this.shell.set({ fn: this.row!.fn, argument: this.row!.name, colour: "" });
	}

	private toTimeline(i: number): void {
		const { begin, strand } = this.row!.points, at = begin?.[i];

		if (at === undefined || at === null || !strand || !this.shell.has("timeline"))
			return this.shell.announce("when this call was is not known");
		const ns = at * this.model.nsPerTick, took = Math.max(1, this.row!.points.y[i]);

		this.shell.go("timeline", { fn: this.row!.fn, at: `${strand[i]}:${at}`,
					    from: Math.max(0, ns - took).toFixed(0), to: (ns + 2 * took).toFixed(0) });
	}

	private factsOf(i: number): [string, string][] {
		const { x, y, begin } = this.row!.points, at = begin?.[i];

		return [[visibleText(this.row!.points.name), String(x[i])],
			...(this.other ? [[visibleText(this.other.points.name), String(this.other.points.x[i])] as [string, string]] : []),
			["took", formatTime(y[i])],
			...(at !== undefined && at !== null ? [["began", formatTime(at * this.model.nsPerTick)] as [string, string]] : [])];
	}

	private draw(): void {
		const { row, other } = this;

		if (!row)
			return;
		const { x, y } = row.points, step = other ? heatSteps(other.points.x) : null;

		this.plot.show({ x: { isLog: this.axes["scatter-x"] === "log", format: formatValue },
				 y: { isLog: this.axes["scatter-y"] === "log", format: formatTime },
				 ...(row.model ? curvesOf(row.model) : {}),
				 dots: { x, y, ...(step ? { colour: (i, theme) => heatColour(theme, step(other!.points.x[i])) } : {}) } },
			       `${row.name}: time of ${plural(x.length, "call")} by the value`);
		byId("scatter-name").textContent = row.name;
		byId("scatter-note").textContent = this.note(row);
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
		return { points: () => this.plot.places };
	}
}

export const argumentsPage: Page = {
	id: "arguments",
	title: "Arguments",
	shows: ({ calls }) => (calls?.payload.arguments ?? []).length > 0,
	make: ({ calls }, shell) => new ArgumentsView(calls!, shell),
};
