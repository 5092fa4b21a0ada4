/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Height is linear in the number of calls, relative to the line's own tallest cell; a cell with
 * any call at all is drawn, for the one slow call is what people look for. A bucket that spans
 * several cells (a short axis) or a cell that holds several buckets is all the same: each bucket
 * counts where its middle lies.
 */
#include "view/term/sparkline.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

static uint64_t middle_ns(const struct rarog_clock *clock, unsigned bucket)
{
	uint64_t low = rarog_histogram_low(bucket);
	uint64_t next =
		bucket + 1 < RAROG_HISTOGRAM_BUCKETS ? rarog_histogram_low(bucket + 1) : low + 1;

	return rarog_clock_ns(clock, low + (next - low) / 2);
}

void rarog_axis_add(struct rarog_axis *axis, const struct rarog_clock *clock,
		    const struct rarog_summary *summary)
{
	if (summary->n_buckets == 0)
		return;
	uint64_t low = middle_ns(clock, summary->buckets[0].bucket);
	uint64_t high = middle_ns(clock, summary->buckets[summary->n_buckets - 1].bucket);

	if (!axis->is_used || low < axis->low_ns)
		axis->low_ns = low;
	if (!axis->is_used || high > axis->high_ns)
		axis->high_ns = high;
	axis->is_used = true;
}

void rarog_axis_round(struct rarog_axis *axis)
{
	uint64_t low = 1, high;

	while (low <= UINT64_MAX / 100 && low * 10 <= axis->low_ns)
		low *= 10;
	high = low * 10;
	while (high <= UINT64_MAX / 10 && high <= axis->high_ns)
		high *= 10;
	axis->low_ns = low;
	axis->high_ns = high;
}

/* A power of ten ns: "1 ns", "10 us", "100 s". */
static void power_text(uint64_t ns, size_t size, char text[size])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t unit = 0;

	for (; ns >= 1000 && unit + 1 < RAROG_COUNT(units); unit++)
		ns /= 1000;
	snprintf(text, size, "%" PRIu64 " %s", ns, units[unit]);
}

void rarog_axis_title(const struct rarog_axis *axis, bool ascii, size_t size, char title[size])
{
	char low[32], high[32];

	power_text(axis->low_ns, sizeof(low), low);
	power_text(axis->high_ns, sizeof(high), high);
	if (axis->is_used)
		snprintf(title, size, "%s %s %s", low, ascii ? ".." : "…", high);
	else
		snprintf(title, size, "durations");
}

static size_t cell_of(const struct rarog_axis *axis, uint64_t ns)
{
	double low = log10((double)axis->low_ns), high = log10((double)axis->high_ns);
	double at = (log10(ns > 0 ? (double)ns : 1) - low) / (high - low) * RAROG_SPARKLINE_CELLS;

	if (at < 0)
		return 0;
	return at < RAROG_SPARKLINE_CELLS ? (size_t)at : RAROG_SPARKLINE_CELLS - 1;
}

void rarog_sparkline_draw(size_t n, const uint64_t cells[n], bool ascii, char *text)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const signs[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	uint64_t most = 0;

	*text = '\0';
	for (size_t i = 0; i < n; i++)
		most = cells[i] > most ? cells[i] : most;
	for (size_t i = 0; i < n; i++) {
		double height = most == 0 ? 0 : 8.0 * (double)cells[i] / (double)most;
		size_t level = cells[i] > 0 && height < 1 ? 1 : (size_t)(height + 0.5);
		const char *cell = ascii ? signs[level] : blocks[level];

		memcpy(text, cell, strlen(cell) + 1);
		text += strlen(cell);
	}
}

void rarog_sparkline(const struct rarog_axis *axis, const struct rarog_clock *clock,
		     const struct rarog_summary *summary, bool ascii, char *text)
{
	uint64_t cells[RAROG_SPARKLINE_CELLS] = { 0 };
	size_t used = 0;

	for (uint32_t i = 0; i < summary->n_buckets; i++) {
		size_t cell = cell_of(axis, middle_ns(clock, summary->buckets[i].bucket));

		cells[cell] += summary->buckets[i].count;
		used = cell + 1 > used ? cell + 1 : used;
	}
	rarog_sparkline_draw(used, cells, ascii, text);
}
