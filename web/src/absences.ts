/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When threads were off-CPU: they waited, or could have run and another did. */

export interface AbsencesPayload {
	is_all: boolean; /* false: the longest of the run */
	strand: number[]; /* by strand and time */
	begin: number[]; /* ticks since the start of the run */
	ticks: number[];
	preempted: number[]; /* 1: it could have run */
}

export interface Away {
	waited: number; /* ticks */
	preempted: number;
}

/** Those of each thread. */
export class Absences {
	private readonly range = new Map<number, [number, number]>();

	constructor(readonly payload: AbsencesPayload) {
		payload.strand.forEach((strand, i) => this.range.set(strand, [this.range.get(strand)?.[0] ?? i, i + 1]));
	}

	/** The first that ends after @from; they do not overlap. */
	private first(strand: number, from: number): [number, number] {
		let [low, high] = this.range.get(strand) ?? [0, 0];
		const end = high, { begin, ticks } = this.payload;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (begin[middle] + ticks[middle] <= from)
				low = middle + 1;
			else
				high = middle;
		}
		return [low, end];
	}

	/** Each of a thread that reaches into a part of the time. */
	each(strand: number, from: number, to: number, then: (begin: number, end: number, isPreempted: boolean) => void): void {
		const { begin, ticks, preempted } = this.payload;

		for (let [i, end] = this.first(strand, from); i < end && begin[i] < to; i++)
			then(begin[i], begin[i] + ticks[i], preempted[i] === 1);
	}

	/** How much of a part of the time the thread was off-CPU; at least so much where not all are known. */
	within(strand: number, from: number, to: number): Away {
		const away = { waited: 0, preempted: 0 };

		this.each(strand, from, to, (begin, end, isPreempted) => {
			away[isPreempted ? "preempted" : "waited"] += Math.min(end, to) - Math.max(begin, from);
		});
		return away;
	}
}
