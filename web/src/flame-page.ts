/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A flame graph, the table of functions, a panel, and what ties them. */

import { choices } from "./choices";
import { isSeen, type Fn, type Model } from "./data";
import { frameColour, type Theme } from "./colour";
import type { BlocksModel, Loop } from "./blocks-data";
import { makeColumns } from "./columns";
import { hottestColumn, hottestLoop, loopWords } from "./columns-blocks";
import { showDetail } from "./detail";
import { byId, el } from "./dom";
import { FlameGraph } from "./flame";
import { HOT_LOOP, profileFlame, treeOf, type LoopOf, type Shape } from "./flame-profile";
import { formatCount, formatShare, formatTime, plural } from "./format";
import { isOfNoise } from "./noise-rows";
import { parseQuery } from "./search";
import { showCrumbs, wireFlameThemes, type Page, type Shell, type State, type View } from "./shell";
import { FunctionTable } from "./table";
import { heaviestNode, weightWords, type Tree, type Weight } from "./tree";

/** Where blocks were counted with the calls (engine vex): a function's hottest loop. */
function loopsOf(blocks: BlocksModel | null): (fn: Fn) => Loop | null {
	const key = ({ binaryPath, name }: { binaryPath: string; name: string }) => `${binaryPath}\n${name}`;
	const loops = new Map((blocks?.functions ?? []).map((fn) => [key(fn), hottestLoop(fn)]));

	return (fn) => loops.get(key(fn)) ?? null;
}

/** Most of its function's own instructions are in it. */
function isHot(loop: Loop | null): boolean {
	return loop !== null && 2 * loop.own > loop.fn.instructions;
}

class FlameView implements View {
	private readonly table: FunctionTable<Fn>;
	private readonly flame: FlameGraph<Weight>;
	private readonly controls = choices(["weight", "graph", "shape"], () => this.onControls());
	private selected: Fn | null = null;
	private tree: Tree;
	private isFollowing = false; /* the address, which says where the graph is zoomed to */
	private graph: Shape = "all";
	private readonly loopOf: (fn: Fn) => Loop | null;
	private readonly loopFacts: LoopOf = (fn) => ({ words: loopWords(this.loopOf(fn)), isHot: isHot(this.loopOf(fn)) });
	private readonly trees = new Map<Shape, Tree>();
	private readonly input = byId<HTMLInputElement>("search");

	constructor(private readonly model: Model, private readonly shell: Shell, blocks: BlocksModel | null) {
		this.tree = model.tree;
		this.loopOf = loopsOf(blocks);
		this.flame = new FlameGraph<Weight>(profileFlame(model, model.tree, "all", this.loopFacts), model.hasTimes ? "time" : "calls", {
			choose: (fn) => this.choose(fn >= 0 ? model.functions[fn] : null, true),
			zoomed: () => this.onZoomed(),
			announce: (text) => this.announce(text),
		});
		this.table = new FunctionTable({
			rows: model.functions, columns: [...makeColumns(model), ...(blocks && blocks.loops.length > 0 ? [hottestColumn<Fn>(this.loopOf)] : [])],
			sortKey: !model.hasTimes ? "calls" : model.payload.calls_sampled ? "total" : "exclusive",
			isUsual: isSeen,
			choose: (fn) => this.choose(fn, false),
			sorted: (sort) => this.shell.set({ sort }),
		});
		this.wireToolbar();
		wireFlameThemes(this.flame, (theme) => this.legend(theme));
		showCrumbs(this.flame);
		this.search();
		this.select(this.table.current[0] ?? null, false);
		if (!this.model.hasTimes)
			byId("flame-heading").textContent = "Where the calls go";
		this.explain();
	}

	show(state: State): void {
		const fn = this.model.functions.find(({ name }) => name === state.fn), zoom = Number(state.zoom ?? 0);

		if (fn && fn !== this.selected)
			this.select(fn, true);
		this.controls.set("weight", state.weight ?? (this.model.hasTimes ? "time" : "calls"));
		this.controls.set("graph", state.graph ?? "all");
		this.controls.set("shape", state.shape ?? "icicle");
		this.table.follow(state.sort ?? "");
		this.isFollowing = true;
		this.apply();
		if (zoom !== this.flame.zoom && zoom >= 0 && zoom < this.tree.n)
			this.flame.zoomTo(zoom);
		this.isFollowing = false;
	}

	enter(): void {
		if (this.table.count > 0)
			this.choose(this.table.current[0], true);
	}

	escape(): void {
		this.flame.zoomTo(0);
	}

	private announce(text: string): void {
		this.shell.announce(text);
	}

	/** The user's choice, which is that of all pages. */
	private choose(fn: Fn | null, fromFlame: boolean): void {
		this.select(fn, fromFlame);
		this.shell.set({ fn: fn?.name ?? "" });
	}

	private select(fn: Fn | null, fromFlame: boolean): void {
		this.selected = fn;
		this.table.select(fn, fromFlame);
		this.flame.select(fn ? fn.id : -1);
		showDetail(this.model, fn, {
			select: (other) => this.choose(other, true),
			zoom: (other) => this.showInFlame(other),
			loop: (each) => loopWords(this.loopOf(each)),
			blocks: (each) => this.shell.go("blocks", { fn: each.name }),
		});
	}

	private showInFlame(fn: Fn): void {
		if (this.shell.current.tab === "functions")
			this.shell.go("flame");
		const { tree } = this, { weight } = this.flame;
		const node = heaviestNode(tree, weight, fn.id);

		if (node < 0)
			return this.announce("not in the flame graph: all its contexts are too small");
		if (tree[weight][node] <= 0)
			return this.announce(`not in the flame graph: it has no ${weightWords[weight]}`);
		this.flame.zoomTo(node);
		byId("flame-box").scrollIntoView({ block: "nearest" });
	}

	search(): void {
		const query = parseQuery(this.input.value);
		const active = !query.empty;
		const hits = active ? this.model.functions.filter((fn) => query.test(fn.name) || (fn.symbol !== "" && query.test(fn.symbol))) : [];
		const marked = new Uint8Array(this.model.functions.length);

		for (const fn of hits)
			marked[fn.id] = 1;
		this.flame.mark(active && query.error === "" ? marked : null);
		this.table.filter(active ? (fn) => marked[fn.id] === 1 : null);
		this.input.setAttribute("aria-invalid", String(query.error !== ""));
		this.showMatches(query.error, active, hits);
	}

	private showMatches(error: string, active: boolean, hits: Fn[]): void {
		const out = byId("matches");

		if (error !== "") {
			out.textContent = error;
		} else if (!active) {
			out.textContent = plural(this.model.nCalled, "function");
		} else {
			const { share, unknown } = this.flame.markedShare();
			const more = unknown >= 0.0001 ? ` (and perhaps of ${formatShare(unknown)} in smaller contexts)` : "";

			out.textContent = `${formatCount(hits.length)} of ${plural(this.model.functions.length, "function")}` +
				(Number.isFinite(share) ? ` · ${formatShare(share)} matched${more}` : "");
		}
	}

	private wireToolbar(): void {
		byId("reset").addEventListener("click", () => this.flame.zoomTo(0));
		if (this.model.tree.cpu.length > 0)
			for (const element of document.querySelectorAll<HTMLElement>(".when-cpu"))
				element.hidden = false;
		if (this.model.payload.threads)
			for (const element of document.querySelectorAll<HTMLElement>(".when-threads"))
				element.hidden = false;
		if (this.model.hasSamples) {
			const label = document.querySelector<HTMLElement>("label[for=weight-calls]")!;

			label.textContent = "Samples";
			label.title = "widths are numbers of samples";
		}
		if (!this.model.hasTimes) {
			const [time, calls] = ["weight-time", "weight-calls"].map((id) => byId<HTMLInputElement>(id));

			calls.checked = true;
			time.disabled = true;
		}
	}

	private onControls(): void {
		const { weight, graph, shape } = this.controls;

		this.shell.set({ weight: weight === (this.model.hasTimes ? "time" : "calls") ? "" : weight,
				 graph: graph === "all" ? "" : graph, shape: shape === "icicle" ? "" : shape,
				 ...(graph === this.graph ? {} : { zoom: "" }) });
		this.apply();
	}

	/** Shows what the buttons say. */
	private apply(): void {
		const isKnown = this.controls.graph === "callers" || (this.controls.graph === "threads" && this.model.payload.threads);
		const graph = isKnown ? this.controls.graph as Shape : "all", wanted = this.controls.weight as Weight;

		this.tree = this.trees.get(graph) ?? treeOf(this.model, graph);
		this.trees.set(graph, this.tree);
		const weight = wanted === "calls" || this.tree[wanted]?.length > 0 ? wanted : "time"; /* threads have no parts */

		this.controls.set("weight", weight);
		if (graph !== this.graph)
			this.flame.setSource(profileFlame(this.model, this.tree, graph, this.loopFacts), weight);
		else if (weight !== this.flame.weight)
			this.flame.setWeight(weight);
		this.graph = graph;
		if (this.flame.icicle !== (this.controls.shape === "icicle"))
			this.flame.setIcicle(this.controls.shape === "icicle");
		this.explain();
		this.search();
	}

	/** Why there is no graph. */
	private explain(): void {
		const { model, flame } = this;

		byId("flame-empty").hidden = !flame.empty;
		byId("flame-empty").textContent = model.payload.partial
			? "The call contexts were in the part of the file that is missing."
			: model.tracedCalls === 0 ? "No traced function was called during this run."
			: model.tree.n > 1 ? `Nothing to show: there is no ${weightWords[flame.weight]}.`
			: !model.hasTimes ? "Calls were only counted: there is no flame graph. " +
				"Collect with --detail=summary to have one."
			: "This profile has no call contexts, so there is no flame graph.";
	}

	private onZoomed(): void {
		if (!this.flame) /* the graph's own first zoom */
			return;
		showCrumbs(this.flame);
		if (!this.isFollowing)
			this.shell.set({ zoom: this.flame.zoom > 0 ? String(this.flame.zoom) : "" });
		const query = parseQuery(this.input.value);

		if (!query.empty && query.error === "")
			this.search();
	}

	private legend(theme: Theme): void {
		const { families, familyKind, tracedNs, tracedCalls, hasTimes } = this.model;
		const named = families.filter(({ colour }) => colour >= 0);
		const rest = families.filter(({ colour }) => colour < 0);
		const sum = rest.reduce((a, b) => a + b.exclusive, 0);
		const item = (name: string, colour: number, exclusive: number) => {
			const swatch = el("i", { "aria-hidden": "true" });

			swatch.style.background = frameColour(theme, colour, 0);
			return el("li", { title: hasTimes ? formatTime(exclusive) : "" }, swatch, el("span", {}, name),
				  el("small", {}, formatShare(exclusive / (hasTimes ? tracedNs : tracedCalls))));
		};

		byId("legend").setAttribute("aria-label", `Colours: ${familyKind}`);
		byId("legend").replaceChildren(...named.map((f) => item(f.name, f.colour, f.exclusive)),
			...(rest.length > 0 ? [item(`${rest.length} more`, -1, sum)] : []),
			...(this.model.functions.some((fn) => this.loopFacts(fn).isHot) ? [el("li", {}, `${HOT_LOOP} most of its own work is in one loop`)] : []));
	}

	/** For tests only: what cannot be seen from outside of a canvas. */
	get probe() {
		return {
			frames: () => this.flame.frames(),
			tree: () => ({ ...this.tree, fn: [...this.tree.fn], parent: [...this.tree.parent], time: [...this.tree.time], depth: [...this.tree.depth] }),
			zoom: () => this.flame.zoom,
			share: () => this.flame.markedShare(),
			functions: this.model.functions,
			rows: () => this.table.current.map((fn) => fn.name),
		};
	}
}

export const flamePage: Page = {
	id: "flame",
	title: "Flame graph",
	shows: ({ calls }) => calls !== null && !calls.payload.whole_program && !calls.payload.calls_sampled && !isOfNoise(calls),
	make: ({ calls, blocks }, shell) => new FlameView(calls!, shell, blocks),
	keys: [["← ↑ → ↓", "in the graph: from frame to frame; in the table: from row to row"], ["Enter", "zooms to the frame"],
	       ["Backspace", "zooms out by one level"], ["Home", "back to what is zoomed to; in the table: the first row"]],
};

/** The same table without the graph. */
export const functionsPage: Page = {
	...flamePage, id: "functions", title: "Functions", of: "flame",
	shows: ({ calls }) => calls !== null && !calls.payload.whole_program && !isOfNoise(calls),
};
