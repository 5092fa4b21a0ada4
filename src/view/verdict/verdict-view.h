/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What rarog check found, for people, programs and the services that build software. A format is
 * one file and one line in formats.c.
 */
#ifndef RAROG_VIEW_VERDICT_VERDICT_VIEW_H
#define RAROG_VIEW_VERDICT_VERDICT_VIEW_H

#include <stdio.h>

#include "base/str.h"
#include "check/check.h"

struct rarog_verdict_options {
	const char *baseline, *target; /* of all checks, for people */
	size_t limit;                  /* functions shown at most, where a format is for people */
	int width;                     /* of the terminal, 0: any */
	bool colour;
};

struct rarog_verdict_format {
	const char *name; /* "json" */
	/** write() - all of it. 0, -EIO, -ENOMEM. */
	int (*write)(const struct rarog_checks *checks, const struct rarog_verdict_options *options,
		     FILE *out);
};

extern const struct rarog_verdict_format rarog_verdict_text, rarog_verdict_json,
	rarog_verdict_markdown, rarog_verdict_junit, rarog_verdict_sarif, rarog_verdict_github;

/* --- what the formats have in common --- */

/** rarog_verdict_sentence() - the finding of one check as a sentence, one word at least. */
const char *rarog_verdict_sentence(enum rarog_finding finding);

/** rarog_change_amount() - of a change's metric: "12.35 ms", "1,000", "-" unknown. */
struct rarog_verdict_words {
	char text[64];
};
struct rarog_verdict_words rarog_change_amount(const struct rarog_change *change, double amount);

/** rarog_change_percent() - "+5.3 %", "×12" from a thousand percent on; "-" unknown. */
struct rarog_verdict_words rarog_change_percent(double relative);

/** rarog_change_interval() - "+4.1 … +6.5 %", "" unknown. */
struct rarog_verdict_words rarog_change_interval(const struct rarog_change *change);

/** rarog_change_odds() - "q 0.0012", "" without a test. */
struct rarog_verdict_words rarog_change_odds(const struct rarog_change *change);

/** rarog_change_is_notable() - does it say more than that nothing changed? */
bool rarog_change_is_notable(const struct rarog_change *change);

/** rarog_change_is_program() - is it about the whole program? */
bool rarog_change_is_program(const struct rarog_change *change);

/** rarog_change_title() - append the function's name (or the metric of the whole program), clean.
 */
int rarog_change_title(const struct rarog_change *change, struct rarog_str *text);

/** rarog_change_sentence() - append "work is slower: +8.5 % (…), 5.71 ms -> 6.20 ms; reason". */
int rarog_change_sentence(const struct rarog_change *change, struct rarog_str *text);

/** rarog_markdown_add() - @text such that nothing in it is taken for markup. 0 or -ENOMEM. */
int rarog_markdown_add(FILE *out, const char *text);

#endif
