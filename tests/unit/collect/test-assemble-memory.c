/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything of the assembler that allocates, small; its use is the run with failing allocations.
 */
#include "assemble-recorder.h"
#include "unit.h"

#define DEPTH 3000 /* grows frames, tree and its table */

static int assemble(struct rarog_assembler *a, struct recorder *rec, const struct words *words,
		    struct rarog_assembler_totals *ret_totals)
{
	int r = rarog_assembler_strand(a, 0, FUNCTIONS / 2, identity, true);

	(void)rec;
	if (r >= 0)
		r = rarog_assembler_strand(a, 2, FUNCTIONS, identity, false);
	if (r >= 0)
		r = rarog_assembler_feed(a, 0, words->w.n, words->w.v);
	if (r >= 0)
		r = rarog_assembler_strand(a, 0, FUNCTIONS, identity, true);
	if (r >= 0)
		r = rarog_assembler_feed(a, 2, words->w.n, words->w.v);
	return r < 0 ? r : rarog_assembler_finish(a, 1 << 20, ret_totals);
}

TEST(no_memory_is_an_error)
{
	rarog_cleanup(rarog_assembler_freep) struct rarog_assembler *a = NULL;
	struct recorder rec = { 0 };
	struct words words = { 0 };
	struct rarog_assembler_totals totals = { 0 };
	struct rarog_assembler_options options = { .sink = recorder_sink(&rec) };
	int r;

	escape(&words, RAROG_ESCAPE_START, 4, 100);
	for (uint32_t i = 0; i < DEPTH; i++)
		entry(&words, i % 5, 1, false);
	escape(&words, RAROG_ESCAPE_DEPTH, 2, DEPTH - DEPTH / 2);
	escape(&words, RAROG_ESCAPE_INHERIT, 2, 1);
	leave(&words, 1);
	r = rarog_assembler_new(&options, &a);
	if (r >= 0)
		r = assemble(a, &rec, &words, &totals);
	assert_true(r == 0 || r == -ENOMEM);
	assert_int_equal(totals.calls, r < 0 ? 0 : 2 * DEPTH);
	if (r == 0)
		assert_int_equal(rec.nodes.v[0].inclusive, rec.nodes.v[1].inclusive);
	recorder_release(&rec);
	rarog_vec_release(&words.w);
}
