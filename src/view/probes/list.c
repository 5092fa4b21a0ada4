/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/probes/list.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "binary/mark-site.h"
#include "plan/function-match.h"
#include "plan/obstacles.h"

/* Names tested against the patterns: symbol, demangled, aliases. */
static bool is_meant(struct rarog_match *match, const struct rarog_function *f,
		     const char *demangled)
{
	const char *names[16] = { f->name, demangled };
	size_t n = 2;

	for (uint32_t i = 0; i < f->n_aliases && n < RAROG_COUNT(names); i++)
		names[n++] = f->aliases[i];
	return rarog_match_test(match, n, names);
}

static int add_probe(struct rarog_probe_list *list, struct rarog_match *match,
		     const struct rarog_function *f, const struct rarog_site *site)
{
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(f->name);
	struct rarog_listed_probe probe = {
		.function = f,
		.verdict = (enum rarog_site_verdict)site->verdict,
		.kind = (enum rarog_site_kind)site->kind,
	};
	int r;

	if (!is_meant(match, f, demangled))
		return 0;
	if (f->flags & RAROG_FUNCTION_COLD)
		list->n_cold++;
	else
		list->counts[probe.verdict]++;
	if (probe.verdict == RAROG_SITE_OK)
		list->kinds[probe.kind]++;
	r = rarog_binary_source(list->binary, f->address, &probe.source);
	if (r < 0)
		rarog_error_clear(); /* unknown, and shown so */
	probe.demangled = demangled;
	r = rarog_vec_push(&list->probes, probe);
	if (r == 0)
		demangled = NULL; /* the list has it now */
	return r;
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Every name that has code of its own, sorted. */
static const char **names_with_code(const struct rarog_probe_list *list, size_t *ret_n)
{
	size_t n = list->n_functions, at = 0;

	for (size_t i = 0; i < list->n_functions; i++)
		n += list->functions[i].n_aliases;
	const char **names = calloc(n + 1, sizeof(*names));

	if (!names)
		return NULL;
	for (size_t i = 0; i < list->n_functions; i++) {
		const struct rarog_function *f = &list->functions[i];

		names[at++] = f->name;
		for (uint32_t k = 0; k < f->n_aliases; k++)
			names[at++] = f->aliases[k];
	}
	qsort(names, n, sizeof(*names), compare_names);
	*ret_n = n;
	return names;
}

static int add_inlined(struct rarog_probe_list *list, struct rarog_match *match, size_t n,
		       const struct rarog_inlined instances[n])
{
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(instances[0].name);
	const char *names[] = { instances[0].name, demangled };
	int r;

	if (!rarog_match_test(match, RAROG_COUNT(names), names))
		return 0;
	r = rarog_vec_push(&list->inlined, (struct rarog_probe_inlined){ instances[0].name,
									 demangled, n, instances });
	if (r == 0)
		demangled = NULL; /* the list has it now */
	return r;
}

/* Instances are sorted by name: go from name to name. */
static int add_all_inlined(struct rarog_probe_list *list, struct rarog_match *match)
{
	const struct rarog_inlined *v = NULL;
	size_t n_names = 0;
	rarog_cleanup(rarog_freep) const char **names = names_with_code(list, &n_names);
	long n = rarog_binary_inlined(list->binary, &v);
	int r = 0;

	if (!names)
		return rarog_oom();
	for (long i = 0, end; i < n && r == 0; i = end) {
		end = i + 1;
		while (end < n && strcmp(v[end].name, v[i].name) == 0)
			end++;
		if (!bsearch(&v[i].name, names, n_names, sizeof(*names), compare_names))
			r = add_inlined(list, match, (size_t)(end - i), &v[i]);
	}
	return n < 0 ? (int)n : r;
}

/* --- marks --- */

static const char *find_end(const struct rarog_usdts *usdts, const struct rarog_usdt *begin)
{
	for (size_t i = 0; i < usdts->n; i++)
		if (strcmp(usdts->v[i].provider, begin->provider) == 0 &&
		    rarog_usdt_begins(begin->name, usdts->v[i].name))
			return usdts->v[i].name;
	return NULL;
}

static int add_mark(struct rarog_probe_list *list, struct rarog_match *match,
		    const struct rarog_usdt *usdt)
{
	rarog_cleanup(rarog_freep) char *whole =
		rarog_asprintf("%s:%s", usdt->provider, usdt->name);
	const char *names[] = { whole, usdt->name };
	struct rarog_probe_mark mark = { .usdt = *usdt, .end = find_end(&list->usdts, usdt) };

	if (!whole)
		return rarog_oom();
	if (!rarog_match_test(match, RAROG_COUNT(names), names))
		return 0;
	if (rarog_binary_source(list->binary, usdt->address, &mark.source) < 0)
		rarog_error_clear(); /* unknown, and shown so */
	return rarog_vec_push(&list->marks, mark);
}

static int judge_marks(struct rarog_probe_list *list)
{
	size_t n = list->marks.n;
	rarog_cleanup(rarog_freep) uint64_t *addresses = calloc(n + 1, sizeof(*addresses));
	rarog_cleanup(rarog_freep) struct rarog_mark_site *sites = calloc(n + 1, sizeof(*sites));
	int r = 0;

	if (!addresses || !sites)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		addresses[i] = list->marks.v[i].usdt.address;
	if (n > 0)
		r = rarog_mark_sites(list->binary, n, addresses, sites);
	for (size_t i = 0; r == 0 && i < n; i++)
		if (sites[i].verdict != RAROG_MARK_OK)
			list->marks.v[i].reason =
				rarog_mark_reason((enum rarog_mark_verdict)sites[i].verdict);
	return r;
}

static int add_marks(struct rarog_probe_list *list, struct rarog_match *match)
{
	int r = rarog_usdts_read(list->binary, &list->usdts);

	for (size_t i = 0; r == 0 && i < list->usdts.n; i++)
		r = add_mark(list, match, &list->usdts.v[i]);
	return r < 0 ? r : judge_marks(list);
}

int rarog_probe_list_read(const char *path, struct rarog_match *match,
			  struct rarog_probe_list *list)
{
	rarog_cleanup(rarog_freep) struct rarog_site *sites = NULL;
	int r;

	*list = (struct rarog_probe_list){ 0 };
	r = rarog_binary_open(path, &list->binary);
	if (r < 0)
		return r;
	list->n_functions = rarog_binary_functions(list->binary, &list->functions);
	r = rarog_patch_sites(list->binary, &sites);
	rarog_functions_settle(match, list->binary);
	list->refused = rarog_obstacles_reason(list->binary);
	for (size_t i = 0; i < list->n_functions && r == 0; i++)
		r = add_probe(list, match, &list->functions[i], &sites[i]);
	if (r == 0)
		r = add_all_inlined(list, match);
	return r < 0 ? r : add_marks(list, match);
}

void rarog_probe_list_release(struct rarog_probe_list *list)
{
	for (size_t i = 0; i < list->probes.n; i++)
		free(list->probes.v[i].demangled);
	for (size_t i = 0; i < list->inlined.n; i++)
		free(list->inlined.v[i].demangled);
	rarog_vec_release(&list->probes);
	rarog_vec_release(&list->inlined);
	rarog_vec_release(&list->marks);
	rarog_usdts_release(&list->usdts);
	free(list->refused);
	rarog_binary_free(list->binary);
	*list = (struct rarog_probe_list){ 0 };
}

size_t rarog_probe_list_total(const struct rarog_probe_list *list)
{
	return list->probes.n - list->n_cold;
}
