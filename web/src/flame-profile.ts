/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the flame graph of one profile shows. */

import type { Fn, Model } from "./data";
import { frameColour, frameText, type Theme } from "./colour";
import type { FlameSource } from "./flame";
import { formatCount, formatExact, formatShare, formatTime } from "./format";
import { invert } from "./inverted-tree";
import { buildTree, FIRST_THREAD, pathTo, weightWords, type Tree, type Weight } from "./tree";

/** Contexts from the start on; those of each thread; functions with what called them. */
export type Shape = "all" | "threads" | "callers";

/** Frames of threads have numbers after those of all functions. */
function threadTree({ payload }: Model): Tree {
	const columns = payload.threads!, n = payload.functions.name.length;

	return buildTree({ ...columns, waited: [], preempted: [], function: columns.function.map((fn) => fn >= n ? FIRST_THREAD - (fn - n) : fn) });
}

export function treeOf(model: Model, shape: Shape): Tree {
	return shape === "threads" ? threadTree(model) : shape === "callers" ? invert(model.tree) : model.tree;
}

function threadName({ payload }: Model, fn: number): string {
	const { process, tid } = payload.timeline!.strands, strand = FIRST_THREAD - fn, pid = payload.processes.pid[process[strand]];

	return payload.processes.pid.length > 1 ? `process ${pid}, thread ${tid[strand]}` : `thread ${tid[strand]}`;
}

/** What is known of a function's loops (engine vex): the hottest, in words; is most of the function's own work there? */
export type LoopOf = (fn: Fn) => { words: string; isHot: boolean };

export const HOT_LOOP = "↻";

export function profileFlame(model: Model, tree: Tree, shape: Shape, loopOf: LoopOf): FlameSource<Weight> {
	const { functions, families, nsPerTick } = model, isInverted = shape === "callers";
	const partsOf = (node: number) => (["cpu", "waited", "preempted"] as const)
		.filter((key) => key === "cpu" || tree[key][node] > 0)
		.map((key): [string, string] => [key === "cpu" ? "CPU time" : key,
			`${formatTime(tree[key][node] * nsPerTick)} (${formatShare(tree[key][node] / tree.time[node])} of inclusive)`]);

	return {
		tree,
		name: (fn) => fn <= FIRST_THREAD ? threadName(model, fn) : functions[fn].short,
		remark: (node) => tree.fn[node] >= 0 && loopOf(functions[tree.fn[node]]).isHot ? HOT_LOOP : "",
		isHatched: () => false,
		heading: (fn) => [functions[fn].name,
			[functions[fn].binary, functions[fn].source].filter((s) => s !== "").join(" · ")],
		colours: (node: number, theme: Theme) => {
			const { family, shade } = functions[tree.fn[node]];

			return [frameColour(theme, families[family]?.colour ?? -1, shade), frameText[theme]];
		},
		facts: (node, weight, zoom) => {
			const list: [string, string][] = [];
			const share = formatShare(tree[weight][node] / tree[weight][0]);

			if (model.hasTimes && isInverted) {
				list.push(["own time", `${formatTime(tree.time[node] * nsPerTick)} (${formatExact(tree.time[node] * nsPerTick)})`]);
				if (tree.depth[node] > 1)
					list.push(["of", functions[tree.fn[pathTo(tree, node)[1]]]?.short ?? ""]);
			} else if (model.hasTimes) {
				const inclusive = tree.time[node] * nsPerTick, own = tree.self[node] * nsPerTick;

				list.push(["inclusive", `${formatTime(inclusive)} (${formatExact(inclusive)})`]);
				if (tree.fn[node] >= 0)
					list.push(["exclusive", `${formatTime(own)} (${formatExact(own)})`]);
			}
			if (tree.cpu.length > 0)
				list.push(...partsOf(node));
			list.push(["share", `${share} of all ${weight === "calls" && model.hasSamples ? "samples" : weightWords[weight]}`]);
			if (zoom > 0)
				list.push(["", `${formatShare(tree[weight][node] / tree[weight][zoom])} of what is shown`]);
			if (node > 0)
				list.push([model.hasSamples ? "samples in it" : "calls", formatCount(tree.count[node])]);
			if (tree.calls[node] !== tree.count[node])
				list.push([model.hasSamples ? "samples with all below" : "calls with all below",
					   formatCount(tree.calls[node])]);
			const { words } = tree.fn[node] >= 0 ? loopOf(functions[tree.fn[node]]) : { words: "" };

			if (words !== "")
				list.push(["hottest loop", words]);
			return list;
		},
	};
}
