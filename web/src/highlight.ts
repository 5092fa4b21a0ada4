/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was searched for stands out in names, wherever they are on the page: ranges of the browser's
 * highlight registry, which leave the document as it is. A browser without one shows no marks.
 */

import { byId } from "./dom";
import { parseQuery } from "./search";

const NAMES = ".page:not([hidden]) tbody .c-name, .page:not([hidden]) .edge .parts, .page:not([hidden]) .detail h2";
const MOST = 2000;

let pending = 0;

/** The text nodes of an element, with where each begins in its text. */
function textsOf(element: Element): [Text, number][] {
	const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), list: [Text, number][] = [];
	let at = 0;

	for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
		list.push([node, at]);
		at += node.data.length;
	}
	return list;
}

function rangeOf(texts: [Text, number][], from: number, to: number): Range {
	const range = new Range(), holder = (at: number) => texts.filter(([, begin]) => begin <= at).pop()!;
	const [first, firstAt] = holder(from), [last, lastAt] = holder(to - 1);

	range.setStart(first, from - firstAt);
	range.setEnd(last, to - lastAt);
	return range;
}

function rangesIn(element: Element, pattern: RegExp): Range[] {
	const texts = textsOf(element), text = texts.map(([node]) => node.data).join("");

	return [...text.matchAll(pattern)].filter((match) => match[0] !== "").map((match) => rangeOf(texts, match.index, match.index + match[0].length));
}

function refresh(pattern: RegExp | null): void {
	if (!("highlights" in CSS))
		return;
	const ranges = pattern === null ? [] : [...document.querySelectorAll(NAMES)].flatMap((element) => rangesIn(element, pattern)).slice(0, MOST);

	if (ranges.length > 0)
		CSS.highlights.set("search", new Highlight(...ranges));
	else
		CSS.highlights.delete("search");
}

/** Follows the search field and what the pages show. */
export function highlightSearch(): void {
	const input = byId<HTMLInputElement>("search");
	const later = () => {
		pending ||= requestAnimationFrame(() => {
			pending = 0;
			refresh(parseQuery(input.value).pattern);
		});
	};

	input.addEventListener("input", later);
	new MutationObserver(() => {
		if (input.value !== "")
			later();
	}).observe(byId("pages"), { childList: true, characterData: true, subtree: true, attributes: true, attributeFilter: ["hidden"] });
	later();
}
