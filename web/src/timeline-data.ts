/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls in time. Rows are threads and depths. The longest calls are there one by one; all others
 * are sums of what began in one slice of time, so that nothing is missing however many they are.
 */

import { Absences, type AbsencesPayload } from "./absences";
import type { Payload } from "./data";

export interface TimelinePayload {
	from: number; /* ticks since the start of the run */
	to: number;
	slice: number; /* width of a slice, ticks */
	all: number; /* calls, single ones and those in sums */
	strands: { process: number[]; tid: number[] };
	calls: { strand: number[]; depth: number[]; function: number[]; begin: number[]; extent: number[]; waited: number[] };
	sums: { strand: number[]; depth: number[]; slice: number[]; function: number[]; calls: number[]; ticks: number[] };
	losses: { strand: number[]; at: number[]; count: number[] };
	absences: AbsencesPayload | null;
}

/** A thread: its rows stand below each other. */
export interface Lane {
	strand: number;
	label: string;
	depths: number;
	top: number; /* number of its first row */
}

export interface Timeline {
	payload: TimelinePayload;
	lanes: Lane[];
	rows: number;
	span: [number, number]; /* from the first call to the end of the last; a program is loaded before */
	nsPerTick: number;
	/* calls, by row and begin */
	begin: Float64Array;
	row: Int32Array;
	/* sums, by row and begin */
	sumBegin: Float64Array;
	sumRow: Int32Array;
	callRange: [number, number][]; /* by row: the first, and the one after the last */
	sumRange: [number, number][];
	byLength: Uint32Array; /* calls, the longest first */
	absences: Absences | null;
}

/** Numbers that begin anew with each row, as sums of their differences. */
function absolute(strand: number[], depth: number[], step: number[]): Float64Array {
	const out = new Float64Array(step.length);

	for (let i = 0; i < step.length; i++)
		out[i] = step[i] + (i > 0 && strand[i] === strand[i - 1] && depth[i] === depth[i - 1] ? out[i - 1] : 0);
	return out;
}

function makeLanes({ strands, calls, sums }: TimelinePayload, payload: Payload): Lane[] {
	const depths = new Map<number, number>();

	for (const { strand, depth } of [calls, sums])
		strand.forEach((each, i) => depths.set(each, Math.max(depths.get(each) ?? 0, depth[i] + 1)));
	const many = new Set(payload.processes.pid).size > 1;
	let top = 0;

	const order = (strand: number) => [strands.process[strand], strands.tid[strand], strand];
	const compare = ([a]: [number, number], [b]: [number, number]) =>
		order(a).map((each, i) => each - order(b)[i]).find((difference) => difference !== 0) ?? 0;

	return [...depths].sort(compare).map(([strand, n]) => {
		const process = strands.process[strand], pid = process >= 0 ? payload.processes.pid[process] : NaN;
		const tid = strands.tid[strand];
		const lane = { strand, depths: n, top, label: many ? `process ${pid}, thread ${tid}` : `thread ${tid}` };

		top += n;
		return lane;
	});
}

/** The items of each row, which stand next to each other. */
function ranges(row: Int32Array, rows: number): [number, number][] {
	const range = Array.from({ length: rows }, (): [number, number] => [0, 0]);

	row.forEach((each, i) => {
		if (i === 0 || row[i - 1] !== each)
			range[each][0] = i;
		range[each][1] = i + 1;
	});
	return range;
}

/** Of all that is drawn; without calls of the part of the run that was asked for. */
function spanOf({ from, to, slice, calls }: TimelinePayload, begin: Float64Array, sumBegin: Float64Array): [number, number] {
	const first = Math.min(begin.reduce((a, b) => Math.min(a, b), Infinity), sumBegin.reduce((a, b) => Math.min(a, b), Infinity));
	const last = Math.max(begin.reduce((a, b, i) => Math.max(a, b + calls.extent[i]), 0), sumBegin.reduce((a, b) => Math.max(a, b + slice), 0));

	return last > first ? [Math.max(first, from), Math.min(last, to)] : [from, to];
}

export function makeTimeline(payload: Payload, timeline: TimelinePayload): Timeline {
	const lanes = makeLanes(timeline, payload), { calls, sums } = timeline;
	const tops = new Map(lanes.map(({ strand, top }) => [strand, top]));
	const rows = lanes.reduce((all, { depths }) => all + depths, 0);
	const rowsOf = ({ strand, depth }: { strand: number[]; depth: number[] }) =>
		Int32Array.from(strand, (each, i) => tops.get(each)! + depth[i]);
	const row = rowsOf(calls), sumRow = rowsOf(sums);
	const begin = absolute(calls.strand, calls.depth, calls.begin);
	const sumBegin = absolute(sums.strand, sums.depth, sums.slice).map((slice) => timeline.from + slice * timeline.slice);

	return {
		payload: timeline, lanes, rows, row, sumRow, nsPerTick: 1e9 / payload.clock.hz,
		begin, sumBegin, span: spanOf(timeline, begin, sumBegin),
		callRange: ranges(row, rows), sumRange: ranges(sumRow, rows),
		absences: timeline.absences ? new Absences(timeline.absences) : null,
		byLength: Uint32Array.from(calls.extent.keys()).sort((a, b) => calls.extent[b] - calls.extent[a]),
	};
}

/** The first of [from, to) whose value is at least @wanted. */
export function lowerBound(values: Float64Array, from: number, to: number, wanted: number): number {
	while (from < to) {
		const middle = (from + to) >> 1;

		if (values[middle] < wanted)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}
