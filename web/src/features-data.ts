/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What features of the program cost (doc/design/features.md): of each, and of each set that was open
 * together; in one run, or in two. src/view/html/features.c writes it.
 */

import type { Model } from "./data";
import { visibleText } from "./format";
import type { CheckColumns } from "./pair-data";

/** Ticks; counts are null where the run was sampled. */
export interface FeatureColumns {
	whole: number; /* all that ran */
	note: string; /* what probes falsified; "": nothing */
	name: string[]; /* "A,B" */
	regions: number[]; /* that are of exactly these */
	count: (number | null)[];
	inclusive: number[];
	exclusive: number[];
}

/** ns; null: it is not in that run. */
interface SideColumns {
	regions: number[];
	count: (number | null)[];
	inclusive: (number | null)[];
	exclusive: (number | null)[];
}

export interface FeaturePairColumns {
	name: string[];
	before: SideColumns;
	now: SideColumns;
}

export interface FeaturePairs {
	sets: FeaturePairColumns;
	regions: FeaturePairColumns;
}

/** What is not known is NaN; times are ns. */
export interface Cost {
	regions: number;
	count: number;
	inclusive: number;
	exclusive: number;
}

export interface FeatureRow {
	id: number;
	name: string; /* "A,B", or of a region "A,B@file.c:10" */
	features: string[];
	sides: Cost[]; /* before and now; of one run one */
}

export interface FeatureTables {
	sets: FeatureRow[];
	regions: FeatureRow[];
	whole: number; /* ns; NaN: of two runs */
}

const known = (x: number | null) => x ?? NaN;

/** "A,B" of "A,B@file.c:10" */
export function featuresOf(name: string): string[] {
	return name.split("@")[0].split(",");
}

function row(id: number, raw: string, sides: Cost[]): FeatureRow {
	const name = visibleText(raw);

	return { id, name, features: featuresOf(name), sides };
}

/** Are the features of @one among those of @other, all of them? */
export function isWithin(one: FeatureRow, other: FeatureRow): boolean {
	return one.features.every((name) => other.features.includes(name));
}

export function tablesOfRun(model: Model, all: FeatureColumns): FeatureTables {
	const ns = model.nsPerTick, marked = model.payload.marks?.regions ?? [];

	return {
		whole: all.whole * ns,
		sets: all.name.map((name, i) => row(i, name, [{ regions: all.regions[i], count: known(all.count[i]),
							      inclusive: all.inclusive[i] * ns, exclusive: all.exclusive[i] * ns }])),
		regions: marked.map((at) => model.functions[at]).filter(({ name }) => name.includes("@"))
			.map(({ name, calls, total, exclusive }, i) => row(i, name, [{ regions: 1, count: all.count.includes(null) ? NaN : calls, inclusive: total, exclusive }])),
	};
}

function rowsOfPair(all: FeaturePairColumns): FeatureRow[] {
	const cost = (side: SideColumns, i: number) => ({ regions: side.regions[i], count: known(side.count[i]),
							  inclusive: known(side.inclusive[i]), exclusive: known(side.exclusive[i]) });

	return all.name.map((name, i) => row(i, name, [cost(all.before, i), cost(all.now, i)]));
}

export function tablesOfPair({ features }: CheckColumns): FeatureTables {
	return { whole: NaN, sets: rowsOfPair(features!.sets), regions: rowsOfPair(features!.regions) };
}
