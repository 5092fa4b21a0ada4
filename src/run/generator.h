/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Generators of workloads, as .rarog.yml describes them:
 *
 *   workloads:
 *     sizes: {type: integer, min: 100, max: 1000, step: 100}
 *
 * The same description makes the same workloads, byte for byte, on every machine: what is random is
 * seeded. A kind of generator is one file and one line in generator.c.
 */
#ifndef RAROG_RUN_GENERATOR_H
#define RAROG_RUN_GENERATOR_H

#include <stdint.h>

#include "base/json-writer.h"
#include "run/workload.h"
#include "store/yaml.h"

#define RAROG_WORKLOADS_MAX 10000 /* that one generator makes */

/* A generator as it was described. Texts are borrowed from the description. */
struct rarog_generator {
	const struct rarog_generator_kind *kind;
	const struct rarog_yaml *where; /* for messages */
	const char *id;
	/* integer, string, textfile: the numbers it goes through */
	int64_t minimum, maximum, step;
	uint64_t seed;
	/* textfile */
	int64_t min_chars, max_chars; /* of a line */
	bool randomize_rows;
	/* singleton */
	const char *value;
	bool has_number;
	double number;
	/* external */
	const char *command, *directory, *format, *delimiters, *x;
};

/* Where workloads that are files come to. */
struct rarog_generator_place {
	const char *directory; /* for files; NULL: make none, only say what there would be */
	const char *root;      /* of the project, for external commands: $RAROG_ROOT */
};

struct rarog_generator_kind {
	const char *name;
	const char *const *keys; /* of its description, besides type; NULL at the end */
	/* standard() - what holds where nothing is said; may be NULL */
	void (*standard)(struct rarog_generator *generator);
	/* check() - is it complete and sensible? 0 or -EINVAL; may be NULL */
	int (*check)(const struct rarog_generator *generator);
	/* generate() - append the workloads. With no place for files, those that are known. */
	int (*generate)(const struct rarog_generator *generator,
			const struct rarog_generator_place *place,
			struct rarog_workloads *workloads);
	/* describe() - members of the recipe besides type and id; NULL: minimum … seed are not used
	 */
	void (*describe)(struct rarog_json *json, const struct rarog_generator *generator);
};

extern const struct rarog_generator_kind rarog_generator_integer, rarog_generator_string,
	rarog_generator_textfile, rarog_generator_singleton, rarog_generator_external;

/** rarog_generator_read() - a description. @id: its name. 0; -EINVAL with file:line:column. */
int rarog_generator_read(const char *id, const struct rarog_yaml *description,
			 struct rarog_generator *ret_generator);

/** rarog_generator_generate() - append its workloads, each with its recipe. Return: 0; -EINVAL it
 * makes none, or too many; -errno. */
int rarog_generator_generate(const struct rarog_generator *generator,
			     const struct rarog_generator_place *place,
			     struct rarog_workloads *workloads);

/* --- for kinds --- */

/** rarog_generator_check_range() - minimum … maximum in steps: 0 or -EINVAL. */
int rarog_generator_check_range(const struct rarog_generator *generator, int64_t least);

/** rarog_generator_add() - the workload of number @n, called "ID:N". 0, -ENOMEM. */
int rarog_generator_add(const struct rarog_generator *generator, int64_t n, const char *text,
			struct rarog_workloads *workloads);

#endif
