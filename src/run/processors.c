/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/processors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static int fail(const char *text)
{
	return rarog_fail(-EINVAL, "'%s': expected processors, such as 1,3-5, or all", text);
}

static int add_range(const char *text, const char **at, cpu_set_t *set)
{
	char *end;
	long first = strtol(*at, &end, 10), last = first;

	if (end == *at)
		return fail(text);
	if (*end == '-') {
		*at = end + 1;
		last = strtol(*at, &end, 10);
		if (end == *at)
			return fail(text);
	}
	if (first < 0 || last < first || last >= CPU_SETSIZE)
		return fail(text);
	for (long i = first; i <= last; i++)
		CPU_SET((size_t)i, set);
	*at = end;
	return 0;
}

static int parse(const char *text, cpu_set_t *set)
{
	CPU_ZERO(set);
	for (const char *at = text;; at++) {
		int r = add_range(text, &at, set);

		if (r < 0 || !*at)
			return r;
		if (*at != ',')
			return fail(text);
	}
}

static void all_but_first(const cpu_set_t *allowed, cpu_set_t *set)
{
	*set = *allowed;
	for (size_t i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, set))
			continue;
		CPU_CLR(i, set);
		return;
	}
}

int rarog_processors_choose(const char *text, struct rarog_processors *ret_processors)
{
	struct rarog_processors chosen = { 0 };
	cpu_set_t allowed, both;
	int r = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0 ||
	    (text && strcmp(text, "all") == 0) || (!text && CPU_COUNT(&allowed) < 2)) {
		*ret_processors = chosen;
		return 0;
	}
	if (text)
		r = parse(text, &chosen.program);
	else
		all_but_first(&allowed, &chosen.program);
	if (r < 0)
		return r;
	CPU_AND(&both, &allowed, &chosen.program);
	if (!CPU_EQUAL(&both, &chosen.program))
		return rarog_fail(-EINVAL,
				  "'%s': not all of these processors may be used; nproc "
				  "and taskset -p $$ say which",
				  text);
	CPU_XOR(&chosen.rest, &allowed, &chosen.program);
	chosen.is_pinned = true;
	*ret_processors = chosen;
	return 0;
}
