/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything that is known about the run or both versions. */

import { byId } from "./dom";
import { pairFacts } from "./pair-summary";
import { runFacts } from "./run-head";
import type { Page } from "./shell";
import { leftOut } from "./summary";

export const environmentPage: Page = {
	id: "environment",
	title: "Environment",
	shows: ({ run, pair }) => run !== null || pair !== null,
	make({ run, calls, pair }) {
		byId("all-facts").replaceChildren(...(pair ? [pairFacts(pair)] : []),
			...(run ? runFacts(run, calls ? leftOut(calls) : []) : []));
		return {};
	},
};
