/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two versions: a table of what changed, a flame graph or the control flow of the difference. */

import { frameText, shiftColour, type Theme } from "./colour";
import { makePairColumns } from "./columns-pair";
import { byId, el } from "./dom";
import { FlameGraph } from "./flame";
import { pairFlame, widthWords } from "./flame-pair";
import { formatCount, formatShare, plural } from "./format";
import { ControlFlowGraph } from "./graph";
import { showIdleSwitch, wireGraph } from "./graph-controls";
import { joinedBlocks, joinedWays, PairLook, type PairBlock, type PairWay } from "./graph-pair";
import { wasCalled, timeWords, type PairFn, type PairModel, type PairWeight } from "./pair-data";
import { showPairDetail } from "./pair-detail";
import { PairSourceView } from "./pair-source-view";
import { DIFFERENCE_STEPS, makeSources } from "./pair-sources";
import { parseQuery } from "./search";
import { choice, showCrumbs, wireFlameThemes, wireThemes, type Page, type Shell, type State, type View } from "./shell";
import { FunctionTable } from "./table";
import { heaviestNode } from "./tree";

/* From blue to red; the limits are those of SHIFT_LIMITS. */
const legendWords = ["faster: −50 % and less", "−23 %", "−9 %", "−2 %", "unchanged, or chance",
		     "slower: +2 %", "+10 %", "+30 %", "+100 % and more"];

/* … and of counts of blocks, which are exact; the limits are those of GAIN_SHARES. */
const gainWords = ["fewer instructions: 20 % of the function's and more", "5 %", "1 %", "less than 1 %", "as many",
		   "more instructions: less than 1 %", "1 %", "5 %", "20 % of the function's and more"];

class DifferencesView implements View {
	private readonly table: FunctionTable<PairFn>;
	private readonly flame: FlameGraph<PairWeight>;
	private readonly graph: ControlFlowGraph<PairBlock, PairWay> | null;
	private readonly source: PairSourceView | null;
	private fn: PairFn | null = null;
	private blocks: PairBlock[] = []; /* of it, both versions joined */
	private readonly input = byId<HTMLInputElement>("search");

	constructor(private readonly model: PairModel, private readonly shell: Shell) {
		this.graph = model.check.graphs.length > 0 ? this.makeGraph() : null;
		this.source = this.graph ? this.makeSource() : null;
		this.flame = new FlameGraph<PairWeight>(pairFlame(model), "now", {
			choose: (fn) => this.choose(fn >= 0 ? model.functions[fn] : null, true),
			zoomed: () => this.onZoomed(),
			announce: (text) => this.announce(text),
		});
		this.table = new FunctionTable<PairFn>({
			rows: model.functions, columns: makePairColumns(model), sortKey: "verdict", isUsual: wasCalled,
			choose: (fn) => this.choose(fn, false), sorted: (sort) => this.shell.set({ sort }),
		});
		choice("width", (value) => this.setWidth(value as PairWeight));
		byId("reset").addEventListener("click", () => this.flame.zoomTo(0));
		wireFlameThemes(this.flame, (theme) => this.legend(theme));
		this.explain();
		showCrumbs(this.flame);
		this.search();
		this.select(this.table.current[0] ?? null, false);
	}

	/** The control flow of counted functions stands where a flame graph would. */
	private makeGraph(): ControlFlowGraph<PairBlock, PairWay> {
		byId("flow").hidden = false;
		byId("flame-heading").closest("section")!.hidden = true;
		const graph = new ControlFlowGraph<PairBlock, PairWay>({
			choose: (block) => this.selectBlock(block, "graph"), announce: (text) => this.announce(text),
		});
		const legend = (theme: Theme) => {
			setLineColours(theme);
			byId("graph-legend").replaceChildren(
				swatch(theme, -4, "gone", true), ...gainWords.map((words, i) => swatch(theme, i - 4, words)), swatch(theme, 4, "new", true));
		};
		wireGraph(graph);
		wireThemes((theme, forced) => {
			graph.forcedTheme = forced ? theme : null;
			graph.drawNow();
			legend(theme);
		});
		return graph;
	}

	private makeSource(): PairSourceView | null {
		const files = makeSources(this.model);

		return files && new PairSourceView(files, {
			chooseBlock: (block) => this.selectBlock(block, "source"),
			chooseFunction: (row) => this.choose(this.model.functions[row], true),
			announce: (text) => this.announce(text),
		});
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

	show(state: State): void {
		const fn = this.model.functions.find(({ name }) => name === state.fn), zoom = Number(state.zoom ?? 0);

		this.table.follow(state.sort ?? "");
		if (fn && fn !== this.fn)
			this.select(fn, true);
		if (zoom !== this.flame.zoom && zoom >= 0 && zoom < this.model.tree.n)
			this.flame.zoomTo(zoom);
	}

	enter(): void {
		if (this.table.count > 0)
			this.choose(this.table.current[0], true);
	}

	escape(): void {
		if (this.graph)
			this.graph.fit();
		else
			this.flame.zoomTo(0);
	}

	private announce(text: string): void {
		this.shell.announce(text);
	}

	/** The user's choice, which is that of all pages. */
	private choose(fn: PairFn | null, reveal: boolean): void {
		this.select(fn, reveal);
		this.shell.set({ fn: fn?.name ?? "" });
	}

	private select(fn: PairFn | null, reveal: boolean): void {
		this.fn = fn;
		this.table.select(fn, reveal);
		this.flame.select(fn ? fn.id : -1);
		this.showGraph();
		showPairDetail(this.model, fn, this.blocks, {
			select: (other) => this.choose(other, true),
			zoom: (other) => this.showInFlame(other),
			selectBlock: (block) => this.selectBlock(block, "panel"),
		});
	}

	private showGraph(): void {
		const { check } = this.model, { fn, graph } = this, joined = fn && check.graphs.find(({ row }) => row === fn.id);

		this.blocks = joined ? joinedBlocks(joined) : [];
		if (!graph)
			return;
		graph.show(joined ? new PairLook(this.blocks) : null, this.blocks, joined ? joinedWays(joined) : []);
		showIdleSwitch(graph);
		byId("flow-name").textContent = fn ? fn.short : "";
		this.source?.show(fn, this.blocks);
		if (fn && !joined)
			graph.note(wasCalled(fn) ? "This function has no one graph: several of its name were counted together, or the page had no room."
				: "It ran in neither version.");
	}

	private selectBlock(block: PairBlock, from: "graph" | "source" | "panel"): void {
		if (this.graph?.hidesIdle && block.before.count === 0 && block.now.count === 0) {
			this.graph.setHidesIdle(false);
			showIdleSwitch(this.graph);
		}
		if (from !== "graph")
			this.graph?.select(block.number);
		if (from !== "source")
			this.source?.select(block);
		if (from !== "panel" || !this.graph)
			return;
		byId("graph-box").scrollIntoView({ block: "nearest" });
		this.announce(this.graph.words(block));
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

	search(): void {
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
		this.shell.set({ zoom: this.flame.zoom > 0 ? String(this.flame.zoom) : "" });
		const query = parseQuery(this.input.value);

		if (!query.empty && query.error === "")
			this.showMatches("", true, this.table.count);
	}

	private legend(theme: Theme): void {
		byId("legend").replaceChildren(swatch(theme, -4, "gone", true), ...legendWords.map((words, i) => swatch(theme, i - 4, words)),
					       swatch(theme, 4, "new", true));
	}

	/** For tests only: what cannot be seen from outside of a canvas. */
	get probe() {
		return {
			frames: () => this.flame.frames(),
			zoom: () => this.flame.zoom,
			share: () => this.flame.markedShare(),
			rows: () => this.table.current.map((fn) => fn.name),
			graph: () => this.graph?.probe,
		};
	}
}

function swatch(theme: Theme, step: number, words: string, hatched = false): HTMLElement {
	const colour = el("i", { "aria-hidden": "true", ...(hatched ? { class: "hatched" } : {}) });

	colour.style.backgroundColor = shiftColour(theme, step);
	colour.style.color = frameText[theme];
	return el("li", {}, colour, words);
}

/** Of lines of the source, as of blocks. */
function setLineColours(theme: Theme): void {
	for (let step = 1; step <= DIFFERENCE_STEPS; step++) {
		document.documentElement.style.setProperty(`--more-${step}`, shiftColour(theme, step));
		document.documentElement.style.setProperty(`--fewer-${step}`, shiftColour(theme, -step));
	}
}

export const differencesPage: Page = {
	id: "differences",
	title: "Differences",
	shows: ({ pair }) => pair !== null,
	make: ({ pair }, shell) => new DifferencesView(pair!, shell),
	keys: [["← ↑ → ↓", "in the graph: from frame to frame, or along ways; in the table: from row to row"], ["Enter", "zooms to the frame"],
	       ["Backspace", "zooms out by one level"], ["n, p", "in the source: the next change, the one before"]],
};
