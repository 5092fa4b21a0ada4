/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the overview says of calls and times. */

import { isSeen, type Fn, type Model } from "./data";
import { formatBig, formatBytes, formatCount, formatShare, formatTime, plural, UNKNOWN } from "./format";
import { pick, text } from "./header";
import type { Find } from "./overview-page";
import { isOfNoise } from "./noise-rows";
import { durationNs, type Figure } from "./run-head";

function threadsNote(processes: number): string {
	return processes > 1 ? `in ${plural(processes, "process", "processes")}` : processes === 1 ? "in one process" : "";
}

/** Over all threads; what is not known of a function is in none of them. */
function cpuFigure({ functions }: Model): Figure {
	const sum = (of: (fn: Fn) => number) => functions.reduce((all, fn) => all + (of(fn) || 0), 0);
	const rest = [[sum((fn) => fn.waited), "waited"], [sum((fn) => fn.preempted), "preempted"]] as const;
	const unknown = functions.filter((fn) => fn.timed > 0 && !Number.isFinite(fn.cpu)).length;

	return { label: "CPU time", value: formatTime(sum((fn) => fn.cpu)),
		 note: [...rest.filter(([ns]) => ns > 0).map(([ns, words]) => `${formatTime(ns)} ${words}`),
			...(unknown > 0 ? [`unknown of ${plural(unknown, "function")}`] : [])].join(", ") };
}

/** Of a program as a whole: what the kernel said of it when it had ended. */
function programFigures(model: Model): Figure[] {
	const end = (key: string) => Number(pick(model.header, `end.${key}`) ?? NaN);
	const time = (label: string, key: string, note = ""): Figure => ({ label, value: formatTime(end(key)), note });
	const count = (label: string, key: string, note = ""): Figure => ({ label, value: formatCount(end(key)), note });

	return [time("Duration", "wall_ns"), time("User time", "user_ns", "on processors, in the program"),
		time("System time", "system_ns", "on processors, in the kernel"),
		{ label: "Memory", value: formatBytes(end("max_rss_bytes")), note: pick(model.header, "end.max_rss_is_bound") === true ? "at most, at once" : "the most at once" },
		count("Page faults", "minor_faults", `and ${formatCount(end("major_faults"))} from the disk`),
		count("Switches", "voluntary_switches", `it waited; ${formatCount(end("involuntary_switches"))} preempted`)];
}

export function callFigures(model: Model): Figure[] {
	const p = model.payload, header = model.header;

	if (p.whole_program)
		return programFigures(model);
	const threads = p.processes.threads.reduce((a, b) => a + b, 0);
	const engine = text(pick(header, "engine", "collector"));
	const detail = text(pick(header, "detail"));
	const ticks = pick(header, "probe_cost.call_ticks");
	const compensated = pick(header, "probe_cost.compensated") === true;
	const list: Figure[] = [
		{ label: "Duration", value: formatTime(durationNs(model)),
		  note: model.hasTimes ? `${formatTime(model.tracedNs)} ${model.hasSamples ? "sampled: times are estimates" : "traced"}`
			: model.tracedCalls > 0 ? "calls counted only" : "" },
		{ label: model.hasSamples ? "Samples" : "Calls", value: formatBig(model.tracedCalls),
		  note: `${model.hasSamples ? "in" : "of"} ${plural(model.nCalled, "function")}` },
		{ label: "Threads", value: threads > 0 ? formatBig(threads) : UNKNOWN,
		  note: threadsNote(p.processes.pid.length) },
	];

	if (model.hasCpu)
		list.splice(1, 0, cpuFigure(model));
	if (engine !== "")
		list.push({ label: "Engine", value: engine, note: detail !== "" ? `detail ${detail}` : "" });
	if (typeof ticks === "number" && model.hasTimes)
		list.push({ label: "Probe cost", value: `${formatTime(ticks * model.nsPerTick)} a call`,
			    note: compensated ? "subtracted" : "included in the times" });
	return list;
}

export function leftOut({ payload: p, nsPerTick, tracedNs, hasSamples }: Model): [string, string][] {
	const facts: [string, string][] = [];

	if (p.left_out.contexts > 0)
		facts.push(["left out of the flame graph", `${formatCount(p.left_out.contexts)} contexts, ` +
			`${formatTime(p.left_out.time * nsPerTick)} ` +
			`(${formatShare(p.left_out.time * nsPerTick / tracedNs)}), ` +
			`${formatCount(p.left_out.calls)} ${hasSamples ? "samples" : "calls"}; shown as “smaller contexts”`]);
	if (p.inlined_left_out > 0)
		facts.push(["left out", plural(p.inlined_left_out, "inlined place")]);
	return facts;
}

/** The greatest of @list, undefined when none has a value. */
function most(list: Fn[], of: (fn: Fn) => number): Fn | undefined {
	return list.filter((fn) => of(fn) > 0).reduce<Fn | undefined>((best, fn) => best && of(best) >= of(fn) ? best : fn, undefined);
}

/** What is worth looking at, what costs most first. */
export function callFinds(model: Model): Find[] {
	const { tracedNs: all, tracedCalls } = model, finds: Find[] = [];
	const sampled = model.payload.calls_sampled; /* the most is among what is not known, perhaps */
	const seen = model.functions.filter(isSeen);
	const share = (ns: number) => `${formatShare(ns / all)} of the ${model.hasSamples ? "sampled" : "traced"} time`;
	const add = (what: string, fn: Fn | undefined, why: (fn: Fn) => string, tab = "functions") => {
		if (fn)
			finds.push({ what, name: fn.short, why: why(fn), tab, state: { fn: fn.name } });
	};

	add("Most time of its own", sampled ? undefined : most(seen, (fn) => fn.exclusive), (fn) => `${formatTime(fn.exclusive)}, ${share(fn.exclusive)}`, "flame");
	add("Most time with what it calls, below the start", most(seen.filter((fn) => fn.total < 0.9 * all), (fn) => fn.total),
	    (fn) => `${formatTime(fn.total)}, ${share(fn.total)}`, "calltree");
	add("Most calls", model.hasSamples ? undefined : most(seen, (fn) => fn.calls), (fn) => `${plural(fn.calls, "call")}, ` +
		formatShare(fn.calls / tracedCalls) + (Number.isFinite(fn.mean) ? `, ${formatTime(fn.mean)} each` : ""), model.tree.n > 1 ? "calltree" : "functions");
	add("Longest waiting", sampled ? undefined : most(seen, (fn) => fn.waited), (fn) => `${formatTime(fn.waited)} of its own time it waited`, "flame");
	add("Least steady", most(seen.filter((fn) => fn.timed >= 20 && fn.p99 > 10 * fn.p50), (fn) => fn.total),
	    (fn) => `half of its calls took at most ${formatTime(fn.p50)}, one in a hundred more than ${formatTime(fn.p99)}, the longest ${formatTime(fn.max)}`,
	    "timeline");
	add("Longest call below the start", most(seen.filter((fn) => fn.max < 0.9 * all), (fn) => fn.max),
	    (fn) => `${formatTime(fn.max)} in one call; its mean is ${formatTime(fn.mean)}`, "timeline");
	return finds;
}

const NAMED_MOST = 3;

/** What a budget (--overhead) left out, and whose totals are not told. */
function budgetLimits(model: Model): string[] {
	const of = (key: string) => Number(pick(model.header, `budget.${key}`) ?? NaN), list: string[] = [];
	const unsure = new Set(model.payload.unsure), names = model.functions.filter((fn) => unsure.has(fn.id)).map((fn) => fn.short);

	if (of("thinned") > 0)
		list.push(`Probes were to take at most ${formatShare(of("overhead"))} of the program's time, so calls of ${plural(of("thinned"), "function")} were left out` +
			  (of("off") > 0 ? `; ${formatCount(of("off"))} of these had no probe at times, so they had at least the calls and the time that are shown here.` : "."));
	if (names.length > 0)
		list.push(`Totals of these functions are not known, because too few of their calls were recorded, and these differ too much: ${names.slice(0, NAMED_MOST).join(", ")}` +
			  (names.length > NAMED_MOST ? ` and ${formatCount(names.length - NAMED_MOST)} more.` : "."));
	return list;
}

/** What a profile of this kind does not know, in sentences. */
export function callLimits(model: Model): string[] {
	const list: string[] = [], noisy = pick(model.header, "conditions.noisy");

	if (model.payload.whole_program)
		list.push("Only the program as a whole was measured, no function: rarog collect trace has functions and calls.");
	else if (model.tracedCalls > 0 && !model.hasTimes && !model.payload.blocks)
		list.push("Calls were only counted: there are neither times nor, without contexts, a flame graph (--detail=summary has both).");
	else if (model.tracedCalls === 0 && !model.payload.blocks && !isOfNoise(model))
		list.push(model.hasSamples ? "Nothing was recorded: no sample was taken."
			: "Nothing was recorded: no function that was chosen was called, or none could be probed (rarog probes says which can).");
	if (model.payload.calls_sampled)
		list.push("Only some calls were recorded, so contexts are not known: there is no flame graph and no call tree (rarog show --flame and --tree have the calls that were recorded, the timeline as well).",
			  "Exclusive times of sampled functions and of their callers are not known. They are too long if a function called a sampled one and none of these calls was recorded. Inclusive times are estimates, and are not known of recursive functions.");
	list.push(...budgetLimits(model));
	if (isOfNoise(model))
		list.push("The page shows what experiments say of each function; contexts and single calls were not kept (rarog collect has them).");
	if (model.hasSamples)
		list.push("These are samples, not calls: it is not known how often a function was called and how long one call took.");
	if (model.hasTimes && Array.isArray(noisy) && noisy.length > 0)
		list.push(`The machine was not quiet (${noisy.map(text).join(", ")}): times may be too long.`);
	if (model.hasTimes && !model.hasCpu && !model.hasSamples && !isOfNoise(model))
		list.push("Times include waiting; how much of them was on a processor was not measured (--off-cpu).");
	return list;
}
