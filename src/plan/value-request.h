/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which arguments and results are to be captured (--args, --arg, --ret), and what of it a function
 * has. Every engine that captures values asks here.
 */
#ifndef RAROG_PLAN_VALUE_REQUEST_H
#define RAROG_PLAN_VALUE_REQUEST_H

#include <stdbool.h>

#include "base/match.h"
#include "base/vec.h"
#include "binary/binary.h"
#include "binary/value-path.h"

struct rarog_value_request {
	struct rarog_match functions;
	char *text;      /* as it was given, for the profile: "f", "f:list->length" */
	char *pattern;   /* of the functions */
	char *path;      /* from a parameter or "return"; NULL: all parameters */
	bool is_matched; /* a function was found */
};

struct rarog_value_requests {
	RAROG_VEC(struct rarog_value_request) all;
	bool is_foreign_said; /* that a function is in a language whose calls are not C's */
};

/**
 * rarog_value_request_is_name() - does it name a function (no glob)? As far as is known of the
 * binary that was settled for last. What cannot be captured of that is told.
 */
bool rarog_value_request_is_name(const struct rarog_value_request *request);

void rarog_value_requests_release(struct rarog_value_requests *requests);

/**
 * rarog_value_requests_args() - FUNC[:NAME,…] of --args; "all" is every function
 * rarog_value_requests_arg() - FUNC:PATH of --arg
 * rarog_value_requests_ret() - FUNC of --ret
 *
 * Return: 0; -EINVAL: not of that form, with message.
 */
int rarog_value_requests_args(struct rarog_value_requests *requests, const char *text);
int rarog_value_requests_arg(struct rarog_value_requests *requests, const char *text);
int rarog_value_requests_ret(struct rarog_value_requests *requests, const char *text);

/** rarog_value_requests_unmatched() - the pattern of a request that no function was found for;
 * NULL. */
const char *rarog_value_requests_unmatched(const struct rarog_value_requests *requests);

/** rarog_value_requests_say_undescribed() - a warning that of @n functions of @binary, the file
 * @path, there is no debug information, and why; 0: none. */
void rarog_value_requests_say_undescribed(struct rarog_binary *binary, const char *path, size_t n);

struct rarog_wanted_value {
	char *name, *type;
	struct rarog_value_path path;
	bool is_return;
};

/* Of one function; those at its entry first. */
struct rarog_wanted_values {
	RAROG_VEC(struct rarog_wanted_value) all;
	unsigned n_enter, n_leave;
};

void rarog_wanted_values_release(struct rarog_wanted_values *values);

/** rarog_value_requests_mean() - is anything wanted of @function, by its names? */
bool rarog_value_requests_mean(struct rarog_value_requests *requests,
			       const struct rarog_function *function);

/**
 * rarog_value_requests_of() - what is wanted of @function (an index) of @binary and can be had
 * @max: values at its entry, and at its return
 *
 * What is wanted by name and cannot be had is told in a warning each.
 * Return: 0; -ENODATA: something is wanted, but there is no debug information of it (no message);
 * -ENOMEM.
 */
int rarog_value_requests_of(struct rarog_value_requests *requests, struct rarog_binary *binary,
			    size_t function, unsigned max, struct rarog_wanted_values *ret_values);

#endif
