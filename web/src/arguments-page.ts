/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What calls took, by the value of an argument: a point for each call, axes linear or by powers of ten. */

import type { ArgumentPoints, Model } from "./data";
import { byId, el } from "./dom";
import { formatBig, formatCount, formatTime, plural, visibleText } from "./format";
import { parseQuery } from "./search";
import { choice, wireThemes, type Page, type Shell, type State, type View } from "./shell";
import { FunctionTable, setText } from "./table";

const LEFT = 74, BOTTOM = 34, TOP = 12, RIGHT = 18;

interface Row {
	id: number;
	name: string;
	points: ArgumentPoints;
	fn: string;
}

/** A number line: values to shares of its length, and round values to write at it. */
export function scale(values: number[], isLog: boolean): { at(value: number): number; ticks: number[] } {
	const usable = values.filter((value) => Number.isFinite(value) && (!isLog || value > 0));
	let low = usable.reduce((a, b) => Math.min(a, b), Infinity), high = usable.reduce((a, b) => Math.max(a, b), -Infinity);

	if (usable.length === 0)
		[low, high] = [1, 10];
	if (isLog) {
		const [a, b] = [Math.floor(Math.log10(low) + 1e-9), Math.max(Math.ceil(Math.log10(high) - 1e-9), Math.floor(Math.log10(low) + 1e-9) + 1)];
		const step = Math.ceil((b - a) / 8);

		return { at: (value) => (Math.log10(value) - a) / (b - a),
			 ticks: Array.from({ length: Math.floor((b - a) / step) + 1 }, (_, i) => 10 ** (a + i * step)) };
	}
	[low, high] = [Math.min(0, low), Math.max(0, high)];
	if (low === high)
		high = low + 1;
	const rough = (high - low) / 6, power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough)!;
	const first = Math.floor(low / step) * step, last = Math.ceil(high / step) * step;

	return { at: (value) => (value - first) / (last - first),
		 ticks: Array.from({ length: Math.round((last - first) / step) + 1 }, (_, i) => first + i * step) };
}

class ArgumentsView implements View {
	private readonly rows: Row[];
	private readonly table: FunctionTable<Row>;
	private readonly canvas = byId<HTMLCanvasElement>("scatter");
	private readonly context = this.canvas.getContext("2d")!;
	private row: Row | null = null;
	private logX = false;
	private logY = false;
	private places: [number, number][] = [];

	constructor(model: Model, private readonly shell: Shell) {
		this.rows = model.payload.arguments!.map((points, id) => {
			const fn = model.functions[points.function].name, within = points.within >= 0 ? model.functions[points.within].name : "";

			return { id, points, fn: within || fn, name: `${fn}: ${visibleText(points.name)}${within ? ` in ${within}` : ""}` };
		});
		this.table = new FunctionTable<Row>({
			rows: this.rows, sortKey: "values", isUsual: () => true, place: "arguments", choose: (row) => this.choose(row),
			columns: [
				{ key: "name", label: "Argument", hint: "function and argument", width: 240, isText: true, sort: (row) => row.name,
				  fill: (cell, row) => setText(cell, row.name, row.name) },
				{ key: "type", label: "Type", hint: "of the value", width: 120, isText: true, sort: (row) => row.points.type ?? "",
				  fill: (cell, row) => setText(cell, visibleText(row.points.type ?? "")) },
				{ key: "values", label: "Calls", hint: "with a value", width: 90, sort: (row) => row.points.seen,
				  fill: (cell, row) => setText(cell, formatCount(row.points.seen)) },
			],
		});
		choice("scatter-x", (value) => this.setAxes(value === "log", this.logY));
		choice("scatter-y", (value) => this.setAxes(this.logX, value === "log"));
		new ResizeObserver(() => this.draw()).observe(byId("scatter-box"));
		this.canvas.addEventListener("pointermove", (event) => this.onMove(event));
		this.canvas.addEventListener("pointerleave", () => {
			byId("tip").hidden = true;
		});
		this.select(this.rows[0] ?? null);
		wireThemes(() => this.draw());
	}

	private setAxes(logX: boolean, logY: boolean): void {
		[this.logX, this.logY] = [logX, logY];
		this.shell.set({ log: (logX ? "x" : "") + (logY ? "y" : "") }, true);
		this.draw();
	}

	private choose(row: Row): void {
		this.select(row);
		this.shell.set({ fn: row.fn, argument: row.name });
	}

	private select(row: Row | null): void {
		this.row = row;
		this.table.select(row, true);
		this.draw();
	}

	show(state: State): void {
		const row = this.rows.find(({ name }) => name === state.argument) ?? this.rows.find(({ fn }) => fn === state.fn);

		this.logX = (state.log ?? "").includes("x");
		this.logY = (state.log ?? "").includes("y");
		byId<HTMLInputElement>(`scatter-x-${this.logX ? "log" : "linear"}`).checked = true;
		byId<HTMLInputElement>(`scatter-y-${this.logY ? "log" : "linear"}`).checked = true;
		if (row && row !== this.row)
			this.select(row);
		this.draw();
	}

	search(): void {
		const query = parseQuery(byId<HTMLInputElement>("search").value), active = !query.empty && query.error === "";

		this.table.filter(active ? (row) => query.test(row.name) : null);
		byId("matches").textContent = query.error !== "" ? query.error : plural(this.table.count, "argument");
	}

	enter(): void {
		if (this.table.count > 0)
			this.choose(this.table.current[0]);
	}

	private draw(): void {
		const box = byId("scatter-box"), ratio = window.devicePixelRatio || 1, c = this.context;
		const width = box.clientWidth, height = box.clientHeight, style = getComputedStyle(box);

		if (width <= 0 || !this.row)
			return;
		const { x, y, seen } = this.row.points, horizontal = scale(x, this.logX), vertical = scale(y, this.logY);
		const toX = (value: number) => LEFT + horizontal.at(value) * (width - LEFT - RIGHT);
		const toY = (value: number) => height - BOTTOM - vertical.at(value) * (height - TOP - BOTTOM);

		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${height}px`;
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		c.font = "12px system-ui, sans-serif";
		c.textBaseline = "middle";
		for (const tick of vertical.ticks) {
			c.fillStyle = style.getPropertyValue("--line");
			c.fillRect(LEFT, Math.round(toY(tick)), width - LEFT - RIGHT, 1);
			c.fillStyle = style.getPropertyValue("--quiet");
			c.textAlign = "right";
			c.fillText(formatTime(tick), LEFT - 8, toY(tick));
		}
		c.textAlign = "center";
		for (const tick of horizontal.ticks)
			c.fillText(Math.abs(tick) < 1 && tick !== 0 ? String(Number(tick.toPrecision(3))) : formatBig(tick), toX(tick), height - BOTTOM / 2);
		c.fillStyle = style.getPropertyValue("--accent");
		c.globalAlpha = x.length > 1000 ? 0.35 : 0.6;
		let hidden = 0;

		this.places = x.map((value, i): [number, number] => {
			if ((this.logX && value <= 0) || (this.logY && y[i] <= 0)) {
				hidden++;
				return [NaN, NaN];
			}
			c.beginPath();
			c.arc(toX(value), toY(y[i]), 3, 0, 2 * Math.PI);
			c.fill();
			return [toX(value), toY(y[i])];
		});
		c.globalAlpha = 1;
		byId("scatter-name").textContent = this.row.name;
		byId("scatter-note").textContent = `${plural(x.length, "point")}${seen > x.length ? ` of ${formatCount(seen)} calls, spread evenly over them` : ", one a call"}; ` +
			`across the value, upwards the time of the call.${hidden > 0 ? ` ${plural(hidden, "point")} at or below zero have no place on this axis.` : ""}`;
	}

	private onMove(event: PointerEvent): void {
		const near = ([x, y]: [number, number]) => (x - event.offsetX) ** 2 + (y - event.offsetY) ** 2;
		const best = this.places.reduce((a, place, i) => near(place) < (a < 0 ? 100 : near(this.places[a])) ? i : a, -1);
		const tip = byId("tip");

		tip.hidden = best < 0 || !this.row;
		if (best < 0 || !this.row)
			return;
		const { x, y } = this.row.points;

		tip.replaceChildren(el("b", {}, this.row.name), el("dl", {}, ...[["value", String(x[best])], ["took", formatTime(y[best])]].map(([key, value]) =>
			el("div", {}, el("dt", {}, key), el("dd", {}, value)))));
		tip.style.left = `${Math.min(window.innerWidth - tip.offsetWidth - 8, event.clientX + 14)}px`;
		tip.style.top = `${event.clientY + 18}px`;
	}

	get probe() {
		return { points: () => this.places };
	}
}

export const argumentsPage: Page = {
	id: "arguments",
	title: "Arguments",
	shows: ({ calls }) => (calls?.payload.arguments ?? []).length > 0,
	make: ({ calls }, shell) => new ArgumentsView(calls!, shell),
};
