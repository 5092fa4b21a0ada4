/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all pages do alike: read their data, search, show where the graph is zoomed to. */

import type { Theme } from "./colour";
import { decodePayload } from "./data";
import { byId, el, prefersDark } from "./dom";
import type { FlameGraph } from "./flame";

export interface SearchActions {
	search(): void;
	/** Enter in the field: the first match. */
	enter(): void;
	/** Escape anywhere else. */
	escape(): void;
}

export function wireSearchField(input: HTMLInputElement, actions: SearchActions): void {
	input.addEventListener("input", () => actions.search());
	input.addEventListener("keydown", (event) => {
		if (event.key === "Escape" && input.value !== "") {
			input.value = "";
			actions.search();
			event.preventDefault();
		} else if (event.key === "Enter") {
			actions.enter();
		}
	});
	/* The browser's own search cannot see a canvas or rows out of sight; a second ctrl-F opens it. */
	window.addEventListener("keydown", (event) => {
		const find = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === "f";
		const typing = event.target instanceof HTMLInputElement;

		if ((find && document.activeElement !== input) || (event.key === "/" && !typing)) {
			event.preventDefault();
			input.focus();
			input.select();
		} else if (event.key === "Escape" && !typing) {
			actions.escape();
		}
	});
}

/** Radio buttons of one name. */
export function choice(name: string, then: (value: string) => void): void {
	document.querySelectorAll<HTMLInputElement>(`input[name=${name}]`).forEach((input) =>
		input.addEventListener("change", () => then(input.value)));
}

/** Draws the legend now, when the theme changes, and for paper, which is white in any theme. */
export function wireThemes<W extends string>(flame: FlameGraph<W>, legend: (theme: Theme) => void): void {
	const screen = () => legend(prefersDark().matches ? "dark" : "light");

	screen();
	prefersDark().addEventListener("change", screen);
	window.addEventListener("beforeprint", () => {
		flame.forcedTheme = "light";
		flame.drawNow();
		legend("light");
	});
	window.addEventListener("afterprint", () => {
		flame.forcedTheme = null;
		flame.draw();
		screen();
	});
}

/** The way from the root to what is zoomed to, each step a button. */
export function showCrumbs<W extends string>(flame: FlameGraph<W>): void {
	const path = flame.path();
	const shown = path.length > 7 ? [...path.slice(0, 2), null, ...path.slice(-4)] : path;

	byId<HTMLButtonElement>("reset").disabled = flame.zoom === 0;
	byId("crumbs").replaceChildren(...shown.map((step, i) => {
		if (!step)
			return el("li", {}, "…");
		if (i === shown.length - 1)
			return el("li", { "aria-current": "true" }, step.label);
		const button = el("button", { type: "button", class: "link" }, step.label);

		button.addEventListener("click", () => flame.zoomTo(step.node));
		return el("li", {}, button);
	}));
}

/** Makes the page from its data; @make returns what tests may look at. */
export async function start<P extends { version: number }>(make: (payload: P) => object): Promise<void> {
	const begin = performance.now();

	try {
		const probe = make(await decodePayload<P>(byId("data").textContent ?? ""));

		Object.assign(window, { rarog: probe });
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
