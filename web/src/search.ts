/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the search field means: plain text is found anywhere in a name, in any case; /…/ is a
 * regular expression (case matters; /…/i: does not).
 */

export interface Query {
	text: string;
	empty: boolean;
	error: string; /* "" when the query is sound */
	pattern: RegExp | null; /* for marks in what matches; null: nothing is searched for */
	test(name: string): boolean;
}

function nothing(text: string, error: string): Query {
	return { text, empty: error === "", error, pattern: null, test: () => error === "" };
}

export function parseQuery(input: string): Query {
	const text = input.trim();
	const regex = /^\/(.*)\/(i?)$/s.exec(text);

	if (text === "" || text === "/" || text === "//")
		return nothing(text, "");
	if (regex) {
		try {
			const compiled = new RegExp(regex[1], regex[2] + "u");

			return { text, empty: false, error: "", pattern: new RegExp(regex[1], `g${regex[2]}u`), test: (name) => compiled.test(name) };
		} catch (e) {
			return nothing(text, "not a regular expression");
		}
	}
	const lower = text.toLowerCase();

	return { text, empty: false, error: "", pattern: new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu"), test: (name) => name.toLowerCase().includes(lower) };
}
