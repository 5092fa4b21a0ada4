/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every amount of every function over a range of versions, as src/view/html/history.c writes it. */

import { baseName, visibleText } from "./format";

export interface Version {
	name: string;
	parent: string | null;
	subject: string | null; /* null: it is gone from the repository */
	author: string | null;
	time_s: number;
	profiles: number;
	verdict: string | null; /* that rarog check kept */
}

export interface SeriesColumns {
	job: number;
	name: string; /* "": the whole program */
	binary: string;
	metric: string;
	unit: string;
	version: number[];
	value: number[]; /* medians of the runs */
	low: number[];
	high: number[];
	runs: number[];
}

export interface VersionChange {
	series: number; /* -1: it has no room on the page */
	version: number;
	previous: number; /* -1: before the range */
	until?: number; /* of a drift or of stairs its last version */
	shape?: string; /* "step", "stairs", "drift" */
	class: string;
	before: number;
	after: number;
	relative: number | null; /* null: from 0 */
	impact: number | null;
	q: number | null;
}

export interface HistoryPayload {
	version: number;
	rarog: string;
	title: string | null;
	range: string | null;
	profiles: number;
	tested: number;
	left_out: number;
	versions: Version[];
	jobs: string[];
	series: SeriesColumns[];
	changes: VersionChange[];
	splits: { version: number; job: string; reason: string }[];
}

export interface Series extends SeriesColumns {
	id: number;
	title: string;
	part: number; /* of several with this job, name and amount: times of runs that do not compare */
	changes: VersionChange[]; /* oldest first */
	levels: { x: number[]; y: number[] }; /* between the changes, as steps */
	whole: number; /* last value to the first, a ratio */
}

export interface HistoryModel {
	payload: HistoryPayload;
	series: Series[];
	changes: VersionChange[]; /* the newest first, as rarog check says them */
}

const metricNames: Record<string, string> = { "wall": "wall time", "traced-wall": "traced time", "exclusive": "own time" };

export function metricName(metric: string): string {
	return metricNames[metric] ?? metric;
}

/** A label is left whole, of a hash ten digits are enough. */
export function shortVersion(name: string): string {
	return /^[0-9a-f]{40,64}$/.test(name) ? name.slice(0, 10) : visibleText(name);
}

function median(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b), n = sorted.length;

	return n % 2 === 1 ? sorted[(n - 1) / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/** The median of each stretch between changes, drawn from its first version to the next one's. */
function levelsOf({ version, value }: SeriesColumns, changes: VersionChange[]): { x: number[]; y: number[] } {
	const starts = [version[0], ...changes.map((change) => change.version)], last = version[version.length - 1];
	const levels = starts.map((start, i) => median(value.filter((_, k) => version[k] >= start && version[k] < (starts[i + 1] ?? Infinity))));

	return { x: [starts[0], ...starts.slice(1).map((start) => start - 0.5), last], y: [...levels, levels[levels.length - 1]] };
}

export function makeHistoryModel(payload: HistoryPayload): HistoryModel {
	const parts = new Map<string, number>();
	const series = payload.series.map((columns, id): Series => {
		const changes = payload.changes.filter((change) => change.series === id && change.version > columns.version[0])
			.sort((a, b) => a.version - b.version);
		const { value, name, binary } = columns;

		const key = `${columns.job} ${columns.metric} ${name}`, part = parts.get(key) ?? 0;

		parts.set(key, part + 1);
		return { ...columns, id, part, changes, levels: levelsOf(columns, changes), whole: value[value.length - 1] / value[0],
			 title: name === "" ? "whole program" : visibleText(name) + (binary !== "" ? ` (${visibleText(baseName(binary))})` : "") + (part > 0 ? `, other runs ${part}` : "") };
	});

	return { payload, series, changes: payload.changes };
}
