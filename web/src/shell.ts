/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What all pages share: their tabs, the search field, the keys, and the state. The state is in the
 * address (#tab=flame&fn=main&q=…), so that a link leads back to what was looked at and the back
 * button works. A page is made when it is first shown.
 *
 * One selection for all: `fn`, the name of a function. A page takes it over in show(), and says
 * shell.set({ fn }) when its user chooses another.
 */

import { address } from "./columns-menu";
import type { Theme } from "./colour";
import { decodePayload } from "./data";
import { byId, el, prefersDark } from "./dom";
import type { FlameGraph } from "./flame";
import { showHeading } from "./heading";
import { highlightSearch } from "./highlight";
import { makeReport, type AnyPayload, type Report } from "./report";

export type State = Record<string, string>;

/** What a page does when it is there; all of it is optional. */
export interface View {
	/** The page became visible, or the address changed: take the selection, zoom … over. */
	show?(state: State): void;
	/** The search field has another text. */
	search?(): void;
	/** Enter in the search field: the first match. */
	enter?(): void;
	/** Escape anywhere else. */
	escape?(): void;
	/** Any other key outside of fields; true: it was one of the page's. */
	key?(key: string): boolean;
	/** For tests only: what cannot be seen from outside of a canvas. */
	probe?: object;
}

export interface Page {
	id: string;
	title: string;
	/** It is another look at the view of that page, which finds place.dataset.tab. */
	of?: string;
	/** Whether this report has what the page shows. */
	shows(report: Report): boolean;
	make(report: Report, shell: Shell, place: HTMLElement): View;
	/** Its keys, for the sheet. */
	keys?: [string, string][];
}

const sharedKeys: [string, string][] = [
	["/ or ctrl F", "search; a second ctrl F is the browser's search"],
	["Enter", "in the search field: the first match"],
	["Escape", "clears the search; zooms out"],
	["↑ ↓ Home End", "in tables: from row to row; edges of their heads are drawn to another width"],
	["1 … 9", "the first tab … the ninth"],
	["alt ← / →", "back and forward through what was looked at"],
	["?", "this sheet"],
];

export class Shell {
	readonly pages: Page[];
	private readonly views = new Map<string, View>();
	private readonly input = byId<HTMLInputElement>("search");
	private state: State;
	readonly probe: Record<string, unknown> = {};

	constructor(pages: Page[], readonly report: Report) {
		this.pages = pages.filter((page) => page.shows(report));
		this.state = readState();
		Object.assign(address, { get: (key: string) => this.state[key] ?? "", set: (key: string, value: string) => this.set({ [key]: value }, true) });
		this.makeTabs();
		this.wireSearch();
		this.wireKeys();
		window.addEventListener("hashchange", () => this.follow());
		document.querySelector(".skip")!.addEventListener("click", (event) => {
			event.preventDefault();
			this.place(this.page)?.focus();
		});
		this.input.value = this.state.q ?? "";
		this.open();
		highlightSearch();
	}

	private get page(): Page {
		return this.pages.find(({ id }) => id === this.state.tab) ?? this.pages[0];
	}

	private place(page: Page): HTMLElement {
		return byId(`page-${page.of ?? page.id}`);
	}

	private get view(): View {
		return this.views.get(this.page.of ?? this.page.id) ?? {};
	}

	has(id: string): boolean {
		return this.pages.some((page) => page.id === id);
	}

	announce(text: string): void {
		byId("live").textContent = text;
	}

	private makeTabs(): void {
		byId("tabs").append(...this.pages.map((page) => {
			const button = el("button", { type: "button", role: "tab", "data-tab": page.id,
						      "aria-controls": `page-${page.of ?? page.id}` }, page.title);

			button.addEventListener("click", () => this.go(page.id));
			return button;
		}));
		byId("tabs").addEventListener("keydown", (event) => {
			const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
			const next = this.pages[this.pages.indexOf(this.page) + step];

			if (step === 0 || !next)
				return;
			this.go(next.id);
			byId("tabs").querySelector<HTMLElement>("[aria-selected=true]")!.focus();
		});
	}

	/** Makes the page of the state if need be, shows it and hides the others. */
	private open(): void {
		const { page } = this, id = page.of ?? page.id;

		for (const button of byId("tabs").children as Iterable<Element> & HTMLCollection) {
			const isIt = button.getAttribute("data-tab") === page.id;

			button.setAttribute("aria-selected", String(isIt));
			button.setAttribute("tabindex", isIt ? "0" : "-1");
		}
		this.revealTab();
		for (const other of byId("pages").children as Iterable<Element> & HTMLCollection)
			(other as HTMLElement).hidden = other.id !== `page-${id}`;
		byId("tip").hidden = true;
		byId("matches").textContent = "";
		if (!this.views.has(id))
			this.make(page);
		this.place(page).dataset.tab = page.id;
		this.view.show?.(this.state);
		this.view.search?.();
	}

	/** In a narrow window the tabs are a strip that scrolls. */
	private revealTab(): void {
		const strip = byId("tabs"), tab = strip.querySelector("[aria-selected=true]")?.getBoundingClientRect(), box = strip.getBoundingClientRect();

		if (tab && (tab.left < box.left || tab.right > box.right))
			strip.scrollLeft += tab.left - box.left - (box.width - tab.width) / 2;
	}

	private make(page: Page): void {
		const id = page.of ?? page.id;
		const place = el("div", { id: `page-${id}`, class: "page", role: "tabpanel", tabindex: "-1", "aria-label": page.title });
		const template = document.getElementById(`template-${id}`) as HTMLTemplateElement | null;

		if (template)
			place.append(template.content.cloneNode(true));
		byId("pages").append(place);
		const view = page.make(this.report, this, place);

		this.views.set(id, view);
		if (view.probe)
			Object.defineProperties(this.probe, Object.getOwnPropertyDescriptors(view.probe));
	}

	/** Another tab; @more: what it shall show. */
	go(tab: string, more: State = {}): void {
		this.set({ ...more, tab });
		this.open();
	}

	/** Notes what is looked at; @quiet: without a step of the back button. "" takes a member away. */
	set(change: State, quiet = false): void {
		const next = { ...this.state, ...change };
		const hash = writeState(next);

		this.state = readState(hash);
		if (hash === location.hash)
			return;
		if (quiet)
			history.replaceState(null, "", hash === "" ? location.pathname + location.search : hash);
		else
			history.pushState(null, "", hash === "" ? location.pathname + location.search : hash);
	}

	get current(): State {
		return this.state;
	}

	/** The address was changed from outside: by the back button, a link, by hand. */
	private follow(): void {
		const was = this.state;

		this.state = readState();
		if ((this.state.check ?? "") !== (was.check ?? ""))
			return location.reload();
		this.input.value = this.state.q ?? "";
		this.open();
	}

	private wireSearch(): void {
		const search = () => {
			this.set({ q: this.input.value }, true);
			if (!this.view.search)
				return;
			this.view.search();
		};

		this.input.addEventListener("input", search);
		this.input.addEventListener("keydown", (event) => {
			if (event.key === "Escape" && this.input.value !== "") {
				this.input.value = "";
				search();
				event.preventDefault();
			} else if (event.key === "Enter") {
				this.enter();
			}
		});
	}

	/** A page that has no search leads to the table that has. */
	private enter(): void {
		const table = ["functions", "differences", "versions", "blocks"].find((id) => this.has(id));

		if (!this.view.search && table)
			this.go(table);
		this.view.enter?.();
	}

	private wireKeys(): void {
		const sheet = byId<HTMLDialogElement>("keys");
		const open = () => {
			byId("key-list").replaceChildren(...[...sharedKeys, ...(this.page.keys ?? [])]
				.map(([key, what]) => el("div", {}, el("dt", {}, key), el("dd", {}, what))));
			sheet.showModal();
		};

		byId("help").addEventListener("click", open);
		/* The browser's own search cannot see a canvas or rows out of sight; a second ctrl-F opens it. */
		window.addEventListener("keydown", (event) => {
			const find = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === "f";
			const typing = event.target instanceof HTMLInputElement;
			const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !typing && !sheet.open;

			if ((find && document.activeElement !== this.input) || (event.key === "/" && plain)) {
				event.preventDefault();
				this.input.focus();
				this.input.select();
			} else if (event.key === "Escape" && !typing && !sheet.open) {
				this.view.escape?.();
			} else if (plain && event.key === "?") {
				open();
			} else if (plain && /^[1-9]$/.test(event.key) && this.pages[Number(event.key) - 1]) {
				this.go(this.pages[Number(event.key) - 1].id);
			} else if (plain && this.view.key?.(event.key)) {
				event.preventDefault();
			}
		});
	}
}

function readState(hash = location.hash): State {
	const text = hash.slice(1);

	return text.includes("=") ? Object.fromEntries(new URLSearchParams(text)) : {};
}

function writeState(state: State): string {
	const text = new URLSearchParams(Object.entries(state).filter(([, value]) => value !== "")).toString();

	return text === "" ? "" : `#${text}`;
}

/** Radio buttons of one name. */
export function choice(name: string, then: (value: string) => void): void {
	document.querySelectorAll<HTMLInputElement>(`input[name=${name}]`).forEach((input) =>
		input.addEventListener("change", () => then(input.value)));
}

/** Calls @then now, when the theme changes, and for paper, which is white in any theme. */
export function wireThemes(then: (theme: Theme, forced: boolean) => void): void {
	const screen = () => then(prefersDark().matches ? "dark" : "light", false);

	screen();
	prefersDark().addEventListener("change", screen);
	window.addEventListener("beforeprint", () => then("light", true));
	window.addEventListener("afterprint", screen);
}

/** … of a flame graph and its legend. */
export function wireFlameThemes<W extends string>(flame: FlameGraph<W>, legend: (theme: Theme) => void): void {
	wireThemes((theme, forced) => {
		flame.forcedTheme = forced ? theme : null;
		flame.drawNow();
		legend(theme);
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

/** Makes the report from its data. */
export async function start(pages: Page[]): Promise<void> {
	const begin = performance.now();

	try {
		const report = makeReport(await decodePayload<AnyPayload>(byId("data").textContent ?? ""), readState().check ?? "");

		showHeading(report);
		Object.assign(window, { rarog: new Shell(pages, report).probe });
		document.documentElement.dataset["ready"] = (performance.now() - begin).toFixed(0);
	} catch (e) {
		byId("banners").replaceChildren(el("div", { class: "banner", role: "alert" },
			el("strong", {}, "This report cannot be shown."),
			el("span", {}, e instanceof ReferenceError && /DecompressionStream/.test((e as Error).message)
				? "The browser is too old: it lacks DecompressionStream (Chrome 103, Firefox 113, Safari 16.4)."
				: `Its data is damaged (${(e as Error).message}); write it again with rarog report.`)));
		document.documentElement.dataset["ready"] = "failed";
	}
}
