/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What rarog check found, for people, programs and the services that build software. A format is
 * one file, which ends with its struct rarog_verdict_format, and one row of RAROG_VERDICT_FORMATS,
 * which is its option, too.
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

struct rarog_history_view;

struct rarog_verdict_format {
	/** write() - all of it. 0, -EIO, -ENOMEM. */
	int (*write)(const struct rarog_checks *checks, const struct rarog_verdict_options *options,
		     FILE *out);
	/** write_history() - of --history (view/history/changes.h); NULL: it cannot. Likewise. */
	int (*write_history)(const struct rarog_history_view *view, FILE *out);
};

/* row(struct rarog_verdict_format without rarog_verdict_, which is the option; help); of several
 * that are asked for the first is taken. */
#define RAROG_VERDICT_FORMATS(FORMAT)                                                              \
	FORMAT(json, "everything, for programs")                                                   \
	FORMAT(markdown, "for a comment on a pull request")                                        \
	FORMAT(junit, "JUnit's XML, for CI services")                                              \
	FORMAT(sarif, "SARIF 2.1.0, for code scanning")                                            \
	FORMAT(github, "annotations of GitHub Actions")

#define RAROG_VERDICT_FLAG(format, help) bool format;
struct rarog_verdicts_asked {
	RAROG_VERDICT_FORMATS(RAROG_VERDICT_FLAG)
};
#undef RAROG_VERDICT_FLAG

#define RAROG_VERDICT_EXTERN(format, help)                                                         \
	extern const struct rarog_verdict_format rarog_verdict_##format;
RAROG_VERDICT_FORMATS(RAROG_VERDICT_EXTERN)
#undef RAROG_VERDICT_EXTERN
extern const struct rarog_verdict_format rarog_verdict_text; /* if nothing is said */

/** rarog_verdict_format() - what was asked for. NULL: one of it has no @is_history. */
const struct rarog_verdict_format *rarog_verdict_format(const struct rarog_verdicts_asked *asked,
							bool is_history);

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

/** rarog_verdict_main_impact() - a tenth of all by which functions changed the run; what makes as
 * much (rarog_change_is_main()) is never left out, whatever the limit. */
double rarog_verdict_main_impact(const struct rarog_verdict *verdict);
bool rarog_change_is_main(const struct rarog_change *change, double least);

/** rarog_change_is_program() - is it about the whole program? */
bool rarog_change_is_program(const struct rarog_change *change);

/** rarog_change_title() - append the function's name (or the metric of the whole program), clean.
 */
int rarog_change_title(const struct rarog_change *change, struct rarog_str *text);

/** rarog_change_sentence() - append "work is slower: +8.5 % (…), 5.71 ms -> 6.20 ms; reason". */
int rarog_change_sentence(const struct rarog_change *change, struct rarog_str *text);

#endif
