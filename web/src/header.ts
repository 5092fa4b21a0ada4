/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile's header: JSON of which nothing is taken for granted. */

import { visibleText } from "./format";

export function parseHeader(text: string): Record<string, unknown> {
	try {
		const header: unknown = JSON.parse(text);

		if (header !== null && typeof header === "object" && !Array.isArray(header))
			return header as Record<string, unknown>;
	} catch {
		/* a damaged header costs the summary, not the page */
	}
	return {};
}

/** A header value as text: lists joined with blanks, objects as JSON. */
export function text(value: unknown): string {
	if (value === null || value === undefined)
		return "";
	if (Array.isArray(value))
		return value.map(text).join(" ");
	return visibleText(typeof value === "object" ? JSON.stringify(value) : String(value));
}

/** The first of these dotted keys that the header has. */
export function pick(header: Record<string, unknown>, ...keys: string[]): unknown {
	for (const key of keys) {
		let value: unknown = header;

		for (const part of key.split("."))
			value = value !== null && typeof value === "object"
				? (value as Record<string, unknown>)[part] : undefined;
		if (value !== undefined && value !== null && value !== "")
			return value;
	}
	return undefined;
}

/** Objects flattened to dotted keys, for the list of all facts. */
export function flatten(value: unknown, prefix: string, into: [string, string][]): void {
	if (value !== null && typeof value === "object" && !Array.isArray(value)) {
		for (const [key, member] of Object.entries(value))
			flatten(member, prefix === "" ? key : `${prefix}.${key}`, into);
	} else {
		into.push([visibleText(prefix), text(value)]);
	}
}
