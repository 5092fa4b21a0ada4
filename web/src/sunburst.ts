/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The circle of functions with their blocks around it, on a canvas. */

import type { BlocksModel } from "./blocks-data";
import { choices } from "./choices";
import { dimColour, dimText, frameColour, frameText, hash, heatColour, FAMILIES, type Theme } from "./colour";
import { byId, el } from "./dom";
import { formatBig, formatCount, formatShare, formatTime, plural } from "./format";
import { wireThemes, type Shell } from "./shell";
import { OTHERS, sunburst, type SunWeight, type Wedge } from "./sunburst-data";

const HOLE = 0.3, MIDDLE = 0.64, EDGE = 0.97; /* radii */
const words: Record<SunWeight, string> = { instructions: "instructions", executions: "block executions", calls: "calls", time: "time" };

export interface SunburstActions {
	choose(fn: number, block: number): void; /* block OTHERS: the function */
}

export class Sunburst {
	private readonly box = byId("sun-box");
	private readonly canvas = el("canvas", { id: "sun", role: "img" });
	private readonly context = this.canvas.getContext("2d")!;
	private readonly controls = choices(["sun-weight", "sun-functions", "sun-blocks"], () => this.onControls());
	private wedges: Wedge[] = [];
	private theme: Theme = "light";
	private selected: [number, number | null] = [OTHERS, null];

	constructor(private readonly model: BlocksModel, private readonly shell: Shell, private readonly actions: SunburstActions) {
		this.box.append(this.canvas);
		if (model.payload.blocks.ticks)
			document.querySelectorAll<HTMLElement>(".when-ticks").forEach((element) => {
				element.hidden = false;
			});
		this.canvas.addEventListener("pointermove", (event) => this.onMove(event));
		this.canvas.addEventListener("pointerleave", () => {
			byId("tip").hidden = true;
		});
		this.canvas.addEventListener("click", (event) => {
			const wedge = this.at(event.offsetX, event.offsetY);

			if (wedge && wedge.fn !== OTHERS)
				this.actions.choose(wedge.fn, wedge.block ?? OTHERS);
		});
		new ResizeObserver(() => this.draw()).observe(this.box);
		this.compute();
		wireThemes((theme) => {
			this.theme = theme;
			this.draw();
		});
	}

	private get weight(): SunWeight {
		return this.controls["sun-weight"] as SunWeight;
	}

	private onControls(): void {
		const { "sun-functions": functions, "sun-blocks": blocks } = this.controls;

		this.shell.set({ sun: this.weight === "instructions" ? "" : this.weight, suns: functions === "12" && blocks === "8" ? "" : `${functions}x${blocks}` }, true);
		this.compute();
	}

	follow(sun: string, suns: string): void {
		const [functions, blocks] = (suns || "12x8").split("x");

		this.controls.set("sun-weight", sun || "instructions");
		this.controls.set("sun-functions", functions);
		this.controls.set("sun-blocks", blocks ?? "8");
		this.compute();
	}

	/** What is chosen on the page; @block null: only the function. */
	select(fn: number, block: number | null): void {
		this.selected = [fn, block];
		this.draw();
	}

	private compute(): void {
		this.wedges = sunburst(this.model, this.weight, Number(this.controls["sun-functions"]), Number(this.controls["sun-blocks"]));
		const first = this.wedges.filter(({ fn, block }) => fn !== OTHERS && block === null).slice(0, 3);

		this.canvas.setAttribute("aria-label", `Functions by ${words[this.weight]}: ` +
			first.map((wedge) => `${this.nameOf(wedge)} ${formatShare(wedge.to - wedge.from)}`).join(", "));
		this.draw();
	}

	private nameOf({ fn, n }: Wedge): string {
		return fn === OTHERS ? plural(n, "smaller function") : this.model.functions[fn].short;
	}

	private get radius(): number {
		return Math.min(this.box.clientWidth, this.box.clientHeight) / 2;
	}

	private at(x: number, y: number): Wedge | undefined {
		const dx = x - this.box.clientWidth / 2, dy = y - this.box.clientHeight / 2, r = Math.hypot(dx, dy) / this.radius;
		const turn = (Math.atan2(dx, -dy) / (2 * Math.PI) + 1) % 1;

		return r < HOLE || r > EDGE ? undefined : this.wedges.find(({ from, to, block }) => turn >= from && turn < to && (block === null) === (r < MIDDLE));
	}

	private draw(): void {
		const ratio = window.devicePixelRatio || 1, width = this.box.clientWidth, height = this.box.clientHeight, c = this.context;

		if (width <= 0)
			return;
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${height}px`;
		c.setTransform(ratio, 0, 0, ratio, ratio * width / 2, ratio * height / 2);
		c.textAlign = "center";
		c.textBaseline = "middle";
		this.wedges.forEach((wedge) => this.drawWedge(wedge));
		this.drawMiddle();
	}

	private colours({ fn, block, weight }: Wedge): [string, string] {
		if (fn === OTHERS || block === OTHERS)
			return [dimColour(this.theme), dimText[this.theme]];
		const name = this.model.functions[fn].name, inner = this.wedges.find((wedge) => wedge.fn === fn && wedge.block === null)!;
		const share = block === null ? 0 : weight / this.wedges.reduce((sum, each) => sum + (each.fn === fn && each.block !== null ? each.weight : 0), 0);

		return block === null ? [frameColour(this.theme, hash(name) % FAMILIES, this.wedges.indexOf(inner) & 3), frameText[this.theme]]
			: [heatColour(this.theme, share >= 0.4 ? 5 : share >= 0.2 ? 4 : share >= 0.1 ? 3 : share >= 0.03 ? 2 : 1), frameText[this.theme]];
	}

	private drawWedge(wedge: Wedge): void {
		const c = this.context, R = this.radius, turn = (part: number) => (part - 0.25) * 2 * Math.PI;
		const [inner, outer] = wedge.block === null ? [HOLE * R, MIDDLE * R - 1] : [MIDDLE * R + 1, EDGE * R], [fill, ink] = this.colours(wedge);
		const isSelected = this.selected[0] === wedge.fn && this.selected[0] !== OTHERS && this.selected[1] === wedge.block;

		c.beginPath();
		c.arc(0, 0, outer, turn(wedge.from), turn(wedge.to));
		c.arc(0, 0, inner, turn(wedge.to), turn(wedge.from), true);
		c.closePath();
		c.fillStyle = fill;
		c.fill();
		c.lineWidth = isSelected ? 3 : 1;
		c.strokeStyle = isSelected ? frameText[this.theme] : getComputedStyle(this.box).getPropertyValue("--surface");
		c.stroke();
		this.drawLabel(wedge, (inner + outer) / 2, outer - inner, ink);
	}

	/** Along the radius, where the wedge is as wide as a line of text is high. */
	private drawLabel(wedge: Wedge, r: number, room: number, ink: string): void {
		const c = this.context, turn = (wedge.from + wedge.to) / 2, arc = (wedge.to - wedge.from) * 2 * Math.PI * r;
		const text = wedge.block === null ? this.nameOf(wedge) : wedge.block === OTHERS ? "others" : `block ${wedge.block}`;
		let shown = text;

		if (arc < 13)
			return;
		c.font = "11.5px system-ui, sans-serif";
		while (shown.length > 2 && c.measureText(shown).width > room - 8)
			shown = `${shown.replace(/…$/, "").slice(0, -1)}…`;
		c.save();
		c.rotate((turn - 0.25) * 2 * Math.PI);
		c.translate(r, 0);
		if (turn > 0.5)
			c.rotate(Math.PI);
		c.fillStyle = ink;
		c.fillText(shown, 0, 0);
		c.restore();
	}

	private amount(weight: number): string {
		return this.weight === "time" ? formatTime(weight * this.model.nsPerTick) : formatBig(weight);
	}

	private drawMiddle(): void {
		const c = this.context, style = getComputedStyle(this.box);
		const sum = this.wedges.reduce((all, { block, weight }) => all + (block === null ? weight : 0), 0);

		c.fillStyle = style.getPropertyValue("--ink");
		c.font = "600 15px system-ui, sans-serif";
		c.fillText(this.amount(sum), 0, -8);
		c.fillStyle = style.getPropertyValue("--quiet");
		c.font = "12px system-ui, sans-serif";
		c.fillText(words[this.weight], 0, 11);
	}

	private onMove(event: PointerEvent): void {
		const tip = byId("tip"), wedge = this.at(event.offsetX, event.offsetY);

		tip.hidden = !wedge;
		this.canvas.style.cursor = wedge && wedge.fn !== OTHERS ? "pointer" : "";
		if (!wedge)
			return;
		const inner = this.wedges.find(({ fn, block }) => fn === wedge.fn && block === null)!, { block } = wedge;
		const line = block !== null && block !== OTHERS ? this.model.payload.blocks.line[this.model.functions[wedge.fn].firstBlock + block] : 0;
		const facts: [string, string][] = [[words[this.weight === "calls" && block !== null ? "executions" : this.weight], this.amount(wedge.weight)],
						   ["of all", formatShare(wedge.to - wedge.from)]];

		if (block !== null)
			facts.push(["of the function", formatShare((wedge.to - wedge.from) / (inner.to - inner.from))]);
		if (line > 0)
			facts.push(["line", formatCount(line)]);
		tip.replaceChildren(el("b", {}, wedge.fn === OTHERS ? this.nameOf(wedge) : this.model.functions[wedge.fn].name),
			...(block === null ? [] : [el("em", {}, block === OTHERS ? plural(wedge.n, "other block") : `block ${block}`)]),
			el("dl", {}, ...facts.map(([key, value]) => el("div", {}, el("dt", {}, key), el("dd", {}, value)))));
		tip.style.left = `${Math.max(8, Math.min(window.innerWidth - tip.offsetWidth - 8, event.clientX + 14))}px`;
		tip.style.top = `${event.clientY + tip.offsetHeight + 24 > window.innerHeight ? Math.max(8, event.clientY - tip.offsetHeight - 12) : event.clientY + 18}px`;
	}

	get probe() {
		const place = this.canvas.getBoundingClientRect(), R = this.radius;

		return this.wedges.map((wedge) => {
			const turn = (wedge.from + wedge.to) * Math.PI, r = R * (wedge.block === null ? HOLE + MIDDLE : MIDDLE + EDGE) / 2;

			return { ...wedge, x: place.left + place.width / 2 + r * Math.sin(turn), y: place.top + place.height / 2 - r * Math.cos(turn) };
		});
	}
}
