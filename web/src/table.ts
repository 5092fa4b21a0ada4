/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The function table. A real table, of which only the rows in sight exist: two spacer bodies stand
 * for the rest. One row is current; arrow keys move it, and the rest of the page follows.
 */

import { ColumnChoice } from "./columns-menu";
import { byId, el } from "./dom";

export interface Row {
	id: number;
}

export interface Column<R extends Row> {
	key: string;
	label: string;
	hint: string;
	width: number; /* px */
	isText?: boolean; /* sorts upwards first */
	sort?: (row: R) => number | string;
	fill: (cell: HTMLTableCellElement, row: R) => void;
}

export interface TableSource<R extends Row> {
	rows: R[];
	columns: Column<R>[];
	sortKey: string; /* at first */
	isUsual: (row: R) => boolean; /* without a search, only these are shown */
	choose: (row: R) => void;
	/** The user sorted: KEY, or KEY.up; "": as at first. */
	sorted?: (text: string) => void;
	/** The table's id ("functions"); around it is ID-box, and no-ID is shown where no row is. */
	place?: string;
	ascending?: boolean; /* at first */
}

export function setText(cell: HTMLElement, text: string, title = ""): void {
	cell.textContent = text;
	cell.title = title;
}

/** Unknown values sort last whichever the direction. */
export function compareBy<R extends Row>(sort: (row: R) => number | string, descending: boolean): (a: R, b: R) => number {
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

export class FunctionTable<R extends Row> {
	private readonly choice: ColumnChoice<Column<R>>;
	private readonly place: string;
	private readonly box: HTMLElement;
	private readonly table: HTMLTableElement;
	private readonly body = el("tbody");
	private readonly above = el("tbody", { class: "spacer", "aria-hidden": "true" });
	private readonly below = el("tbody", { class: "spacer", "aria-hidden": "true" });
	private sorted: R[] | null = null; /* all rows; null: the order is another now */
	private rows: R[] = []; /* those of them that match */
	private pool: HTMLTableRowElement[] = [];
	private sortKey: string;
	private descending = true;
	private matches: (row: R) => boolean;
	private selected = -1;
	private rowHeight = 30;
	private first = -1;
	private last = -1;

	constructor(private readonly source: TableSource<R>) {
		this.place = source.place ?? "functions";
		this.box = byId(`${this.place}-box`);
		this.table = byId<HTMLTableElement>(this.place);
		this.choice = new ColumnChoice(this.place, source.columns, () => this.remake());
		this.sortKey = source.sortKey;
		this.descending = source.ascending !== true;
		this.matches = source.isUsual;
		this.makeHead();
		this.table.append(this.above, this.body, this.below);
		if (source.columns.length > 2)
			this.box.closest("section")?.querySelector(".head")?.append(this.choice.menu());
		this.box.addEventListener("scroll", () => this.render(false));
		this.table.addEventListener("keydown", (event) => this.onKey(event));
		this.body.addEventListener("click", (event) => this.onClick(event));
		new ResizeObserver(() => {
			this.render(true);
			requestAnimationFrame(() => this.fit());
		}).observe(this.box);
		window.addEventListener("beforeprint", () => this.renderRange(0, Math.min(PRINTED, this.rows.length)));
		window.addEventListener("afterprint", () => this.render(true));
		this.update();
	}

	get count(): number {
		return this.rows.length;
	}

	get current(): readonly R[] {
		return this.rows;
	}

	private get columns(): Column<R>[] {
		return this.choice.visible;
	}

	/** With other columns, or of other widths. */
	private remake(): void {
		this.table.tHead?.remove();
		this.pool = [];
		this.makeHead();
		this.update();
	}

	private makeHead(): void {
		const head = el("tr", { "aria-rowindex": "1" });

		for (const column of this.columns) {
			const cell = el("th", { scope: "col", class: `c-${column.key}`, title: column.hint });

			cell.style.width = `${this.choice.widthOf(column)}px`;
			if (column.sort) {
				const button = el("button", { type: "button", "data-sort": column.key },
						  column.label, el("i", { "aria-hidden": "true" }));

				button.addEventListener("click", () => this.sortBy(column.key));
				cell.append(button);
			} else {
				cell.append(el("span", {}, column.label));
			}
			cell.append(this.choice.handle(cell, column));
			head.append(cell);
		}
		this.table.style.minWidth = `${this.columns.reduce((sum, column) => sum + this.choice.widthOf(column), 0)}px`;
		this.table.prepend(el("thead", {}, head));
	}

	sortBy(key: string): void {
		const isText = this.columns.find((column) => column.key === key)?.isText === true;

		this.descending = this.sortKey === key ? !this.descending : !isText;
		this.sortKey = key;
		this.sorted = null;
		this.update();
		this.box.scrollTop = 0;
		this.source.sorted?.(this.sorting);
	}

	/** As sorted() told it; of a column that is not there: as at first. */
	follow(text: string): void {
		const [key, direction] = text.split("."), isKnown = this.source.columns.some((column) => column.key === key && column.sort);

		if (text === this.sorting)
			return;
		this.sortKey = isKnown ? key : this.source.sortKey;
		this.descending = isKnown ? direction !== "up" : this.source.ascending !== true;
		this.sorted = null;
		this.update();
	}

	private get sorting(): string {
		const isFirst = this.sortKey === this.source.sortKey && this.descending === (this.source.ascending !== true);

		return isFirst ? "" : this.descending ? this.sortKey : `${this.sortKey}.up`;
	}

	/** Other rows; @stay: the place in the table remains. */
	replace(rows: R[], stay = false): void {
		this.source.rows = rows;
		this.sorted = null;
		this.selected = -1;
		if (!stay)
			this.box.scrollTop = 0;
		this.update();
	}

	/** Shows the functions for which @matches holds. */
	filter(matches: ((row: R) => boolean) | null): void {
		this.matches = matches ?? this.source.isUsual;
		this.box.scrollTop = 0;
		this.update();
	}

	private update(): void {
		const column = this.source.columns.find(({ key }) => key === this.sortKey)!;

		this.sorted ??= [...this.source.rows].sort(compareBy(column.sort!, this.descending));
		this.rows = this.sorted.filter(this.matches);
		this.table.setAttribute("aria-rowcount", String(this.rows.length + 1));
		this.table.querySelectorAll("th").forEach((cell, i) => {
			const sorted = this.columns[i].key === this.sortKey;

			if (sorted)
				cell.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
			else
				cell.removeAttribute("aria-sort");
		});
		this.fit();
		this.render(true);
	}

	/** No higher than its rows, and the bar that scrolls a table wider than its place. */
	private fit(): void {
		const bar = Math.max(0, this.box.offsetHeight - this.box.clientHeight - 2);

		this.box.style.maxHeight = `calc(${this.rows.length} * var(--row) + ${42 + bar}px)`;
	}

	/** Makes @fn the current row without telling anybody. */
	select(fn: R | null, reveal: boolean): void {
		this.selected = fn ? fn.id : -1;
		const at = this.rows.findIndex(({ id }) => id === this.selected);

		if (reveal && at >= 0)
			this.scrollTo(at);
		this.render(true);
	}

	private rowId(id: number): string {
		return `${this.place}-${id}`;
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
		byId(`no-${this.place}`).hidden = this.rows.length > 0;
		const visible = this.rows.slice(first, last).some(({ id }) => id === this.selected);

		if (visible)
			this.table.setAttribute("aria-activedescendant", this.rowId(this.selected));
		else
			this.table.removeAttribute("aria-activedescendant");
	}

	private makeRow(): HTMLTableRowElement {
		const row = el("tr");

		for (const column of this.columns)
			row.append(el("td", { class: `c-${column.key}` }));
		return row;
	}

	private fillRow(row: HTMLTableRowElement, fn: R, at: number): void {
		row.id = this.rowId(fn.id);
		row.setAttribute("aria-rowindex", String(at + 2));
		row.setAttribute("aria-selected", String(fn.id === this.selected));
		this.columns.forEach((column, i) => column.fill(row.cells[i], fn));
	}

	private onClick(event: Event): void {
		const row = (event.target as Element).closest("tr");
		const fn = row && this.rows.find(({ id }) => this.rowId(id) === row.id);

		if (fn)
			this.choose(fn);
	}

	private choose(fn: R): void {
		this.select(fn, true);
		this.source.choose(fn);
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
