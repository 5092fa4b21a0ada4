/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The box with the lines of a source file (parts/source.html): only rows in sight exist. */

import { byId } from "./dom";

export interface LineListEvents {
	/** An element of a row: an <li> with an id and role=option. */
	row(at: number): HTMLElement;
	/** A row was chosen by hand. */
	choose(at: number): void;
}

const ROW = 20;
const OVERSCAN = 10;

export class LineList {
	private readonly box = byId("source-box");
	private readonly list = byId("source");
	private readonly space = byId("source-space");
	private n = 0;
	private first = 0; /* row that exists */
	current = 0; /* row */

	constructor(private readonly events: LineListEvents) {
		this.box.addEventListener("scroll", () => this.render());
		this.box.addEventListener("keydown", (event) => this.onKey(event));
		this.list.addEventListener("click", (event) => this.onClick(event));
		new ResizeObserver(() => this.render()).observe(this.box);
	}

	get count(): number {
		return this.n;
	}

	/** How many rows there are; they are drawn by render(). */
	set count(n: number) {
		this.n = n;
		this.space.style.height = `${n * ROW}px`;
	}

	reveal(at: number, atTop: boolean): void {
		const top = at * ROW, view = this.box.clientHeight;

		if (atTop)
			this.box.scrollTop = top - 2 * ROW;
		else if (top < this.box.scrollTop + ROW || top + 2 * ROW > this.box.scrollTop + view)
			this.box.scrollTop = top - view / 3;
	}

	render(): void {
		const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - OVERSCAN);
		const last = Math.min(this.n, Math.ceil((this.box.scrollTop + this.box.clientHeight) / ROW) + OVERSCAN);
		const rows = Array.from({ length: Math.max(0, last - first) }, (_, i) => this.events.row(first + i));

		this.first = first;
		rows.forEach((row, i) => row.setAttribute("aria-selected", String(first + i === this.current)));
		this.list.style.top = `${first * ROW}px`;
		this.list.replaceChildren(...rows);
		this.box.setAttribute("aria-activedescendant", rows[this.current - first]?.id ?? "");
	}

	private onClick(event: Event): void {
		const row = (event.target as Element).closest("li");

		if (row)
			this.events.choose(this.first + [...this.list.children].indexOf(row));
	}

	private onKey(event: KeyboardEvent): void {
		const at = this.current, page = Math.max(1, Math.floor(this.box.clientHeight / ROW) - 2);
		const moves: Record<string, number> = {
			ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: this.n - 1,
		};

		if (!(event.key in moves) || this.n === 0 || event.ctrlKey || event.metaKey || event.altKey)
			return;
		event.preventDefault();
		const to = Math.min(this.n - 1, Math.max(0, moves[event.key]));

		this.reveal(to, false);
		this.events.choose(to);
	}
}

/** A source file as lines. */
export function splitLines(text: string): string[] {
	return text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
}
