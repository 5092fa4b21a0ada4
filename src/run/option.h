/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options of the measured program with the values that a job goes through, as .rarog.yml says it:
 *
 *   options:
 *     level: [1, 6, 9]                             --level=1, --level=6, --level=9
 *     v: 2                                         -v 2
 *     fast: [no, yes]                              nothing, --fast
 *     size: {flag: "-%v", values: [1, 6, 9]}       -1, -6, -9
 *
 * What stands in the flag as %v is the value; a flag without it has the value after it. A truth is
 * the flag alone, or nothing. Where the command line or the environment has {level}, that is
 * replaced by the value instead, and nothing is added.
 */
#ifndef RAROG_RUN_OPTION_H
#define RAROG_RUN_OPTION_H

#include "base/vec.h"
#include "run/words.h"
#include "store/yaml.h"

/* Texts are borrowed from the settings or the command line. */
struct rarog_run_value {
	const char *text; /* as it is kept: of a switch "true" or "false" */
	bool is_switch, is_on;
};

#define RAROG_RUN_OPTIONS_MAX 32

struct rarog_run_option {
	const char *name;
	const char *flag;                         /* NULL: the usual one */
	RAROG_VEC(struct rarog_run_value) values; /* at least one */
};

/* Zeroed: none. In the order in which they come on the command line. */
struct rarog_run_options {
	RAROG_VEC(struct rarog_run_option) list;
};

/** rarog_run_options_read() - the section "options" of a job. 0; -EINVAL with file:line:column. */
int rarog_run_options_read(const struct rarog_yaml *node, struct rarog_run_options *options);

/** rarog_run_options_add() - one with one value, from elsewhere; -EINVAL: no name. A value that
 * would be a truth in YAML is one. */
int rarog_run_options_add(struct rarog_run_options *options, const char *name, const char *value);

void rarog_run_options_release(struct rarog_run_options *options);

/** rarog_run_option_find() - the option @name. NULL: there is none. */
struct rarog_run_option *rarog_run_option_find(const struct rarog_run_options *options,
					       const char *name);

/** rarog_run_option_choose() - leave of its values only @text. false: it does not have it. */
bool rarog_run_option_choose(struct rarog_run_option *option, const char *text);

/** rarog_run_configurations() - how many combinations of values there are; 1 without options;
 * SIZE_MAX: too many to count. */
size_t rarog_run_configurations(const struct rarog_run_options *options);

/** rarog_run_value_in() - the value of option @i in the combination @configuration; the last option
 * changes first. */
const struct rarog_run_value *rarog_run_value_in(const struct rarog_run_options *options,
						 size_t configuration, size_t i);

/** rarog_run_option_add_words() - append what stands for @value on a command line. 0; -EINVAL the
 * flag cannot be split into words; -ENOMEM. */
int rarog_run_option_add_words(const struct rarog_run_option *option,
			       const struct rarog_run_value *value, struct rarog_words *words);

#endif
