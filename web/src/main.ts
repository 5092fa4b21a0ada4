/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts the page together: one model, a table, a flame graph, a panel, and what ties them. */

import { decodePayload, makeModel, type Fn, type Model } from "./data";
import { frameColour, type Theme } from "./colour";
import { showDetail } from "./detail";
import { byId, el, prefersDark } from "./dom";
import { FlameGraph } from "./flame";
import { formatCount, formatShare, formatTime, plural } from "./format";
import { parseQuery } from "./search";
import { showSummary } from "./summary";
import { FunctionTable } from "./table";
import { heaviestNode } from "./tree";

class Page {
	private readonly table: FunctionTable;
	private readonly flame: FlameGraph;
	private readonly input = byId<HTMLInputElement>("search");

	constructor(private readonly model: Model) {
		showSummary(model);
		this.flame = new FlameGraph(model, {
			choose: (fn) => this.select(fn >= 0 ? model.functions[fn] : null, true),
			zoomed: () => this.onZoomed(),
			announce: (text) => this.announce(text),
		});
		this.table = new FunctionTable(model, (fn) => this.select(fn, false));
		this.wireSearch();
		this.wireToolbar();
		this.legend();
		prefersDark().addEventListener("change", () => this.legend());
		this.onZoomed();
		this.search();
		this.select(this.table.current[0] ?? null, false);
		this.wirePrint();
		if (!this.model.hasTimes)
			byId("flame-heading").textContent = "Where the calls go";
		byId("flame-empty").hidden = !this.flame.empty;
		byId("flame-empty").textContent = model.payload.partial
			? "The call contexts were in the part of the file that is missing."
			: model.tracedCalls === 0 ? "No traced function was called during this run."
			: !model.hasTimes ? "Calls were only counted: there is no flame graph. " +
				"Collect with --detail=summary to have one."
			: "This profile has no call contexts, so there is no flame graph.";
	}

	private announce(text: string): void {
		byId("live").textContent = text;
	}

	private select(fn: Fn | null, fromFlame: boolean): void {
		this.table.select(fn, fromFlame);
		this.flame.select(fn ? fn.id : -1);
		showDetail(this.model, fn, {
			select: (other) => this.select(other, true),
			zoom: (other) => this.showInFlame(other),
		});
	}

	private showInFlame(fn: Fn): void {
		const node = heaviestNode(this.model.tree, this.flame.weight, fn.id);

		if (node < 0)
			return this.announce("not in the flame graph: all its contexts are too small");
		this.flame.zoomTo(node);
		byId("flame-box").scrollIntoView({ block: "nearest" });
	}

	private wireSearch(): void {
		this.input.addEventListener("input", () => this.search());
		this.input.addEventListener("keydown", (event) => {
			if (event.key === "Escape" && this.input.value !== "") {
				this.input.value = "";
				this.search();
				event.preventDefault();
			} else if (event.key === "Enter" && this.table.count > 0) {
				this.select(this.table.current[0], true);
			}
		});
		/* The browser's own search cannot see a canvas or rows out of sight; a second ctrl-F opens it. */
		window.addEventListener("keydown", (event) => {
			const find = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === "f";
			const typing = event.target instanceof HTMLInputElement;

			if ((find && document.activeElement !== this.input) || (event.key === "/" && !typing)) {
				event.preventDefault();
				this.input.focus();
				this.input.select();
			} else if (event.key === "Escape" && !typing) {
				this.flame.zoomTo(0);
			}
		});
	}

	private search(): void {
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
		const choice = (name: string, then: (value: string) => void) =>
			document.querySelectorAll<HTMLInputElement>(`input[name=${name}]`).forEach((input) =>
				input.addEventListener("change", () => then(input.value)));

		choice("weight", (value) => {
			this.flame.setWeight(value === "calls" ? "calls" : "time");
			this.search();
		});
		choice("shape", (value) => this.flame.setIcicle(value === "icicle"));
		byId("reset").addEventListener("click", () => this.flame.zoomTo(0));
		if (!this.model.hasTimes) {
			const [time, calls] = ["weight-time", "weight-calls"].map((id) => byId<HTMLInputElement>(id));

			calls.checked = true;
			time.disabled = true;
		}
	}

	private onZoomed(): void {
		if (!this.flame) /* the graph's own first zoom */
			return;
		const path = this.flame.path();
		const shown = path.length > 7 ? [...path.slice(0, 2), null, ...path.slice(-4)] : path;

		byId<HTMLButtonElement>("reset").disabled = this.flame.zoom === 0;
		byId("crumbs").replaceChildren(...shown.map((step, i) => {
			if (!step)
				return el("li", {}, "…");
			if (i === shown.length - 1)
				return el("li", { "aria-current": "true" }, step.label);
			const button = el("button", { type: "button", class: "link" }, step.label);

			button.addEventListener("click", () => this.flame.zoomTo(step.node));
			return el("li", {}, button);
		}));
		const query = parseQuery(this.input.value);

		if (!query.empty && query.error === "")
			this.search();
	}

	private legend(theme: Theme = prefersDark().matches ? "dark" : "light"): void {
		const { families, familyKind, tracedNs, tracedCalls, hasTimes } = this.model;
		const named = families.filter(({ colour }) => colour >= 0);
		const rest = families.filter(({ colour }) => colour < 0);
		const sum = rest.reduce((a, b) => a + b.exclusive, 0);
		const item = (name: string, colour: number, exclusive: number) => {
			const swatch = el("i", { "aria-hidden": "true" });

			swatch.style.background = frameColour(theme, colour, 0);
			return el("li", { title: hasTimes ? formatTime(exclusive) : "" }, swatch, name,
				  el("small", {}, formatShare(exclusive / (hasTimes ? tracedNs : tracedCalls))));
		};

		byId("legend").setAttribute("aria-label", `Colours: ${familyKind}`);
		byId("legend").replaceChildren(...named.map((f) => item(f.name, f.colour, f.exclusive)),
			...(rest.length > 0 ? [item(`${rest.length} more`, -1, sum)] : []));
	}

	private wirePrint(): void {
		window.addEventListener("beforeprint", () => {
			this.flame.forcedTheme = "light";
			this.flame.drawNow();
			this.legend("light");
		});
		window.addEventListener("afterprint", () => {
			this.flame.forcedTheme = null;
			this.flame.draw();
			this.legend();
		});
	}

	/** For tests only: what cannot be seen from outside of a canvas. */
	get probe() {
		return {
			frames: () => this.flame.frames(),
			zoom: () => this.flame.zoom,
			share: () => this.flame.markedShare(),
			functions: this.model.functions,
			rows: () => this.table.current.map((fn) => fn.name),
		};
	}
}

async function start(): Promise<void> {
	const begin = performance.now();

	try {
		const page = new Page(makeModel(await decodePayload(byId("data").textContent ?? "")));

		Object.assign(window, { rarog: page.probe });
		document.documentElement.dataset["ready"] = (performance.now() - begin).toFixed(0);
	} catch (e) {
		byId("banners").replaceChildren(el("div", { class: "banner", role: "alert" },
			el("strong", {}, "This report cannot be shown."),
			el("span", {}, e instanceof ReferenceError
				? "The browser is too old: it lacks DecompressionStream (Chrome 103, Firefox 113, Safari 16.4)."
				: `Its data is damaged (${(e as Error).message}); write it again with rarog report.`)));
		document.documentElement.dataset["ready"] = "failed";
	}
}

void start();
