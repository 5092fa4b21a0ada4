/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One profile: what was run, what is wrong with it, all facts. */

import type { Run } from "./data";
import { byId, el } from "./dom";
import { baseName, formatBytes, formatCount, formatTime, formatWhen, UNKNOWN, visibleText } from "./format";
import { flatten, pick, text } from "./header";

function processes(n: number): string {
	return `${formatCount(n)} process${n === 1 ? "" : "es"}`;
}

/** What ran; of all processes of a file (--every-process) that and how many they were. */
export function commandLine(run: Run): string {
	const header = run.header;
	const file = text(pick(header, "every_process.file"));
	const command = text(pick(header, "command"));
	const args = text(pick(header, "args"));

	if (file !== "")
		return `${file}, ${processes(run.payload.processes.pid.length)}`;

	if (command !== "")
		return args !== "" && !command.endsWith(args) ? `${command} ${args}` : command;
	return visibleText(run.payload.processes.command[0] ?? "");
}

export function durationNs(run: Run): number {
	const stated = pick(run.header, "end.wall_ns", "timings.run_ns");
	const p = run.payload.processes;

	if (typeof stated === "number")
		return stated;
	if (p.pid.length === 0)
		return NaN;
	const first = p.start.reduce((a, b) => Math.min(a, b));
	const last = p.end.reduce((a, b) => Math.max(a, b));

	return last > first ? (last - first) * run.nsPerTick : NaN;
}

function startMs(run: Run): number {
	const { clock } = run.payload;
	const stated = pick(run.header, "started_ns");

	if (typeof stated === "number" && stated > 0)
		return stated / 1e6;
	return clock.start_ns > 0 ? clock.start_ns / 1e6 : NaN;
}

export interface Figure {
	label: string;
	value: string;
	note?: string;
}

function machine(run: Run): string {
	const value = pick(run.header, "machine");

	if (value === null || typeof value !== "object" || Array.isArray(value))
		return text(value);
	const header = run.header;

	return [pick(header, "machine.host"), pick(header, "machine.cpu")].filter((x) => x !== undefined).map(text).join(", ");
}

/** "fast=true level=6": how the program was set. */
function settings(options: unknown): string {
	if (options === undefined || options === null || typeof options !== "object" || Array.isArray(options))
		return "";
	return Object.entries(options).map(([name, value]) => `${name}=${text(value)}`).join(" ");
}

function context(run: Run): string[] {
	const header = run.header;
	const commit = text(pick(header, "commit"));
	const dirty = pick(header, "dirty") === true;
	const workload = text(pick(header, "workload.name", "workload"));
	const configuration = settings(pick(header, "configuration"));
	const when = startMs(run);
	const parts: string[] = [];

	if (Number.isFinite(when))
		parts.push(formatWhen(when));
	parts.push(machine(run));
	if (workload !== "")
		parts.push(`workload ${workload}`);
	if (configuration !== "")
		parts.push(`options ${configuration}`);
	if (commit !== "")
		parts.push(`commit ${commit.slice(0, 12)}${dirty ? " with local changes" : ""}`);
	parts.push(ending(run));
	return parts.filter((part) => part !== "");
}

const signals: Record<number, string> = { 2: "SIGINT", 6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM" };

/** How the program ended, when it was not the way one hopes for. */
function ending(run: Run): string {
	const signal = pick(run.header, "end.signal"), exit = pick(run.header, "end.exit_status");

	if (pick(run.header, "end.timed_out") === true)
		return "stopped by the time limit";
	if (typeof signal === "number")
		return `ended by ${signals[signal] ?? `signal ${signal}`}`;
	return typeof exit === "number" && exit !== 0 ? `exit status ${exit}` : "";
}

function banners(run: Run): HTMLElement[] {
	const p = run.payload, list: HTMLElement[] = [];
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

function factList(run: Run, more: [string, string][]): HTMLElement {
	const facts: [string, string][] = [];
	const p = run.payload;

	flatten(run.header, "", facts);
	facts.push(["profile", visibleText(p.profile)], ["profile size", formatBytes(p.profile_bytes)],
		   ["clock", `${formatCount(p.clock.hz)} ticks per second`],
		   ["page written by", `rarog ${visibleText(p.rarog)}`]);
	facts.push(...more);
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

function processTable(run: Run): HTMLElement {
	const p = run.payload.processes;
	const table = el("table", { class: "processes" }, el("caption", {}, "Processes"));
	const cells = ["Process", "Parent", "Threads", "Duration", "End", "Command"];
	const body = el("tbody");

	table.append(el("thead", {}, el("tr", {}, ...cells.map((name) => el("th", { scope: "col" }, name)))), body);
	for (let i = 0; i < Math.min(p.pid.length, MAX_PROCESSES); i++) {
		const parent = p.parent[i] >= 0 ? String(p.pid[p.parent[i]] ?? UNKNOWN) : UNKNOWN;

		body.append(el("tr", {}, ...[String(p.pid[i]), parent, formatCount(p.threads[i]),
			formatTime((p.end[i] - p.start[i]) * run.nsPerTick), status(p.wait_status[i]),
			visibleText(p.command[i])].map((value) => el("td", {}, value))));
	}
	if (p.pid.length > MAX_PROCESSES)
		body.append(el("tr", {}, el("td", { colspan: "6" },
			`and ${formatCount(p.pid.length - MAX_PROCESSES)} more`)));
	return table;
}

export function figureElement({ label, value, note }: Figure): HTMLElement {
	return el("div", {}, el("dt", {}, label), el("dd", {}, el("b", {}, value), el("small", {}, note ?? "")));
}

/** What ran, when and where, and what is wrong with it: the same above all pages. */
export function showRunHeading(run: Run): void {
	const command = commandLine(run);
	const title = run.payload.title ? visibleText(run.payload.title) : "";
	const heading = byId("title");

	heading.textContent = title || command || baseName(visibleText(run.payload.profile));
	heading.classList.toggle("code", title === "");
	byId("command").textContent = title !== "" ? command : "";
	byId("context").replaceChildren(...context(run).map((part) => el("li", {}, part)));
	byId("banners").replaceChildren(...banners(run));
}

/** @more are facts of this kind of profile. */
export function runFacts(run: Run, more: [string, string][]): HTMLElement[] {
	return [factList(run, more), processTable(run)];
}
