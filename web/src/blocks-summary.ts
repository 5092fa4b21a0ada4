/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the overview says of counts of blocks, and what these cannot tell. */

import type { BlocksModel } from "./blocks-data";
import { formatBig, formatCount, formatShare, plural } from "./format";
import { pick } from "./header";
import type { Find } from "./overview-page";
import type { Figure } from "./run-head";

function covered(label: string, part: number, all: number): Figure {
	return { label, value: formatShare(part / all), note: `${formatCount(part)} of ${formatCount(all)}` };
}

function coverageFigures(model: BlocksModel): Figure[] {
	const entered = model.loops.filter((loop) => loop.iterations > 0).length;
	const list: Figure[] = [
		covered("Functions that ran", model.nCalled, model.functions.length),
		covered("Blocks that ran", model.nExecuted, model.nBlocks),
	];

	if (model.nLines > 0)
		list.push(covered("Lines that ran", model.nReached, model.nLines), covered("Branches taken", model.nTaken, model.nBranches));
	list.push({ label: "Loops", value: formatCount(entered), note: `of ${formatCount(model.loops.length)} ran` });
	return list;
}

export function blockFigures(model: BlocksModel): Figure[] {
	const processes = pick(model.header, "totals.processes");
	const list: Figure[] = [
		{ label: "Instructions", value: formatBig(model.instructions),
		  note: model.onlyExecuted ? "executed, of the machine" : model.ofMachine ? "executed, of machine code" : "executed, of intermediate code" },
		{ label: "Blocks executed", value: formatBig(model.executions), note: `in ${plural(model.calls, "call")}` },
	];

	if (model.onlyExecuted)
		list.push({ label: "Functions that ran", value: formatCount(model.nCalled), note: "of how many is not known" },
			  { label: "Blocks that ran", value: formatCount(model.nExecuted), note: "of how many is not known" });
	else
		list.push(...coverageFigures(model));
	if (typeof processes === "number" && processes > 1)
		list.push({ label: "Processes", value: formatCount(processes), note: "counted together" });
	return list;
}

const loopsOfExecuted = ({ loops }: BlocksModel) => loops.length > 0
	? "Paths are not known. Loops are those whose way back ran; how often jumps through tables entered one may not be known."
	: "Ways between blocks are not known, so there are neither loops nor paths (rarog collect blocks counts them).";

const ofExecuted = [
	"Nothing here is a time: caches, waiting and system calls do not count.",
	"Only what ran is known. Functions, blocks and lines that did not run are not here, so this is no coverage; counts of lines are where blocks begin.",
	"Instructions are the machine's; inlined code counts in the function it was inlined into. Counts are sums over all threads and processes of the run.",
];

/** How much the times of blocks are worth. */
function timeLimits({ header, ticks }: BlocksModel): string {
	const how = pick(header, "times.how"), share = pick(header, "times.probe_share"), samples = pick(header, "times.samples");

	if (!(ticks >= 0) || (how !== "measured" && how !== "estimated"))
		return "Nothing here is a time: caches, waiting and system calls do not count.";
	if (how === "estimated")
		return `Times of blocks are estimated from ${typeof samples === "number" ? formatCount(samples) : "?"} samples of processor time in user mode; counters take part of it, most in short loops${Number(pick(header, "times.counter_ticks")) > 0 ? "; the least that they take is subtracted" : ""}.`;
	const more = typeof share === "number" && share > 0.5;

	return "Times of blocks are measured by a time stamp where each begins" +
		(more ? `: stamps were more than half of it (${formatShare(share)})` : "") +
		(pick(header, "times.compensated") === true ? "; their cost is subtracted." : "; their cost is inside (--compensate subtracts it).");
}

function asItIs(model: BlocksModel): string[] {
	const left = pick(model.header, "totals.functions_left");

	return [
		"Counters do not know callers: instructions are a function's own, and there is neither call tree nor flame graph (rarog collect trace has them).",
		timeLimits(model),
		"Instructions and blocks are those of the machine code, as the compiler left it; inlined code counts in the function it was inlined into.",
		"Counts are sums over all threads and processes of the run. Of a loop they give the mean number of iterations; the least and the most where it was entered once or never went round, or with --loops=trips.",
		...(typeof left === "number" && left > 0
			? [`${plural(left, "function")} ${left === 1 ? "was" : "were"} left as ${left === 1 ? "it is" : "they are"}, because how control flows there is not proven; rarog show --json names them, with reasons.`] : []),
	];
}

/** What this kind of profile does not know, in sentences. */
export function blockLimits(model: BlocksModel, hasCalls: boolean): string[] {
	const { sources } = model.payload, without = pick(model.header, "totals.functions_without_counters");
	const gone = sources.state.filter((state) => state === "missing" || state === "large").length;
	const changed = sources.state.filter((state) => state === "changed").length;
	const list = model.ofMachine && !hasCalls ? asItIs(model) : model.onlyExecuted || hasCalls ? [...ofExecuted, loopsOfExecuted(model)] : [
		"Counters do not know callers: instructions are a function's own, and there is neither call tree nor flame graph (rarog collect trace has them).",
		"Nothing here is a time: caches, waiting and system calls do not count.",
		"Instructions and blocks are those of the compiler's optimised intermediate code; inlined code counts in the function it was inlined into, and code generation may still merge or copy blocks.",
		"Counts are sums over all threads and processes of the run. Of a loop they give the mean number of iterations; the least and the most where it was entered once or never went round, or where rarog cc --rarog-loops=trips compiled it.",
		"What was not compiled by rarog cc is not here" + (typeof without === "number" && without > 0
			? `: ${plural(without, "function")} of the counted binaries, and all other libraries.` : ", other libraries for instance."),
	];

	if (model.payload.paths.count.length === 0 && !model.onlyExecuted && !model.ofMachine)
		list.push("Which blocks ran one after the other is not known beyond single ways: rarog cc --rarog-paths counts paths.");
	if (gone > 0)
		list.push(`${plural(gone, "source file")} ${gone === 1 ? "is" : "are"} not in this page: not found, or too large.`);
	if (changed > 0)
		list.push(`${plural(changed, "source file")} changed after the program was built: lines may not be those that ran.`);
	return list;
}

/** What is worth looking at. */
export function blockFinds(model: BlocksModel): Find[] {
	const most = <T>(list: T[], of: (item: T) => number) =>
		list.reduce<T | undefined>((best, item) => of(item) > (best ? of(best) : 0) ? item : best, undefined);
	const hottest = [...model.functions].sort((a, b) => b.instructions - a.instructions).slice(0, 3).filter((fn) => fn.instructions > 0);
	const loop = most(model.loops, (each) => each.iterations);
	const finds = hottest.map((fn, i): Find => ({
		what: i === 0 ? "Most instructions" : "then", name: fn.short, tab: "blocks", state: { fn: fn.name },
		why: `${formatBig(fn.instructions)} instructions, ${formatShare(fn.instructions / model.instructions)} of all`,
	}));

	if (loop && loop.iterations > 0)
		finds.push({ what: "Busiest loop", name: loop.fn.short, tab: "blocks", state: { fn: loop.fn.name },
			     why: `${formatCount(loop.iterations)} rounds` });
	return finds;
}
