/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models of parts of the points: the five ways to compute that Perun has, and segments whose ends
 * the points themselves show.
 */
#ifndef RAROG_MODEL_PIECES_H
#define RAROG_MODEL_PIECES_H

#include "model/model.h"

enum rarog_pieces_method {
	RAROG_METHOD_FULL,          /* all families, all points */
	RAROG_METHOD_ITERATIVE,     /* part by part in random order: only the best goes on */
	RAROG_METHOD_INTERVAL,      /* so many intervals of x with as many points, each its own */
	RAROG_METHOD_INITIAL_GUESS, /* the best of a random part is fitted to all points */
	RAROG_METHOD_BISECTION,     /* halves of x, as long as a half has another best family */
	RAROG_METHOD_SEGMENTS,      /* the ends by least squares, their number by BIC */
};

/** rarog_pieces_method_names - "full", "iterative" …; NULL at the end. */
extern const char *const rarog_pieces_method_names[];

struct rarog_pieces_options {
	enum rarog_pieces_method method;
	enum rarog_model_rule rule;
	size_t steps; /* parts of iterative, interval, initial-guess; 0: 3. Segments: the most; 0: 5
		       */
	struct rarog_model_options model;
};

/* Of one interval of x. */
struct rarog_piece {
	double from, to;
	size_t n; /* points in it */
	struct rarog_models models;
	struct rarog_choice choice; /* borrows from .models */
};

struct rarog_pieces {
	size_t n;
	struct rarog_piece *v;
};

/**
 * rarog_pieces_fit() - models by @options->method
 * @x: sorted
 *
 * Return: 0; -EDOM too few points for so many parts (at least 3 each); -EINVAL, -ENOMEM.
 */
int rarog_pieces_fit(size_t n, const double x[], const double y[],
		     const struct rarog_pieces_options *options, struct rarog_pieces *ret_pieces);
void rarog_pieces_release(struct rarog_pieces *pieces);

#endif
