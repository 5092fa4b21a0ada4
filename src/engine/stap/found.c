/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What SystemTap makes of a script (stap -p2): a line for each probe that it places.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/vec.h"
#include "engine/stap/script-parts.h"
#include "engine/stap/script.h"

#define NOT_FOUND "is not found by SystemTap"

struct addresses {
	RAROG_VEC(uint64_t) list;
};

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* A line is: process("PATH").function(…).call, comment with pc=.dynamic+0x1139, and more. 0: it is
 * not of that kind. */
static uint64_t address_in(const char *line, const char *start)
{
	const char *end = strchrnul(line, '\n'), *pc;

	if (!rarog_starts_with(line, start))
		return 0;
	pc = memmem(line, (size_t)(end - line), " pc=", 4);
	while (pc && pc < end && *pc != '+')
		pc++;
	return pc && pc < end ? strtoull(pc + 1, NULL, 16) : 0;
}

static int find_addresses(const char *elaborated, const char *start, struct addresses *ret)
{
	for (const char *line = elaborated; line && *line;) {
		uint64_t address = address_in(line, start);

		if (address != 0 && rarog_vec_push(&ret->list, address) < 0)
			return rarog_oom();
		line = strchr(line, '\n');
		line += line != NULL;
	}
	if (ret->list.n > 0)
		qsort(ret->list.v, ret->list.n, sizeof(*ret->list.v), compare_addresses);
	return 0;
}

static bool has(const struct addresses *found, uint64_t address)
{
	return found->list.n > 0 &&
	       bsearch(&address, found->list.v, found->list.n, sizeof(address), compare_addresses);
}

static int leave_out_functions(struct rarog_probed_module *m, const struct addresses *found)
{
	const struct rarog_function *functions;
	int r = 0;

	rarog_binary_functions(m->binary, &functions);
	for (size_t i = 0; r == 0 && i < m->n; i++) {
		uint64_t address = functions[m->probes[i].function].address;

		if (rarog_stap_function_at(m, address) && !has(found, address))
			r = rarog_probed_module_leave_out(m, i, "SystemTap does not find it");
	}
	return r;
}

/* Those at a function's entry are told by its probe, also if it has one of its own for a semaphore.
 * Return: the first mark that is not found; marks.v.n: all are. */
static size_t find_missing(const struct rarog_probed_module *m, const struct addresses *functions,
			   const struct addresses *statements)
{
	size_t i = 0;

	while (i < m->marks.v.n) {
		uint64_t address = m->marks.v.v[i].address;

		if (!has(rarog_stap_function_at(m, address) ? functions : statements, address))
			break;
		i++;
	}
	return i;
}

/* A name is measured at all of its places or at none. */
static long leave_out_marks(struct rarog_probed_module *m, const struct addresses *functions,
			    const struct addresses *statements)
{
	long n = 0;

	for (;;) {
		size_t i = find_missing(m, functions, statements);

		if (i >= m->marks.v.n)
			return n;
		rarog_debug(RAROG_LOG_SITE, "%s: %s left out: " NOT_FOUND, m->path,
			    m->marks.names.v[m->marks.v.v[i].name].text);
		rarog_marks_leave_out(&m->marks, i, NOT_FOUND);
		n++;
	}
}

/* Of what is escaped in a script SystemTap prints quotes so, and nothing else. */
static int put_printed(struct rarog_str *text, const char *path)
{
	int r = rarog_str_add(text, "process(\"");

	for (const char *c = path; r == 0 && *c; c++)
		r = rarog_str_addf(text, *c == '"' ? "\\%c" : "%c", *c);
	return r < 0 ? r : rarog_str_add(text, "\")");
}

static int find_kind(const char *elaborated, const char *path, const char *kind,
		     struct addresses *ret)
{
	rarog_cleanup(rarog_str_release) struct rarog_str start = { 0 };
	int r = put_printed(&start, path);

	if (r == 0)
		r = rarog_str_add(&start, kind);
	return r < 0 ? r : find_addresses(elaborated, rarog_str_text(&start), ret);
}

static long leave_out(struct rarog_probed_module *m, const char *elaborated)
{
	struct addresses functions = { 0 }, statements = { 0 };
	long n = find_kind(elaborated, m->path, ".function(", &functions);

	if (n == 0)
		n = find_kind(elaborated, m->path, ".statement(", &statements);
	if (n == 0)
		n = leave_out_marks(m, &functions, &statements);
	if (n >= 0 && leave_out_functions(m, &functions) < 0)
		n = -ENOMEM;
	rarog_vec_release(&functions.list);
	rarog_vec_release(&statements.list);
	return n;
}

long rarog_stap_found(struct rarog_probed *run, const char *elaborated)
{
	long all = 0, n = 0;

	for (size_t i = 0; n >= 0 && i < run->modules.n; i++) {
		n = leave_out(&run->modules.v[i], elaborated);
		all += n;
	}
	return n < 0 ? n : all;
}
