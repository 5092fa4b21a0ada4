/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names from templates: "%collector%-%cmd%-%workload%-%date%". Tags: collector, engine, cmd, args,
 * workload, options, type, date, origin (version), counter, label, job, postprocessors,
 * COLLECTOR.PARAMETER; each may have a width, %origin:8% (cut or padded). %% is a percent sign. In
 * names of files, a tag without a value takes the separator in front of it along.
 */
#ifndef RAROG_STORE_TEMPLATE_H
#define RAROG_STORE_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "store/facts.h"

#define RAROG_TEMPLATE_DEFAULT "%collector%-%cmd%-%workload%-%date%"

/** rarog_template_check() - is it one? 0; -EINVAL names the tag that is not known, with the nearest
 * one, or the percent sign without an end. */
int rarog_template_check(const char *format);

/**
 * rarog_template_file() - a file name: what a path may not hold or a shell would mind becomes '_'
 * @facts: of the profile
 * @counter: of %counter%
 *
 * Never empty, never longer than 200 bytes, no leading dot or dash, ends in .rarog.
 */
int rarog_template_file(const char *format, const struct rarog_facts *facts, uint64_t counter,
			struct rarog_str *name);

/** rarog_template_is_one() - has @text a tag, known or not? Else it is a plain name, whatever
 * percent signs it has. */
bool rarog_template_is_one(const char *text);

/** rarog_template_counts() - has the template (checked) a %counter%? */
bool rarog_template_counts(const char *format);

/**
 * rarog_template_path() - a path as the user wrote it, with directories and suffix; only what tags
 * bring in is made safe
 *
 * %counter% is the first number from 1 on under which there is no file yet. The caller frees.
 * Return: 0; -EINVAL as rarog_template_check(), or the name is empty.
 */
int rarog_template_path(const char *format, const struct rarog_facts *facts, char **ret_path);

/* For lists (status, log): any tags, replaced as they are. */
struct rarog_template_tag {
	const char *name;
	const char *value;
};

/** rarog_template_line() - append @format with tags[n] replaced, widths counted in columns.
 * -EINVAL an unknown tag. */
int rarog_template_line(const char *format, size_t n, const struct rarog_template_tag tags[],
			struct rarog_str *line);

#endif
