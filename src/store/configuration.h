/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the measured program was configured: its options with their values, "level" → "6". Like the
 * workload it is a part of the job: what was measured with other values is never compared. In a
 * header and in the catalogue it is a JSON object of texts; a profile that says nothing of options
 * has none.
 */
#ifndef RAROG_STORE_CONFIGURATION_H
#define RAROG_STORE_CONFIGURATION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/options.h"
#include "base/str.h"
#include "base/vec.h"

struct rarog_option_value {
	char *name, *value;
};

/* Sorted by name, each name once. Zeroed: empty. */
struct rarog_configuration {
	RAROG_VEC(struct rarog_option_value) list;
};

/** rarog_option_name_check() - letters, digits, '_', '-' and '.', 64 at most, and not "workload".
 * 0; -EINVAL says so. */
int rarog_option_name_check(const char *name);

/** rarog_configuration_set() - add an option. 0; -EINVAL: the name is none or is there already, the
 * value is not UTF-8; -ENOMEM. */
int rarog_configuration_set(struct rarog_configuration *configuration, const char *name,
			    const char *value);

/** rarog_configuration_set_all() - of a command line: NAME=VALUE each. As
 * rarog_configuration_set().
 */
int rarog_configuration_set_all(struct rarog_configuration *configuration,
				const struct rarog_strings *settings);

/** rarog_configuration_read() - add the members of @object (NULL: none) that are texts, numbers or
 * truths. 0 or -ENOMEM. */
int rarog_configuration_read(struct rarog_configuration *configuration, const json_t *object);

/** rarog_configuration_parse() - the same of a JSON text; "" and what is no object: none. */
int rarog_configuration_parse(struct rarog_configuration *configuration, const char *json);

void rarog_configuration_release(struct rarog_configuration *configuration);

/** rarog_configuration_json() - canonical JSON, "" of an empty one. NULL: no memory. The caller
 * frees. */
char *rarog_configuration_json(const struct rarog_configuration *configuration);

/** rarog_configuration_get() - the value of option @name; borrowed; NULL: there is none. */
const char *rarog_configuration_get(const struct rarog_configuration *configuration,
				    const char *name);

/** rarog_configuration_number() - the value of option @name as a number: x of a model. false: there
 * is none, or it is no number. */
bool rarog_configuration_number(const struct rarog_configuration *configuration, const char *name,
				double *ret_number);

/** rarog_configuration_includes() - does @json (of rarog_configuration_json(), may be NULL) have
 * all of @wanted, whatever else? 1, 0 or -ENOMEM. */
int rarog_configuration_includes(const char *json, const struct rarog_configuration *wanted);

/** rarog_configuration_without() - @json (may be NULL) without option @name (NULL: with all), as
 * rarog_configuration_json(). */
char *rarog_configuration_without(const char *json, const char *name);

/** rarog_configuration_add() - append @before and "fast=true level=6", for people; nothing if it is
 * empty. Values with spaces are in quotes. 0 or -ENOMEM. */
int rarog_configuration_add(const struct rarog_configuration *configuration, const char *before,
			    struct rarog_str *text);

/** rarog_configuration_words() - the same of a JSON text (rarog_configuration_json(), may be NULL).
 */
int rarog_configuration_words(const char *json, const char *before, struct rarog_str *text);

#endif
