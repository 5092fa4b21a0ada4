/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Drawings for papers and pages: SVG 1.1, without scripts, fonts or anything from elsewhere. The
 * same profile gives the same bytes.
 */
#ifndef RAROG_VIEW_SVG_SVG_H
#define RAROG_VIEW_SVG_SVG_H

#include <stdio.h>

#include "view/run.h"

#define RAROG_SVG_WIDTH  1200
#define RAROG_SVG_LETTER 7.2 /* px of width, of a letter; the font is monospaced */
#define RAROG_SVG_LINE   18  /* px of height, of a row of boxes or text */
#define RAROG_SVG_MARGIN 10

/* --- plots --- */

struct rarog_checks; /* check/check.h */

struct rarog_svg_options {
	const char *title;
	const char *func;        /* what was said after the colon: mostly a function; or NULL */
	const char *colour_by;   /* scatter: the captured value that colours the points; or NULL */
	uint64_t from_ns, to_ns; /* plots over time: this part of the run; to 0: to its end */
};

struct rarog_svg_plot {
	const char *name;
	enum rarog_svg_func { RAROG_SVG_NO_FUNC, RAROG_SVG_ANY_FUNC, RAROG_SVG_NEEDS_FUNC } func;
	enum rarog_svg_of { RAROG_SVG_OF_PROFILE, RAROG_SVG_OF_VERSIONS, RAROG_SVG_OF_PAIR } of;
	/* Return: 0; -ENODATA the profile has not what it shows; -ENOENT no such function;
	 * -EBADMSG, -ENOMEM; all with a message. Errors of @out are left to the caller. */
	int (*draw)(const struct rarog_run *run, const struct rarog_svg_options *options,
		    FILE *out); /* NULL: it is not of a profile (view/svg/versions.h) */
	int (*draw_pair)(const struct rarog_checks *checks, const struct rarog_svg_options *options,
			 FILE *out); /* likewise, of two versions (view/svg/pair.h) */
	bool is_of_jobs; /* … and of all their jobs together; else there is one check */
};

extern const struct rarog_svg_plot rarog_svg_plots[]; /* ended by one without name */

/** rarog_svg_find() - "flame", "scatter:FUNC"; @ret_func points into @text, NULL: none. -EINVAL
 * with a message: no such plot, one without the function that it needs, or not @of that. */
int rarog_svg_find(const char *text, enum rarog_svg_of of, const struct rarog_svg_plot **ret_plot,
		   const char **ret_func);

int rarog_svg_flame(const struct rarog_run *, const struct rarog_svg_options *, FILE *);
int rarog_svg_flame_threads(const struct rarog_run *, const struct rarog_svg_options *, FILE *);
int rarog_svg_flame_callers(const struct rarog_run *, const struct rarog_svg_options *, FILE *);
int rarog_svg_timeline(const struct rarog_run *, const struct rarog_svg_options *, FILE *);
int rarog_svg_flow(const struct rarog_run *, const struct rarog_svg_options *, FILE *);
int rarog_svg_bars(const struct rarog_run *, const struct rarog_svg_options *, FILE *);
int rarog_svg_scatter(const struct rarog_run *, const struct rarog_svg_options *, FILE *);
int rarog_svg_scatter_coloured(const struct rarog_run *, const struct rarog_svg_options *, FILE *);
int rarog_svg_histogram(const struct rarog_run *, const struct rarog_svg_options *, FILE *);
int rarog_svg_model(const struct rarog_run *, const struct rarog_svg_options *, FILE *);
int rarog_svg_candidates(const struct rarog_run *, const struct rarog_svg_options *, FILE *);
int rarog_svg_residuals(const struct rarog_run *, const struct rarog_svg_options *, FILE *);
int rarog_svg_trials(const struct rarog_run *, const struct rarog_svg_options *, FILE *);
int rarog_svg_speed_up(const struct rarog_run *, const struct rarog_svg_options *, FILE *);
int rarog_svg_sunburst(const struct rarog_run *, const struct rarog_svg_options *, FILE *);
int rarog_svg_control_flow(const struct rarog_run *, const struct rarog_svg_options *, FILE *);
int rarog_svg_noise(const struct rarog_run *, const struct rarog_svg_options *, FILE *);

/* --- shapes; all in px --- */

/**
 * rarog_svg_nothing() - refuses a picture of calls where none took any time.
 * Return: -ENODATA with message
 */
int rarog_svg_nothing(const struct rarog_run *run);

/** rarog_svg_begin() - the picture, with its title at the top of it. */
void rarog_svg_begin(FILE *out, int width, int height, const char *title);
void rarog_svg_end(FILE *out);

/** rarog_svg_end_of_calls() - the same, with a line at the foot of it if calls are sampled: then
 * RAROG_SVG_LINE of @height are for that. */
void rarog_svg_end_of_calls(FILE *out, int height, bool are_sampled);

/** rarog_svg_text() - @text, cut to @width. @anchor: "start", "middle", "end". */
void rarog_svg_text(FILE *out, double x, double y, const char *anchor, double width,
		    const char *text);

/** rarog_svg_box() - a rectangle with @text in it if it has room; @tip is shown when the mouse is
 * over it. */
void rarog_svg_box(FILE *out, double x, double y, double width, double height, const char *colour,
		   const char *text, const char *tip);

void rarog_svg_line(FILE *out, double x1, double y1, double x2, double y2);

/** rarog_svg_colour() - "#rrggbb" of the @i-th of several; told apart by the colour-blind, too. */
const char *rarog_svg_colour(size_t i);

/** rarog_svg_warm() - a light colour of a function, the same wherever it is: black text is read on
 * it. */
void rarog_svg_warm(const char *name, char ret_colour[8]);

#endif
