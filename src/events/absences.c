/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "events/absences.h"

#include <stdlib.h>

#include "base/error.h"

void rarog_absences_release(struct rarog_absences *absences)
{
	rarog_vec_release(&absences->list);
	rarog_vec_release(&absences->lives);
}

static int by_place(const struct rarog_absence *a, const struct rarog_absence *b)
{
	if (a->strand != b->strand)
		return a->strand < b->strand ? -1 : 1;
	return (a->begin > b->begin) - (a->begin < b->begin);
}

static int compare_places(const void *left, const void *right)
{
	return by_place(left, right);
}

static int longest_first(const void *left, const void *right)
{
	const struct rarog_absence *a = left, *b = right;

	return a->ticks != b->ticks ? (a->ticks > b->ticks ? -1 : 1) : by_place(a, b);
}

static struct rarog_absences_life life_of(const struct rarog_absences *absences, uint32_t strand)
{
	const struct rarog_absences_life all = { 0, UINT64_MAX };

	return strand < absences->lives.n ? absences->lives.v[strand] : all;
}

/* What is left of each in its strand's life, as far as that is known. */
static void cut(struct rarog_absences *absences)
{
	size_t n = 0;

	for (size_t i = 0; i < absences->list.n; i++) {
		struct rarog_absence absence = absences->list.v[i];
		struct rarog_absences_life life = life_of(absences, absence.strand);
		uint64_t end = absence.begin + absence.ticks;

		absence.begin = absence.begin > life.from ? absence.begin : life.from;
		end = end < life.to ? end : life.to;
		if (absence.begin >= end)
			continue;
		absence.ticks = end - absence.begin;
		absences->list.v[n++] = absence;
	}
	absences->list.n = n;
}

static void keep_longest(struct rarog_absences *absences, size_t most)
{
	cut(absences);
	if (absences->list.n <= most)
		return;
	qsort(absences->list.v, absences->list.n, sizeof(*absences->list.v), longest_first);
	absences->list.n = most;
}

/* More than there will be room for: lives that are not known yet may take some. */
#define KEPT_MEANWHILE (2 * (size_t)RAROG_ABSENCES_MAX)

int rarog_absences_add(struct rarog_absences *absences, uint32_t strand, size_t n,
		       const struct rarog_off_cpu_span spans[n])
{
	for (size_t i = 0; i < n; i++) {
		const struct rarog_absence absence = {
			.strand = strand,
			.begin = spans[i].start,
			.ticks = spans[i].ticks & ~RAROG_OFF_CPU_PREEMPTED,
			.is_preempted = (spans[i].ticks & RAROG_OFF_CPU_PREEMPTED) != 0,
		};

		if (rarog_vec_push(&absences->list, absence) < 0)
			return rarog_oom();
		if (absences->list.n == 2 * KEPT_MEANWHILE)
			keep_longest(absences, KEPT_MEANWHILE);
	}
	return 0;
}

int rarog_absences_live(struct rarog_absences *absences, uint32_t strand, uint64_t from,
			uint64_t to)
{
	while (absences->lives.n <= strand)
		if (rarog_vec_push(&absences->lives,
				   ((struct rarog_absences_life){ 0, UINT64_MAX })) < 0)
			return rarog_oom();
	absences->lives.v[strand] = (struct rarog_absences_life){ from, to };
	return 0;
}

int rarog_absences_write(struct rarog_absences *absences, const struct rarog_assembler_sink *sink)
{
	keep_longest(absences, RAROG_ABSENCES_MAX);
	if (absences->list.n == 0 || !sink->absences)
		return 0;
	qsort(absences->list.v, absences->list.n, sizeof(*absences->list.v), compare_places);
	return sink->absences(sink->context, absences->list.n, absences->list.v);
}
