/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each feature and each interaction cost, and their regions: in one run, or in two beside each other. */

import { byId, el, fillName } from "./dom";
import { isWithin, tablesOfPair, tablesOfRun, type Cost, type FeatureRow, type FeatureTables } from "./features-data";
import { formatCount, formatDifference, formatFactor, formatShare, formatTime, plural, UNKNOWN } from "./format";
import { parseQuery } from "./search";
import type { Page, Shell, State, View } from "./shell";
import { FunctionTable, setText, type Column } from "./table";

type Amount = keyof Cost;

const hints: Record<Amount, string> = {
	inclusive: "while all of them were open",
	exclusive: "while these were open and no others",
	count: "how often all of them came to be open",
	regions: "that are of exactly these features",
};

const labels: Record<Amount, string> = { inclusive: "Inclusive", exclusive: "Exclusive", count: "Times", regions: "Regions" };

const written = (key: Amount, value: number) =>
	Number.isNaN(value) ? UNKNOWN : key === "inclusive" || key === "exclusive" ? formatTime(value) : formatCount(value);

function column(key: Amount, side: number, label = labels[key]): Column<FeatureRow> {
	return { key: `${key}${side > 0 ? "-now" : ""}`, label, hint: hints[key], width: 110,
		 sort: ({ sides }) => sides[side][key], fill: (cell, { sides }) => setText(cell, written(key, sides[side][key])) };
}

const difference = ({ sides: [before, now] }: FeatureRow) => (now.inclusive || 0) - (before.inclusive || 0);

/* What is in one run only has no factor. */
function change({ sides: [before, now] }: FeatureRow): string {
	if (!(before.inclusive > 0))
		return now.inclusive > 0 ? "new" : "";
	return now.inclusive > 0 ? formatFactor(now.inclusive / before.inclusive) : "gone";
}

function columnsOfPair(): Column<FeatureRow>[] {
	return [
		column("inclusive", 0, "Before"), column("inclusive", 1, "Now"),
		{ key: "difference", label: "Difference", hint: "now less before, inclusive", width: 110, sort: (row) => Math.abs(difference(row)),
		  fill: (cell, row) => setText(cell, formatDifference(difference(row))) },
		{ key: "change", label: "Change", hint: "of the inclusive time", width: 90, sort: ({ sides: [a, b] }) => b.inclusive / a.inclusive, fill: (cell, row) => setText(cell, change(row)) },
		column("exclusive", 0, "Excl. before"), column("exclusive", 1, "Excl. now"),
		column("count", 0, "Times before"), column("count", 1, "Times now"),
	];
}

function columnsOfRun(whole: number): Column<FeatureRow>[] {
	return [
		column("inclusive", 0),
		{ key: "share", label: "Share", hint: "of all that ran", width: 80, sort: ({ sides: [own] }) => own.inclusive, fill: (cell, { sides: [own] }) => setText(cell, whole > 0 ? formatShare(own.inclusive / whole) : UNKNOWN) },
		column("exclusive", 0), column("count", 0),
	];
}

function nameColumn(label: string, fill: Column<FeatureRow>["fill"]): Column<FeatureRow> {
	return { key: "name", label, hint: "", width: 300, isText: true, sort: (row) => row.name, fill };
}

/* Regions of the same features differ in the place. */
function regionCell(cell: HTMLTableCellElement, { name }: FeatureRow): void {
	if (cell.childElementCount === 0)
		cell.append(el("span", { class: "parts" }));
	fillName(cell.children[0], name);
	cell.title = name;
}

class FeaturesView implements View {
	private readonly sets: FunctionTable<FeatureRow>;
	private readonly regions: FunctionTable<FeatureRow>;
	private readonly all = byId<HTMLButtonElement>("all-regions");
	private chosen: FeatureRow | null = null;

	constructor(private readonly tables: FeatureTables, note: string, private readonly shell: Shell) {
		const isPair = Number.isNaN(tables.whole);
		const amounts = isPair ? columnsOfPair() : columnsOfRun(tables.whole);
		const order: Column<FeatureRow> = { key: "order", label: "Features", hint: "two or more: an interaction", width: 80,
						    sort: ({ features }) => features.length, fill: (cell, { features }) => setText(cell, formatCount(features.length)) };
		const sortKey = isPair ? "difference" : "inclusive";

		this.sets = new FunctionTable<FeatureRow>({
			rows: tables.sets, sortKey, isUsual: () => true, place: "features",
			columns: [nameColumn("Feature or interaction", (cell, { name }) => setText(cell, name, name)), ...amounts, column("regions", isPair ? 1 : 0), order],
			choose: (row) => this.choose(row),
		});
		this.regions = new FunctionTable<FeatureRow>({
			rows: tables.regions, sortKey, isUsual: () => true, place: "regions", columns: [nameColumn("Region", regionCell), ...amounts],
			choose: (row) => this.shell.set({ fn: row.name }),
		});
		byId("features-note").textContent = note;
		this.all.addEventListener("click", () => this.choose(null));
	}

	private choose(row: FeatureRow | null): void {
		this.chosen = row;
		this.shell.set({ feature: row?.name ?? "" });
		this.draw();
	}

	private draw(): void {
		this.sets.select(this.chosen, true);
		byId("regions-of").textContent = this.chosen ? `of ${this.chosen.name}` : "";
		this.all.hidden = !this.chosen;
		this.search();
	}

	show(state: State): void {
		this.chosen = this.tables.sets.find(({ name }) => name === state.feature) ?? null;
		this.draw();
		this.regions.select(this.tables.regions.find(({ name }) => name === state.fn) ?? null, true);
	}

	search(): void {
		const query = parseQuery(byId<HTMLInputElement>("search").value), active = !query.empty && query.error === "", chosen = this.chosen;

		this.sets.filter(active ? ({ name }) => query.test(name) : null);
		this.regions.filter(active || chosen ? (row) => (!active || query.test(row.name)) && (!chosen || isWithin(chosen, row)) : null);
		byId("matches").textContent = query.error !== "" ? query.error : `${plural(this.sets.count, "set")} of features, ${plural(this.regions.count, "region")}`;
	}
}

export const featuresPage: Page = {
	id: "features",
	title: "Features",
	shows: ({ calls, pair }) => (calls?.payload.features ?? pair?.check.features ?? null) !== null,
	make({ calls, pair }, shell) {
		if (pair)
			return new FeaturesView(tablesOfPair(pair.check), "Time in regions of the first run of each, before and now; lines may have moved, so of some files regions are summed up.", shell);
		const all = calls!.payload.features!;

		const note = all.count.includes(null) ? "Estimated from samples: how often is not known." : "Inclusive: while all of them were open; exclusive: while these were, and no others.";

		return new FeaturesView(tablesOfRun(calls!, all), all.note ? `${note} Attention: ${all.note}.` : note, shell);
	},
};
