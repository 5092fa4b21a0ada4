/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of blocks: tables, the graph of a function, its source, a panel. */

import {
	blocksOf, HEAT_SHARES, HEAT_STEPS, isInside, originOf, pathsNote, pathsOf, waysOf, waysOfPath, type Block,
	type BlocksModel, type Fn, type Frame, type Loop, type Module, type Path, type Way,
} from "./blocks-data";
import { showBlocksDetail } from "./blocks-detail";
import { heatColour, type Theme } from "./colour";
import { functionColumns, loopColumns, loopPlace, moduleColumns, pathColumns, stepsWords } from "./columns-blocks";
import { byId, el } from "./dom";
import { formatCount, formatShare, plural } from "./format";
import { ControlFlowGraph } from "./graph";
import { showIdleSwitch, wireGraph } from "./graph-controls";
import { CountsLook } from "./graph-counts";
import { parseQuery } from "./search";
import { wireThemes, type Page, type Shell, type State, type View } from "./shell";
import { SourceView } from "./source-view";
import { Sunburst } from "./sunburst";
import { OTHERS } from "./sunburst-data";
import { FunctionTable } from "./table";

class BlocksView implements View {
	private readonly modules: FunctionTable<Module>;
	private readonly functions: FunctionTable<Fn>;
	private readonly loops: FunctionTable<Loop>;
	private readonly pathTable: FunctionTable<Path>;
	readonly graph: ControlFlowGraph<Block, Way>;
	private readonly source: SourceView;
	private readonly sun: Sunburst;
	private readonly input = byId<HTMLInputElement>("search");
	private module: Module | null = null;
	private fn: Fn | null = null;
	private blocks: Block[] = [];
	private ways: Way[] = [];
	private paths: Path[] = [];

	constructor(private readonly model: BlocksModel, private readonly shell: Shell) {
		this.graph = new ControlFlowGraph<Block, Way>({
			choose: (block) => this.selectBlock(block, "graph"), announce: (text) => this.announce(text),
		});
		this.source = new SourceView(model, {
			choose: (file, line) => this.selectLine(file, line), announce: (text) => this.announce(text),
		});
		this.modules = new FunctionTable<Module>({
			rows: model.modules, columns: moduleColumns(model), sortKey: "instructions", isUsual: () => true, place: "modules",
			choose: (module) => this.selectModule(module === this.module ? null : module),
		});
		this.functions = new FunctionTable<Fn>({
			rows: model.functions, columns: functionColumns(model, () => this.module), sortKey: "instructions",
			isUsual: (fn) => fn.executed > 0, choose: (fn) => this.choose(fn), place: "counted",
		});
		this.loops = new FunctionTable<Loop>({
			rows: model.loops, columns: loopColumns(model), sortKey: "instructions", isUsual: (loop) => loop.iterations > 0,
			place: "loops", choose: (loop) => this.selectLoop(loop),
		});
		this.pathTable = new FunctionTable<Path>({
			rows: [], columns: pathColumns(() => this.blocks), sortKey: "instructions", isUsual: () => true, place: "paths",
			choose: (path) => this.selectPath(path),
		});
		this.sun = new Sunburst(model, shell, { choose: (fn, block) => this.chooseBlock(model.functions[fn], block) });
		byId("loops-section").hidden = model.onlyExecuted && model.loops.length === 0;
		this.wire();
		this.search();
		this.select(this.functions.current[0] ?? model.functions[0] ?? null);
	}

	show(state: State): void {
		const fn = this.model.functions.find(({ name }) => name === state.fn);

		if (fn && fn !== this.fn)
			this.select(fn);
		this.sun.follow(state.sun ?? "", state.suns ?? "");
		if (fn && state.block && this.blocks[Number(state.block)])
			this.selectBlock(this.blocks[Number(state.block)], "panel");
	}

	private chooseBlock(fn: Fn, block: number): void {
		if (fn !== this.fn)
			this.select(fn);
		if (block !== OTHERS)
			this.selectBlock(this.blocks[block], "panel");
		this.shell.set({ fn: fn.name, block: block === OTHERS ? "" : String(block) });
	}

	enter(): void {
		if (this.functions.count > 0)
			this.choose(this.functions.current[0]);
	}

	escape(): void {
		this.unmark();
	}

	private announce(text: string): void {
		this.shell.announce(text);
	}

	/** The user's choice, which is that of all pages. */
	private choose(fn: Fn): void {
		this.select(fn);
		this.shell.set({ fn: fn.name, block: "" });
	}

	private wire(): void {
		this.wireThemes();
		wireGraph(this.graph);
		byId("no-path").addEventListener("click", () => this.unmark());
		byId("all-modules").addEventListener("click", () => this.selectModule(null));
	}

	/** Colours are computed here once, for the canvas and for the style sheet alike. */
	private wireThemes(): void {
		const set = (theme: Theme) => {
			for (let step = 0; step <= HEAT_STEPS; step++)
				document.documentElement.style.setProperty(`--heat-${step}`, heatColour(theme, step));
		};
		wireThemes((theme, forced) => {
			set(theme);
			this.graph.forcedTheme = forced ? theme : null;
			this.graph.drawNow();
		});
		byId("graph-legend").replaceChildren(el("li", {}, swatch(0), "never ran"), ...HEAT_SHARES.map((share, i) =>
			el("li", {}, swatch(i + 1), i === 0 ? `less than ${formatShare(HEAT_SHARES[1])}` : `${formatShare(share)} and more`)));
	}

	private select(fn: Fn | null): void {
		this.fn = fn;
		this.functions.select(fn, true);
		this.loops.select(null, false);
		this.blocks = fn ? blocksOf(this.model, fn) : [];
		this.ways = fn ? waysOf(this.model, fn) : [];
		this.paths = fn ? pathsOf(this.model, fn) : [];
		this.graph.show(fn && new CountsLook(fn, (block) => originOf(this.model, fn, block)), this.blocks, this.ways);
		this.source.show(fn, this.blocks);
		byId("flow-name").textContent = fn ? fn.short : "";
		showIdleSwitch(this.graph);
		this.showPaths();
		this.detail(null);
		this.sun.select(fn?.id ?? OTHERS, null);
	}

	/** A program that was compiled without path counters has no such table. */
	private showPaths(): void {
		const { count, uncounted } = this.model.payload.paths, note = this.fn ? pathsNote(this.model, this.fn) : "";
		const isEmpty = this.paths.length === 0;

		byId("paths-section").hidden = count.length === 0 && uncounted.length === 0;
		byId("paths-of").textContent = this.fn ? `through ${this.fn.short}` : "";
		byId("no-path").hidden = true;
		byId("no-paths").textContent = note;
		byId("paths-note").textContent = isEmpty ? ""
			: "A path ends where the function ends, or where a loop goes round: there another begins. " + note;
		this.pathTable.replace(this.paths);
	}

	private detail(block: Block | null): void {
		showBlocksDetail(this.model, { fn: this.fn, block, ways: this.ways, paths: this.paths }, {
			selectBlock: (number) => this.selectBlock(this.blocks[number], "panel"),
			selectLoop: (loop) => this.selectLoop(loop),
			selectPath: (path) => this.selectPath(path),
			selectPlace: (frame) => this.selectPlace(frame),
		});
	}

	/** Source of inlined code, or where it was called. */
	private selectPlace(frame: Frame): void {
		this.source.showPlace(frame.fileId, frame.line);
		this.announce(`${frame.name}, line ${frame.line}`);
	}

	private selectBlock(block: Block, from: "graph" | "source" | "panel"): void {
		if (this.graph.hidesIdle && block.count === 0) {
			this.graph.setHidesIdle(false);
			showIdleSwitch(this.graph);
		}
		if (from !== "graph")
			this.graph.select(block.number);
		if (from !== "source")
			this.source.select(block);
		this.detail(block);
		this.sun.select(this.fn!.id, block.number);
	}

	/** The hottest block on a line; of another function, that is looked at then. */
	private selectLine(file: number, line: number): void {
		const fns = this.model.lines[file]?.get(line)?.fns ?? [];

		if (fns.length === 0)
			return;
		if (!this.fn || !fns.includes(this.fn.id))
			this.select(this.model.functions[fns[0]]);
		const blocks = this.blocks.filter((block) => block.lines.includes(line));

		if (blocks.length === 0)
			return;
		const block = blocks.reduce((a, b) => b.cost > a.cost ? b : a);

		this.source.select({ ...block, line });
		this.selectBlock(block, "source");
	}

	private selectLoop(loop: Loop): void {
		if (loop.fn !== this.fn)
			this.select(loop.fn);
		this.clearMarks();
		this.loops.select(loop, true);
		this.graph.mark({ blocks: new Set(this.blocks.filter((block) => isInside(block, loop)).map(({ number }) => number)),
				  ways: null, focus: loop.header });
		this.source.select(this.blocks[loop.header]);
		this.detail(this.blocks[loop.header]);
		this.announce(`loop at ${loopPlace(loop)}, ${plural(loop.iterations, "iteration")}`);
	}

	/** The graph shows the way from block to block; all else is dim. */
	private selectPath(path: Path): void {
		const hottest = path.blocks.reduce((a, b) => this.blocks[b].cost > this.blocks[a].cost ? b : a);

		this.clearMarks();
		this.pathTable.select(path, true);
		byId("no-path").hidden = false;
		this.graph.mark({ blocks: new Set(path.blocks), ways: waysOfPath(path, this.ways), focus: hottest });
		this.source.select(this.blocks[path.blocks[0]]);
		this.announce(`path through blocks ${stepsWords(path)}, taken ${plural(path.count, "time")}`);
	}

	private clearMarks(): void {
		this.loops.select(null, false);
		this.pathTable.select(null, false);
		byId("no-path").hidden = true;
	}

	private unmark(): void {
		this.clearMarks();
		this.graph.mark(null);
		this.graph.fit();
	}

	private selectModule(module: Module | null): void {
		this.module = module;
		this.modules.select(module, false);
		byId("all-modules").hidden = module === null;
		byId("of-module").textContent = module ? `of ${module.name}` : "";
		this.search();
	}

	/** One query for all tables; a chosen file narrows functions and loops. */
	search(): void {
		const query = parseQuery(this.input.value), active = !query.empty && query.error === "";
		const isOfModule = (fn: Fn) => this.module === null || fn.module === this.module;
		const matches = (fn: Fn) => isOfModule(fn) && (query.test(fn.name) || (fn.symbol !== "" && query.test(fn.symbol)));
		const isNarrow = active || this.module !== null;

		this.functions.filter(isNarrow ? (fn) => (active ? matches(fn) : isOfModule(fn)) : null);
		this.loops.filter(isNarrow ? (loop) => (active ? matches(loop.fn) : isOfModule(loop.fn)) : null);
		this.input.setAttribute("aria-invalid", String(query.error !== ""));
		const sum = this.functions.current.reduce((all, fn) => all + fn.instructions, 0);

		byId("matches").textContent = query.error !== "" ? query.error
			: !isNarrow ? plural(this.model.nCalled, "function")
			: `${formatCount(this.functions.count)} of ${plural(this.model.functions.length, "function")} · ` +
				`${formatShare(sum / this.model.instructions)} of the instructions`;
	}

	/** For tests only: what cannot be seen from outside of a canvas. */
	get probe() {
		return {
			graph: () => this.graph.probe,
			sun: () => this.sun.probe,
			rows: () => this.functions.current.map(({ name }) => name),
			modules: () => this.modules.current.map(({ name }) => name),
			loops: () => this.loops.current.map(({ fn, header }) => [fn.name, header]),
			paths: () => this.pathTable.current.map(({ blocks, count }) => [blocks, count]),
		};
	}
}

function swatch(step: number): HTMLElement {
	return el("i", { "aria-hidden": "true", class: `heat-${step}` });
}

export const blocksPage: Page = {
	id: "blocks",
	title: "Blocks",
	shows: ({ blocks }) => blocks !== null,
	make: ({ blocks }, shell) => new BlocksView(blocks!, shell),
	keys: [["← ↑ → ↓", "in the graph: along the ways; in tables: from row to row"], ["+ − 0", "in the graph: nearer, farther, all of it"],
	       ["Home, End", "in the graph: the entry, the block that matters most"]],
};
