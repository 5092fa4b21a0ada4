/* SPDX-License-Identifier: GPL-3.0-or-later */
/* usage: profile-sample FILE JSON: a random profile and its dump, for profile-format.py. */
#include "profile-random.h"

#include "profile/dump.h"

static int dump(const char *path, const char *json)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *p = NULL;
	rarog_cleanup(rarog_fclosep) FILE *out = fopen(json, "w");

	if (!out || rarog_profile_open(path, &p) < 0)
		return -1;
	return rarog_profile_dump_json(p, out, true);
}

/* Executions of blocks, with what every second one did with memory. */
static int write_blocks(struct rarog_profile_writer *w, size_t n_locations, uint32_t n)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < n; i++) {
		const struct rarog_block_count block = {
			.location = (uint32_t)(i * n_locations / n),
			.line = (uint32_t)random_below(1000),
			.column = (uint32_t)random_below(100),
			.instructions = (uint32_t)random_below(60),
			.count = random_amount(),
		};
		const struct rarog_block_accesses accesses = {
			.block = i,
			.loads = random_amount(),
			.load_bytes = random_amount(),
			.stores = random_amount(),
			.store_bytes = random_amount(),
		};

		r = rarog_profile_add_blocks(w, 1, &block);
		if (r == 0 && i % 2 == 0)
			r = rarog_profile_add_accesses(w, &accesses);
	}
	return r;
}

/* The sections that stand for what later collectors find. */
static int write_findings(struct rarog_profile_writer *w, uint32_t i)
{
	const struct rarog_block_time time = { i,
					       RAROG_NONE,
					       i % 2,
					       random_amount(),
					       random_amount(),
					       random_amount(),
					       random_amount() };
	const struct rarog_allocation allocation = {
		i, random_amount(), random_amount(), random_amount(), random_amount(), i
	};
	const struct rarog_bound bound = { i, "calls", NULL, random_amount(), UINT64_MAX, "loop" };
	const struct rarog_region region = { i, "A,B", "a.c", 7, i, 1, random_amount(), i };
	const struct rarog_experiment experiment = {
		i, 0, "busy", random_amount(), 3, random_amount(), random_amount(), i
	};
	const struct rarog_snapshot snapshot = { i, RAROG_NONE, "live", "B", random_amount() };
	const struct rarog_measured measured = { i, RAROG_NONE, i % 5, random_amount(), "pruned" };
	const struct rarog_absence absence = { 0, random_amount(), random_amount(), i % 2 };
	const struct rarog_trial trial = {
		i, 0, RAROG_NONE, i + 1, random_amount(), random_amount(), random_amount()
	};
	const struct rarog_block_part part = { i / 2, RAROG_NONE, "b.h", 3 * i, i % 8 };
	const struct rarog_unrolled unrolled = { i, i % 9 };
	int r = rarog_profile_add_block_times(w, 1, &time);

	r = r < 0 ? r : rarog_profile_add_allocations(w, 1, &allocation);
	r = r < 0 ? r : rarog_profile_add_bounds(w, 1, &bound);
	r = r < 0 ? r : rarog_profile_add_regions(w, 1, &region);
	r = r < 0 ? r : rarog_profile_add_experiments(w, 1, &experiment);
	r = r < 0 ? r : rarog_profile_add_snapshots(w, 1, &snapshot);
	r = r < 0 ? r : rarog_profile_add_measured(w, 1, &measured);
	r = r < 0 ? r : rarog_profile_add_absences(w, 1, &absence);
	r = r < 0 ? r : rarog_profile_add_trials(w, 1, &trial);
	r = r < 0 ? r : rarog_profile_add_unrolled(w, 1, &unrolled);
	return r < 0 ? r : rarog_profile_add_part(w, &part);
}

int main(int argc, char **argv)
{
	struct truth t = { 0 };
	struct rarog_profile_writer *w = NULL;

	if (argc != 3 || rarog_profile_writer_new(argv[1], &w) < 0)
		return 2;
	truth_locations(&t, 700);
	truth_strands(&t, 4);
	truth_nodes(&t, 2000);
	truth_summaries(&t, 100);
	write_tables(w, &t);
	for (int i = 0; i < 40; i++)
		write_piece(w, &t, (uint32_t)random_below(4), random_below(20000));
	t.strands[1].end_ticks = 5;
	if (write_blocks(w, t.n_locations, 3000) < 0)
		return 3;
	for (uint32_t i = 0; i < 100; i++)
		if (write_findings(w, i) < 0)
			return 3;
	if (rarog_profile_set_strand(w, 1, &t.strands[1]) < 0 ||
	    rarog_profile_add_nodes(w, t.n_nodes, t.nodes) < 0 ||
	    rarog_profile_add_summaries(w, t.n_summaries, t.summaries) < 0 ||
	    rarog_profile_writer_commit(w, NULL) < 0)
		return 3;
	rarog_profile_writer_free(w);
	truth_release(&t);
	return dump(argv[1], argv[2]) < 0 ? 4 : 0;
}
