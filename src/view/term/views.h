/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The views of `rarog show`. A view is one file of this folder, which ends with its struct
 * rarog_view, and one row here, which is the option that asks for it (doc/howto/add-a-view.md).
 */
#ifndef RAROG_VIEW_TERM_VIEWS_H
#define RAROG_VIEW_TERM_VIEWS_H

#include "view/term/show.h"

/*
 * In the order of --help. FLAG rows are asked for by --NAME, FUNC rows by --NAME FUNC, which then
 * are the functions that the view is about.
 *
 *   row(letter or 0, option, struct rarog_view without rarog_view_, help)
 */
#define RAROG_VIEWS(FLAG, FUNC)                                                                    \
	FLAG('t', "tree", tree, "the call tree, heaviest first")                                   \
	FLAG(0, "flame", flame, "the call tree as boxes, as wide as their time")                   \
	FLAG(0, "timeline", timeline, "the calls of each thread over time")                        \
	FLAG(0, "flow", flow, "in which functions the time went, from moment to moment")           \
	FUNC(0, "scatter", scatter, "the time of each call of FUNC, by the value it was given")    \
	FUNC(0, "callers", callers, "which functions call FUNC, how often")                        \
	FUNC(0, "callees", callees, "which functions FUNC calls")                                  \
	FLAG('r', "replay", replay, "every call in the order of time")                             \
	FLAG(0, "experiments", experiments, "the effect of noise in each function (rarog blow)")   \
	FLAG(0, "features", features,                                                              \
	     "the cost of each feature, and of each set that was open together")                   \
	FLAG(0, "by-binary", by_binary, "one row for each program or library")                     \
	FLAG(0, "by-thread", by_thread, "one row for each thread")                                 \
	FLAG(0, "threads", threads, "how often each function was called in which thread")          \
	FUNC(0, "blocks", blocks, "the basic blocks of FUNC: how often each ran, where it leads")  \
	FLAG(0, "loops", loops,                                                                    \
	     "loops by the instructions in them, with their entries and rounds")                   \
	FLAG(0, "paths", paths,                                                                    \
	     "paths through functions by the instructions on them, where they were counted")       \
	FLAG(0, "coverage", coverage,                                                              \
	     "source files by how much of them ran: lines, branches, functions")

struct rarog_view {
	const char *name; /* "--tree", from the row; "": functions */
	/* Return: 0, negative with message; -ENOENT nothing has the wanted name. */
	int (*run)(struct rarog_show *show);        /* NULL: only of blocks */
	int (*run_blocks)(struct rarog_show *show); /* of a profile of blocks; NULL: it has none */
	/* Before anything is written; may be NULL. Return: 0; -ENODATA not measured; -ENOENT no
	 * such thread; -EINVAL no such column. */
	int (*check)(const struct rarog_show *show);
	const char *lack; /* why not where only what ran is known; NULL: it can nevertheless … */
	bool has_ways;    /* … and it can if there are ways between blocks */
	bool is_drawing;  /* no table */
	bool is_of_callers; /* run() does with blocks, too, where callers are known */
	size_t depth;       /* levels for people if they do not say; 0: all */
};

/* What was asked for; --tree sets .tree, --callers=FUNC sets .callers. */
#define RAROG_VIEW_FLAG(letter, option, view, help) bool view;
#define RAROG_VIEW_FUNC(letter, option, view, help) const char *view;
struct rarog_views_asked {
	RAROG_VIEWS(RAROG_VIEW_FLAG, RAROG_VIEW_FUNC)
};
#undef RAROG_VIEW_FLAG
#undef RAROG_VIEW_FUNC

#define RAROG_VIEW_EXTERN(letter, option, view, help)                                              \
	extern const struct rarog_view rarog_view_##view;
RAROG_VIEWS(RAROG_VIEW_EXTERN, RAROG_VIEW_EXTERN)
#undef RAROG_VIEW_EXTERN
extern const struct rarog_view rarog_view_functions; /* if nothing is said */
extern const struct rarog_view rarog_view_amounts;   /* instead, of the time collector's profiles */

/**
 * rarog_view_choose() - the view that was asked for; two at once are a mistake
 * @ret_func: the functions that it is about, NULL: it takes no name
 *
 * Return: 0 or -EINVAL with message.
 */
int rarog_view_choose(const struct rarog_views_asked *asked, struct rarog_view *ret_view,
		      const char **ret_func);

/** rarog_view_is_functions() - is it the table of functions? */
bool rarog_view_is_functions(const struct rarog_view *view);

/** rarog_view_adapt() - make @view the form of it that suits what was measured; also fills in what
 * @show knows of that. Return: 0, -ENODATA: it has nothing to show, with a message. */
int rarog_view_adapt(struct rarog_view *view, struct rarog_show *show);

/** rarog_view_print() - heading and all of the view, once checked. Return: 0, negative with
 * message. */
int rarog_view_print(const struct rarog_view *view, struct rarog_show *show);

#endif
