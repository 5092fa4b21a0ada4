/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a view of `rarog show` works with; views.h has the views. They write for people, JSON or
 * CSV as the options say. JSON views add members to one object that already holds the facts of
 * the run.
 */
#ifndef RAROG_VIEW_TERM_SHOW_H
#define RAROG_VIEW_TERM_SHOW_H

#include "base/match.h"
#include "blocks/tally.h"
#include "view/run.h"
#include "view/term/sheet.h"

enum rarog_show_sort {
	RAROG_SORT_EXCLUSIVE,
	RAROG_SORT_TOTAL,
	RAROG_SORT_COUNT,
	RAROG_SORT_MEAN,
	RAROG_SORT_MAX,
	RAROG_SORT_NAME,
	RAROG_SORT_CPU,
	RAROG_SORT_INSTRUCTIONS, /* profiles of blocks */
	RAROG_SORT_DEFAULT,      /* what the profile has, and what can be trusted of it */
};

struct rarog_show_options {
	enum rarog_sheet_format format;
	enum rarog_markup markup; /* of the table; .format is CSV then */
	bool ascii, colour;
	int width;           /* columns that lines are cut to; 0: nothing is cut */
	int columns_width;   /* columns that the choice of table columns is made for */
	bool lines;          /* show file:line */
	bool bars;           /* what functions are sorted by, drawn */
	bool fold_recursion; /* tree */
	enum rarog_show_sort sort;
	size_t limit;             /* rows; 0: all */
	const char *columns;      /* function table: names with commas; NULL: by width */
	struct rarog_match *func; /* NULL: every function */
	const char *func_text;    /* the pattern as given, for messages */
	bool has_tid;
	uint32_t tid;
	size_t depth;            /* levels; 0: all */
	double min_share;        /* tree: of the whole, 0 … 1 */
	uint64_t min_time_ns;    /* replay */
	uint64_t from_ns, to_ns; /* replay: from the start of the run; to_ns 0: the end */
};

struct rarog_show {
	struct rarog_run run;
	struct rarog_show_options options;
	bool has_times;       /* durations were measured, not calls counted only */
	bool has_cpu;         /* CPU times, too: a function's may be unknown nevertheless */
	bool has_samples;     /* counts are samples, not calls; times are estimates */
	bool is_of_program;   /* the time collector's: nothing is known of functions */
	bool has_heading;     /* it was written, with what is wrong */
	bool only_executed;   /* of blocks: nothing is known of what did not run */
	bool is_machine_code; /* blocks are those of machine code as it is */
	struct {
		double ticks; /* of one time stamp; 0: there are none */
		bool are_subtracted;
	} stamps;
	struct rarog_tally tally; /* .n > 0: blocks were counted */
	FILE *out;
	struct rarog_json json;   /* JSON: the object is open */
	RAROG_VEC(char *) models; /* kept with the profile, each what rarog model --json printed */
};

/** rarog_show_begin() - the heading: facts of the run, and loudly what is wrong with the profile;
 * for JSON the beginning of the object. */
int rarog_show_begin(struct rarog_show *show);

/** rarog_show_end() - the end of the JSON object. */
int rarog_show_end(struct rarog_show *show);

/* Parts of views that others have, too. Return: 0, negative with message. */
int rarog_show_quantities(struct rarog_show *show); /* below the functions, if there are any */
int rarog_show_arguments(struct rarog_show *show);  /* the same for what was captured */
int rarog_show_models(struct rarog_show *show);     /* that are kept with the profile */

/* Of profiles of blocks: functions (JSON: their blocks, too), binaries, blocks of options.func. */
int rarog_show_counts(struct rarog_show *show);
int rarog_show_counts_by_binary(struct rarog_show *show);
int rarog_show_blocks(struct rarog_show *show);
int rarog_show_check_counts(const struct rarog_show *show); /* columns, order, thread */

/* The functions that options.func wants, most instructions first; the caller frees. */
int rarog_show_counted(const struct rarog_show *show, struct rarog_tally_function ***ret_functions,
		       size_t *ret_n);

int rarog_show_check_tid(const struct rarog_show *show);   /* -ENOENT: no such thread */
int rarog_show_check_tree(const struct rarog_show *show);  /* -ENODATA: calls were counted only */
int rarog_show_check_calls(const struct rarog_show *show); /* -ENODATA: no single calls in time */

/** rarog_show_has_func() - 1: something that options.func wants was called (or it wants all), 0:
 * nothing, negative on a damaged section. */
int rarog_show_has_func(const struct rarog_show *show);

/**
 * rarog_show_missing() - options.func has no calls: say into what it was inlined
 *
 * Instead of a view, heading included. Return: 0 answered; -ENOENT with a message that names
 * functions of similar names.
 */
int rarog_show_missing(struct rarog_show *show);

/** rarog_show_settle() - a pattern that is the name of a function of the profile is no glob
 * (rarog_match_settle()). Return: 0, negative on a damaged section. */
int rarog_show_settle(const struct rarog_show *show);

/** rarog_show_matches() - is a location among options.func? */
bool rarog_show_matches(const struct rarog_show *show, const struct rarog_location *location);

/** rarog_show_matches_symbol() - is a function of the symbol @symbol among options.func? */
bool rarog_show_matches_symbol(const struct rarog_show *show, const char *symbol);

/** rarog_show_sheet() - begin a sheet in the form that is wanted; JSON: as the member @key. */
int rarog_show_sheet(struct rarog_show *show, struct rarog_sheet *sheet, size_t n,
		     const struct rarog_sheet_fact facts[n], const char *key);

/** rarog_show_sheet_end() - write it if @r is 0, release it in any case; @r, or why it failed. */
int rarog_show_sheet_end(const struct rarog_show *show, struct rarog_sheet *sheet, int r);

/** rarog_show_note() - a dim line below a table, for people only. */
__attribute__((format(printf, 2, 3))) void rarog_show_note(struct rarog_show *show,
							   const char *format, ...);

/** rarog_show_place() - "file.c:12", basename only for people; "" when unknown. */
struct rarog_str rarog_show_place(const struct rarog_location *location);

#endif
