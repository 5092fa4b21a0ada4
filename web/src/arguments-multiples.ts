/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All arguments of a function beside each other: a small plot for each, the same time upwards in all. */

import type { Row } from "./arguments-page";
import { el } from "./dom";
import { plural, visibleText } from "./format";
import { Plot, type Picture } from "./plot";

interface Actions {
	choose(row: Row): void;
	tip(row: Row, i: number): [string, [string, string][]];
	toTimeline(row: Row, i: number): void;
}

interface Slot {
	item: HTMLElement;
	name: HTMLElement;
	plot: Plot;
}

export class Multiples {
	private shown: Row[] = [];
	private readonly slots: Slot[] = []; /* as many as were ever needed */

	constructor(private readonly box: HTMLElement, private readonly actions: Actions) {}

	show(pictures: [Row, Picture][]): void {
		const curves = ({ model }: Row) => (model?.pieces ?? []).flatMap(({ curve }) => curve?.value ?? []) as number[];
		const times = pictures.flatMap(([row]) => [...row.points.y, ...curves(row)]).filter((time) => Number.isFinite(time));
		const reach = [times.reduce((a, b) => Math.min(a, b), Infinity), times.reduce((a, b) => Math.max(a, b), -Infinity)];

		this.shown = pictures.map(([row]) => row);
		while (this.slots.length < pictures.length)
			this.slots.push(this.makeSlot(this.slots.length));
		this.slots.forEach(({ item }, i) => {
			item.hidden = i >= pictures.length;
		});
		pictures.forEach(([{ name, points }, picture], i) => {
			this.slots[i].name.textContent = visibleText(points.name);
			this.slots[i].plot.show({ ...picture, y: { ...picture.y, reach } }, `${name}: time of ${plural(points.x.length, "call")} by the value`);
		});
	}

	private makeSlot(i: number): Slot {
		const name = el("button", { type: "button", class: "link code" }), place = el("div", { class: "plot" }), item = el("li", {}, name, place);

		name.addEventListener("click", () => this.actions.choose(this.shown[i]));
		this.box.append(item);
		return { item, name, plot: new Plot(place, `scatter-${i}`, "", {
			tip: (k) => this.actions.tip(this.shown[i], k), choose: (k) => this.actions.toTimeline(this.shown[i], k),
		}) };
	}

	/** For tests: of each plot where its points are. */
	get places(): [number, number][][] {
		return this.shown.map((_, i) => this.slots[i].plot.places);
	}
}
