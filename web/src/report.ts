/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report holds: the models of its parts. A part is null where the profile has none. */

import { makeBlocksModel, type BlocksModel, type BlocksPayload } from "./blocks-data";
import { makeModel, type Model, type Payload, type Run } from "./data";
import { makePairModel, type PairModel, type PairPayload } from "./pair-data";
import { makeHistoryModel, type HistoryModel, type HistoryPayload } from "./versions-data";

export interface Report {
	run: Run | null; /* of one profile: what its head needs */
	calls: Model | null;
	blocks: BlocksModel | null;
	pair: PairModel | null;
	history: HistoryModel | null;
	check: number; /* of several comparisons the one that is shown */
}

/** One profile is of calls, of blocks, or of calls with the blocks as a member; or two are compared, or a range of versions. */
export type AnyPayload = (Payload & { blocks?: BlocksPayload }) | BlocksPayload | PairPayload | HistoryPayload;

/** @wanted: which of several comparisons, from 1. */
export function makeReport(payload: AnyPayload, wanted: string): Report {
	const none = { run: null, calls: null, blocks: null, pair: null, history: null, check: 0 };

	if ("checks" in payload) {
		const at = Number(wanted) - 1;
		const check = Number.isInteger(at) && at >= 0 && at < payload.checks.length ? at : 0;

		return { ...none, pair: makePairModel(payload, check), check };
	}
	if ("series" in payload)
		return { ...none, history: makeHistoryModel(payload) };
	if ("covered" in payload) {
		const blocks = makeBlocksModel(payload);

		return { ...none, run: blocks, blocks };
	}
	const calls = makeModel(payload);

	return { ...none, run: calls, calls, blocks: payload.blocks ? makeBlocksModel(payload.blocks) : null };
}
