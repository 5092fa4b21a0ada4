/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the compiler's plug-in has found out about a program's features (llvm/features). */
#ifndef RAROG_FEATURE_ANALYSIS_H
#define RAROG_FEATURE_ANALYSIS_H

#include <jansson.h>

#include "base/options.h"
#include "base/vec.h"
#include "binary/binary.h"

struct rarog_feature_model;

struct rarog_feature {
	const char *name, *where, *note; /* note: "": nothing is wrong */
	unsigned reads, writes;
};

enum rarog_feature_state {
	RAROG_FEATURE_KEPT,   /* measured */
	RAROG_FEATURE_MERGED, /* in one of the same features */
	RAROG_FEATURE_HIDDEN, /* too small, or a part of a condition */
};

struct rarog_feature_region {
	const char *kind, *function, *file;
	int line, last_line;
	json_t *features, *with, *reason; /* lists of texts; borrowed */
	unsigned instructions;
	enum rarog_feature_state state;
	const char *trap; /* from where no way leads out of it; "": nowhere */
	const char *jump; /* where a call leaves it that has to stay a jump; "": nowhere */
	bool may_be_left; /* there, by an exception or longjmp() */
	bool is_in_coroutine;
	char *label; /* "A,B@file.c:10"; no other has it; owned */
};

/* A piece of code, and the regions that are open in it: from first on in .open, outermost first. */
struct rarog_feature_piece {
	uint32_t unit, piece, first, n;
};

/* The piece that a region's decision ends. */
struct rarog_feature_decision {
	uint32_t unit, piece, region;
};

struct rarog_feature_unit {
	const char *name, *directory;
	unsigned n_pieces;
};

struct rarog_feature_analysis {
	json_t *root; /* all texts are its */
	RAROG_VEC(struct rarog_feature_unit) units;
	RAROG_VEC(struct rarog_feature) features;
	RAROG_VEC(struct rarog_feature_region) regions;
	RAROG_VEC(struct rarog_feature_piece) pieces; /* by unit, then piece */
	RAROG_VEC(uint32_t) open;
	RAROG_VEC(struct rarog_feature_decision) decisions;
	json_t *warnings;
};

/* How regions are looked for. */
struct rarog_feature_choice {
	const struct rarog_feature_model *model; /* NULL: only what is annotated */
	long least;       /* smallest region without a call, in instructions of the compiler */
	bool nested;      /* regions within regions of the same features, too */
	bool is_explicit; /* not by constants that a feature chooses */
	uint64_t memory, time_ns; /* that the compiler may take; 0: the usual */
};

/**
 * rarog_feature_analysis_read() - of the program @path
 *
 * If it takes more than it may, only explicit flow is looked at, and a warning says so.
 *
 * Return: 0; -ENOENT, -ENOEXEC, -ENODATA: it was not compiled for that; -EBADMSG: that is damaged;
 * -EIO: the plug-in failed; -E2BIG: it takes more than it may; with message. Release in any case.
 */
int rarog_feature_analysis_read(const char *path, const struct rarog_feature_choice *choice,
				struct rarog_feature_analysis *ret_analysis);
/** rarog_feature_analysis_parse() - from the plug-in's JSON @text; @name: for messages. */
int rarog_feature_analysis_parse(const char *name, const char *text,
				 struct rarog_feature_analysis *ret_analysis);
void rarog_feature_analysis_release(struct rarog_feature_analysis *analysis);

/** rarog_feature_piece_find() - NULL: no region is open there. */
const struct rarog_feature_piece *rarog_feature_piece_find(
	const struct rarog_feature_analysis *analysis, uint32_t unit, uint32_t piece);

#endif
