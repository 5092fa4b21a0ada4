/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * May two measurements be compared, and if not, why not: by what their headers say of job,
 * collector, machine, software and conditions. rarog diff marks what is said here, rarog check
 * obeys it.
 */
#ifndef RAROG_STORE_COMPATIBLE_H
#define RAROG_STORE_COMPATIBLE_H

#include "base/vec.h"
#include "store/facts.h"

/* How much of two profiles can be compared; each includes what the ones after it forbid. */
enum rarog_comparable {
	RAROG_COMPARABLE_ALL,
	RAROG_COMPARABLE_NOTED,  /* all of it, but a change may be due to what is noted */
	RAROG_COMPARABLE_COUNTS, /* numbers of calls, no times */
	RAROG_COMPARABLE_NOTHING,
};

enum rarog_aspect {
	RAROG_ASPECT_JOB,
	RAROG_ASPECT_COLLECTOR, /* with engine and parameters */
	RAROG_ASPECT_MACHINE,
	RAROG_ASPECT_COMPILER,
	RAROG_ASPECT_FLAGS,
	RAROG_ASPECT_LIBRARIES,  /* libc and what else was loaded */
	RAROG_ASPECT_CONDITIONS, /* of either run: it was noisy */
};

/** Names for programs: "all", "noted", "counts", "nothing"; "job", "collector" …. */
extern const char *const rarog_comparable_names[];
extern const char *const rarog_aspect_names[];

struct rarog_reason {
	enum rarog_aspect aspect;
	enum rarog_comparable comparable; /* never ALL */
	char *words;                      /* one line without a full stop, own */
};

/* Zeroed: comparable, no reason. */
struct rarog_compatibility {
	enum rarog_comparable comparable;   /* the worst of its reasons */
	RAROG_VEC(struct rarog_reason) why; /* the worst first */
};

/**
 * rarog_compatible() - of the profiles that @a and @b are the facts of; @a is the older
 *
 * Nothing is compared under different commands, arguments, workloads, options of the program,
 * collectors or engines; the same program under another path is noted. No times are compared across
 * parameters or machine classes. Other software is noted: a new compiler may be what one wants to
 * see. What one of the two does not say is noted, what neither says is passed over. Versions of the
 * source are what is to be compared and no part of this.
 *
 * Return: 0 or -ENOMEM.
 */
int rarog_compatible(const struct rarog_facts *a, const struct rarog_facts *b,
		     struct rarog_compatibility *ret_compatibility);

void rarog_compatibility_release(struct rarog_compatibility *compatibility);

#endif
