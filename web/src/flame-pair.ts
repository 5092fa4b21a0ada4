/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The flame graph of a difference: widths are of one version, or of what changed; colours say what
 * became of a context with all it calls. The sign of a change is on the frame as well.
 */

import { frameText, shiftColour, shiftStep, type Theme } from "./colour";
import type { FlameSource } from "./flame";
import { formatCount, formatDifference, formatFactor, formatShare, formatTime } from "./format";
import { shiftOf, type PairModel, type PairWeight } from "./pair-data";

export const widthWords: Record<PairWeight, string> = {
	now: "the time now", before: "the time before", difference: "what changed",
};

export function pairFlame(model: PairModel): FlameSource<PairWeight> {
	const { tree, functions } = model;
	const shifts = (node: number) => shiftOf(tree, node);

	return {
		tree,
		name: (fn) => functions[fn].short,
		heading: (fn) => [functions[fn].name,
			[functions[fn].binary, functions[fn].source].filter((s) => s !== "").join(" · ")],
		remark: (node) => {
			const { kind, ratio } = shifts(node);

			return kind === "same" ? "" : kind === "changed" ? formatFactor(ratio) : kind;
		},
		isHatched: (node) => ["new", "gone"].includes(shifts(node).kind),
		colours: (node, theme: Theme) => [shiftColour(theme, shiftStep(shifts(node))), frameText[theme]],
		facts: (node, weight, zoom) => {
			const { kind, ratio } = shifts(node), before = tree.before[node], now = tree.now[node];
			const change = kind === "new" || kind === "gone" ? kind : before > 0 ? formatFactor(ratio) : "";
			const list: [string, string][] = [
				["before", formatTime(before)], ["now", formatTime(now)],
				["difference", formatDifference(now - before) + (change ? ` (${change})` : "")],
			];

			if (tree.margin[node] > 0)
				list.push(["by chance", `up to ±${formatTime(tree.margin[node])} between such runs`]);
			if (tree.fn[node] >= 0 && tree.ownBefore[node] + tree.ownNow[node] > 0)
				list.push(["itself", `${formatTime(tree.ownBefore[node])} → ${formatTime(tree.ownNow[node])}`]);
			if (node > 0)
				list.push(["calls", `${formatCount(tree.callsBefore[node])} → ${formatCount(tree.callsNow[node])}`]);
			list.push(["width", `${formatShare(tree[weight][node] / tree[weight][zoom])} of ${widthWords[weight]}` +
				(zoom > 0 ? " shown here" : "")]);
			return list;
		},
	};
}
