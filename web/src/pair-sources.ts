/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source files of two versions, and how often each of their lines was reached (src/view/html/pair-sources.c). */

import { alignLines, type Alignment } from "./align";
import type { SourceState } from "./blocks-data";
import { splitLines } from "./line-list";
import type { PairModel, Sides } from "./pair-data";

/** Of one version, by file. */
export interface PairSources {
	path: string[];
	text: number[]; /* of the page's texts, -1: not there */
	state: SourceState[];
	/** Of file so many lines, each with its count. */
	file: number[];
	lines: number[];
	line: number[];
	count: number[];
	partly: number[];
	/** By row of the comparison: the file, -1: none, and the line of the function. */
	of_row: number[];
	begin: number[];
}

export interface LineCount {
	count: number;
	partly: boolean; /* a part of it never ran */
}

export const SIDES = ["before", "now"] as const;
export type Side = (typeof SIDES)[number];

/** A file of the one version and what it is in the other; -1: that has none. */
export type FilePair = Sides<number>;

/** Two files as one text. */
export interface Joined {
	rows: Alignment;
	texts: Sides<string[] | null>;
	counts: Sides<Map<number, LineCount>>;
	most: number; /* of all counts */
	former: Map<number, number>; /* of a rewritten line the row of what it was */
	replaced: Set<number>; /* those rows */
	changes: number[]; /* rows where a stretch of changed lines begins */
	gone: number; /* lines of the text */
	added: number;
	moved: number; /* lines of both texts with other counts */
}

/** Executions of a line, now less before; NaN: one of the two has no code there, or the row of what
 * it became says it. */
export function differenceOf(joined: Joined, row: number): number {
	const before = joined.rows.before[joined.former.get(row) ?? row], now = joined.rows.now[row];
	const a = joined.counts.before.get(before)?.count, b = joined.counts.now.get(now)?.count;

	if (joined.replaced.has(row))
		return NaN;
	if (before === 0 || now === 0)
		return before === 0 ? b ?? NaN : a === undefined ? NaN : -a;
	return a === undefined || b === undefined ? NaN : b - a;
}

/** In each stretch of changed lines: the first with code that is new was the first that is gone, and so on. */
function findRewritten({ rows: { before, now }, counts, former, replaced }: Joined): void {
	let gone: number[] = [], added: number[] = [];

	for (let row = 0; row <= before.length; row++) {
		if (row < before.length && (before[row] === 0 || now[row] === 0)) {
			if (counts.before.has(before[row]))
				gone.push(row);
			else if (counts.now.has(now[row]))
				added.push(row);
			continue;
		}
		added.slice(0, gone.length).forEach((at, i) => {
			former.set(at, gone[i]);
			replaced.add(gone[i]);
		});
		if (gone.length > 0 || added.length > 0)
			[gone, added] = [[], []];
	}
}

export const DIFFERENCE_STEPS = 4;

/** 0: as often; else 1 to 4 with the sign of @difference, each step down is a tenth of it. */
export function differenceStep(difference: number, most: number): number {
	if (!difference)
		return 0;
	const step = DIFFERENCE_STEPS + Math.ceil(Math.log10(Math.abs(difference) / most) - 0.5);

	return Math.sign(difference) * Math.max(1, Math.min(DIFFERENCE_STEPS, step));
}

function ascending(before: number[], now: number[] = before): Alignment {
	return { before: Int32Array.from(before), now: Int32Array.from(now) };
}

/** Lines that are only known by number, or of one version only, meet by their numbers. */
function byNumber(texts: Sides<string[] | null>, counts: Sides<Map<number, LineCount>>): Alignment {
	const lines = texts.now ?? texts.before, numbers = new Set(lines ? lines.map((_, i) => i + 1) : []);

	for (const side of SIDES)
		for (const line of counts[side].keys())
			numbers.add(line);
	return ascending([...numbers].sort((a, b) => a - b));
}

/** The files of a comparison; what is made of them is made when somebody looks at it. */
export class SourceFiles {
	private readonly firsts: Sides<Map<number, [first: number, end: number]>>; /* counts by file */
	private readonly partners: Sides<Map<number, number>>;
	private readonly begins: Sides<Map<number, [line: number, row: number][]>>; /* functions by file */
	private readonly joins = new Map<string, Joined>();

	constructor(private readonly sources: Sides<PairSources>, private readonly texts: string[]) {
		this.firsts = { before: starts(sources.before), now: starts(sources.now) };
		this.partners = { before: partners(sources.before, sources.now), now: partners(sources.now, sources.before) };
		this.begins = { before: functions(sources.before), now: functions(sources.now) };
	}

	side(side: Side): PairSources {
		return this.sources[side];
	}

	/** Where the function of @row is; what only one version has is shown in the other's file, too. */
	filesOf(row: number): FilePair {
		const before = this.sources.before.of_row[row] ?? -1, now = this.sources.now.of_row[row] ?? -1;

		return { before: before >= 0 ? before : this.partners.now.get(now) ?? -1, now: now >= 0 ? now : this.partners.before.get(before) ?? -1 };
	}

	beginOf(row: number): Sides<number> {
		const of = (side: Side) => this.sources[side].of_row[row] >= 0 ? this.sources[side].begin[row] : 0;

		return { before: of("before"), now: of("now") };
	}

	/** The last function that begins before @line or there; -1: none. */
	rowAt(side: Side, file: number, line: number): number {
		const list = this.begins[side].get(file) ?? [];
		let row = -1;

		for (const [begin, of] of list) {
			if (begin > line)
				break;
			row = of;
		}
		return row;
	}

	joined(files: FilePair): Joined {
		const key = `${files.before} ${files.now}`, made = this.joins.get(key) ?? this.join(files);

		this.joins.set(key, made);
		return made;
	}

	private countsOf(side: Side, file: number): Map<number, LineCount> {
		const { line, count, partly } = this.sources[side], counts = new Map<number, LineCount>();
		const [first, end] = this.firsts[side].get(file) ?? [0, 0];

		for (let i = first; i < end; i++)
			counts.set(line[i], { count: count[i], partly: partly[i] !== 0 });
		return counts;
	}

	private join(files: FilePair): Joined {
		const text = (side: Side) => files[side] >= 0 ? this.sources[side].text[files[side]] : -1;
		const lines = (side: Side) => text(side) >= 0 ? splitLines(this.texts[text(side)]) : null;
		const counts = { before: this.countsOf("before", files.before), now: this.countsOf("now", files.now) };
		const before = lines("before"), texts = { before, now: text("before") === text("now") ? before : lines("now") };
		const joined: Joined = {
			rows: this.align(files, texts, counts), texts, counts, most: 0, former: new Map(), replaced: new Set(),
			changes: [], gone: 0, added: 0, moved: 0,
		};

		for (const side of SIDES)
			for (const { count } of counts[side].values())
				joined.most = Math.max(joined.most, count);
		findRewritten(joined);
		findChanges(joined);
		return joined;
	}

	private align(files: FilePair, texts: Joined["texts"], counts: Joined["counts"]): Alignment {
		const { before, now } = texts, zeros = (list: number[]) => list.map(() => 0);

		if (files.before < 0 || files.now < 0) {
			const all = [...byNumber(texts, counts).before];

			return files.before < 0 ? ascending(zeros(all), all) : ascending(all, zeros(all));
		}
		return before && now && before !== now ? alignLines(before, now) : byNumber(texts, counts);
	}
}

function findChanges(joined: Joined): void {
	const { before, now } = joined.rows;
	let wasChanged = false;

	for (let row = 0; row < before.length; row++) {
		const difference = differenceOf(joined, row), isMoved = before[row] > 0 && now[row] > 0 && difference !== 0 && !Number.isNaN(difference);
		const isChanged = isMoved || before[row] === 0 || now[row] === 0;

		joined.gone += now[row] === 0 ? 1 : 0;
		joined.added += before[row] === 0 ? 1 : 0;
		joined.moved += isMoved ? 1 : 0;
		if (isChanged && !wasChanged)
			joined.changes.push(row);
		wasChanged = isChanged;
	}
}

function starts({ file, lines }: PairSources): Map<number, [number, number]> {
	const firsts = new Map<number, [number, number]>();
	let first = 0;

	file.forEach((of, i) => firsts.set(of, [first, first += lines[i]]));
	return firsts;
}

/** Of each file of @one the file of @other that most of its functions are in. */
function partners(one: PairSources, other: PairSources): Map<number, number> {
	const votes = new Map<number, Map<number, number>>(), partner = new Map<number, number>();

	one.of_row.forEach((file, row) => {
		const to = other.of_row[row];

		if (file < 0 || to < 0)
			return;
		const of = votes.get(file) ?? new Map<number, number>();

		votes.set(file, of.set(to, (of.get(to) ?? 0) + 1));
	});
	for (const [file, of] of votes)
		partner.set(file, [...of].reduce((a, b) => b[1] > a[1] ? b : a)[0]);
	return partner;
}

function functions({ of_row, begin }: PairSources): Map<number, [number, number][]> {
	const byFile = new Map<number, [number, number][]>();

	of_row.forEach((file, row) => {
		if (file < 0 || begin[row] === 0)
			return;
		const list = byFile.get(file);

		if (list)
			list.push([begin[row], row]);
		else
			byFile.set(file, [[begin[row], row]]);
	});
	for (const list of byFile.values())
		list.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
	return byFile;
}

export function makeSources({ check, payload }: PairModel): SourceFiles | null {
	return check.sources && new SourceFiles(check.sources, payload.source_texts);
}
