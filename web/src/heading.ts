/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The head above all pages: what ran or was compared, and what is wrong with it. */

import { el, byId } from "./dom";
import { visibleText } from "./format";
import { signs } from "./pair-data";
import { bannersOfPair, titleOf, verdictTones } from "./pair-summary";
import type { PairModel } from "./pair-data";
import type { Report } from "./report";
import { showRunHeading } from "./run-head";
import { showHistoryHeading } from "./versions-summary";

function showPairHeading(model: PairModel): void {
	const { check, payload } = model, tone = verdictTones[check.verdict] ?? "unknown";
	const title = payload.title ? visibleText(payload.title) : "";

	byId("versions").textContent = titleOf(model);
	byId("title").replaceChildren(...(title !== "" ? [`${title}: `] : []),
		el("span", { class: `verdict ${tone}` }, el("i", { "aria-hidden": "true" }, signs[tone]), check.sentence));
	byId("command").textContent = visibleText(check.job);
	byId("banners").replaceChildren(...bannersOfPair(model));
}

export function showHeading(report: Report): void {
	if (report.pair)
		showPairHeading(report.pair);
	else if (report.history)
		showHistoryHeading(report.history);
	else if (report.run)
		showRunHeading(report.run);
}
