/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/digest-names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"

struct named {
	const char *name, *unit;
	uint32_t function;
};

static int by_name(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (order == 0)
		order = strcmp(a->unit, b->unit);
	return order ? order : (a->function > b->function) - (a->function < b->function);
}

/* Where several have one name, they are told apart by their source files, then by their order. */
static int name_group(struct rarog_text_pool *texts, size_t n, const struct named group[n],
		      const char *names[])
{
	uint32_t same = 0;

	for (size_t i = 0; i < n; i++) {
		rarog_cleanup(rarog_freep) char *name = NULL;

		same = i > 0 && strcmp(group[i].unit, group[i - 1].unit) == 0 ? same + 1 : 0;
		name = n == 1 ? strdup(group[i].name)
			      : rarog_asprintf("%s@%s#%u", group[i].name, group[i].unit, same);
		if (!name)
			return -ENOMEM;
		names[group[i].function] = rarog_text_pool_add(texts, strlen(name), name);
		if (!names[group[i].function])
			return -ENOMEM;
	}
	return 0;
}

int rarog_digest_names_make(size_t n, const struct rarog_function functions[n],
			    struct rarog_text_pool *texts, const char ***ret_names)
{
	rarog_cleanup(rarog_freep) struct named *all = calloc(n + 1, sizeof(*all));
	const char **names = calloc(n + 1, sizeof(*names));
	int r = 0;

	*ret_names = names;
	if (!all || !names)
		return rarog_oom();
	for (uint32_t i = 0; i < n; i++)
		all[i] = (struct named){ functions[i].name,
					 functions[i].unit ? functions[i].unit : "", i };
	if (n > 1)
		qsort(all, n, sizeof(*all), by_name);
	for (size_t i = 0, end; r == 0 && i < n; i = end) {
		for (end = i + 1; end < n && strcmp(all[end].name, all[i].name) == 0;)
			end++;
		r = name_group(texts, end - i, all + i, names);
	}
	return r < 0 ? rarog_oom() : 0;
}

static const char *name_part(uint32_t number, const char *owner, struct rarog_text_pool *texts)
{
	rarog_cleanup(rarog_freep) char *name = rarog_asprintf("=code of %s#%u", owner, number);

	return name ? rarog_text_pool_add(texts, strlen(name), name) : NULL;
}

int rarog_digest_names_make_parts(const struct rarog_call_scan *scan, const char *const names[],
				  struct rarog_text_pool *texts, const char ***ret_names)
{
	rarog_cleanup(rarog_freep) uint32_t *met = calloc(scan->n + 1, sizeof(*met));
	const char **all = calloc(scan->parts.n + 1, sizeof(*all));
	int r = met && all ? 0 : rarog_oom();

	*ret_names = all;
	for (size_t i = 0; r == 0 && i < scan->parts.n; i++) {
		const struct rarog_code_part *part = &scan->parts.v[i];
		uint32_t owner = part->owner < scan->n ? part->owner : scan->n;

		if (part->function != RAROG_CALL_NOWHERE)
			continue;
		all[i] = name_part(met[owner]++, owner < scan->n ? names[owner] : "", texts);
		r = all[i] ? 0 : rarog_oom();
	}
	return r;
}
