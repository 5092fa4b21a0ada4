/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Columns of a table: hidden ones, widths, and the menu for them. What was chosen is in the address:
 * hide-TABLE=calls.min and width-TABLE=name:420.
 */

import { el } from "./dom";

export interface ColumnShape {
	key: string;
	label: string;
	width: number; /* px */
}

/** Where choices are kept; the shell sets it. */
export const address = {
	get: (_key: string): string => "",
	set: (_key: string, _value: string): void => {},
};

const LEAST = 40;

export class ColumnChoice<C extends ColumnShape> {
	private hidden: Set<string>;
	private widths: Map<string, number>;

	constructor(private readonly place: string, private readonly columns: C[], private readonly changed: () => void) {
		const known = new Set(columns.slice(1).map(({ key }) => key)); /* the first says what a row is */

		this.hidden = new Set(address.get(`hide-${place}`).split(".").filter((key) => known.has(key)));
		this.widths = new Map(address.get(`width-${place}`).split(".").map((part) => part.split(":")).filter(([, width]) => Number(width) >= LEAST)
			.map(([key, width]) => [key, Number(width)]));
	}

	get visible(): C[] {
		return this.columns.filter(({ key }) => !this.hidden.has(key));
	}

	widthOf({ key, width }: C): number {
		return this.widths.get(key) ?? width;
	}

	private keep(): void {
		address.set(`hide-${this.place}`, [...this.hidden].join("."));
		address.set(`width-${this.place}`, [...this.widths].map(([key, width]) => `${key}:${Math.round(width)}`).join("."));
		this.changed();
	}

	private toggle(key: string, isShown: boolean): void {
		if (isShown)
			this.hidden.delete(key);
		else
			this.hidden.add(key);
		this.keep();
	}

	/** A button whose list has a box to tick for each column. */
	menu(): HTMLElement {
		const menu = el("details", { class: "columns" }, el("summary", { title: "which columns are shown" }, "Columns"),
			  el("div", {}, ...this.columns.slice(1).map(({ key, label }) => {
				const box = el("input", { type: "checkbox", "data-column": key });

				box.checked = !this.hidden.has(key);
				box.addEventListener("change", () => this.toggle(key, box.checked));
				return el("label", {}, box, label);
			})));

		document.addEventListener("pointerdown", (event) => {
			if (!menu.contains(event.target as Node))
				menu.open = false;
		});
		return menu;
	}

	/** The edge of a head cell, which is drawn to another width; a double click takes the first one again. */
	handle(cell: HTMLElement, column: C): HTMLElement {
		const node = el("span", { class: "resizer", "aria-hidden": "true" });

		node.addEventListener("pointerdown", (event) => {
			const begin = event.clientX, width = cell.offsetWidth;
			const move = (e: PointerEvent) => {
				this.widths.set(column.key, Math.max(LEAST, width + e.clientX - begin));
				cell.style.width = `${this.widths.get(column.key)}px`;
			};

			event.preventDefault();
			node.setPointerCapture(event.pointerId);
			node.addEventListener("pointermove", move);
			node.addEventListener("pointerup", (e) => {
				node.removeEventListener("pointermove", move);
				if (e.clientX !== begin) /* else it may become a double click */
					this.keep();
			}, { once: true });
		});
		node.addEventListener("dblclick", () => {
			this.widths.delete(column.key);
			this.keep();
		});
		return node;
	}
}
