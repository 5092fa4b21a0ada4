/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the head and the overview say of a range of versions. */

import { byId } from "./dom";
import { formatAmount, formatCount, formatFactor, plural, visibleText } from "./format";
import type { Find } from "./overview-page";
import type { Figure } from "./run-head";
import { metricName, shortVersion, type HistoryModel, type VersionChange } from "./versions-data";

export function showHistoryHeading({ payload }: HistoryModel): void {
	const first = payload.versions[0], last = payload.versions[payload.versions.length - 1];

	byId("title").textContent = payload.title ? visibleText(payload.title) : `Versions ${visibleText(payload.range ?? "")}`;
	byId("command").textContent = payload.jobs.map(visibleText).join(", ");
	byId("versions").textContent = first && last ? `${shortVersion(first.name)} … ${shortVersion(last.name)}` : "";
}

export function historyFigures({ payload }: HistoryModel): Figure[] {
	return [{ label: "Versions", value: formatCount(payload.versions.length), note: plural(payload.profiles, "profile") + " of this line" },
		{ label: "Changes", value: formatCount(payload.changes.length), note: `of ${plural(payload.tested, "amount")} tested` },
		{ label: "Jobs", value: formatCount(payload.jobs.length), note: plural(payload.series.length, "amount") }];
}

/** How much a change matters: by the time of all, else by itself. */
function weight({ impact, relative }: VersionChange): number {
	return impact !== null ? 1 + Math.abs(impact) : Math.min(0.99, Math.abs(relative ?? 1));
}

export function historyFinds({ payload, series, changes }: HistoryModel): Find[] {
	const known = changes.filter((change) => series[change.series]);

	return known.sort((a, b) => weight(b) - weight(a)).slice(0, 5).map((change) => {
		const of = series[change.series], version = payload.versions[change.version], amount = formatAmount(of.unit);
		const by = change.relative === null ? "new" : formatFactor(1 + change.relative);

		return { what: change.after > change.before ? "More" : "Less", name: of.title,
			 why: `${metricName(of.metric)} ${amount(change.before)} → ${amount(change.after)} (${by}) since ${shortVersion(version.name)}: ${visibleText(version.subject ?? "")}`,
			 tab: "versions", state: { fn: of.name, metric: of.metric, job: String(of.job), version: version.name } };
	});
}

export function historyLimits({ payload }: HistoryModel): string[] {
	const { versions } = payload;
	const gaps = versions.filter(({ parent }, i) => i > 0 && parent !== null && parent !== versions[i - 1].name).length;

	return [...(gaps > 0 ? [`Before ${plural(gaps, "version")} others were not measured: a change there may be theirs.`] : []),
		...payload.splits.map(({ version, reason }) => `Nothing is compared across ${shortVersion(versions[version]?.name ?? "")}: ${visibleText(reason)}.`),
		...(payload.left_out > 0 ? [`${formatCount(payload.left_out)} amounts of small functions are left out.`] : [])];
}
