/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a function's cost grows: its points, the curve with its bands, what the curve leaves, rivals. */

import { choices } from "./choices";
import { byId, el } from "./dom";
import { formatAmount, formatBig, formatCount, formatShare, formatValue, plural, UNKNOWN, visibleText } from "./format";
import { classOf, nameOfModel, whatPointsAre, type Candidate, type CostModel, type ModelsPayload, type Piece } from "./models-data";
import { signs, toneOf, type Change, type PairModel } from "./pair-data";
import { Plot, type Axis, type Band, type Dots, type Line } from "./plot";
import { parseQuery } from "./search";
import type { Page, Shell, State, View } from "./shell";
import { FunctionTable, setText } from "./table";

const MANY = 1500; /* points: hexagons from here on */

interface Row {
	id: number;
	model: CostModel;
	name: string;
	fn: string;
	/* of two versions: */
	former: CostModel | null; /* before, where .model is now */
	only: "" | "before" | "now"; /* the version that has it, "" both */
	changes: Change[]; /* what rarog check says of its growth */
}

/** Curve and bands of the pieces, for any plot of these points. */
export function curvesOf(model: CostModel, colour = "--curve", dash: number[] = []): { lines: Line[]; bands: Band[] } {
	const curves = model.pieces.flatMap(({ curve }) => curve ?? []);

	return {
		lines: curves.map(({ x, value }) => ({ x, y: value, colour, dash })),
		bands: curves.flatMap(({ x, low, high, low_one, high_one }) => [
			{ x, low: low_one, high: high_one, colour, strength: 0.1 },
			{ x, low, high, colour, strength: 0.25 }]),
	};
}

const single = { former: null, only: "" as const, changes: [] };

function rowsOfRun({ models }: ModelsPayload, functions: { name: string }[]): Row[] {
	return models.map((model, id) => ({ id, model, name: nameOfModel(model), fn: functions[model.function]?.name ?? "", ...single }));
}

/** A function is the same one if it is the same row, whatever it was called before. */
function rowsOfPair({ check, functions, program }: PairModel): Row[] {
	const { before, now } = check.models!;
	const isSame = (a: CostModel, b: CostModel) => a.x === b.x && a.y === b.y && a.function === b.function && (a.function >= 0 || a.name === b.name);
	const row = (model: CostModel, former: CostModel | null, only: Row["only"]) => ({
		id: 0, model, former, only, name: nameOfModel(model), fn: functions[model.function]?.name ?? "",
		changes: (functions[model.function]?.changes ?? (model.name === "program" ? program : [])).filter(({ metric }) => metric === "growth"),
	});
	const pairs = now.map((model) => {
		const former = before.find((each) => isSame(each, model)) ?? null;

		return row(model, former, former ? "" : "now");
	});
	const gone = before.filter((each) => !now.some((model) => isSame(each, model))).map((model) => row(model, null, "before"));

	return [...pairs, ...gone].map((each, id) => ({ ...each, id }));
}

/** The dots of both versions, those of before first. */
function dotsOf({ model, former }: Row, value: (model: CostModel, i: number) => number): Dots {
	const all = former ? [former, model] : [model], from = former ? former.points.x.length : 0;
	const n = all.flatMap(({ points }) => points.n.length > 0 ? points.n : points.x.map(() => 1));

	return {
		x: all.flatMap(({ points }) => points.x), n,
		y: all.flatMap((each) => each.points.x.map((_, i) => value(each, i))),
		former: from,
	};
}

/** "quadratic; before linear" */
function classes({ model, former, only }: Row): string {
	const now = classOf(model);

	return only !== "" ? `${now}; only ${only}` : former && classOf(former) !== now ? `${now}; before ${classOf(former)}` : now;
}

/** What became of the growth, in the words of rarog check. */
function changeOf({ changes, only }: Row): HTMLElement[] {
	if (only !== "")
		return [el("p", { class: "quiet" }, only === "now" ? "Before there is no such model." : "Now there is no such model.")];
	return changes.flatMap(({ "class": name, words, reason }) => [
		el("p", {}, `${signs[toneOf(name)]} ${words.class}${words.change ? `, ${words.change}` : ""}`),
		...(reason ? [el("p", { class: "quiet" }, reason)] : [])]);
}

function usualDots(row: Row | null): string {
	return row && !row.former && row.model.points.x.length > MANY ? "hex" : "points";
}

function fact(name: string, value: string, title = ""): HTMLElement {
	return el("div", title ? { title } : {}, el("dt", {}, name), el("dd", {}, value));
}

function coefficientTable(piece: Piece): HTMLElement {
	const number = (value: number | null) => value === null ? UNKNOWN : String(Number(value.toPrecision(4)));

	return el("table", { class: "coefficients" },
		  el("caption", { class: "hidden" }, "Coefficients with their 95 % intervals"),
		  ...piece.coefficients.map(({ value, low, high }, i) => el("tr", {},
			el("th", { scope: "row" }, `b${i}`), el("td", {}, number(value)),
			el("td", { class: "quiet" }, `${number(low)} … ${number(high)}`))));
}

class ModelsView implements View {
	private readonly table: FunctionTable<Row>;
	private readonly plot: Plot;
	private readonly residuals: Plot;
	private readonly axes = choices(["model-dots", "model-x", "model-y"], () => this.onAxes());
	private row: Row | null = null;
	private candidate = "";

	constructor(private readonly rows: Row[], private readonly level: number, private readonly shell: Shell) {
		this.table = this.makeTable();
		const tip = (i: number): [string, [string, string][]] => [this.row!.name, this.factsOf(i)];

		this.plot = new Plot(byId("model-box"), "model-plot", "", { tip });
		this.residuals = new Plot(byId("residual-box"), "residual-plot", "Residuals", { tip });
	}

	private makeTable(): FunctionTable<Row> {
		const number = (key: string, label: string, hint: string, width: number, value: (row: Row) => number, show: (value: number) => string) => ({
			key, label, hint, width, sort: value,
			fill: (cell: HTMLElement, row: Row) => setText(cell, show(value(row))),
		});
		const text = (key: string, label: string, hint: string, width: number, value: (row: Row) => string) => ({
			key, label, hint, width, isText: true, sort: value,
			fill: (cell: HTMLElement, row: Row) => setText(cell, value(row), value(row)),
		});
		const piece = (row: Row) => row.model.pieces[0];

		return new FunctionTable<Row>({
			rows: this.rows, sortKey: "points", isUsual: () => true, place: "models", choose: (row) => this.choose(row),
			columns: [
				text("name", "Model of", "function, and what its cost grows with", 300, (row) => row.name),
				text("class", "Class", "cannot tell: the points do not exclude others", this.rows.some(({ former }) => former) ? 220 : 120, classes),
				number("sure", "Sure", "how well the points speak for this class", 80,
				       (row) => piece(row)?.is_told ? piece(row).certainty ?? NaN : NaN, (v) => Number.isNaN(v) ? "" : formatShare(v)),
				number("r2", "R²", "part of the variance that the curve explains", 70, (row) => piece(row)?.r2 ?? NaN,
				       (v) => Number.isNaN(v) ? UNKNOWN : v.toFixed(3)),
				number("points", "Measured", "calls or runs", 90, (row) => row.model.count, formatBig),
				text("formula", "Formula", "cost of n", 260, (row) => piece(row)?.formula ?? row.model.missing ?? ""),
			],
		});
	}

	private onAxes(): void {
		const dots = this.axes["model-dots"];

		this.shell.set({ dots: dots === usualDots(this.row) ? "" : dots, log: this.logs }, true);
		this.draw();
	}

	private get logs(): string {
		return (this.axes["model-x"] === "log" ? "x" : "") + (this.axes["model-y"] === "log" ? "y" : "");
	}

	private choose(row: Row): void {
		this.select(row);
		this.shell.set({ fn: row.fn, model: row.name, candidate: "" });
	}

	private select(row: Row | null, candidate = ""): void {
		this.row = row;
		this.candidate = candidate;
		this.axes.set("model-dots", this.shell.current.dots ?? usualDots(row));
		this.table.select(row, true);
		this.draw();
		this.showDetail();
	}

	show(state: State): void {
		const row = this.rows.find(({ name, fn }) => name === state.model && (!state.fn || fn === state.fn)) ??
			this.rows.find(({ fn }) => fn !== "" && fn === state.fn) ?? this.rows[0] ?? null;

		this.axes.set("model-x", (state.log ?? "").includes("x") ? "log" : "linear");
		this.axes.set("model-y", (state.log ?? "").includes("y") ? "log" : "linear");
		this.select(row, state.candidate ?? "");
	}

	search(): void {
		const query = parseQuery(byId<HTMLInputElement>("search").value), active = !query.empty && query.error === "";

		this.table.filter(active ? (row) => query.test(row.name) : null);
		byId("matches").textContent = query.error !== "" ? query.error : plural(this.table.count, "model");
	}

	enter(): void {
		if (this.table.count > 0)
			this.choose(this.table.current[0]);
	}

	private factsOf(i: number): [string, string][] {
		const { model, former } = this.row!, from = former?.points.x.length ?? 0;

		return i < from ? this.factsOfPoint(former!, i, " before") : this.factsOfPoint(model, i - from, former ? " now" : "");
	}

	private factsOfPoint({ points, x, unit }: CostModel, i: number, when: string): [string, string][] {
		const amount = formatAmount(unit), value = points.value[i];
		const facts: [string, string][] = [[visibleText(x), formatValue(points.x[i])], [`measured${when}`, amount(points.y[i])]];

		if (value !== null)
			facts.push(["expected", amount(value)], ["difference", amount(points.y[i] - value)]);
		if (points.n[i] > 1)
			facts.push(["stands for", plural(points.n[i], "call")]);
		return facts;
	}

	private get rival(): { candidate: Candidate; x: number[] } | null {
		const piece = this.row?.model.pieces.find(({ candidates }) => candidates?.some(({ family }) => family === this.candidate));
		const candidate = piece?.candidates!.find(({ family }) => family === this.candidate);

		return candidate && piece?.curve ? { candidate, x: piece.curve.x } : null;
	}

	private draw(): void {
		const { row } = this;

		byId("residual-heading").hidden = byId("residual-box").hidden = !row || row.model.pieces.length === 0;
		if (!row)
			return;
		const { model, former } = row, now = curvesOf(model), rival = this.rival;
		const then = former ? curvesOf(former, "--before", [2, 4]) : { lines: [], bands: [] };
		const lines = [...then.lines, ...now.lines], bands = [...then.bands, ...now.bands];
		const amount = formatAmount(model.unit), isHex = this.axes["model-dots"] === "hex";
		const x: Axis = { isLog: this.axes["model-x"] === "log", format: formatValue };

		if (rival)
			lines.push({ x: rival.x, y: rival.candidate.value, colour: "--rival", dash: [7, 5] });
		this.plot.show({ x, y: { isLog: this.axes["model-y"] === "log", format: amount },
				 dots: dotsOf(row, ({ points }, i) => points.y[i]), isHex, lines, bands }, this.inWords(row));
		const left = dotsOf(row, ({ points }, i) => points.value[i] === null ? NaN : points.y[i] - points.value[i]!);

		this.residuals.show({ x, y: { isLog: false, format: amount }, isHex, dots: left,
				      lines: [{ x: [Math.min(...left.x), Math.max(...left.x)], y: [0, 0], colour: "--curve" }] });
		byId("model-name").textContent = row.name;
		byId("model-x-name").textContent = visibleText(model.x);
		byId("model-note").textContent = this.note(row);
	}

	private inWords({ name, model, former }: Row): string {
		const words = (each: CostModel) => `${plural(each.points.x.length, "point")}, ${classOf(each)}. ${each.pieces[0]?.formula ?? ""}`;

		return `${name}: ${former ? `before ${words(former)}; now ` : ""}${words(model)}`;
	}

	private note({ model, former }: Row): string {
		const { points, fitted, not_finite } = model, what = whatPointsAre(model), n = points.x.length;
		const parts = [`${plural(n, "point")}${n < fitted ? ` of ${formatCount(fitted)}` : ""}, each a ${what}` +
			       (model.count > fitted ? `, of ${plural(model.count, "call")}` : "")];

		if (former)
			parts.push(`rings and the dotted curve are of before, ${plural(former.points.x.length, "point")}`);
		if (model.pieces.some(({ curve }) => curve?.low_one.some((low) => low !== null)))
			parts.push(`the dark band is where the curve is, the light one where ${Math.round(100 * this.level)} % of such points are expected`);
		if (not_finite > 0)
			parts.push(`${plural(not_finite, "value")} left out that are no finite numbers`);
		if (this.plot.withoutPlace > 0)
			parts.push(`${plural(this.plot.withoutPlace, "point")} at or below zero have no place on this axis`);
		return `${parts.join("; ")}.`;
	}

	private showDetail(): void {
		const panel = byId("model-detail"), { row } = this;

		if (!row) {
			panel.replaceChildren(el("p", { class: "quiet" }, "Select a model."));
			return;
		}
		const { model } = row, children: HTMLElement[] = [el("h2", { class: "code" }, visibleText(model.name))];

		if (row.fn !== "" && this.shell.has("functions")) {
			const button = el("button", { type: "button", class: "zoom-to" }, "Show among functions");

			button.addEventListener("click", () => this.shell.go("functions", { fn: row.fn }));
			children.push(button);
		}
		children.push(...changeOf(row));
		children.push(...this.modelDetail(model));
		if (row.former)
			children.push(el("h3", { class: "block-head" }, "Before"), ...this.modelDetail(row.former));
		panel.replaceChildren(...children);
	}

	private modelDetail(model: CostModel): HTMLElement[] {
		return [...(model.missing === null ? [] : [el("p", {}, visibleText(model.missing))]),
			...model.pieces.flatMap((piece) => this.pieceDetail(model, piece))];
	}

	private pieceDetail(model: CostModel, piece: Piece): HTMLElement[] {
		const list: HTMLElement[] = [el("h3", {}, model.pieces.length > 1 ? `From ${formatValue(piece.from)} to ${formatValue(piece.to)}` :
				 classOf(model))];

		if (piece.reason)
			list.push(el("p", { class: "quiet" }, visibleText(piece.reason)));
		list.push(el("p", { class: "code formula" }, piece.formula), el("dl", { class: "pairs" },
			...(piece.is_told ? [fact("Sure", formatShare(piece.certainty ?? NaN), "how well the points speak for this class")] : []),
			fact("R²", piece.r2.toFixed(4), "part of the variance that the curve explains"),
			fact("Off by", formatAmount(model.unit)(piece.rmse), "root mean square of the residuals"),
			fact("From … to", `${formatValue(piece.from)} … ${formatValue(piece.to)}`, "range of what was measured")));
		if (piece.coefficients.length > 0)
			list.push(coefficientTable(piece));
		if (model === this.row?.model && (piece.candidates?.length ?? 0) > 1)
			list.push(el("h3", {}, "Candidates"), this.candidateList(piece));
		return list;
	}

	/** Each a button that draws it beside the best one. */
	private candidateList(piece: Piece): HTMLElement {
		return el("ol", { class: "candidates" }, ...piece.candidates!.map((candidate, i) => {
			const { family, behind, r2, formula } = candidate, isShown = family === this.candidate;
			const button = el("button", { type: "button", class: "edge", "aria-pressed": String(isShown), title: formula },
				el("span", {}, family), el("span", { class: "amount" }, i === 0 ? "best" : `${formatValue(Number(behind.toFixed(1)))} behind`),
				el("span", { class: "calls" }, `R² ${r2.toFixed(3)}`));

			button.addEventListener("click", () => {
				const next = isShown ? "" : family;

				this.shell.set({ model: this.row!.name, fn: this.row!.fn, candidate: next });
				this.select(this.row, next);
			});
			return el("li", {}, button);
		}));
	}

	get probe() {
		return { model: () => ({ points: this.plot.places, residuals: this.residuals.places }) };
	}
}

export const modelsPage: Page = {
	id: "models",
	title: "Models",
	shows: ({ run, pair }) => (run?.payload.models?.models ?? []).length > 0 || !!pair?.check.models,
	make: ({ run, calls, blocks, pair }, shell) => {
		const models = run?.payload.models;

		return models ? new ModelsView(rowsOfRun(models, (calls ?? blocks)!.functions), models.level, shell)
			: new ModelsView(rowsOfPair(pair!), pair!.check.models!.level, shell);
	},
};
