/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The head of the page: what was run, what was measured, what is wrong with it. */

import type { Fn, Model } from "./data";
import { byId, el } from "./dom";
import {
	baseName, formatBig, formatBytes, formatCount, formatShare, formatTime, formatWhen, plural, UNKNOWN,
	visibleText,
} from "./format";
import { flatten, pick, text } from "./header";

export function commandLine(model: Model): string {
	const header = model.header;
	const command = text(pick(header, "command"));
	const args = text(pick(header, "args"));

	if (command !== "")
		return args !== "" && !command.endsWith(args) ? `${command} ${args}` : command;
	return visibleText(model.payload.processes.command[0] ?? "");
}

function durationNs(model: Model): number {
	const stated = pick(model.header, "end.wall_ns", "timings.run_ns");
	const p = model.payload.processes;

	if (typeof stated === "number")
		return stated;
	if (p.pid.length === 0)
		return NaN;
	const first = p.start.reduce((a, b) => Math.min(a, b));
	const last = p.end.reduce((a, b) => Math.max(a, b));

	return last > first ? (last - first) * model.nsPerTick : NaN;
}

function startMs(model: Model): number {
	const { clock } = model.payload;
	const stated = pick(model.header, "started_ns");

	if (typeof stated === "number" && stated > 0)
		return stated / 1e6;
	return clock.start_ns > 0 ? clock.start_ns / 1e6 : NaN;
}

interface Figure {
	label: string;
	value: string;
	note?: string;
}

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
		  note: model.hasTimes ? `${formatTime(model.tracedNs)} traced` : "calls counted only" },
		{ label: "Calls", value: formatBig(model.tracedCalls),
		  note: `of ${plural(model.nCalled, "function")}` },
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

function machine(model: Model): string {
	const value = pick(model.header, "machine");

	if (value === null || typeof value !== "object" || Array.isArray(value))
		return text(value);
	const header = model.header;

	return [pick(header, "machine.host"), pick(header, "machine.cpu")].filter((x) => x !== undefined).map(text).join(", ");
}

function context(model: Model): string[] {
	const header = model.header;
	const commit = text(pick(header, "commit"));
	const dirty = pick(header, "dirty") === true;
	const workload = text(pick(header, "workload"));
	const when = startMs(model);
	const parts: string[] = [];

	if (Number.isFinite(when))
		parts.push(formatWhen(when));
	parts.push(machine(model));
	if (workload !== "")
		parts.push(`workload ${workload}`);
	if (commit !== "")
		parts.push(`commit ${commit.slice(0, 12)}${dirty ? " with local changes" : ""}`);
	parts.push(ending(model));
	return parts.filter((part) => part !== "");
}

const signals: Record<number, string> = { 2: "SIGINT", 6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM" };

/** How the program ended, when it was not the way one hopes for. */
function ending(model: Model): string {
	const signal = pick(model.header, "end.signal"), exit = pick(model.header, "end.exit_status");

	if (pick(model.header, "end.timed_out") === true)
		return "stopped by the time limit";
	if (typeof signal === "number")
		return `ended by ${signals[signal] ?? `signal ${signal}`}`;
	return typeof exit === "number" && exit !== 0 ? `exit status ${exit}` : "";
}

function banners(model: Model): HTMLElement[] {
	const p = model.payload, list: HTMLElement[] = [];
	const banner = (title: string, ...rest: string[]) =>
		list.push(el("div", { class: "banner", role: "alert" }, el("strong", {}, title),
			     ...rest.map((line) => el("span", {}, line))));
	const lost = p.losses.count.reduce((a, b) => a + b, 0);

	if (p.partial)
		banner("This profile is incomplete.", p.rebuilt_from >= 0
			? `The file was cut off; its sums were rebuilt from the ${formatCount(
				p.rebuilt_from)} calls that are left.`
			: "The file was cut off; shown is what could be recovered. Sums and shares " +
				"are too small.");
	if (lost > 0)
		banner("Something was lost.", ...p.losses.what.map((what, i) =>
			`${formatCount(p.losses.count[i])} ${visibleText(what)}`));
	if (p.clock.suspect)
		banner("The clock was unsteady during this run.", "Times may be wrong: the machine was " +
			"suspended, or its time source changed speed.");
	return list;
}

function factList(model: Model): HTMLElement {
	const facts: [string, string][] = [];
	const p = model.payload;

	flatten(model.header, "", facts);
	facts.push(["profile", visibleText(p.profile)], ["profile size", formatBytes(p.profile_bytes)],
		   ["clock", `${formatCount(p.clock.hz)} ticks per second`],
		   ["page written by", `rarog ${visibleText(p.rarog)}`]);
	if (p.left_out.contexts > 0)
		facts.push(["left out of the flame graph", `${formatCount(p.left_out.contexts)} contexts, ` +
			`${formatTime(p.left_out.time * model.nsPerTick)} ` +
			`(${formatShare(p.left_out.time * model.nsPerTick / model.tracedNs)}), ` +
			`${formatCount(p.left_out.calls)} calls; shown as “smaller contexts”`]);
	if (p.inlined_left_out > 0)
		facts.push(["left out", plural(p.inlined_left_out, "inlined place")]);
	for (let i = 0; i < p.binaries.path.length; i++)
		facts.push([`binary ${i + 1}`, visibleText(p.binaries.path[i]) +
			(p.binaries.build_id[i] ? ` (build-id ${visibleText(p.binaries.build_id[i])})` : "")]);
	return el("dl", { class: "facts" }, ...facts.filter(([, value]) => value !== "").map(([key, value]) =>
		el("div", {}, el("dt", {}, key), el("dd", {}, value))));
}

function status(wait: number): string {
	if (wait < 0)
		return UNKNOWN;
	if ((wait & 0x7f) === 0)
		return `exit ${wait >> 8 & 0xff}`;
	return signals[wait & 0x7f] ?? `signal ${wait & 0x7f}`;
}

const MAX_PROCESSES = 200;

function processTable(model: Model): HTMLElement {
	const p = model.payload.processes;
	const table = el("table", { class: "processes" }, el("caption", {}, "Processes"));
	const cells = ["Process", "Parent", "Threads", "Duration", "End", "Command"];
	const body = el("tbody");

	table.append(el("thead", {}, el("tr", {}, ...cells.map((name) => el("th", { scope: "col" }, name)))), body);
	for (let i = 0; i < Math.min(p.pid.length, MAX_PROCESSES); i++) {
		const parent = p.parent[i] >= 0 ? String(p.pid[p.parent[i]] ?? UNKNOWN) : UNKNOWN;

		body.append(el("tr", {}, ...[String(p.pid[i]), parent, formatCount(p.threads[i]),
			formatTime((p.end[i] - p.start[i]) * model.nsPerTick), status(p.wait_status[i]),
			visibleText(p.command[i])].map((value) => el("td", {}, value))));
	}
	if (p.pid.length > MAX_PROCESSES)
		body.append(el("tr", {}, el("td", { colspan: "6" },
			`and ${formatCount(p.pid.length - MAX_PROCESSES)} more`)));
	return table;
}

export function showSummary(model: Model): void {
	const command = commandLine(model);
	const title = model.payload.title ? visibleText(model.payload.title) : "";
	const heading = byId("title");

	heading.textContent = title || command || baseName(visibleText(model.payload.profile));
	heading.classList.toggle("code", title === "");
	byId("command").textContent = title !== "" ? command : "";
	byId("context").replaceChildren(...context(model).map((part) => el("li", {}, part)));
	byId("banners").replaceChildren(...banners(model));
	byId("figures").replaceChildren(...figures(model).map(({ label, value, note }) =>
		el("div", {}, el("dt", {}, label), el("dd", {}, el("b", {}, value), el("small", {}, note ?? "")))));
	byId("all-facts").replaceChildren(factList(model), processTable(model));
}
