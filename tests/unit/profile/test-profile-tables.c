/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of a profile: however their rows are added, they come back as they were. */
#include "profile-random.h"
#include "unit.h"

#include "profile/block-file.h"
#include "profile/rows.h"

/* Counts of 700 functions, @at_once of them at a time; those from 600 on have a bar. */
static uint64_t write_counts(const char *path, size_t at_once)
{
	const struct rarog_location location = { .binary = RAROG_NONE, .name = "f" };
	struct rarog_histogram_bucket bucket = { .bucket = 3, .count = 1 };
	struct rarog_profile_writer *w = NULL;
	struct rarog_summary rows[700];
	uint64_t bytes = 0;

	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	assert_int_equal(rarog_profile_add_location(w, &location), 0);
	for (size_t i = 0; i < RAROG_COUNT(rows); i++)
		rows[i] = (struct rarog_summary){ .strand = RAROG_NONE,
						  .count = i,
						  .n_buckets = i >= 600,
						  .buckets = i >= 600 ? &bucket : NULL };
	for (size_t i = 0; i < 600; i += at_once)
		assert_int_equal(rarog_profile_add_summaries(w, at_once, rows + i), 0);
	assert_int_equal(rarog_profile_add_summaries(w, 100, rows + 600), 0);
	assert_int_equal(rarog_profile_writer_commit(w, &bytes), 0);
	rarog_profile_writer_free(w);
	return bytes;
}

/* A writer that adds counts one by one gets the same file as one that has them all. */
TEST(counts_added_one_by_one_make_the_same_file)
{
	const char *path = path_in(state, "counts");
	const struct rarog_summary *summaries;
	struct rarog_profile *p = NULL;
	uint64_t bytes = write_counts(path, 600);

	assert_int_equal(write_counts(path, 1), bytes);
	assert_int_equal(rarog_profile_open(path, &p), 0);
	assert_int_equal(rarog_profile_summaries(p, &summaries), 700);
	for (size_t i = 0; i < 700; i++)
		assert_int_equal(summaries[i].count, i);
	rarog_profile_free(p);
}

/* Small tables, rows replaced late, texts of any length. */
TEST(small_tables_and_long_texts_come_back)
{
	const char *path = path_in(state, "small");
	struct rarog_profile_writer *w = NULL;
	struct rarog_profile *p = NULL;
	char *text = malloc(3000001);
	const struct rarog_loss losses[] = { { "events", UINT64_MAX }, { "", 0 }, { text, 1 } };
	struct rarog_process process = { 7, RAROG_NONE, 100, 0, -1, "first" };
	struct rarog_strand strand = { 0, 9, 50, 0 };
	const struct rarog_location location = { .name = "f" };
	const struct rarog_node root = { .parent = RAROG_NONE, .location = RAROG_NONE };
	const uint32_t op = RAROG_OP_ENTRY;
	const uint64_t delta = 5;

	memset(text, 'x', 3000000);
	text[3000000] = '\0';
	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	assert_int_equal(rarog_profile_add_binary(w, &(struct rarog_profile_binary){ "b", 0, 1 }),
			 0);
	assert_int_equal(rarog_profile_add_process(w, &process), 0);
	assert_int_equal(rarog_profile_add_strand(w, &strand), 0);
	assert_int_equal(rarog_profile_add_location(w, &location), 0);
	assert_int_equal(rarog_profile_add_calls(
				 w, &(struct rarog_calls){ .n = 1, .op = &op, .delta = &delta }),
			 0);
	assert_int_equal(rarog_profile_add_nodes(w, 1, &root), 0); /* the tables are written now */
	process.parent = 0;
	assert_int_equal(rarog_profile_add_process(w, &process), 1);
	process = (struct rarog_process){ 8, RAROG_NONE, 3, 1, INT32_MIN, NULL };
	strand.end_ticks = 77;
	assert_int_equal(rarog_profile_set_process(w, 0, &process), 0);
	assert_int_equal(rarog_profile_set_strand(w, 0, &strand), 0);
	assert_int_equal(rarog_profile_add_losses(w, 3, losses), 0);
	assert_int_equal(
		rarog_profile_add_inlined(
			w, 1, &(struct rarog_inlined_into){ .name = "f", .file = "g", .line = 3 }),
		0);
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
	rarog_profile_writer_free(w);

	const struct rarog_process *processes;
	const struct rarog_strand *strands;
	const struct rarog_loss *found;
	const struct rarog_inlined_into *inlined;

	assert_int_equal(rarog_profile_open(path, &p), 0);
	assert_int_equal(rarog_profile_processes(p, &processes), 2);
	assert_int_equal(processes[0].pid, 8);
	assert_int_equal(processes[0].wait_status, INT32_MIN);
	assert_int_equal(processes[0].end_ticks, 1);
	assert_null(processes[0].command);
	assert_int_equal(processes[1].parent, 0);
	assert_string_equal(processes[1].command, "first");
	assert_int_equal(rarog_profile_strands(p, &strands), 1);
	assert_int_equal(strands[0].end_ticks, 77);
	assert_int_equal(rarog_profile_losses(p, &found), 3);
	assert_int_equal(found[0].count, UINT64_MAX);
	assert_string_equal(found[1].what, "");
	assert_string_equal(found[2].what, text);
	assert_int_equal(rarog_profile_inlined(p, &inlined), 1);
	assert_string_equal(inlined[0].name, "f");
	assert_string_equal(inlined[0].file, "g");
	rarog_profile_free(p);
	free(text);
}

/* Counts of blocks and of the ways between them, negative ones (a fork's) included. */
TEST(counts_of_blocks_and_edges_come_back)
{
	const char *path = path_in(state, "blocks");
	const struct rarog_block_count blocks[] = { { 0, 7, 3, 4, 1 },
						    { 0, 9, 0, 1, UINT64_MAX },
						    { 1, 0, 0, UINT32_MAX, 0 } };
	const struct rarog_edge_count edges[] = { { 0, 1, 12, false }, { 2, 2, 0, true } };
	const struct rarog_edge_count wrong = { 0, 3, 0, false };
	const struct rarog_block_accesses accesses[] = { { 0, 1, 8, UINT64_MAX, 0 },
							 { 2, 0, 0, 3, 12 },
							 { 3, 1, 1, 1, 1 } };
	struct rarog_profile_writer *w = NULL;
	struct rarog_profile *p = NULL;
	const struct rarog_block_count *got;
	const struct rarog_edge_count *ways;
	const struct rarog_block_accesses *touched;

	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(rarog_profile_add_location(
					 w, &(struct rarog_location){ .binary = RAROG_NONE }),
				 i);
	assert_int_equal(rarog_profile_add_blocks(w, 3, blocks), 0);
	assert_int_equal(rarog_profile_add_edges(w, 2, edges), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(rarog_profile_add_accesses(w, &accesses[i]), 0);
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
	assert_int_equal(rarog_profile_add_edges(w, 1, &wrong), -EINVAL);
	assert_int_equal(rarog_profile_add_accesses(w, &accesses[2]), -EINVAL);
	rarog_profile_writer_free(w);
	assert_int_equal(rarog_profile_open(path, &p), 0);
	assert_int_equal(rarog_profile_blocks(p, &got), 3);
	assert_memory_equal(got, blocks, sizeof(blocks));
	assert_int_equal(rarog_profile_edges(p, &ways), 2);
	assert_int_equal(ways[0].to, 1);
	assert_int_equal(ways[0].count, 12);
	assert_true(ways[1].is_unknown);
	assert_int_equal(rarog_profile_accesses(p, &touched), 2);
	assert_int_equal(touched[0].stores, UINT64_MAX);
	assert_int_equal(touched[1].block, 2);
	assert_int_equal(touched[1].store_bytes, 12);
	rarog_profile_free(p);
}

static void bend(const char *path, long at)
{
	FILE *f = fopen(path, "r+b");

	assert_non_null(f);
	assert_int_equal(fseek(f, at, SEEK_SET), 0);
	int byte = fgetc(f);

	assert_int_equal(fseek(f, at, SEEK_SET), 0);
	assert_int_equal(fputc(byte ^ 1, f), byte ^ 1);
	assert_int_equal(fclose(f), 0);
}

/* A row of each; then rows that refer to a location that is not there. Every writer keeps its first
 * error, so each of them gets one. */
static void write_later(const char *path)
{
	for (unsigned wrong = 0; wrong <= 10; wrong++) {
		const struct rarog_measured measured = { wrong == 7, RAROG_NONE,
							 wrong == 8 ? RAROG_HOW_PRUNED + 1 : 0 };
		const struct rarog_block_time time = { wrong == 6 ? 1 : 0, RAROG_NONE };
		const struct rarog_allocation allocation = { wrong == 5 };
		const struct rarog_bound bound = { wrong == 4 };
		const struct rarog_region region = { wrong == 3 };
		const struct rarog_experiment experiment = { wrong == 2 };
		const struct rarog_absence absence = { wrong == 9 ? 7 : 0 };
		const struct rarog_snapshot snapshot = { 0, wrong == 1 };
		const struct rarog_trial trial = { wrong == 10, .strand = RAROG_NONE };
		struct rarog_profile_writer *w = NULL;

		assert_int_equal(rarog_profile_writer_new(path, &w), 0);
		assert_int_equal(rarog_profile_add_location(
					 w, &(struct rarog_location){ .binary = RAROG_NONE }),
				 0);
		assert_int_equal(rarog_profile_add_blocks(w, 1, &(struct rarog_block_count){ 0 }),
				 0);
		assert_int_equal(rarog_profile_add_process(
					 w, &(struct rarog_process){ .parent = RAROG_NONE }),
				 0);
		assert_int_equal(rarog_profile_add_strand(w, &(struct rarog_strand){ 0 }), 0);
		rarog_profile_add_block_times(w, 1, &time);
		rarog_profile_add_allocations(w, 1, &allocation);
		rarog_profile_add_bounds(w, 1, &bound);
		rarog_profile_add_regions(w, 1, &region);
		rarog_profile_add_experiments(w, 1, &experiment);
		rarog_profile_add_snapshots(w, 1, &snapshot);
		rarog_profile_add_measured(w, 1, &measured);
		rarog_profile_add_absences(w, 1, &absence);
		rarog_profile_add_trials(w, 1, &trial);
		assert_int_equal(rarog_profile_writer_commit(w, NULL), wrong ? -EINVAL : 0);
		rarog_profile_writer_free(w);
		if (wrong == 0)
			assert_int_equal(access(path, F_OK), 0);
	}
}

/* Amounts that are no time, and texts that are kept as they came. */
TEST(quantities_and_notes_come_back)
{
	const char *path = path_in(state, "notes");
	const struct rarog_quantity quantity = { .what = "w", .unit = "B", .sum = 9, .max = 5 };
	struct rarog_profile_writer *w = NULL;
	struct rarog_profile *p = NULL;
	char *text = malloc(700001);
	const struct rarog_quantity *quantities;
	const struct rarog_note *notes;
	char *note = NULL;
	size_t length = 0;

	for (size_t i = 0; i < 700000; i += 2)
		memcpy(text + i, "\xcc\x81", 3); /* two bytes a character */
	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	assert_int_equal(rarog_profile_add_location(
				 w, &(struct rarog_location){ .binary = RAROG_NONE, .name = "f" }),
			 0);
	assert_int_equal(rarog_profile_add_quantities(w, 1, &quantity), 0);
	assert_int_equal(rarog_profile_add_note(w, "long", 700000, text), 0);
	assert_int_equal(rarog_profile_add_note(w, "short", 1, "s"), 0);
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
	rarog_profile_writer_free(w);
	assert_int_equal(rarog_profile_open(path, &p), 0);
	assert_int_equal(rarog_profile_quantities(p, &quantities), 1);
	assert_string_equal(quantities[0].unit, "B");
	assert_int_equal(quantities[0].sum, 9);
	assert_int_equal(quantities[0].max, 5);
	assert_int_equal(rarog_profile_notes(p, &notes), 3);
	assert_int_equal(strlen(notes[0].text) % 2, 0); /* no character is cut in two */
	assert_int_equal(rarog_profile_note(p, "long", &note, &length), 0);
	assert_int_equal(length, 700000);
	assert_string_equal(note, text);
	free(note);
	assert_int_equal(rarog_profile_note(p, "none", &note, &length), -ENOENT);
	rarog_profile_free(p);
	free(text);
}

/* The sections of later collectors: a reference to nothing is refused, what is damaged is named,
 * and the others stay readable. */
TEST(later_sections_refuse_and_survive_damage)
{
	static const enum rarog_block_kind kinds[] = {
		RAROG_BLOCK_TIMES,    RAROG_BLOCK_ALLOCATIONS, RAROG_BLOCK_BOUNDS,
		RAROG_BLOCK_REGIONS,  RAROG_BLOCK_EXPERIMENTS, RAROG_BLOCK_SNAPSHOTS,
		RAROG_BLOCK_MEASURED, RAROG_BLOCK_TRIALS,
	};
	const char *path = path_in(state, "later");

	for (size_t i = 0; i < RAROG_COUNT(kinds); i++) {
		struct rarog_block_file file = { 0 };
		struct rarog_profile *p = NULL;
		const void *rows;

		write_later(path);
		assert_int_equal(rarog_block_file_open(&file, path), 0);
		for (size_t k = 0; k < file.n; k++)
			if (file.blocks[k].kind == kinds[i])
				bend(path, (long)file.blocks[k].offset + RAROG_BLOCK_HEAD_SIZE + 4);
		rarog_block_file_release(&file);
		assert_int_equal(rarog_profile_open(path, &p), 0);
		for (size_t k = 0; k < RAROG_COUNT(kinds); k++)
			assert_int_equal(rarog_profile_rows(p, kinds[k], &rows),
					 k == i ? -EBADMSG : 1);
		assert_int_equal(rarog_profile_rows(p, kinds[i], &rows), -EBADMSG);
		assert_non_null(strstr(rarog_error_message(), rarog_block_name(kinds[i])));
		rarog_profile_free(p);
	}
}

GROUP(make_directory, remove_directory)
