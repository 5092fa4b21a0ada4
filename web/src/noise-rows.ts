/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rarog blow found, a row for each place, and what the overview says of it. */

import type { Experiments, Fn, Model } from "./data";
import { formatShare } from "./format";
import { pick } from "./header";
import type { Find } from "./overview-page";
import { durationNs } from "./run-head";

export interface Row {
	id: number;
	fn: Fn;
	at: number; /* of the function in the profile */
	title: string;
	kind: string;
	amount: number; /* ns a call */
	runs: number;
	effect: number;
	low: number;
	high: number;
	sensitivity: number;
}

/* Of these the effect is what of the run would be gained if the function took no time. */
const GAINS = new Set(["speed-up", "busy in all but it"]);

/** The end of an interval may be below zero. */
export function part(share: number): string {
	return share < 0 ? `−${formatShare(-share)}` : formatShare(share);
}

export function rowsOf(model: Model, list: Experiments): Row[] {
	const run = Number(pick(model.header, "base_ns") ?? NaN) || durationNs(model);

	return list.function.map((at, id) => {
		const fn = model.functions[at];

		return { id, fn, at, title: list.line[id] > 0 ? `${fn.short}, line ${list.line[id]}` : fn.short, kind: list.kind[id], amount: list.amount[id] * model.nsPerTick,
			 runs: list.runs[id], effect: list.effect[id], low: list.low[id], high: list.high[id], sensitivity: GAINS.has(list.kind[id]) ? NaN : list.effect[id] * fn.total / run };
	});
}

export const isGain = ({ kind }: Row): boolean => GAINS.has(kind);

/** Such a profile has of functions what one traced run took, but neither contexts nor single calls. */
export function isOfNoise({ payload }: Model): boolean {
	return (payload.experiments?.function.length ?? 0) > 0;
}

/** The three places on which most hangs for sure; without one, that with the largest estimate. */
export function noiseFinds(model: Model): Find[] {
	const rows = rowsOf(model, model.payload.experiments!).sort((a, b) => b.low - a.low || b.effect - a.effect);
	const sure = rows.filter(({ low }) => low > 0).slice(0, 3), likely = rows.reduce((a, b) => b.effect > a.effect ? b : a);

	return (sure.length > 0 ? sure : [likely]).map((row, i) => ({
		what: i > 0 ? "then" : sure.length === 0 ? "Nothing is sure: these runs do not exclude 0 of any place; the largest estimate"
			: isGain(row) ? "Would gain most if it were faster" : "Of a delay there most reaches the end",
		name: row.title, tab: "noise", state: { fn: row.fn.name },
		why: `${part(row.effect)}${isGain(row) ? " of the run" : ""}; 95 % interval ${part(row.low)} … ${part(row.high)}`,
	}));
}
