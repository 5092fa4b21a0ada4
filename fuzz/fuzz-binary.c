/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An ELF file: opened, every function looked at as the engine and `rarog probes` do, its debug
 * information read, its names demangled, every entry judged, obstacles looked for, its digest made.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "binary/code-digest.h"
#include "binary/made-code.h"
#include "binary/own-ends.h"
#include "binary/patch-site.h"
#include "binary/stack-switch.h"
#include "binary/unwinder.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define MAX_SOURCES 64 /* line tables are read unit by unit: few addresses reach them all */

static void check(bool truth)
{
	if (!truth)
		abort();
}

static void use_function(struct rarog_binary *b, const struct rarog_function *f, bool with_source)
{
	struct rarog_source source;

	check(f->size > 0 && f->name[0]);
	check(rarog_binary_bytes(b, f->address, f->size) != NULL);
	for (uint32_t i = 0; i < f->n_aliases; i++)
		check(f->aliases[i][0] && strcmp(f->aliases[i], f->name) != 0);
	free(rarog_demangle(f->name));
	rarog_unwinder_raises(b, f);
	if (with_source && rarog_binary_source(b, f->address, &source) == 0)
		check(!source.file || source.file[0]);
}

static void use_inlined(struct rarog_binary *b, size_t n_functions)
{
	const struct rarog_inlined *inlined = NULL;
	long n = rarog_binary_inlined(b, &inlined);

	for (long i = 0; i < n; i++)
		check(inlined[i].host < n_functions && inlined[i].name);
}

static void use_obstacles(struct rarog_binary *b)
{
	static const char *const none[] = { NULL };

	rarog_stack_switch(b, none);
	rarog_walks_frames(b);
	rarog_makes_code(b);
	rarog_refers_to_ends(b);
}

/* Whatever is referred to is there. */
static void use_digest(const struct rarog_binary *b)
{
	struct rarog_code_digest digest;

	if (rarog_code_digest_make(b, &digest) == 0)
		for (size_t i = 0; i < digest.refs.n; i++)
			check(rarog_code_digest_find(&digest, digest.refs.v[i]) >= 0);
	rarog_code_digest_release(&digest);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct rarog_binary *b = NULL;
	const struct rarog_function *f;
	struct rarog_site *sites = NULL;

	if (rarog_binary_open_memory("input", n, bytes, &b) < 0)
		return 0;
	size_t n_functions = rarog_binary_functions(b, &f);

	for (size_t i = 0; i < n_functions; i++) {
		check(i == 0 || f[i - 1].address < f[i].address);
		use_function(b, &f[i], i < MAX_SOURCES);
	}
	use_inlined(b, n_functions);
	rarog_binary_interpreter(b);
	rarog_binary_has_symbol(b, "main");
	use_obstacles(b);
	use_digest(b);
	if (rarog_patch_sites(b, &sites) == 0)
		free(sites);
	rarog_binary_free(b);
	return 0;
}
