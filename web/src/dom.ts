/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making elements without markup: every text is a text node, so no name can become an element. */

import { nameParts } from "./format";

type Child = Node | string;

export function el<K extends keyof HTMLElementTagNameMap>(
	tag: K, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
	const node = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes))
		node.setAttribute(name, value);
	node.append(...children);
	return node;
}

/** A sentence in which the names of options are not broken. */
export function prose(text: string): Child[] {
	return text.split(/(--[a-z-]+)/).map((each, i) => i % 2 > 0 ? el("span", { class: "option" }, each) : each);
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
	return document.getElementById(id) as T;
}

/**
 * An inline picture of one path. The element comes from the page's template, because its
 * namespace is a name with "http" in it and this page names no address of any kind.
 */
export function picture(width: number, height: number, path = ""): SVGSVGElement {
	const template = byId("picture") as unknown as HTMLTemplateElement;
	const svg = template.content.firstElementChild!.cloneNode(true) as SVGSVGElement;

	svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
	svg.firstElementChild!.setAttribute("d", path);
	return svg;
}

export function prefersDark(): MediaQueryList {
	return window.matchMedia("(prefers-color-scheme: dark)");
}

/** A name whose middle, the part that tells most, is the last to give way (style.css: .parts). */
export function fillName(into: Element, name: string): void {
	const parts = nameParts(name);

	if (into.childElementCount === 0)
		into.append(el("span"), el("span"), el("span"));
	parts.forEach((part, i) => {
		into.children[i].textContent = part;
	});
}
