/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the overview says of two versions: the verdict, how sure it is, and what limits it. */

import { badge, minus } from "./columns-pair";
import { byId, el } from "./dom";
import { formatCount, formatWhen, plural, visibleText } from "./format";
import { flatten, parseHeader } from "./header";
import { signs, toneOf, type Change, type CheckColumns, type PairFn, type PairModel, type SideColumns } from "./pair-data";

/* Finding to the tone of its words. */
export const verdictTones: Record<string, "slower" | "faster" | "maybe-slower" | "unknown" | "same"> = {
	degradation: "slower", improvement: "faster", maybe: "maybe-slower", inconclusive: "unknown", none: "same",
};

export const titleOf = (model: PairModel) =>
	`${visibleText(model.check.before.name)} → ${visibleText(model.check.now.name)}`;

function figure(label: string, value: HTMLElement | string, ...notes: string[]): HTMLElement {
	return el("div", {}, el("dt", {}, label), el("dd", {}, el("b", {}, value),
		  ...notes.filter((note) => note !== "").map((note) => el("small", {}, note))));
}

/** "wall-time" → "Wall time", "cpu-time" → "CPU time" */
const metricWords = (name: string) => name.startsWith("cpu-") ? `CPU ${name.slice(4)}` : name.charAt(0).toUpperCase() + name.slice(1).replace("-", " ");

function programFigure(change: Change): HTMLElement {
	const { words } = change, tone = toneOf(change.class);
	const value = el("span", { class: `verdict ${tone}` }, el("i", { "aria-hidden": "true" }, signs[tone]),
			 minus(words.change));

	const amounts = words.before === "-" && words.now === "-" ? "not known"
		: `${minus(words.before)} → ${minus(words.now)} · ${words.class}`;

	return figure(metricWords(change.metric), value, amounts,
		      [words.interval && `95 %: ${minus(words.interval)}`, words.sure].filter((s) => s !== "").join(" · "));
}

/** How many functions got which verdict. */
function counts(model: PairModel): HTMLElement {
	const changed = model.functions.filter((fn) => fn.changes.length > 0);
	const count = (...wanted: string[]) => changed.filter((fn) => wanted.includes(toneOf(fn.changes[0].class))).length;
	const list: [number, string][] = [
		[count("slower"), "slower"], [count("maybe-slower"), "maybe slower"], [count("faster"), "faster"],
		[count("maybe-faster"), "maybe faster"], [count("new"), "new"], [count("gone"), "gone"],
	];
	const said = list.filter(([n]) => n > 0).map(([n, words]) => `${formatCount(n)} ${words}`);
	const rest = `${formatCount(count("same"))} unchanged, ${formatCount(count("unknown"))} undecided, ` +
		`${formatCount(model.nCalled - changed.length)} too small to test`;

	return figure("Functions", said.length > 0 ? said.join(", ") : count("unknown") > 0 ? "none for sure" : "none changed", rest);
}

function runsFigure({ before, now }: CheckColumns): HTMLElement {
	const untraced = before.untraced_runs + now.untraced_runs;

	return figure("Runs", `${formatCount(before.runs)} and ${formatCount(now.runs)}`, untraced > 0
		? `${formatCount(before.untraced_runs)} and ${formatCount(now.untraced_runs)} without probes`
		: "none without probes");
}

/** The functions that matter, as sentences. */
export function pairHeadline(model: PairModel, select: (fn: PairFn) => void): HTMLElement[] {
	const notable = model.functions.filter((fn) => fn.changes.length > 0 &&
		!["same", "unknown"].includes(toneOf(fn.changes[0].class))).sort((a, b) => a.rank - b.rank);

	return notable.slice(0, 3).map((fn) => {
		const { words, reason, path, lines, "class": name } = fn.changes[0];
		const button = el("button", { type: "button", class: "link code" }, fn.short);
		const facts = [minus(words.change), words.interval && `(${minus(words.interval)})`].filter(Boolean).join(" ");
		const why = [reason, path && `through ${path}`, lines && `changed lines: ${lines}`]
			.filter((part): part is string => !!part);

		button.addEventListener("click", () => select(fn));
		return el("li", {}, el("p", {}, badge(toneOf(name), words.class), button,
			el("span", {}, words.change === "-" ? `${words.before} → ${words.now}`
				: `${facts}, ${words.before} → ${words.now}`)),
			...why.map((line) => el("p", { class: "quiet" }, line)));
	});
}

function ownNotes(model: PairModel): string[] {
	const { check, payload } = model, list = check.notes.concat(payload.notes).map(visibleText);

	if (check.runs_needed > 0)
		list.unshift(`too few runs: at least ${formatCount(check.runs_needed)} of each version are needed ` +
			     `for ${plural(check.tests, "function")}`);
	return list;
}

export function bannersOfPair({ check }: PairModel): HTMLElement[] {
	if (!check.is_forced)
		return [];
	return [el("div", { class: "banner", role: "alert" }, el("strong", {}, "These are not comparable."),
		   el("span", {}, "The comparison was forced; the notes below say what is different."))];
}

function whenOf(side: SideColumns): string {
	return side.first_ns > 0 ? formatWhen(side.first_ns / 1e6) : "";
}

const LONGEST = 240; /* letters of a value */

/** Both headers, member by member; what is different comes first. */
export function pairFacts({ check, payload }: PairModel): HTMLElement {
	const rows = new Map<string, [string, string]>();
	const add = (key: string, at: 0 | 1, value: string) => {
		const row = rows.get(key) ?? ["", ""];

		row[at] = value;
		rows.set(key, row);
	};

	([check.before, check.now] as const).forEach((side, at) => {
		const facts: [string, string][] = [];

		flatten(parseHeader(side.header), "", facts);
		add("version in full", at as 0 | 1, visibleText(side.version ?? ""));
		add("first run", at as 0 | 1, whenOf(side));
		add("profile of the first run", at as 0 | 1, visibleText(side.profile));
		for (const [key, value] of facts)
			add(key, at as 0 | 1, value.length > LONGEST ? value.slice(0, LONGEST) + "…" : value);
	});
	const sorted = [...rows].filter(([, [a, b]]) => a !== "" || b !== "")
		.sort(([, a], [, b]) => Number(a[0] === a[1]) - Number(b[0] === b[1]));
	const body = el("tbody", {}, ...sorted.map(([key, [a, b]]) =>
		el("tr", a === b ? {} : { class: "differs" }, el("th", { scope: "row" }, key), el("td", {}, a), el("td", {}, b))));

	return el("table", { class: "processes both" }, el("caption", {}, "Headers of the first runs; what differs comes first"),
		  el("thead", {}, el("tr", {}, ...["", check.before.name, check.now.name].map((name) =>
			el("th", { scope: "col" }, visibleText(name))))), body,
		  el("tfoot", {}, el("tr", {}, el("td", { colspan: "3" }, `page written by rarog ${visibleText(payload.rarog)}`))));
}

/** Where the page is of several jobs or pairs of versions: one link each. */
export function showJobs(model: PairModel, at: number): void {
	const { checks } = model.payload;

	byId("jobs").hidden = checks.length < 2;
	byId("job-list").replaceChildren(...(checks.length < 2 ? [] : checks.map((check, i) => {
		const pairs = new Set(checks.map(({ before, now }) => `${before.name} ${now.name}`)).size > 1;
		const name = [pairs ? `${check.before.name} → ${check.now.name}` : "", check.job].filter(Boolean).join("  ");

		return el("li", {}, el("a", { href: `#tab=overview&check=${i + 1}`, ...(i === at ? { "aria-current": "page" } : {}) },
			badge(verdictTones[check.verdict] ?? "unknown", check.sentence), el("span", { class: "code" }, visibleText(name))));
	})));
}

export function pairFigures(model: PairModel): HTMLElement[] {
	return [...model.program.map(programFigure), counts(model), runsFigure(model.check)];
}

export function pairNotes(model: PairModel): string[] {
	const unmeasured = [...new Set(model.program.filter((change) => change.class === "Unknown" && change.reason)
		.map((change) => `whole program: ${change.reason}`))];

	return [...unmeasured, ...ownNotes(model)];
}
