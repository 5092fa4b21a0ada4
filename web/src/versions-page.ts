/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An amount over the versions: a point for each, lines for its levels, a mark where it changed. */

import { choices } from "./choices";
import { badge } from "./columns-pair";
import { byId, el } from "./dom";
import { formatAmount, formatCount, formatFactor, formatWhen, plural, UNKNOWN, visibleText } from "./format";
import { toneOf } from "./pair-data";
import { verdictTones } from "./pair-summary";
import { Plot, type Mark } from "./plot";
import { parseQuery } from "./search";
import type { Page, Shell, State, View } from "./shell";
import { FunctionTable, setText, type Column } from "./table";
import { metricName, shortVersion, type HistoryModel, type Series, type VersionChange } from "./versions-data";

interface ChangeRow extends VersionChange {
	id: number;
	of: Series | null;
}

function factor(change: VersionChange): string {
	return change.relative === null ? "new" : formatFactor(1 + change.relative);
}

class VersionsView implements View {
	private readonly rows: ChangeRow[];
	private readonly changes: FunctionTable<ChangeRow>;
	private readonly list: FunctionTable<Series>;
	private readonly plot: Plot;
	private readonly axes = choices(["series-y"], () => {
		this.shell.set({ axis: this.axes["series-y"] === "zero" ? "" : this.axes["series-y"] }, true);
		this.draw();
	});
	private series: Series | null = null;
	private version = -1;

	constructor(private readonly model: HistoryModel, private readonly shell: Shell) {
		this.rows = model.changes.map((change, id) => ({ ...change, id, of: model.series[change.series] ?? null }));
		this.changes = new FunctionTable<ChangeRow>({
			rows: this.rows, sortKey: "version", isUsual: () => true, place: "changes", columns: this.changeColumns(),
			choose: (row) => this.choose(row.of, row.version),
		});
		this.list = new FunctionTable<Series>({
			rows: model.series, sortKey: "changes", isUsual: () => true, place: "series-list", columns: this.seriesColumns(),
			choose: (series) => this.choose(series, this.version),
		});
		this.plot = new Plot(byId("series-box"), "series-plot", "", {
			tip: (i) => [shortVersion(this.nameOf(this.series!.version[i])), this.factsOf(i)],
			choose: (i) => this.choose(this.series, this.series!.version[i]),
		});
	}

	private nameOf(version: number): string {
		return this.model.payload.versions[version]?.name ?? "";
	}

	private changeColumns(): Column<ChangeRow>[] {
		const amount = (row: ChangeRow, value: number) => formatAmount(row.of?.unit ?? "")(value);

		return [
			{ key: "version", label: "Version", hint: "the first with the change", width: 110, sort: (row) => row.version,
			  fill: (cell, row) => setText(cell, shortVersion(this.nameOf(row.version)), this.model.payload.versions[row.version].subject ?? "") },
			{ key: "verdict", label: "Verdict", hint: "by rarog check --history", width: 130, sort: (row) => row.relative ?? Infinity,
			  fill: (cell, row) => cell.replaceChildren(badge(toneOf(row.class), factor(row))) },
			{ key: "name", label: "What", hint: "function", width: 220, isText: true, sort: (row) => row.of?.title ?? "",
			  fill: (cell, row) => setText(cell, row.of?.title ?? UNKNOWN, row.of?.title ?? "") },
			{ key: "metric", label: "Amount", hint: "", width: 110, isText: true, sort: (row) => row.of?.metric ?? "",
			  fill: (cell, row) => setText(cell, metricName(row.of?.metric ?? "") + this.shapeOf(row), this.shapeOf(row)) },
			{ key: "before", label: "Before", hint: "median of up to 30 versions", width: 100, sort: (row) => row.before,
			  fill: (cell, row) => setText(cell, amount(row, row.before)) },
			{ key: "after", label: "After", hint: "median of up to 30 versions", width: 100, sort: (row) => row.after,
			  fill: (cell, row) => setText(cell, amount(row, row.after)) },
			{ key: "impact", label: "Of all", hint: "what the change is of the time, or the instructions, of all functions", width: 90,
			  sort: (row) => Math.abs(row.impact ?? NaN), fill: (cell, row) => setText(cell, row.impact === null ? "" : formatFactor(1 + row.impact)) },
		];
	}

	private seriesColumns(): Column<Series>[] {
		const last = ({ value }: Series) => value[value.length - 1];

		return [
			{ key: "name", label: "Function", hint: "or the whole program", width: 260, isText: true, sort: (row) => row.title,
			  fill: (cell, row) => setText(cell, row.title, row.title) },
			{ key: "metric", label: "Amount", hint: "", width: 110, isText: true, sort: (row) => row.metric,
			  fill: (cell, row) => setText(cell, metricName(row.metric)) },
			{ key: "changes", label: "Changes", hint: "how often it moved to another level", width: 90,
			  sort: (row) => row.changes.length + 1 / (2 + row.id), fill: (cell, row) => setText(cell, row.changes.length > 0 ? formatCount(row.changes.length) : "") },
			{ key: "whole", label: "First → last", hint: "the last value against the first", width: 110, sort: (row) => row.whole,
			  fill: (cell, row) => setText(cell, formatFactor(row.whole)) },
			{ key: "last", label: "Last", hint: "value of the newest version that has it", width: 110, sort: last,
			  fill: (cell, row) => setText(cell, formatAmount(row.unit)(last(row))) },
			{ key: "job", label: "Job", hint: "what was run", width: 180, isText: true, sort: (row) => this.jobOf(row),
			  fill: (cell, row) => setText(cell, this.jobOf(row), this.jobOf(row)) },
		];
	}

	private shapeOf({ shape, until }: VersionChange): string {
		return shape === undefined || shape === "step" ? "" : `, ${shape === "drift" ? "drifts" : "in steps"} until ${shortVersion(this.nameOf(until ?? -1))}`;
	}

	private jobOf(series: Series): string {
		return visibleText(this.model.payload.jobs[series.job] ?? "");
	}

	private choose(series: Series | null, version: number): void {
		this.take(series ?? this.series, version);
		this.shell.set({ fn: this.series?.name ?? "", metric: this.series?.metric ?? "", job: String(this.series?.job ?? ""),
				 part: this.series && this.series.part > 0 ? String(this.series.part) : "", version: this.nameOf(version) });
	}

	private take(series: Series | null, version: number): void {
		this.series = series;
		this.version = version;
		this.list.select(series, true);
		this.changes.select(this.rows.find((row) => row.of === series && row.version === version) ?? null, true);
		this.draw();
		this.showVersion();
	}

	show(state: State): void {
		/* an amount without a function is the whole program's */
		const { series } = this.model, of = series.filter(({ name }) => name === (state.fn ?? (state.metric ? "" : series[0]?.name)));
		const found = of.find(({ metric, job, part }) => metric === state.metric && String(job) === state.job && String(part) === (state.part ?? "0")) ??
			of.find(({ metric }) => metric === state.metric) ?? of[0] ?? series[0] ?? null;

		this.axes.set("series-y", state.axis ?? "zero");
		this.take(found, this.model.payload.versions.findIndex(({ name }) => name === state.version));
	}

	search(): void {
		const query = parseQuery(byId<HTMLInputElement>("search").value), active = !query.empty && query.error === "";

		this.list.filter(active ? (row) => query.test(row.title) : null);
		this.changes.filter(active ? (row) => query.test(row.of?.title ?? "") : null);
		byId("matches").textContent = query.error !== "" ? query.error : active ? plural(this.list.count, "amount") : "";
	}

	enter(): void {
		if (this.list.count > 0)
			this.choose(this.list.current[0], this.version);
	}

	key(key: string): boolean {
		const step = key === "n" ? 1 : key === "p" ? -1 : 0, at = this.series?.version.indexOf(this.version) ?? -1;
		const next = this.series?.version[at < 0 ? step > 0 ? 0 : this.series.version.length - 1 : at + step];

		if (step !== 0 && next !== undefined)
			this.choose(this.series, next);
		return step !== 0;
	}

	private factsOf(i: number): [string, string][] {
		const { unit, value, low, high, runs, version } = this.series!, amount = formatAmount(unit);

		return [["what", visibleText(this.model.payload.versions[version[i]].subject ?? "not in the repository")],
			[metricName(this.series!.metric), amount(value[i])],
			...(runs[i] > 1 && high[i] > low[i] ? [["runs", `${amount(low[i])} … ${amount(high[i])}`] as [string, string]] : []),
			["measured", plural(runs[i], "run")]];
	}

	private draw(): void {
		const { series } = this, { versions, splits } = this.model.payload;

		if (!series)
			return;
		const marks: Mark[] = series.changes.map((change) =>
			({ x: change.version - 0.5, colour: change.after > change.before ? "--slower" : "--faster", text: factor(change) }));

		splits.filter(({ job }) => visibleText(job) === this.jobOf(series)).forEach(({ version }) =>
			marks.push({ x: version - 0.5, colour: "--quiet", text: "other compiler" }));
		this.plot.show({ x: { isLog: false, fromZero: false, format: (at) => shortVersion(versions[at]?.name ?? ""), ticks: [...versions.keys()] },
				 y: { isLog: this.axes["series-y"] === "log", fromZero: this.axes["series-y"] !== "close", format: formatAmount(series.unit) },
				 dots: { x: series.version, y: series.value, low: series.low, high: series.high },
				 lines: [{ ...series.levels, colour: "--curve", isStep: true }], marks,
				 chosen: series.version.indexOf(this.version) },
			       `${series.title}, ${metricName(series.metric)} of ${plural(series.version.length, "version")}, ${plural(series.changes.length, "change")}`);
		byId("series-name").textContent = series.title;
		byId("series-metric").textContent = `${metricName(series.metric)} · ${this.jobOf(series)}`;
		byId("series-note").textContent = `A point is the median of a version's runs, with the least and the most of them; the line is the level between changes. ` +
			`A click, or n and p, choose a version.${this.model.payload.left_out > 0 ? ` ${formatCount(this.model.payload.left_out)} small amounts are left out of this page.` : ""}`;
	}

	private showVersion(): void {
		const panel = byId("version-detail"), version = this.model.payload.versions[this.version];

		if (!version) {
			panel.replaceChildren(el("p", { class: "quiet" }, "Choose a version to see what it is and what changed in it."));
			return;
		}
		const before = this.model.payload.versions[this.version - 1], name = shortVersion(version.name);
		const changed = this.rows.filter((row) => row.version === this.version && row.of);
		const gap = before && version.parent !== null && version.parent !== before.name;
		const tone = verdictTones[version.verdict ?? ""];

		panel.replaceChildren(el("h2", { class: "code" }, name), el("p", {}, visibleText(version.subject ?? "It is not in the repository any more.")),
			el("p", { class: "where" }, ...[version.author ?? "", version.time_s > 0 ? formatWhen(version.time_s * 1000) : "", plural(version.profiles, "profile")]
				.filter((part) => part !== "").map((part) => el("span", {}, visibleText(part)))),
			...(version.verdict ? [el("p", {}, "rarog check: ", badge(tone ?? "unknown", version.verdict))] : []),
			el("h3", {}, changed.length > 0 ? "Changed here" : "Nothing changed here"), this.changeList(changed),
			...(gap && changed.length > 0 ? [el("p", { class: "quiet" }, `Versions between ${shortVersion(before.name)} and this one were not measured: the change may be theirs. rarog bisect finds it.`)] : []),
			...(before ? [el("h3", {}, "Look closer"), el("p", { class: "code formula" }, `rarog report ${shortVersion(before.name)} ${name}`),
				      el("p", { class: "code formula" }, `git diff ${shortVersion(before.name)} ${name}`)] : []));
	}

	private changeList(changed: ChangeRow[]): HTMLElement {
		return el("ol", { class: "candidates" }, ...changed.map((row) => {
			const button = el("button", { type: "button", class: "edge", title: row.of!.title },
				el("span", { class: "code" }, row.of!.name === "" ? "whole program" : visibleText(row.of!.name)), el("span", { class: "quiet" }, metricName(row.of!.metric)), badge(toneOf(row.class), factor(row)));

			button.addEventListener("click", () => this.choose(row.of, row.version));
			return el("li", {}, button);
		}));
	}

	get probe() {
		return { series: () => ({ points: this.plot.places, name: this.series?.name, metric: this.series?.metric, version: this.nameOf(this.version) }) };
	}
}

export const versionsPage: Page = {
	id: "versions",
	title: "Versions",
	shows: ({ history }) => history !== null,
	make: ({ history }, shell) => new VersionsView(history!, shell),
	keys: [["n, p", "the next version, the one before"]],
};
