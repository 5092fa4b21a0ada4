/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Number lines of plots, linear or by powers of ten. */

/** A number line: values to shares of its length, and round values to write at it. */
export interface Scale {
	at(value: number): number;
	ticks: number[];
}

function logScale(low: number, high: number): Scale {
	const a = Math.floor(Math.log10(low) + 1e-9), b = Math.max(Math.ceil(Math.log10(high) - 1e-9), a + 1);
	const step = Math.ceil((b - a) / 8);

	return { at: (value) => (Math.log10(value) - a) / (b - a),
		 ticks: Array.from({ length: Math.floor((b - a) / step) + 1 }, (_, i) => 10 ** (a + i * step)) };
}

/** @fromZero: 0 is on the line; so amounts compare by their length. */
export function scale(values: readonly number[], isLog: boolean, fromZero = true): Scale {
	const usable = values.filter((value) => Number.isFinite(value) && (!isLog || value > 0));
	let low = usable.reduce((a, b) => Math.min(a, b), Infinity), high = usable.reduce((a, b) => Math.max(a, b), -Infinity);

	if (usable.length === 0)
		[low, high] = [1, 10];
	if (isLog)
		return logScale(low, high);
	if (fromZero)
		[low, high] = [Math.min(0, low), Math.max(0, high)];
	if (low === high)
		high = low + 1;
	const rough = (high - low) / 6, power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough)!;
	const first = Math.floor(low / step + 1e-9) * step, last = Math.ceil(high / step - 1e-9) * step;

	return { at: (value) => (value - first) / (last - first),
		 ticks: Array.from({ length: Math.round((last - first) / step) + 1 }, (_, i) => first + i * step) };
}
