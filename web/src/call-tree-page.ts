/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The call tree as a table whose rows open: from the start down, or from a function to its callers. */

import { CallTree, type Direction, type TreeRow } from "./call-tree";
import type { Fn, Model } from "./data";
import { showDetail } from "./detail";
import { byId, el, fillName } from "./dom";
import { formatCount, formatExact, formatShare, formatTime, plural } from "./format";
import { parseQuery } from "./search";
import { choice, type Page, type Shell, type State, type View } from "./shell";
import { FunctionTable, setText, type Column } from "./table";
import { LEFT_OUT } from "./tree";

const OPENER = 20, NEAR = 10, DEEP = 24;

/** Deep levels go on in small steps, and leave two fifths of the column for the name. */
function indent(depth: number): string {
	return `min(60%, ${15 * Math.min(depth, NEAR) + 3 * Math.min(Math.max(depth - NEAR, 0), DEEP - NEAR)}px)`;
}

class CallTreeView implements View {
	private readonly tree: CallTree;
	private readonly table: FunctionTable<TreeRow>;
	private fn: Fn | null = null;
	private path = "";
	private marked: Uint8Array | null = null;

	constructor(private readonly model: Model, private readonly shell: Shell) {
		this.tree = new CallTree(model.tree, "down", model.hasTimes);
		if (this.tree.rows[0])
			this.tree.openHottest(this.tree.rows[0]);
		this.table = new FunctionTable<TreeRow>({
			rows: this.tree.rows, columns: this.columns(), sortKey: "id", isUsual: () => true, place: "contexts", ascending: true,
			choose: (row) => this.choose(row),
		});
		choice("direction", (value) => {
			this.tree.setDirection(value as Direction);
			this.path = this.fn ? this.tree.reveal(this.fn.id) : "";
			this.refresh(true);
		});
		byId("contexts").addEventListener("keydown", (event) => this.onKey(event));
		byId("contexts").addEventListener("dblclick", () => this.toggle());
		this.refresh(false);
	}

	private columns(): Column<TreeRow>[] {
		const { model } = this, share = (row: TreeRow) => model.hasTimes ? row.time / model.tree.time[0] : row.calls / model.tree.calls[0];
		const ns = (of: (row: TreeRow) => number): Column<TreeRow>["fill"] =>
			(cell, row) => setText(cell, formatTime(of(row) * model.nsPerTick), formatExact(of(row) * model.nsPerTick));
		const times: Column<TreeRow>[] = model.hasTimes ? [
			{ key: "total", label: "Time", hint: "downwards with what it calls; upwards the function's own time by this way", width: 110, fill: ns((row) => row.time) },
			{ key: "own", label: "Own", hint: "in the function itself", width: 100, fill: ns((row) => row.self) }] : [];

		return [
			{ key: "id", label: "", hint: "", width: 0, sort: (row) => row.id, isText: true, fill: () => undefined },
			{ key: "name", label: "Function", hint: "→ opens, ← closes, Enter opens the heaviest way", width: 340, fill: (cell, row) => this.fillName(cell, row) },
			{ key: "share", label: "Share", hint: "of everything", width: 120, fill: (cell, row) => {
				if (cell.childElementCount === 0)
					cell.append(el("span", { class: "bar" }), el("span", {}));
				(cell.children[0] as HTMLElement).style.width = `${Math.min(100, (share(row) || 0) * 100).toFixed(2)}%`;
				cell.children[1].textContent = formatShare(share(row));
			} },
			...times,
			{ key: "calls", label: model.hasSamples ? "Samples" : "Calls", hint: "in this context", width: 100,
			  fill: (cell, row) => setText(cell, formatCount(row.calls)) },
			{ key: "binary", label: "Binary", hint: "program or library", width: 110, fill: (cell, row) => setText(cell, model.functions[row.fn]?.binary ?? "") },
		];
	}

	private fillName(cell: HTMLTableCellElement, row: TreeRow): void {
		if (cell.childElementCount === 0) {
			const opener = el("button", { type: "button", class: "opener", tabindex: "-1", "aria-label": "open or close" });

			opener.addEventListener("click", (event) => {
				const at = Number((cell.parentElement as HTMLElement).dataset.row);

				event.stopPropagation();
				this.tree.toggle(this.tree.rows[at]);
				this.refresh(false);
			});
			cell.append(opener, el("span", { class: "parts" }));
		}
		const [opener, name] = cell.children as unknown as HTMLElement[];

		(cell.parentElement as HTMLElement).dataset.row = String(row.id);
		(cell.parentElement as HTMLElement).setAttribute("aria-level", String(row.depth + 1));
		if (row.hasChildren)
			cell.parentElement!.setAttribute("aria-expanded", String(row.isOpen));
		else
			cell.parentElement!.removeAttribute("aria-expanded");
		opener.textContent = row.hasChildren ? row.isOpen ? "▾" : "▸" : "";
		opener.style.marginLeft = indent(row.depth);
		name.style.maxWidth = `calc(100% - ${indent(row.depth)} - ${OPENER}px)`;
		name.classList.toggle("hit", this.marked?.[row.fn] === 1);
		fillName(name, row.fn === LEFT_OUT ? plural(row.contexts, "smaller context") : this.model.functions[row.fn]?.name ?? "all");
		cell.title = row.depth > DEEP ? `level ${row.depth}` : this.model.functions[row.fn]?.name ?? "";
	}

	private refresh(reveal: boolean): void {
		this.table.replace(this.tree.rows, true);
		this.table.select(this.tree.rows.find(({ path }) => path === this.path) ?? null, reveal);
		this.panel();
	}

	private panel(): void {
		showDetail(this.model, this.fn, {
			select: (fn) => this.look(fn, true),
			zoom: (fn) => this.shell.go("flame", { fn: fn.name }),
		}, "context-detail");
	}

	private choose(row: TreeRow): void {
		const fn = this.model.functions[row.fn] ?? null;

		this.path = row.path;
		this.fn = fn;
		this.panel();
		if (fn)
			this.shell.set({ fn: fn.name });
	}

	private look(fn: Fn, tell: boolean): void {
		this.fn = fn;
		this.path = this.tree.reveal(fn.id);
		this.refresh(true);
		if (tell)
			this.shell.set({ fn: fn.name });
	}

	private current(): TreeRow | undefined {
		return this.tree.rows.find(({ path }) => path === this.path);
	}

	private toggle(open?: boolean): void {
		const row = this.current();

		if (!row)
			return;
		this.tree.toggle(row, open);
		this.refresh(true);
	}

	private onKey(event: KeyboardEvent): void {
		const row = this.current();

		if (!row || !["ArrowRight", "ArrowLeft", "Enter"].includes(event.key))
			return;
		event.preventDefault();
		if (event.key === "Enter") {
			this.tree.openHottest(row);
			this.refresh(true);
		} else if (event.key === "ArrowLeft" && !row.isOpen) {
			this.path = row.path.slice(0, row.path.lastIndexOf("/"));
			this.refresh(true);
		} else {
			this.toggle(event.key === "ArrowRight");
		}
	}

	show(state: State): void {
		const fn = this.model.functions.find(({ name }) => name === state.fn);

		if (fn && fn !== this.fn)
			this.look(fn, false);
	}

	search(): void {
		const query = parseQuery(byId<HTMLInputElement>("search").value), active = !query.empty && query.error === "";

		this.marked = active ? Uint8Array.from(this.model.functions, (fn) => Number(query.test(fn.name) || (fn.symbol !== "" && query.test(fn.symbol)))) : null;
		byId("matches").textContent = query.error !== "" ? query.error : this.marked ? plural(this.marked.reduce((a, b) => a + b, 0), "function") : "";
		this.refresh(false);
	}

	/** The heaviest function that matches. */
	enter(): void {
		const hits = this.model.functions.filter((fn) => this.marked?.[fn.id] === 1);
		const best = hits.reduce<Fn | null>((a, b) => a && !((b.total || b.calls) > (a.total || a.calls)) ? a : b, null);

		if (best)
			this.look(best, true);
	}

	get probe() {
		return { tree: () => this.tree.rows.map(({ fn, depth, time, self, calls }) => ({ fn, depth, time, self, calls })) };
	}
}

export const callTreePage: Page = {
	id: "calltree",
	title: "Call tree",
	shows: ({ calls }) => calls !== null && calls.tree.n > 1 && !calls.payload.calls_sampled,
	make: ({ calls }, shell) => new CallTreeView(calls!, shell),
	keys: [["→ ←", "in the table: opens a row, closes it or goes to its caller"], ["Enter", "opens the heaviest way"]],
};
