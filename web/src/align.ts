/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which line of one text is which of another: lines that both have once are anchors (Bram Cohen's
 * patience diff), between two of them it goes on, and where there are none, Myers finds the fewest
 * changes (An O(ND) Difference Algorithm, 1986), of very many so many at a time.
 */

/** Rows of both texts as one: lines from 1, 0: that text has none here. What is gone stands before what is new. */
export interface Alignment {
	before: Int32Array;
	now: Int32Array;
}

const EDITS = 250; /* at a time */

interface Range {
	a: number;
	aEnd: number;
	b: number;
	bEnd: number;
	without?: number; /* lines, of which none was an anchor when it was this long */
}

const sizeOf = (range: Range) => range.aEnd - range.a + range.bEnd - range.b;

/** Equal lines get equal numbers. */
function numbered(texts: string[][]): { lists: Int32Array[]; n: number } {
	const numbers = new Map<string, number>();
	const lists = texts.map((lines) => Int32Array.from(lines, (line) => {
		let number = numbers.get(line);

		if (number === undefined)
			numbers.set(line, number = numbers.size);
		return number;
	}));

	return { lists, n: numbers.size };
}

/** The longest list of @pairs that ascends in both; they ascend in their first. */
function longestAscent(pairs: [number, number][]): [number, number][] {
	const tops: number[] = [], before = new Int32Array(pairs.length); /* piles of patience, by index into pairs */

	pairs.forEach(([, b], i) => {
		let low = 0, high = tops.length;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (pairs[tops[middle]][1] < b)
				low = middle + 1;
			else
				high = middle;
		}
		before[i] = low > 0 ? tops[low - 1] : -1;
		tops[low] = i;
	});
	const ascent: [number, number][] = [];

	for (let i = tops.length > 0 ? tops[tops.length - 1] : -1; i >= 0; i = before[i])
		ascent.push(pairs[i]);
	return ascent.reverse();
}

/** The indexes of what @list has and @other has, too: nothing else has a partner. */
function shared(list: Int32Array, other: Int32Array, n: number): Int32Array {
	const has = new Uint8Array(n);

	for (const number of other)
		has[number] = 1;
	return Int32Array.from(list.keys()).filter((i) => has[list[i]] === 1);
}

class Aligner {
	private readonly a: Int32Array;
	private readonly b: Int32Array;
	private readonly timesA: Int32Array; /* by number of the text, in the range looked at */
	private readonly timesB: Int32Array;
	private readonly placeB: Int32Array;
	private readonly match: Int32Array; /* by line of a: line of b, -1: none */

	constructor(a: Int32Array, b: Int32Array, n: number) {
		[this.a, this.b] = [a, b];
		[this.timesA, this.timesB, this.placeB] = [new Int32Array(n), new Int32Array(n), new Int32Array(n)];
		this.match = new Int32Array(a.length).fill(-1);
	}

	align(): Int32Array {
		const todo: Range[] = [{ a: 0, aEnd: this.a.length, b: 0, bEnd: this.b.length }];

		for (let range = todo.pop(); range; range = todo.pop()) {
			this.trim(range);
			if (range.a === range.aEnd || range.b === range.bEnd)
				continue;
			const anchors = this.newAnchors(range);

			if (anchors.length > 0)
				this.split(range, anchors, todo);
			else
				todo.push(this.compare(range));
		}
		return this.match;
	}

	/** What both begin and end with. */
	private trim(range: Range): void {
		while (range.a < range.aEnd && range.b < range.bEnd && this.a[range.a] === this.b[range.b])
			this.match[range.a++] = range.b++;
		while (range.a < range.aEnd && range.b < range.bEnd && this.a[range.aEnd - 1] === this.b[range.bEnd - 1])
			this.match[--range.aEnd] = --range.bEnd;
	}

	/** A rest may have anchors that the whole had not: they are looked for anew when it has halved. */
	private newAnchors(range: Range): [number, number][] {
		if (range.without && 2 * sizeOf(range) > range.without)
			return [];
		range.without = sizeOf(range);
		return this.anchors(range);
	}

	private anchors({ a, aEnd, b, bEnd }: Range): [number, number][] {
		const pairs: [number, number][] = [];

		for (let i = a; i < aEnd; i++)
			this.timesA[this.a[i]]++;
		for (let i = b; i < bEnd; i++) {
			this.timesB[this.b[i]]++;
			this.placeB[this.b[i]] = i;
		}
		for (let i = a; i < aEnd; i++)
			if (this.timesA[this.a[i]] === 1 && this.timesB[this.a[i]] === 1)
				pairs.push([i, this.placeB[this.a[i]]]);
		for (let i = a; i < aEnd; i++)
			this.timesA[this.a[i]] = 0;
		for (let i = b; i < bEnd; i++)
			this.timesB[this.b[i]] = 0;
		return longestAscent(pairs);
	}

	private split(range: Range, anchors: [number, number][], todo: Range[]): void {
		let { a, b } = range;

		for (const [i, j] of anchors) {
			this.match[i] = j;
			todo.push({ a, aEnd: i, b, bEnd: j });
			[a, b] = [i + 1, j + 1];
		}
		todo.push({ a, aEnd: range.aEnd, b, bEnd: range.bEnd });
	}

	/**
	 * Myers: how far each diagonal comes with so many edits, until one comes to the end, or is farthest
	 * when they are used up; what is behind it is left.
	 */
	private compare(range: Range): Range {
		const n = range.aEnd - range.a, m = range.bEnd - range.b, most = Math.min(n + m, EDITS);
		const reach = new Int32Array(2 * most + 3), middle = most + 1, trace: Int32Array[] = [];
		let x = 0, y = 0;

		for (let d = 0; d <= most && (x < n || y < m); d++) {
			trace.push(reach.slice(middle - d - 1, middle + d + 2));
			[x, y] = this.advance(range, reach, middle, d);
		}
		this.walkBack(range, trace, x, y);
		return { ...range, a: range.a + x, b: range.b + y };
	}

	/** One more edit on each diagonal; the farthest place inside of the range. */
	private advance(range: Range, reach: Int32Array, middle: number, d: number): [number, number] {
		const n = range.aEnd - range.a, m = range.bEnd - range.b;
		let farX = 0, farY = 0;

		for (let k = -d; k <= d; k += 2) {
			const down = k === -d || (k !== d && reach[middle + k - 1] < reach[middle + k + 1]);
			let x = down ? reach[middle + k + 1] : reach[middle + k - 1] + 1;

			while (x < n && x - k < m && this.a[range.a + x] === this.b[range.b + x - k])
				x++;
			reach[middle + k] = x;
			if (x <= n && x - k <= m && 2 * x - k > farX + farY)
				[farX, farY] = [x, x - k];
		}
		return [farX, farY];
	}

	private walkBack(range: Range, trace: Int32Array[], x: number, y: number): void {
		for (let d = trace.length - 1; d >= 0; d--) {
			const reach = trace[d], at = (k: number) => reach[k + d + 1], k = x - y;
			const from = k === -d || (k !== d && at(k - 1) < at(k + 1)) ? k + 1 : k - 1;
			const beforeX = d === 0 ? 0 : at(from), beforeY = d === 0 ? 0 : beforeX - from;

			while (x > beforeX && y > beforeY)
				this.match[range.a + --x] = range.b + --y;
			[x, y] = [beforeX, beforeY];
		}
	}
}

/** By line of @before: line of @now, -1: none. */
function matched(before: string[], now: string[]): Int32Array {
	const { lists: [a, b], n } = numbered([before, now]);
	const ofA = shared(a, b, n), ofB = shared(b, a, n), match = new Int32Array(a.length).fill(-1);

	new Aligner(ofA.map((i) => a[i]), ofB.map((i) => b[i]), n).align().forEach((j, i) => {
		if (j >= 0)
			match[ofA[i]] = ofB[j];
	});
	return match;
}

export function alignLines(before: string[], now: string[]): Alignment {
	const match = matched(before, now), rows: [number[], number[]] = [[], []];
	const add = (a: number, b: number) => {
		rows[0].push(a);
		rows[1].push(b);
	};

	for (let i = 0, j = 0; i < before.length || j < now.length;) {
		if (i < before.length && match[i] < 0) {
			add(++i, 0);
			continue;
		}
		for (const end = i < before.length ? match[i] : now.length; j < end;)
			add(0, ++j);
		if (i < before.length)
			add(++i, ++j);
	}
	return { before: Int32Array.from(rows[0]), now: Int32Array.from(rows[1]) };
}
