/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Number lines of plots, linear or by powers of ten. */

/** A number line: values to shares of its length, and round values to write at it. */
export interface Scale {
	at(value: number): number;
	ticks: number[];
}

/** Powers of ten; their halves and fifths as well where these are few. */
function logTicks(low: number, high: number): number[] {
	const decades = high - low, steps = decades > 2.5 ? [1] : decades > 1 ? [1, 3] : [1, 2, 5];
	const every = Math.ceil(decades / 8), ticks: number[] = [];

	for (let e = Math.floor(low); e <= high; e++)
		if (e % every === 0)
			ticks.push(...steps.map((step) => step * 10 ** e).filter((tick) => Math.log10(tick) >= low - 1e-9 && Math.log10(tick) <= high + 1e-9));
	return ticks;
}

function logScale(low: number, high: number): Scale {
	const room = Math.max(0.03 * Math.log10(high / low), 0.05), a = Math.log10(low) - room, b = Math.log10(high) + room;

	return { at: (value) => (Math.log10(value) - a) / (b - a), ticks: logTicks(a, b) };
}

/** @fromZero: 0 is on the line; so amounts compare by their length. @steps: about so many of a linear line have room. */
export function scale(values: readonly number[], isLog: boolean, fromZero = true, steps = 6): Scale {
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
	const rough = (high - low) / steps, power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough)!;
	const first = Math.floor(low / step + 1e-9) * step, last = Math.ceil(high / step - 1e-9) * step;

	return { at: (value) => (value - first) / (last - first),
		 ticks: Array.from({ length: Math.round((last - first) / step) + 1 }, (_, i) => first + i * step) };
}
