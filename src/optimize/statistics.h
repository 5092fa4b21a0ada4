/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an earlier run of the same command and workload says of functions. */
#ifndef RAROG_OPTIMIZE_STATISTICS_H
#define RAROG_OPTIMIZE_STATISTICS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/reader.h"

struct rarog_function_statistics {
	char *name;
	uint64_t count, sampled; /* calls, 0: none in a whole run; and those of them with times */
	uint32_t every;          /* of which the sampled are each n-th; 1: all */
	double total_ns, min_ns, max_ns, q1_ns, median_ns, q3_ns;
	bool has_quartiles;
	char *digest;  /* key of the file's digest when it was measured; NULL: not known */
	char *machine; /* class of that on which it was measured; NULL: not known */
	uint32_t age;  /* runs since then in which it was not measured */
};

struct rarog_statistics {
	RAROG_VEC(struct rarog_function_statistics) v; /* by name */
	uint32_t runs;                                 /* before the one that it is of */
	bool lacks_times; /* some are of another machine, and were left out */
};

/** rarog_statistics_find() - of the function called @name; NULL: it was not measured, or several
 * are called so. */
const struct rarog_function_statistics *rarog_statistics_find(
	const struct rarog_statistics *statistics, const char *name);

/** rarog_statistics_are_old() - it is measured again every @again runs; 0: never. */
static inline bool rarog_statistics_are_old(const struct rarog_function_statistics *f, double again)
{
	return again > 0 && f->age + 1 >= again;
}

/**
 * rarog_statistics_read() - add what @profile says of the functions of the file @path
 * Of a function that is only counted there are no times. 0; -EBADMSG with message, -ENOMEM.
 */
int rarog_statistics_read(struct rarog_statistics *statistics, struct rarog_profile *profile,
			  const char *path);

/** rarog_statistics_add_uncalled() - after read(), of a whole run: the functions of @path that had
 * a probe all the time, and that nobody called. 0; -EBADMSG with message, -ENOMEM. */
int rarog_statistics_add_uncalled(struct rarog_statistics *statistics,
				  struct rarog_profile *profile, const char *path);

/** rarog_statistics_stamp() - all that is there was measured with the file whose digest is called
 * @digest, on a machine of the class @machine. 0, -ENOMEM. */
int rarog_statistics_stamp(struct rarog_statistics *statistics, const char *digest,
			   const char *machine);

/** rarog_statistics_localise() - leave out times that are not of a machine of the class @machine;
 * how often something was called is the same on all. */
void rarog_statistics_localise(struct rarog_statistics *statistics, const char *machine);

/** rarog_statistics_carry() - add what @older has and @statistics has not, one run older; and that
 * something was called once, instead of that it was not called now. */
int rarog_statistics_carry(struct rarog_statistics *statistics,
			   const struct rarog_statistics *older);

/** rarog_statistics_pack() - as an array of JSON; the caller's. NULL: no memory. */
json_t *rarog_statistics_pack(const struct rarog_statistics *statistics);

/** rarog_statistics_unpack() - of a JSON object with that array as "functions". 0; -EBADMSG without
 * message: these are not such bytes; -ENOMEM. */
int rarog_statistics_unpack(size_t n, const char *bytes, struct rarog_statistics *ret_statistics);

/** rarog_statistics_settle() - after functions were added: sort them by name. */
void rarog_statistics_settle(struct rarog_statistics *statistics);
void rarog_statistics_release(struct rarog_statistics *statistics); /* fits rarog_cleanup() */

#endif
