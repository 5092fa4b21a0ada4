/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The key is made of what the graph depends on: the build-id of each file and how large it is (a
 * stripped one has the same), those of the debug file that names its functions, and how it is read.
 * A file without build-id is known by all of its bytes.
 */
#include "run/call-graph-kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "binary/call-graph-bytes.h"
#include "binary/debug-file.h"
#include "binary/libraries.h"
#include "store/derived.h"

#define KIND "call-graph"

/* --- the key --- */

static int add_elf(struct rarog_str *text, const struct rarog_elf *elf)
{
	struct rarog_hash hash;

	if (elf->build_id[0])
		return rarog_str_addf(text, "%s %zu\n", elf->build_id, elf->size);
	rarog_hash_bytes(elf->size, elf->bytes, &hash);
	return rarog_str_addf(text, "%s\n", rarog_hash_hex(&hash).text);
}

static int add_file(struct rarog_str *text, const char *path)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = NULL, *debug = NULL;
	int r = rarog_elf_open(path, RAROG_ELF_PROGRAM, &elf);

	if (r < 0)
		return r;
	debug = rarog_debug_file_find(elf);
	r = add_elf(text, elf);
	return r == 0 && debug ? add_elf(text, debug) : r;
}

int rarog_binary_key(const char *path, const char *salt, struct rarog_hash *ret_key)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = rarog_str_addf(&text, "%s\n", salt);

	if (r == 0)
		r = add_file(&text, path);
	if (r == 0)
		rarog_hash_bytes(text.length, text.text, ret_key);
	return r;
}

static int make_key(const struct rarog_call_wanted *wanted, const struct rarog_libraries *paths,
		    struct rarog_hash *ret_key)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = rarog_str_addf(&text, "%d %d\n", RAROG_CALL_GRAPH_VERSION,
			       wanted->options.keep_parts);

	for (size_t i = 0; r == 0 && i < paths->n; i++) {
		r = rarog_str_addf(&text, "%s\n", paths->v[i]); /* it is in the graph */
		if (r == 0)
			r = add_file(&text, paths->v[i]);
	}
	if (r == 0)
		rarog_hash_bytes(text.length, text.text, ret_key);
	return r;
}

/* --- reading and keeping --- */

static int find_files(const struct rarog_call_wanted *wanted, struct rarog_libraries *paths)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;
	char *first = strdup(wanted->path);
	int r = first ? rarog_vec_push(paths, first) : rarog_oom();

	if (r < 0 || !wanted->libs)
		return r;
	r = rarog_binary_open(wanted->path, &binary);
	return r < 0 ? r : rarog_libraries_find(binary, paths);
}

static int read_files(const struct rarog_call_wanted *wanted, const struct rarog_libraries *paths,
		      struct rarog_call_graph *ret_graph)
{
	struct rarog_binary **binaries = calloc(paths->n + 1, sizeof(struct rarog_binary *));
	int r = binaries ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < paths->n; i++)
		r = rarog_binary_open(paths->v[i], &binaries[i]);
	if (r == 0)
		r = rarog_call_graph_read(paths->n, binaries, &wanted->options, ret_graph);
	for (size_t i = 0; binaries && i < paths->n; i++)
		rarog_binary_free(binaries[i]);
	free(binaries);
	return r;
}

/* Returns 1 if it was kept, else 0. */
static int find_kept(struct rarog_store *store, const struct rarog_hash *key,
		     struct rarog_call_graph *ret_graph)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	size_t n = 0;
	int r = rarog_derived_read(store, KIND, key, &bytes, &n);

	if (r <= 0)
		return r;
	r = rarog_call_graph_unpack(n, bytes, ret_graph);
	return r == -EBADMSG ? 0 : r < 0 ? r : 1;
}

/* What cannot be kept was read all the same. */
static int keep(struct rarog_store *store, const struct rarog_hash *key,
		const struct rarog_call_graph *graph)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	struct rarog_derived derived = { .kind = KIND, .key = *key };
	size_t n = 0;
	int r;

	if (rarog_store_is_read_only(store))
		return 0;
	r = rarog_call_graph_pack(graph, &bytes, &n);
	if (r == 0 && rarog_derived_put(store, &derived, n, bytes, 0, NULL) < 0)
		rarog_error_clear();
	return r;
}

int rarog_call_graph_kept_in(struct rarog_store *store, const struct rarog_call_wanted *wanted,
			     struct rarog_call_graph *ret_graph)
{
	rarog_cleanup(rarog_libraries_release) struct rarog_libraries paths = { 0 };
	struct rarog_hash key;
	int r = find_files(wanted, &paths);

	if (r == 0)
		r = make_key(wanted, &paths, &key);
	if (r == 0 && store && !wanted->again)
		r = find_kept(store, &key, ret_graph);
	if (r != 0)
		return r < 0 ? r : 0;
	r = read_files(wanted, &paths, ret_graph);
	return r == 0 && store ? keep(store, &key, ret_graph) : r;
}
