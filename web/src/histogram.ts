/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The profile's log-linear histograms (doc/design/profile-format.md): 32 buckets per power of two.
 * The page carries them eight to an octave: four buckets are one bar, bar = bucket >> 2.
 */

export interface Bars {
	bar: number[]; /* ascending */
	count: number[];
}

/** Smallest value of a bucket of the profile. */
export function bucketLow(bucket: number): number {
	if (bucket < 32)
		return bucket;
	return (32 + (bucket & 31)) * 2 ** ((bucket >> 5) - 1);
}

export function barLow(bar: number): number {
	return bucketLow(bar << 2);
}

/** Counts over @bins equal steps of the bar axis from @first to @last (both included). */
export function rebin(bars: Bars, first: number, last: number, bins: number): Float64Array {
	const out = new Float64Array(bins);
	const width = Math.max(1, last - first + 1);

	bars.bar.forEach((bar, i) => {
		const at = Math.floor((bar - first) * bins / width);

		out[Math.min(bins - 1, Math.max(0, at))] += bars.count[i];
	});
	return out;
}

/**
 * An SVG path of bars standing on y = height. Heights go with the square root of the count: the
 * rare slow calls are what one looks for.
 */
export function barsPath(counts: Float64Array, width: number, height: number): string {
	const step = width / counts.length;
	const top = Math.sqrt(counts.reduce((a, b) => Math.max(a, b), 0));
	let path = "";

	counts.forEach((count, i) => {
		if (count <= 0)
			return;
		const h = Math.max(1, Math.sqrt(count) / top * height);

		path += `M${(i * step).toFixed(2)} ${height}v${(-h).toFixed(2)}h${(step * 0.86).toFixed(2)}` +
			`v${h.toFixed(2)}z`;
	});
	return path;
}
