/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * YAML as people write settings in it: a tree in which every node knows where it stands, so that
 * every complaint about it begins with file:line:column. Read by libyaml; what a settings file has
 * no use for (several documents, keys that are no scalars, the same key twice) is an error.
 *
 *   struct rarog_yaml_file file;
 *   r = rarog_yaml_read(".rarog.yml", &file);
 *   const struct rarog_yaml *jobs = rarog_yaml_get(file.root, "jobs");
 *   for (size_t i = 0; jobs && i < jobs->n; i++)
 *           read_job(jobs->members[i].key->text, jobs->members[i].value);
 */
#ifndef RAROG_STORE_YAML_H
#define RAROG_STORE_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum rarog_yaml_kind { RAROG_YAML_SCALAR, RAROG_YAML_LIST, RAROG_YAML_MAP };

struct rarog_yaml;

struct rarog_yaml_member {
	const struct rarog_yaml *key; /* always a scalar; NULL in a list */
	const struct rarog_yaml *value;
};

/* A node; all of it is the file's. An alias (*name) is the anchored node itself. */
struct rarog_yaml {
	enum rarog_yaml_kind kind;
	bool is_plain;    /* SCALAR without quotes: may be a number, a truth or nothing at all */
	bool is_flow;     /* LIST, MAP in brackets */
	const char *name; /* of the file, for messages */
	uint32_t line, column;             /* from 1; columns in characters */
	size_t start, end;                 /* bytes of the file's text */
	const char *text;                  /* SCALAR: its value; else NULL */
	size_t n;                          /* LIST, MAP */
	struct rarog_yaml_member *members; /* in the order of the file */
	size_t weight; /* nodes below and this one, aliases counted where they are used */
	size_t height; /* levels below and this one; bounded, so recursion is safe */
};

struct rarog_yaml_file {
	const struct rarog_yaml *root; /* an empty file is an empty map */
	struct rarog_yaml_pool *pool;  /* what the nodes live in */
};

/**
 * rarog_yaml_parse() - read @bytes
 * @name: of the file, for messages; copied
 *
 * Return: 0; -EINVAL with "name:line:column: what was expected"; -ENOMEM.
 */
int rarog_yaml_parse(const char *name, size_t n, const char *bytes,
		     struct rarog_yaml_file *ret_file);

/** rarog_yaml_read() - the file @path, at most 4 MiB. -ENOENT: there is none. */
int rarog_yaml_read(const char *path, struct rarog_yaml_file *ret_file);

void rarog_yaml_release(struct rarog_yaml_file *file); /* fits rarog_cleanup() */

/* --- looking --- */

/** rarog_yaml_get() - the member @key of a map; NULL: none, or @map is none (NULL too). */
const struct rarog_yaml *rarog_yaml_get(const struct rarog_yaml *map, const char *key);

/** rarog_yaml_index() - of the member that @n bytes at @part name, or count in a list; node->n:
 * there is none. */
size_t rarog_yaml_index(const struct rarog_yaml *node, size_t n, const char *part);

/** rarog_yaml_find() - by a dotted path: "collect.detail", "jobs.0.command" (lists are counted
 * from 0). NULL: there is none. Keys that have a dot cannot be found so. */
const struct rarog_yaml *rarog_yaml_find(const struct rarog_yaml *node, const char *path);

/** rarog_yaml_is_null() - nothing was written, or ~, or null. NULL too. */
bool rarog_yaml_is_null(const struct rarog_yaml *node);

/** rarog_yaml_equal() - the same values, wherever they stand and however they are quoted. */
bool rarog_yaml_equal(const struct rarog_yaml *a, const struct rarog_yaml *b);

/* --- reading values; all: 0, or -EINVAL with "file:line:column: expected …" --- */

/** rarog_yaml_fail() - a complaint about @node; returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int rarog_yaml_fail(const struct rarog_yaml *node,
							  const char *format, ...);

/** rarog_yaml_at() - @r; a complaint that names no place yet, -EINVAL, is one about @node. */
int rarog_yaml_at(const struct rarog_yaml *node, int r);

int rarog_yaml_text(const struct rarog_yaml *node, const char **ret_text); /* borrowed */
int rarog_yaml_bool(const struct rarog_yaml *node, bool *ret_value); /* true, false, yes, no … */
int rarog_yaml_int(const struct rarog_yaml *node, int64_t minimum, int64_t maximum,
		   int64_t *ret_value);
int rarog_yaml_double(const struct rarog_yaml *node, double *ret_value);
int rarog_yaml_duration(const struct rarog_yaml *node, uint64_t *ret_ns);
int rarog_yaml_size(const struct rarog_yaml *node, uint64_t *ret_bytes);

/** rarog_yaml_choice() - index into @choices, NULL-terminated; near ones are suggested. */
int rarog_yaml_choice(const struct rarog_yaml *node, const char *const choices[], int *ret_index);

/** rarog_yaml_expect() - is it of @kind? @what: "a list of commands". */
int rarog_yaml_expect(const struct rarog_yaml *node, enum rarog_yaml_kind kind, const char *what);

/** rarog_yaml_check_keys() - has the map no member but @known (NULL-terminated)? An unknown key is
 * named with the near ones. @node that is no map: "expected @what". */
int rarog_yaml_check_keys(const struct rarog_yaml *node, const char *what,
			  const char *const known[]);

/* --- writing --- */

/** rarog_yaml_print() - append @node as YAML in block style, indented by @indent columns; ends with
 * a newline. */
int rarog_yaml_print(const struct rarog_yaml *node, unsigned indent, struct rarog_str *text);

/** rarog_yaml_print_flow() - append it in one line: a, "two words", [1, 2], {a: b}. */
int rarog_yaml_print_flow(const struct rarog_yaml *node, struct rarog_str *text);

#endif
