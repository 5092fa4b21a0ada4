/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The function table. A real table, of which only the rows in sight exist: two spacer bodies stand
 * for the rest. One row is current; arrow keys move it, and the rest of the page follows.
 */

import type { Fn, Model } from "./data";
import { byId, el, fillName, picture } from "./dom";
import { formatBig, formatCount, formatExact, formatShare, formatTime } from "./format";
import { barLow, barsPath, rebin } from "./histogram";

export interface Column {
	key: string;
	label: string;
	hint: string;
	width: number; /* px */
	sort?: (fn: Fn) => number | string;
	fill: (cell: HTMLTableCellElement, fn: Fn) => void;
}

const SPARK = { width: 88, height: 18, bins: 44 };

function setText(cell: HTMLElement, text: string, title = ""): void {
	cell.textContent = text;
	cell.title = title;
}

/** A time with its share of all traced time as a bar. */
function shareCell(of: (fn: Fn) => number, all: number): Column["fill"] {
	return (cell, fn) => {
		const value = of(fn), share = value / all;

		if (cell.childElementCount === 0)
			cell.append(el("span", { class: "bar" }), el("span", { class: "share" }),
				    el("span", { class: "amount" }));
		const [bar, percent, amount] = cell.children as unknown as HTMLElement[];

		bar.style.width = `${Math.min(100, (share || 0) * 100).toFixed(2)}%`;
		percent.textContent = formatShare(share);
		amount.textContent = formatTime(value);
		cell.title = formatExact(value);
	};
}

function timeColumn(key: "min" | "mean" | "p50" | "p99" | "max", label: string, hint: string): Column {
	return {
		key, label, hint, width: 68, sort: (fn) => fn[key],
		fill: (cell, fn) => setText(cell, formatTime(fn[key]), formatExact(fn[key])),
	};
}

function nameCell(cell: HTMLTableCellElement, fn: Fn): void {
	if (cell.childElementCount === 0)
		cell.append(el("span", { class: "parts" }), el("span", { class: "note" }));
	fillName(cell.children[0], fn.name);
	cell.children[1].textContent = fn.calls > 0 ? ""
		: fn.inlinedInto.length > 0 ? "no calls of its own, inlined" : "not called";
	cell.title = fn.name;
}

const COUNTED = ["name", "calls", "binary", "source"];

export function makeColumns(model: Model): Column[] {
	const { firstBar, lastBar } = model;
	const scale = model.lastBar >= model.firstBar ? "; all rows on one scale from " +
		`${formatTime(barLow(firstBar) * model.nsPerTick)} to ${formatTime(barLow(lastBar + 1) * model.nsPerTick)}` : "";

	const columns: Column[] = [
		{ key: "name", label: "Function", hint: "name of the function", width: 206,
		  sort: (fn) => fn.name, fill: nameCell },
		{ key: "exclusive", label: "Exclusive", hint: "time in the function itself", width: 128,
		  sort: (fn) => fn.exclusive, fill: shareCell((fn) => fn.exclusive, model.tracedNs) },
		{ key: "total", label: "Total", hint: "time in the function and what it calls; recursion counted once",
		  width: 128, sort: (fn) => fn.total, fill: shareCell((fn) => fn.total, model.tracedNs) },
		{ key: "calls", label: "Calls", hint: "number of calls", width: 92, sort: (fn) => fn.calls,
		  fill: (cell, fn) => setText(cell, fn.calls < 1e8 ? formatCount(fn.calls) : formatBig(fn.calls),
					      formatCount(fn.calls)) },
		timeColumn("min", "Min", "shortest call"),
		timeColumn("mean", "Mean", "mean duration of a call"),
		timeColumn("p50", "p50", "half of the calls took at most this (3 % wide buckets)"),
		timeColumn("p99", "p99", "99 % of the calls took at most this (3 % wide buckets)"),
		timeColumn("max", "Max", "longest call"),
		{ key: "distribution", label: "Distribution", hint: `durations of the calls, logarithmic${scale}`, width: 104,
		  fill: (cell, fn) => {
			if (cell.childElementCount === 0)
				cell.append(picture(SPARK.width, SPARK.height));
			const bars = rebin(fn.bars, firstBar, lastBar, SPARK.bins);

			cell.firstElementChild!.firstElementChild!
				.setAttribute("d", barsPath(bars, SPARK.width, SPARK.height));
		  } },
		{ key: "binary", label: "Binary", hint: "program or library", width: 110, sort: (fn) => fn.binary,
		  fill: (cell, fn) => setText(cell, fn.binary, fn.binaryPath) },
		{ key: "source", label: "Source", hint: "file and line", width: 150, sort: (fn) => fn.source,
		  fill: (cell, fn) => setText(cell, fn.source, fn.file === "" ? "" : `${fn.file}:${fn.line}`) },
	];

	/* where calls were only counted, columns of dashes tell nothing */
	return model.hasTimes ? columns : columns.filter(({ key }) => COUNTED.includes(key));
}

/** Unknown values sort last whichever the direction. */
export function compareBy(sort: (fn: Fn) => number | string, descending: boolean): (a: Fn, b: Fn) => number {
	const sign = descending ? -1 : 1;

	return (a, b) => {
		const x = sort(a), y = sort(b);

		if (typeof x === "string" || typeof y === "string") {
			if (x === "" || y === "")
				return Number(x === "") - Number(y === "") || a.id - b.id;
			return sign * (x < y ? -1 : x > y ? 1 : 0) || a.id - b.id;
		}
		if (Number.isNaN(x) || Number.isNaN(y))
			return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a.id - b.id;
		return sign * (x - y) || a.id - b.id;
	};
}

const OVERSCAN = 6;
const PRINTED = 50;

export class FunctionTable {
	private readonly columns: Column[];
	private readonly box = byId("table-box");
	private readonly table = byId<HTMLTableElement>("functions");
	private readonly body = el("tbody");
	private readonly above = el("tbody", { class: "spacer", "aria-hidden": "true" });
	private readonly below = el("tbody", { class: "spacer", "aria-hidden": "true" });
	private rows: Fn[] = [];
	private pool: HTMLTableRowElement[] = [];
	private sortKey: string;
	private descending = true;
	private matches: (fn: Fn) => boolean = (fn) => fn.calls > 0;
	private selected = -1;
	private rowHeight = 30;
	private first = -1;
	private last = -1;

	constructor(private readonly model: Model, private readonly onSelect: (fn: Fn) => void) {
		this.columns = makeColumns(model);
		this.sortKey = model.hasTimes ? "exclusive" : "calls";
		this.makeHead();
		this.table.append(this.above, this.body, this.below);
		this.box.addEventListener("scroll", () => this.render(false));
		this.table.addEventListener("keydown", (event) => this.onKey(event));
		this.body.addEventListener("click", (event) => this.onClick(event));
		new ResizeObserver(() => this.render(true)).observe(this.box);
		window.addEventListener("beforeprint", () => this.renderRange(0, Math.min(PRINTED, this.rows.length)));
		window.addEventListener("afterprint", () => this.render(true));
		this.update();
	}

	get count(): number {
		return this.rows.length;
	}

	get current(): readonly Fn[] {
		return this.rows;
	}

	private makeHead(): void {
		const head = el("tr", { "aria-rowindex": "1" });

		for (const column of this.columns) {
			const cell = el("th", { scope: "col", class: `c-${column.key}`, title: column.hint });

			cell.style.width = `${column.width}px`;
			if (column.sort) {
				const button = el("button", { type: "button", "data-sort": column.key },
						  column.label, el("i", { "aria-hidden": "true" }));

				button.addEventListener("click", () => this.sortBy(column.key));
				cell.append(button);
			} else {
				cell.append(el("span", {}, column.label));
			}
			head.append(cell);
		}
		this.table.style.minWidth = `${this.columns.reduce((sum, column) => sum + column.width, 0)}px`;
		this.table.append(el("thead", {}, head));
	}

	sortBy(key: string): void {
		const isText = key === "name" || key === "binary" || key === "source";

		this.descending = this.sortKey === key ? !this.descending : !isText;
		this.sortKey = key;
		this.update();
		this.box.scrollTop = 0;
	}

	/** Shows the functions for which @matches holds. */
	filter(matches: ((fn: Fn) => boolean) | null): void {
		this.matches = matches ?? ((fn) => fn.calls > 0);
		this.box.scrollTop = 0;
		this.update();
	}

	private update(): void {
		const column = this.columns.find(({ key }) => key === this.sortKey)!;

		this.rows = this.model.functions.filter(this.matches)
			.sort(compareBy(column.sort!, this.descending));
		this.table.setAttribute("aria-rowcount", String(this.rows.length + 1));
		this.table.querySelectorAll("th").forEach((cell, i) => {
			const sorted = this.columns[i].key === this.sortKey;

			if (sorted)
				cell.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
			else
				cell.removeAttribute("aria-sort");
		});
		this.box.style.maxHeight = `calc(${this.rows.length} * var(--row) + 42px)`;
		this.render(true);
	}

	/** Makes @fn the current row without telling anybody. */
	select(fn: Fn | null, reveal: boolean): void {
		this.selected = fn ? fn.id : -1;
		const at = this.rows.findIndex(({ id }) => id === this.selected);

		if (reveal && at >= 0)
			this.scrollTo(at);
		this.render(true);
	}

	private headHeight(): number {
		return this.table.tHead?.offsetHeight ?? 0;
	}

	private scrollTo(at: number): void {
		const top = at * this.rowHeight, view = this.box.clientHeight - this.headHeight();

		if (top < this.box.scrollTop)
			this.box.scrollTop = top;
		else if (top + this.rowHeight > this.box.scrollTop + view)
			this.box.scrollTop = top + this.rowHeight - view;
	}

	private render(force: boolean): void {
		this.rowHeight = parseFloat(getComputedStyle(this.box).getPropertyValue("--row")) || 30;
		const first = Math.max(0, Math.floor(this.box.scrollTop / this.rowHeight) - OVERSCAN);
		const last = Math.min(this.rows.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) /
			this.rowHeight) + OVERSCAN);

		if (force || first !== this.first || last !== this.last)
			this.renderRange(first, Math.max(first, last));
	}

	private renderRange(first: number, last: number): void {
		this.first = first;
		this.last = last;
		while (this.pool.length < last - first)
			this.pool.push(this.makeRow());
		this.body.replaceChildren(...this.pool.slice(0, last - first));
		for (let i = first; i < last; i++)
			this.fillRow(this.pool[i - first], this.rows[i], i);
		this.above.style.height = `${first * this.rowHeight}px`;
		this.below.style.height = `${(this.rows.length - last) * this.rowHeight}px`;
		byId("no-functions").hidden = this.rows.length > 0;
		const visible = this.rows.slice(first, last).some(({ id }) => id === this.selected);

		if (visible)
			this.table.setAttribute("aria-activedescendant", `fn-${this.selected}`);
		else
			this.table.removeAttribute("aria-activedescendant");
	}

	private makeRow(): HTMLTableRowElement {
		const row = el("tr");

		for (const column of this.columns)
			row.append(el("td", { class: `c-${column.key}` }));
		return row;
	}

	private fillRow(row: HTMLTableRowElement, fn: Fn, at: number): void {
		row.id = `fn-${fn.id}`;
		row.setAttribute("aria-rowindex", String(at + 2));
		row.setAttribute("aria-selected", String(fn.id === this.selected));
		this.columns.forEach((column, i) => column.fill(row.cells[i], fn));
	}

	private onClick(event: Event): void {
		const row = (event.target as Element).closest("tr");
		const fn = row && this.rows.find(({ id }) => `fn-${id}` === row.id);

		if (fn)
			this.choose(fn);
	}

	private choose(fn: Fn): void {
		this.select(fn, true);
		this.onSelect(fn);
	}

	private onKey(event: KeyboardEvent): void {
		const page = Math.max(1, Math.floor((this.box.clientHeight - this.headHeight()) / this.rowHeight) - 1);
		const at = this.rows.findIndex(({ id }) => id === this.selected);
		const moves: Record<string, number> = {
			ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page,
			Home: 0, End: this.rows.length - 1,
		};

		if (event.target !== this.table || !(event.key in moves) || this.rows.length === 0)
			return;
		event.preventDefault();
		this.choose(this.rows[Math.min(this.rows.length - 1, Math.max(0, moves[event.key]))]);
	}
}
