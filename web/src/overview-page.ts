/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first page: what was measured, what is worth looking at, what the profile cannot tell. */

import { blockFigures, blockFinds, blockLimits } from "./blocks-summary";
import { badge } from "./columns-pair";
import type { Run } from "./data";
import { byId, el, prose } from "./dom";
import { plural } from "./format";
import { isOfNoise, noiseFinds } from "./noise-rows";
import { pairFigures, pairHeadline, pairNotes, showJobs, verdictTones } from "./pair-summary";
import type { Report } from "./report";
import { figureElement } from "./run-head";
import type { Page, Shell, State } from "./shell";
import { callFigures, callFinds, callLimits } from "./summary";
import { historyFigures, historyFinds, historyLimits } from "./versions-summary";

/** One of the things worth looking at. */
export interface Find {
	what: string;
	name: string; /* of the function, as code */
	why: string;
	tab: string; /* where it leads to */
	state: State;
}

function findItem(find: Find, shell: Shell): HTMLElement {
	const button = el("button", { type: "button", class: "link code" }, find.name);

	button.addEventListener("click", () => shell.go(shell.has(find.tab) ? find.tab : shell.pages[1].id, find.state));
	return el("li", {}, el("p", {}, el("span", { class: "what" }, find.what), button), el("p", { class: "quiet" }, find.why));
}

/** What rarog check kept of the version that was measured. */
function verdictFigure({ payload }: Run): HTMLElement[] {
	const { verdict, changes } = payload;

	return verdict ? [el("div", {}, el("dt", {}, "Verdict"), el("dd", {}, el("b", {}, badge(verdictTones[verdict] ?? "unknown", verdict)),
			  el("small", {}, `of rarog check: ${plural(changes ?? 0, "change")} against its base`)))] : [];
}

function figures(report: Report): HTMLElement[] {
	return [...(report.run ? verdictFigure(report.run) : []), ...(report.pair ? pairFigures(report.pair) : []),
		...(report.history ? historyFigures(report.history).map(figureElement) : []),
		...(report.calls ? callFigures(report.calls).map(figureElement) : []),
		...(report.blocks && !report.calls ? blockFigures(report.blocks).map(figureElement) : [])];
}

function headline(report: Report, shell: Shell): HTMLElement[] {
	const { calls } = report;
	const finds = [...(calls ? isOfNoise(calls) ? noiseFinds(calls) : callFinds(calls) : []), ...(report.blocks ? blockFinds(report.blocks) : []),
		       ...(report.history ? historyFinds(report.history) : [])];

	return [...(report.pair ? pairHeadline(report.pair, (fn) => shell.go("differences", { fn: fn.name })) : []),
		...finds.slice(0, 5).map((find) => findItem(find, shell))];
}

function limits(report: Report): string[] {
	return [...(report.history ? historyLimits(report.history) : []), ...(report.calls ? callLimits(report.calls) : []),
		...(report.blocks ? blockLimits(report.blocks, report.calls !== null) : [])];
}

export const overviewPage: Page = {
	id: "overview",
	title: "Overview",
	shows: () => true,
	make(report, shell) {
		const list = headline(report, shell), missing = limits(report);

		byId("figures").replaceChildren(...figures(report));
		byId("headline").replaceChildren(...list);
		byId("headline-section").hidden = list.length === 0;
		byId("limits").replaceChildren(...missing.map((line) => el("li", {}, ...prose(line))));
		byId("limits-section").hidden = missing.length === 0;
		if (report.pair) {
			showJobs(report.pair, report.check);
			byId("notes").replaceChildren(...pairNotes(report.pair).map((note) => el("li", {}, note)));
		}
		return {};
	},
};
