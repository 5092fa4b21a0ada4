/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of more times off-CPU than there is room for, the longest of the run stay. */
#include <stdlib.h>
#include <string.h>

#include "events/absences.h"
#include "unit.h"

#define STRANDS 3
#define PIECE   64

static uint64_t random_state = 1;

static uint64_t random_below(uint64_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (random_state >> 33) % limit;
}

struct kept {
	size_t n;
	struct rarog_absence v[RAROG_ABSENCES_MAX];
};

static int keep(void *context, size_t n, const struct rarog_absence *v)
{
	struct kept *kept = context;

	assert_true(kept->n + n <= RAROG_ABSENCES_MAX);
	memcpy(kept->v + kept->n, v, n * sizeof(*v));
	kept->n += n;
	return 0;
}

static int downwards(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a < *b) - (*a > *b);
}

/* @ret_length: of all of them. Begins of a strand grow, lengths are all different. */
static void add_all(struct rarog_absences *absences, size_t n, uint64_t *ret_length)
{
	struct rarog_off_cpu_span spans[PIECE];

	for (size_t i = 0; i < n; i += PIECE) {
		size_t some = n - i < PIECE ? n - i : PIECE;

		for (size_t k = 0; k < some; k++) {
			ret_length[i + k] = (random_below(1000) + 1) * 1000000 + i + k;
			spans[k] = (struct rarog_off_cpu_span){
				(i + k) * 10,
				ret_length[i + k] | (k % 2 ? RAROG_OFF_CPU_PREEMPTED : 0),
			};
		}
		assert_int_equal(
			rarog_absences_add(absences, (uint32_t)(i / PIECE % STRANDS), some, spans),
			0);
	}
}

static void check_kept(const struct kept *kept, size_t n, uint64_t *lengths)
{
	size_t expected = n < RAROG_ABSENCES_MAX ? n : RAROG_ABSENCES_MAX;

	assert_int_equal(kept->n, expected);
	qsort(lengths, n, sizeof(*lengths), downwards);
	for (size_t i = 0; i < kept->n; i++) {
		const struct rarog_absence *at = &kept->v[i];

		assert_true(at->ticks >= lengths[expected - 1]);
		assert_int_equal(at->begin / 10, at->ticks % 1000000);
		assert_int_equal(at->is_preempted, at->begin / 10 % PIECE % 2);
		assert_int_equal(at->strand, at->begin / 10 / PIECE % STRANDS);
		if (i > 0 && at->strand == at[-1].strand)
			assert_true(at->begin > at[-1].begin);
		else if (i > 0)
			assert_true(at->strand > at[-1].strand);
	}
}

TEST(the_longest_stay)
{
	static const size_t sizes[] = {
		0, 1, 100, RAROG_ABSENCES_MAX, RAROG_ABSENCES_MAX + 1, 5 * RAROG_ABSENCES_MAX
	};
	struct kept *kept = malloc(sizeof(*kept));
	uint64_t *lengths = calloc(5 * RAROG_ABSENCES_MAX, sizeof(*lengths));

	assert_non_null(kept);
	assert_non_null(lengths);
	for (size_t i = 0; i < RAROG_COUNT(sizes); i++) {
		rarog_cleanup(rarog_absences_release) struct rarog_absences absences = { 0 };
		const struct rarog_assembler_sink sink = { .context = kept, .absences = keep };

		kept->n = 0;
		add_all(&absences, sizes[i], lengths);
		for (uint32_t s = 0; s < STRANDS; s++)
			assert_int_equal(rarog_absences_live(&absences, s, 0, UINT64_MAX), 0);
		assert_int_equal(rarog_absences_write(&absences, &sink), 0);
		check_kept(kept, sizes[i], lengths);
	}
	free(kept);
	free(lengths);
}

TEST(what_a_thread_does_not_come_back_from_ends_with_it)
{
	static const struct rarog_off_cpu_span spans[] = { { 10, 5 }, { 95, 50 }, { 200, 1 } };
	rarog_cleanup(rarog_absences_release) struct rarog_absences absences = { 0 };
	struct kept *kept = calloc(1, sizeof(*kept));
	const struct rarog_assembler_sink sink = { .context = kept, .absences = keep };

	assert_non_null(kept);
	assert_int_equal(rarog_absences_add(&absences, 1, 3, spans), 0);
	assert_int_equal(rarog_absences_live(&absences, 1, 0, 100), 0);
	assert_int_equal(rarog_absences_write(&absences, &sink), 0);
	assert_int_equal(kept->n, 2);
	assert_int_equal(kept->v[0].ticks, 5);
	assert_int_equal(kept->v[1].begin, 95);
	assert_int_equal(kept->v[1].ticks, 5);
	free(kept);
}

TEST(what_began_before_the_thread_begins_with_it)
{
	static const struct rarog_off_cpu_span spans[] = {
		{ 10, 5 }, { 30, 20 }, { 35, 100 }, { 60, 1 }
	};
	rarog_cleanup(rarog_absences_release) struct rarog_absences absences = { 0 };
	struct kept *kept = calloc(1, sizeof(*kept));
	const struct rarog_assembler_sink sink = { .context = kept, .absences = keep };

	assert_non_null(kept);
	assert_int_equal(rarog_absences_add(&absences, 1, 4, spans), 0);
	assert_int_equal(rarog_absences_live(&absences, 1, 40, 100), 0);
	assert_int_equal(rarog_absences_write(&absences, &sink), 0);
	assert_int_equal(kept->n, 3);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(kept->v[i].begin, 40);
	assert_int_equal(kept->v[0].ticks + kept->v[1].ticks, 10 + 60);
	assert_int_equal(kept->v[2].begin, 60);
	free(kept);
}

/* Long ones from before the start, and short ones of which there is room for all. */
TEST(those_from_before_take_nobodys_place)
{
	const uint64_t start = 1000000000;
	rarog_cleanup(rarog_absences_release) struct rarog_absences absences = { 0 };
	struct kept *kept = calloc(1, sizeof(*kept));
	const struct rarog_assembler_sink sink = { .context = kept, .absences = keep };

	assert_non_null(kept);
	for (uint64_t i = 0; i < 3 * (uint64_t)RAROG_ABSENCES_MAX / 2; i++) {
		bool is_before = i < RAROG_ABSENCES_MAX;
		const struct rarog_off_cpu_span span = { (is_before ? 0 : start) + i * 100,
							 is_before ? 50 : 5 };

		assert_int_equal(rarog_absences_add(&absences, 0, 1, &span), 0);
	}
	assert_int_equal(rarog_absences_live(&absences, 0, start, UINT64_MAX), 0);
	assert_int_equal(rarog_absences_write(&absences, &sink), 0);
	assert_int_equal(kept->n, RAROG_ABSENCES_MAX / 2);
	for (size_t i = 0; i < kept->n; i++)
		assert_int_equal(kept->v[i].ticks, 5);
	free(kept);
}
