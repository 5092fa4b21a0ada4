/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What nodes of the context tree have: times, or instructions where blocks were counted. */
#ifndef RAROG_VIEW_TERM_NODE_AMOUNTS_H
#define RAROG_VIEW_TERM_NODE_AMOUNTS_H

#include "base/units.h"
#include "view/term/show.h"

/** rarog_show_amount() - of a node's @ticks: nanoseconds, or the instructions that they are. */
uint64_t rarog_show_amount(const struct rarog_show *show, uint64_t ticks);

/** rarog_show_amount_text() - the same for people, with its unit. */
struct rarog_amount rarog_show_amount_text(const struct rarog_show *show, uint64_t ticks);

/** rarog_show_amount_key() - @key, which ends in "_ns", or the same that ends in "_instructions";
 * static. */
const char *rarog_show_amount_key(const struct rarog_show *show, const char *key);

/** rarog_show_name_amounts() - times among @facts become counts with such keys, if they are. */
void rarog_show_name_amounts(const struct rarog_show *show, size_t n,
			     struct rarog_sheet_fact facts[n]);

/**
 * rarog_show_unknown() - of which functions the nodes' exclusive amounts are not known
 * @ret_unknown: by location, as rarog_exclusive_unknown(); NULL: it is known of all. The caller
 * frees
 *
 * Return: 0, negative with message.
 */
int rarog_show_unknown(const struct rarog_show *show, bool **ret_unknown);

/** rarog_show_note_unknown() - the lines for people that go with such exclusive amounts. */
void rarog_show_note_unknown(struct rarog_show *show);

/** rarog_show_note_sampled() - the line of a view without exclusive amounts, if calls are sampled.
 * 0, negative with message. */
int rarog_show_note_sampled(struct rarog_show *show);

#endif
