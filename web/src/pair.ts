/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts the page of two versions together: the verdict, a table, a flame graph of the difference. */

import { frameText, shiftColour, type Theme } from "./colour";
import { makePairColumns } from "./columns-pair";
import { byId, el } from "./dom";
import { FlameGraph } from "./flame";
import { pairFlame, widthWords } from "./flame-pair";
import { formatCount, formatShare, plural } from "./format";
import { makePairModel, wasCalled, timeWords, type PairFn, type PairModel, type PairPayload, type PairWeight } from "./pair-data";
import { showPairDetail } from "./pair-detail";
import { showJobs, showPairSummary } from "./pair-summary";
import { parseQuery } from "./search";
import { choice, showCrumbs, start, wireSearchField, wireThemes } from "./shell";
import { FunctionTable } from "./table";
import { heaviestNode } from "./tree";

/* From blue to red; the limits are those of SHIFT_LIMITS. */
const legendWords = ["faster: −50 % and less", "−23 %", "−9 %", "−2 %", "unchanged, or chance",
		     "slower: +2 %", "+10 %", "+30 %", "+100 % and more"];

class PairPage {
	private readonly table: FunctionTable<PairFn>;
	private readonly flame: FlameGraph<PairWeight>;
	private readonly input = byId<HTMLInputElement>("search");

	constructor(private readonly model: PairModel) {
		showPairSummary(model, (fn) => this.select(fn, true));
		this.flame = new FlameGraph<PairWeight>(pairFlame(model), "now", {
			choose: (fn) => this.select(fn >= 0 ? model.functions[fn] : null, true),
			zoomed: () => this.onZoomed(),
			announce: (text) => this.announce(text),
		});
		this.table = new FunctionTable<PairFn>({
			rows: model.functions, columns: makePairColumns(model), sortKey: "verdict", isUsual: wasCalled,
			choose: (fn) => this.select(fn, false),
		});
		wireSearchField(this.input, {
			search: () => this.search(),
			enter: () => this.table.count > 0 && this.select(this.table.current[0], true),
			escape: () => this.flame.zoomTo(0),
		});
		choice("width", (value) => this.setWidth(value as PairWeight));
		byId("reset").addEventListener("click", () => this.flame.zoomTo(0));
		wireThemes(this.flame, (theme) => this.legend(theme));
		this.explain();
		this.onZoomed();
		this.search();
		this.select(this.table.current[0] ?? null, false);
	}

	/** Why there is no graph, or what its colours cannot tell. */
	private explain(): void {
		const { check, tree, hasMargins } = this.model, empty = byId("flame-empty");
		const runs = check.before.runs + check.now.runs;

		byId("flame-heading").textContent = "Where the difference is";
		empty.hidden = !this.flame.empty;
		byId("flame-box").classList.toggle("without", tree.n < 2);
		empty.textContent = tree.n > 1 ? (this.flame.weight === "difference" ? "No context took more or less time than before."
				: `Nothing to show: ${widthWords[this.flame.weight]} is 0.`)
			: check.without_tree === 0 ? "No traced function was called."
			: `${check.without_tree === runs ? "These profiles have" : `${formatCount(check.without_tree)} of ${formatCount(runs)} profiles have`} ` +
				"no call contexts, so there is no flame graph; the table has everything that they hold.";
		byId("flame-note").textContent = tree.n < 2 ? ""
			: `Widths are ${timeWords(check)}${check.function_time === "cpu" ? ", without waiting" : ""}. ` +
				"Colours say what became of a context with all it calls. " + (hasMargins
				? "Grey: less than 2 %, or no more than runs differ among themselves."
				: "With one run a side nobody knows what chance does: any colour may be chance.");
	}

	private announce(text: string): void {
		byId("live").textContent = text;
	}

	private select(fn: PairFn | null, reveal: boolean): void {
		this.table.select(fn, reveal);
		this.flame.select(fn ? fn.id : -1);
		showPairDetail(this.model, fn, {
			select: (other) => this.select(other, true),
			zoom: (other) => this.showInFlame(other),
		});
	}

	private showInFlame(fn: PairFn): void {
		const { tree } = this.model;
		let node = heaviestNode(tree, this.flame.weight, fn.id);

		if (node >= 0 && tree[this.flame.weight][node] <= 0) {
			const other: PairWeight = tree.before[node] > 0 ? "before" : "now";

			byId<HTMLInputElement>(`width-${other}`).checked = true;
			this.setWidth(other);
			node = heaviestNode(tree, other, fn.id);
		}
		if (node < 0 || tree[this.flame.weight][node] <= 0)
			return this.announce("not in the flame graph: all its contexts are too small");
		this.flame.zoomTo(node);
		byId("flame-box").scrollIntoView({ block: "nearest" });
	}

	private setWidth(width: PairWeight): void {
		this.flame.setWeight(width);
		this.explain();
		this.search();
		this.announce(`widths are ${widthWords[width]}`);
	}

	private search(): void {
		const query = parseQuery(this.input.value);
		const active = !query.empty;
		const hits = active ? this.model.functions.filter((fn) =>
			[fn.name, fn.symbol, fn.was].some((name) => name !== "" && query.test(name))) : [];
		const marked = new Uint8Array(this.model.functions.length);

		for (const fn of hits)
			marked[fn.id] = 1;
		this.flame.mark(active && query.error === "" ? marked : null);
		this.table.filter(active ? (fn) => marked[fn.id] === 1 : null);
		this.input.setAttribute("aria-invalid", String(query.error !== ""));
		this.showMatches(query.error, active, hits.length);
	}

	private showMatches(error: string, active: boolean, hits: number): void {
		const { share } = this.flame.markedShare();

		byId("matches").textContent = error !== "" ? error
			: !active ? plural(this.model.nCalled, "function")
			: `${formatCount(hits)} of ${plural(this.model.functions.length, "function")}` +
				(Number.isFinite(share) ? ` · ${formatShare(share)} of ${widthWords[this.flame.weight]} matched` : "");
	}

	private onZoomed(): void {
		if (!this.flame) /* the graph's own first zoom */
			return;
		showCrumbs(this.flame);
		const query = parseQuery(this.input.value);

		if (!query.empty && query.error === "")
			this.showMatches("", true, this.table.count);
	}

	private legend(theme: Theme): void {
		const item = (step: number, words: string, hatched = false) => {
			const swatch = el("i", { "aria-hidden": "true", ...(hatched ? { class: "hatched" } : {}) });

			swatch.style.backgroundColor = shiftColour(theme, step);
			swatch.style.color = frameText[theme];
			return el("li", {}, swatch, words);
		};

		byId("legend").replaceChildren(item(-4, "gone", true), ...legendWords.map((words, i) => item(i - 4, words)), item(4, "new", true));
	}

	/** For tests only: what cannot be seen from outside of a canvas. */
	get probe() {
		return {
			frames: () => this.flame.frames(),
			zoom: () => this.flame.zoom,
			share: () => this.flame.markedShare(),
			rows: () => this.table.current.map((fn) => fn.name),
		};
	}
}

/** Which of several comparisons: the address ends in #2 for the second. */
function chosen(payload: PairPayload): number {
	const at = Number(location.hash.slice(1)) - 1;

	return Number.isInteger(at) && at >= 0 && at < payload.checks.length ? at : 0;
}

void start<PairPayload>((payload) => {
	const at = chosen(payload), model = makePairModel(payload, at);

	showJobs(model, at);
	/* the link to the functions changes what is behind # as well */
	window.addEventListener("hashchange", () => {
		if (/^#\d+$/.test(location.hash) && chosen(payload) !== at)
			location.reload();
	});
	return new PairPage(model).probe;
});
