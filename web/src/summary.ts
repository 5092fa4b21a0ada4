/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The head of a page of calls and times: what was measured. */

import type { Fn, Model } from "./data";
import { formatBig, formatCount, formatShare, formatTime, plural, UNKNOWN } from "./format";
import { pick, text } from "./header";
import { durationNs, showHead, type Figure } from "./run-head";

function threadsNote(processes: number): string {
	return processes > 1 ? `in ${plural(processes, "process", "processes")}` : "in one process";
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

function figures(model: Model): Figure[] {
	const p = model.payload, header = model.header;
	const threads = p.processes.threads.reduce((a, b) => a + b, 0);
	const engine = text(pick(header, "engine", "collector"));
	const detail = text(pick(header, "detail"));
	const ticks = pick(header, "probe_cost.call_ticks");
	const compensated = pick(header, "probe_cost.compensated") === true;
	const list: Figure[] = [
		{ label: "Duration", value: formatTime(durationNs(model)),
		  note: model.hasTimes ? `${formatTime(model.tracedNs)} ${model.hasSamples ? "sampled: times are estimates" : "traced"}`
			: "calls counted only" },
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

function leftOut({ payload: p, nsPerTick, tracedNs, hasSamples }: Model): [string, string][] {
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

export function showSummary(model: Model): void {
	showHead(model, figures(model), leftOut(model));
}
