/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can be said of a function, or of the whole program, of which two versions were measured.
 * The words are Perun's, so that its users find them again.
 */
#ifndef RAROG_CHECK_CLASS_H
#define RAROG_CHECK_CLASS_H

#include <stdbool.h>

/* From the worst to the best; what is not about better or worse stands at the ends. */
enum rarog_class {
	RAROG_CLASS_UNKNOWN = 0,       /* inconclusive: the runs do not tell */
	RAROG_CLASS_NOT_IN_BASELINE,   /* it is new */
	RAROG_CLASS_TOTAL_DEGRADATION, /* of a whole binary or program, where a method sums up */
	RAROG_CLASS_SEVERE_DEGRADATION,
	RAROG_CLASS_DEGRADATION,
	RAROG_CLASS_MAYBE_DEGRADATION, /* slower, but perhaps by less than matters */
	RAROG_CLASS_NO_CHANGE,
	RAROG_CLASS_MAYBE_OPTIMIZATION,
	RAROG_CLASS_OPTIMIZATION,
	RAROG_CLASS_SEVERE_OPTIMIZATION,
	RAROG_CLASS_TOTAL_OPTIMIZATION,
	RAROG_CLASS_NOT_IN_TARGET, /* it is gone */
	RAROG_CLASSES
};

/** rarog_class_name() - "MaybeDegradation": for --json and configuration; static. */
const char *rarog_class_name(enum rarog_class class);

/** rarog_class_words() - "maybe slower": for people; static. */
const char *rarog_class_words(enum rarog_class class);

/* Slower for sure, whatever how much; perhaps; and the same of faster. */
bool rarog_class_is_degradation(enum rarog_class class);
bool rarog_class_is_optimization(enum rarog_class class);

/** rarog_class_at_most_maybe() - @class, but of what is better or worse for sure: perhaps. */
enum rarog_class rarog_class_at_most_maybe(enum rarog_class class);

/** rarog_class_is_certain() - neither unknown nor maybe. */
bool rarog_class_is_certain(enum rarog_class class);

#endif
