/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A project's build may link what the system has instead of what it just made, so a library of the
 * distribution is as interesting as any other. Only those are not that come with the compiler.
 */
#include "engine/inline/unhooked.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "binary/hooks.h"
#include "plan/unmatched.h"
#include "process/namespaces.h"

#define NAMED 5 /* the others are counted */

typedef RAROG_VEC(const char *) name_list;

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "libc.so.6", "libm-2.31.so": up to the point or hyphen. */
static bool comes_with_compiler(const char *name)
{
	static const char *const all[] = {
		"ld",         "libanl",       "libasan",    "libatomic",   "libc",
		"libc++",     "libc++abi",    "libdl",      "libgcc_s",    "libgomp",
		"liblsan",    "libm",         "libmvec",    "libnsl",      "libnss_compat",
		"libnss_dns", "libnss_files", "libpthread", "libquadmath", "libresolv",
		"librt",      "libstdc++",    "libtsan",    "libubsan",    "libunwind",
		"libutil",
	};
	size_t n = strcspn(name, ".-");

	for (size_t i = 0; i < RAROG_COUNT(all); i++)
		if (strlen(all[i]) == n && memcmp(all[i], name, n) == 0)
			return true;
	return false;
}

static bool is_library(const struct rarog_modules *modules, const char *path)
{
	const struct rarog_builds *libraries = &modules->software.libraries;

	for (size_t i = 0; i < libraries->list.n; i++)
		if (strcmp(libraries->list.v[i].path, path) == 0)
			return true;
	return false;
}

static bool has_no_hooks(const struct rarog_modules *modules)
{
	for (const struct rarog_module *m = modules->first; m; m = m->next)
		if (m->is_probed && rarog_hooks_any(m->binary))
			return false;
	return true;
}

static int compare_names(const void *left, const void *right)
{
	const char *const *a = left, *const *b = right;

	return strcmp(*a, *b);
}

static int add_libraries(const struct rarog_modules *modules, name_list *names)
{
	const struct rarog_builds *libraries = &modules->software.libraries;
	int r = 0;

	for (size_t i = 0; r == 0 && i < libraries->list.n; i++) {
		const char *path = libraries->list.v[i].path;

		if (!comes_with_compiler(base_name(path)) &&
		    !rarog_file_names(path, RAROG_HOOKS_TABLE))
			r = rarog_vec_push(names, base_name(path));
	}
	return r;
}

static int add_programs(const struct rarog_modules *modules, name_list *names)
{
	int r = 0;

	for (const struct rarog_module *m = modules->first; r == 0 && m; m = m->next)
		if (m->is_probed && !rarog_hooks_any(m->binary) && !is_library(modules, m->path))
			r = rarog_vec_push(names, base_name(m->path));
	return r;
}

static int describe(const name_list *names, struct rarog_str *text)
{
	size_t n = names->n, named = n <= NAMED + 1 ? n : NAMED;
	int r = 0;

	for (size_t i = 0; r == 0 && i < named; i++)
		r = rarog_str_addf(text, "%s%s",
				   i == 0       ? ""
				   : i + 1 == n ? " and "
						: ", ",
				   names->v[i]);
	if (r == 0 && named < n)
		r = rarog_str_addf(text, " and %zu more", n - named);
	return r < 0 ? r
		     : rarog_str_addf(text,
				      " %s not built with hooks: no function in there is "
				      "measured; rarog collect trace --libs does it",
				      n == 1 ? "was" : "were");
}

int rarog_unhooked_say(const struct rarog_modules *modules)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	name_list names = { 0 };
	int r;

	if (!modules->plan->hooked || has_no_hooks(modules))
		return 0;
	r = add_programs(modules, &names);
	if (r == 0)
		r = add_libraries(modules, &names);
	if (r < 0)
		r = rarog_oom();
	if (r == 0 && names.n > 0) {
		qsort(names.v, names.n, sizeof(*names.v), compare_names);
		r = describe(&names, &text);
		if (r == 0)
			rarog_warn("%s", rarog_str_text(&text));
	}
	rarog_vec_release(&names);
	return r;
}

static bool has_root(const struct rarog_module *m)
{
	for (size_t i = 0; i < m->probes.n; i++)
		if (m->probes.v[i].kind == RAROG_STUB_ROOT)
			return true;
	return false;
}

static int add_searched(const struct rarog_module *m, struct rarog_searched *searched)
{
	const struct rarog_searched_binary one = { m->binary, m->path, &m->places };
	const struct rarog_function *functions;
	int r = rarog_vec_push(&searched->binaries, one);

	rarog_binary_functions(m->binary, &functions);
	for (size_t i = 0; r == 0 && i < m->left.n; i++) {
		const struct rarog_searched_left left = {
			&functions[m->left.v[i].function],
			rarog_module_reason(m->left.v[i].verdict),
		};

		r = rarog_vec_push(&searched->left, left);
	}
	return r < 0 ? rarog_oom() : 0;
}

int rarog_modules_unmatched(const struct rarog_modules *modules, struct rarog_str *ret_text)
{
	rarog_cleanup(
		rarog_searched_release) struct rarog_searched searched = { .plan = modules->plan };
	int r = 0;

	for (const struct rarog_module *m = modules->first; r == 0 && m; m = m->next) {
		searched.has_root = searched.has_root || has_root(m);
		r = m->is_probed ? add_searched(m, &searched) : 0;
	}
	if (r == 0)
		r = rarog_unmatched(&searched, ret_text);
	return r;
}
