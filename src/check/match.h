/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which function of one version is which of the other. What is called the same at the same place is
 * the same; what remains is matched by less and less, and only where nothing else could be meant.
 */
#ifndef RAROG_CHECK_MATCH_H
#define RAROG_CHECK_MATCH_H

#include "check/comparison.h"

struct rarog_alike; /* alike.h */

/* A function of one version: its clones are one. */
struct rarog_entry {
	struct rarog_row_form form;
	char *short_name;    /* without parameters and template arguments; own */
	char *family;        /* its name without the compiler's numbers; NULL: it has none; own */
	double calls;        /* a run, of all that is known; NAN: not the same in every run */
	uint32_t row;        /* that it became */
	bool is_renumbered;  /* the versions have not equally many of its family: its name says
			      * nothing */
	bool may_be_unknown; /* the other version may have it, and not have measured it */
};

struct rarog_entries {
	RAROG_VEC(struct rarog_entry) list;
	RAROG_VEC(uint32_t *) of; /* of.v[run][location]: entry */
};

/** rarog_entries_read() - of all runs of @side; @ret_entries is released by the caller, also on
 * failure. 0, -EBADMSG, -ENOMEM. */
int rarog_entries_read(const struct rarog_side *side, struct rarog_entries *ret_entries);
void rarog_entries_release(struct rarog_entries *entries); /* fits rarog_cleanup() */

/** rarog_entry_by_name() - order by symbol and binary, as far as versions have them in common. */
int rarog_entry_by_name(const struct rarog_entry *a, const struct rarog_entry *b);

/**
 * rarog_match() - number the rows of both sides
 * @entries: of @sides
 * @alike: the functions of both first runs, which counted blocks: those of other names are matched
 *	by their control flow alone; NULL: by how often they were called
 * @ret_words: ret_words[row]: why they are one, see struct rarog_row; the caller frees it
 * @ret_n: rows; those of the baseline come first, in order
 *
 * Sets .row of all entries. 0, -ENOMEM with message.
 */
int rarog_match(struct rarog_entries entries[2], const struct rarog_side sides[2],
		const struct rarog_alike *alike, const char ***ret_words, size_t *ret_n);

#endif
