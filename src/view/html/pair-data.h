/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data of a page of two versions as JSON (doc/design/report.md; web/src/pair-data.ts declares
 * the same).
 */
#ifndef RAROG_VIEW_HTML_PAIR_DATA_H
#define RAROG_VIEW_HTML_PAIR_DATA_H

#include "base/json-writer.h"
#include "view/html/pair.h"

/** rarog_pair_data_write() - all of it to @out. 0; -ENOMEM; -EBADMSG; -EIO @out took not all. */
int rarog_pair_data_write(const struct rarog_checks *checks,
			  const struct rarog_pair_options *options, FILE *out);

/** rarog_pair_blocks_write() - the member "graphs": of each function whose blocks were counted and
 * that ran, the control flow of both versions as one: "blocks", of each [number, size, count, line,
 * column] before and the same now (number -1: that version has none), "lines", further ones of a
 * block: [its index, 0 before or 1 now, line …], "ways", of each both ends and its count before and
 * now; and "graphs_left_out", functions for which there was no room. 0, -EBADMSG,
 * -ENOMEM. */
int rarog_pair_blocks_write(const struct rarog_check *check, struct rarog_json *json);

/** rarog_pair_models_write() - the member "models" of check @at: how the cost of calls grows with
 * what they were given, and, if its x is the largest of several checks, how costs grow over runs;
 * "before" and "now", each like the member "models" of a page of one profile with rows of the
 * comparison as functions; null: neither version has any. 0, -ENOMEM, -EBADMSG. */
int rarog_pair_models_write(const struct rarog_checks *checks, size_t at, struct rarog_json *json);

/** rarog_pair_tree_write() - the members "without_tree" (runs that have no call contexts), "tree"
 * and "left_out" of one check. @max: contexts. 0; -ENOMEM; -EBADMSG. */
int rarog_pair_tree_write(const struct rarog_comparison *comparison, size_t max,
			  struct rarog_json *json);

#endif
