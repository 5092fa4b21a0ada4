/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Colours of frames. A family (a binary; when there is only one, a source file) has a hue from the
 * set of Okabe and Ito, which people with any colour vision tell apart; the function's name picks
 * one of four shades of it. Every shade has a contrast of at least 4.5 with the text on it
 * (tests/web/unit.test.mjs computes it).
 */

export type Theme = "light" | "dark";
type Rgb = [number, number, number];

const hues: Rgb[] = [
	[0xd9, 0x6a, 0x2b], /* ember: the program itself */
	[0x56, 0xb4, 0xe9], /* sky */
	[0x00, 0x9e, 0x73], /* green */
	[0xcc, 0x79, 0xa7], /* purple */
	[0xd0, 0xa8, 0x1a], /* gold */
	[0x2b, 0x78, 0xb8], /* blue */
];
const grey: Rgb = [0x96, 0x94, 0x90];

export const FAMILIES = hues.length; /* this many have a hue of their own; later ones are grey */

const paper: Record<Theme, Rgb> = { light: [255, 255, 255], dark: [0x17, 0x18, 0x1b] };
export const frameText: Record<Theme, string> = { light: "#1d1b19", dark: "#f6f4f1" };

function mix(a: Rgb, b: Rgb, share: number): Rgb {
	return [0, 1, 2].map((k) => Math.round(a[k] * (1 - share) + b[k] * share)) as Rgb;
}

function css([r, g, b]: Rgb): string {
	return "#" + [r, g, b].map((x) => x.toString(16).padStart(2, "0")).join("");
}

/** Of the beginning: names may be pages long. */
export function hash(text: string): number {
	const n = Math.min(text.length, 256);
	let h = 0x811c9dc5;

	for (let i = 0; i < n; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 0x01000193) >>> 0;
	return (h ^ (h >>> 15)) >>> 0;
}

export const SHADES = 4;

/** How far each shade is mixed into the paper. */
const steps: Record<Theme, number[]> = {
	light: [0.36, 0.44, 0.52, 0.6],
	dark: [0.44, 0.5, 0.56, 0.62],
};

export function frameColour(theme: Theme, family: number, shade: number): string {
	const hue = family >= 0 && family < hues.length ? hues[family] : grey;

	return css(mix(hue, paper[theme], steps[theme][shade % SHADES]));
}

/** A frame that is not what was searched for. */
export function dimColour(theme: Theme): string {
	return theme === "light" ? "#edeae6" : "#26282c";
}

export const dimText: Record<Theme, string> = { light: "#67625c", dark: "#9a9c9f" };

function luminance(colour: string): number {
	const parts = [1, 3, 5].map((at) => {
		const c = parseInt(colour.slice(at, at + 2), 16) / 255;

		return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
	});

	return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

/** Contrast of two colours (#rrggbb) as WCAG 2 defines it: 1 to 21. */
export function contrast(a: string, b: string): number {
	const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);

	return (high + 0.05) / (low + 0.05);
}

/*
 * What a difference is painted in: red and blue of equal strength, which people with any colour
 * vision tell apart, and grey for no change. Steps: -4 (half or less) to 4 (twice or more).
 */
const slower: Rgb = [0xd6, 0x3a, 0x26], faster: Rgb = [0x2f, 0x7d, 0xc4];
const strengths: Record<Theme, number[]> = {
	light: [0.78, 0.62, 0.44, 0.28],
	dark: [0.74, 0.62, 0.5, 0.38],
};

export const SHIFT_LIMITS = [1.02, 1.1, 1.3, 2]; /* factors from which each step counts */

export function shiftStep({ kind, ratio }: { kind: string; ratio: number }): number {
	if (kind === "same")
		return 0;
	if (kind === "new" || kind === "gone")
		return kind === "new" ? 4 : -4;
	const factor = Math.max(ratio, 1 / ratio);
	const step = SHIFT_LIMITS.filter((limit) => factor >= limit).length;

	return ratio > 1 ? Math.max(1, step) : -Math.max(1, step);
}

/** @step null: nothing happened there in either version. */
export function shiftColour(theme: Theme, step: number | null): string {
	if (step === null)
		return css(paper[theme]);
	if (step === 0)
		return css(mix(grey, paper[theme], theme === "light" ? 0.66 : 0.7));
	return css(mix(step > 0 ? slower : faster, paper[theme], strengths[theme][Math.abs(step) - 1]));
}

/** Lines of what became more or less, or came and went. */
export function shiftInk(theme: Theme, difference: number, presence: string): string {
	const isMore = difference > 0 || (difference === 0 && presence === "new");

	return css(mix(isMore ? slower : faster, theme === "light" ? [0, 0, 0] : [255, 255, 255], theme === "light" ? 0.12 : 0.3));
}

/*
 * Heat: one hue from paper to full, so that lightness alone orders the steps for any eye. Step 0
 * never ran; that is said by a dashed border or a word, too.
 */
const heats: Record<Theme, number[]> = {
	light: [0, 0.1, 0.24, 0.4, 0.6, 0.85],
	dark: [0, 0.13, 0.25, 0.37, 0.49, 0.61],
};

export function heatColour(theme: Theme, step: number): string {
	return css(mix(paper[theme], hues[0], heats[theme][step]));
}
