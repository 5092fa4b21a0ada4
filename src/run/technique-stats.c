/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/technique-stats.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "optimize/digest-diff.h"
#include "optimize/name-json.h"
#include "run/call-graph-kept.h"
#include "store/derived.h"
#include "store/machine.h"
#include "store/stats.h"

#define DIGEST        "code-digest"
#define VERSIONS_MOST 1000 /* that are looked through */
#define ARGUMENTS_MAX 24   /* letters of them in a name; a hash tells them apart */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Of the file @path, from the root where it is below it. NULL: no memory. */
static char *place_of(const struct rarog_technique_stats *stats, const char *path)
{
	rarog_cleanup(rarog_freep) char *root = stats->root ? realpath(stats->root, NULL) : NULL;
	rarog_cleanup(rarog_freep) char *real = realpath(path, NULL);
	const char *place = real ? real : path;
	size_t n = root ? strlen(root) : 0;

	return strdup(n > 0 && strncmp(place, root, n) == 0 && place[n] == '/' ? place + n + 1
									       : place);
}

static bool is_writable(const struct rarog_technique_stats *stats)
{
	return stats->store && !rarog_store_is_read_only(stats->store);
}

/* --- versions --- */

static int visit(const struct rarog_commit *commit, void *user)
{
	struct rarog_technique_stats *stats = user;
	char *copy = strdup(commit->name);

	if (copy && rarog_vec_push(&stats->versions, copy) == 0)
		return 0;
	free(copy);
	return rarog_oom();
}

static int find_base(struct rarog_technique_stats *stats, const char *base)
{
	struct rarog_commit commit = { 0 };
	int n = (int)strcspn(base, "="), r = rarog_vcs_resolve(stats->vcs, base + n + 1, &commit);

	if (r == 0)
		stats->base = rarog_take(commit.name);
	rarog_commit_release(&commit);
	return r < 0 ? rarog_fail_prefix(r, "--opt %.*s", n, base) : r;
}

static int find_head(struct rarog_technique_stats *stats)
{
	struct rarog_vcs_state state = { 0 };
	int r = stats->version ? 0 : rarog_vcs_state(stats->vcs, false, &state);

	if (stats->version) {
		stats->head = strdup(stats->version);
		return stats->head ? 0 : rarog_oom();
	}
	stats->head = rarog_take(state.head);
	stats->is_changed = state.is_dirty;
	rarog_vcs_state_release(&state);
	return r;
}

static int find_machine(struct rarog_technique_stats *stats)
{
	rarog_cleanup(rarog_machine_release) struct rarog_machine machine = { 0 };
	struct rarog_hash class = { 0 };
	int r = rarog_machine_read(stats->given_class, &machine);

	if (r == 0)
		r = rarog_machine_class(&machine, &class);
	stats->machine = rarog_hash_hex(&class);
	return r;
}

int rarog_technique_stats_look(struct rarog_technique_stats *stats, const char *base)
{
	struct rarog_walk walk = { .limit = VERSIONS_MOST };
	const char *from[1];
	int r = find_machine(stats);

	if (r == 0 && stats->vcs)
		r = find_head(stats);
	from[0] = stats->head;
	if (stats->version) {
		walk.n_from = 1;
		walk.from = from;
	}
	if (r == 0 && stats->head)
		r = rarog_vcs_walk(stats->vcs, &walk, visit, stats);
	if (r == 0 && base && stats->vcs)
		r = find_base(stats, base);
	return r;
}

void rarog_technique_stats_release(struct rarog_technique_stats *stats)
{
	for (size_t i = 0; i < stats->versions.n; i++)
		free(stats->versions.v[i]);
	rarog_vec_release(&stats->versions);
	free(stats->head);
	free(stats->base);
}

/* --- what versions are --- */

static int read_digest(struct rarog_store *store, const struct rarog_hash *key,
		       struct rarog_code_digest *ret_digest)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	size_t n = 0;
	int r = rarog_derived_read(store, DIGEST, key, &bytes, &n);

	if (r <= 0)
		return r;
	r = rarog_digest_unpack(n, bytes, ret_digest);
	return r == -EBADMSG ? 0 : r < 0 ? r : 1;
}

static int put_digest(struct rarog_store *store, const struct rarog_hash *key,
		      const struct rarog_code_digest *now)
{
	struct rarog_derived derived = { .kind = DIGEST, .key = *key };
	rarog_cleanup(rarog_freep) char *bytes = rarog_digest_pack(now);

	return bytes ? rarog_derived_put(store, &derived, strlen(bytes), bytes, 0, NULL)
		     : rarog_oom();
}

/* Of files in folders a hash of the path is in it, so that it is no longer than names may be. */
static char *digest_name(const struct rarog_technique_stats *stats, const char *path)
{
	rarog_cleanup(rarog_freep) char *place = place_of(stats, path);
	struct rarog_hash hash;

	if (!place || !strchr(place, '/'))
		return place ? rarog_asprintf(DIGEST "--%s", place) : NULL;
	rarog_hash_bytes(strlen(place), place, &hash);
	return rarog_asprintf(DIGEST "--%.16s--%s", rarog_hash_hex(&hash).text, base_name(place));
}

/* The stat file of a version has only the key: versions with the same file have one digest. */
static int note_version(const struct rarog_technique_stats *stats, const char *path,
			const struct rarog_hash *key)
{
	rarog_cleanup(rarog_freep) char *name = digest_name(stats, path);
	rarog_cleanup(rarog_freep) char *text =
		rarog_asprintf("{\"digest\":\"%s\"}\n", rarog_hash_hex(key).text);

	if (!name || !text)
		return rarog_oom();
	return stats->head && !stats->is_changed
		       ? rarog_stats_put(stats->store, stats->head, name, strlen(text), text)
		       : 0;
}

static int make_key(const char *path, struct rarog_hash *ret_key)
{
	rarog_cleanup(rarog_freep) char *salt =
		rarog_asprintf(DIGEST " %d", RAROG_CODE_DIGEST_VERSION);

	return salt ? rarog_binary_key(path, salt, ret_key) : rarog_oom();
}

int rarog_technique_digest_make(const struct rarog_technique_stats *stats,
				const struct rarog_binary *binary, const char *path, bool again,
				struct rarog_code_digest *ret_now)
{
	struct rarog_hash key;
	int r = make_key(path, &key), known = 0;

	if (r == 0 && stats->store && !again)
		r = known = read_digest(stats->store, &key, ret_now);
	if (r == 0)
		r = rarog_code_digest_make(binary, ret_now);
	if (r < 0 || !is_writable(stats))
		return r < 0 ? r : 0;
	r = known ? 0 : put_digest(stats->store, &key, ret_now);
	return r < 0 ? r : note_version(stats, path, &key);
}

/* Of a stat file: which digest it names. 1; 0: none. */
static int read_key(size_t n, const char *bytes, struct rarog_hash *ret_key)
{
	json_t *all = json_loadb(bytes, n, 0, NULL);
	const char *digits = json_string_value(json_object_get(all, "digest"));
	int r = digits && rarog_hash_parse(digits, ret_key) == 0;

	json_decref(all);
	return r;
}

/* 1; 0: nothing is known of the version. */
static int read_version(const struct rarog_technique_stats *stats, const char *version,
			const char *name, struct rarog_code_digest *ret_then)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	struct rarog_hash key;
	size_t n = 0;
	int r = rarog_stats_read(stats->store, version, name, &bytes, &n);

	if (r > 0)
		r = read_key(n, bytes, &key);
	return r > 0 ? read_digest(stats->store, &key, ret_then) : r;
}

/* With changes that are in no version, the newest one comes before them. */
int rarog_technique_digest_before(const struct rarog_technique_stats *stats, const char *path,
				  struct rarog_code_digest *ret_then)
{
	rarog_cleanup(rarog_freep) char *name = digest_name(stats, path);
	int r = name ? 0 : rarog_oom();

	if (r < 0 || !stats->store)
		return r;
	if (stats->base)
		return read_version(stats, stats->base, name, ret_then);
	for (size_t i = 0; r == 0 && i < stats->versions.n; i++)
		if (stats->is_changed || strcmp(stats->versions.v[i], stats->head) != 0)
			r = read_version(stats, stats->versions.v[i], name, ret_then);
	return r;
}

/* --- what runs have shown --- */

static int add_readable(struct rarog_str *out, char *const argv[])
{
	size_t end = out->length + ARGUMENTS_MAX;
	int r = 0;

	for (size_t i = 1; r == 0 && argv[i] && out->length < end; i++) {
		const char *c = argv[i];

		for (; r == 0 && *c && out->length < end; c++)
			r = rarog_str_add_char(out, isalnum((unsigned char)*c) ? *c : '_');
		if (r == 0 && argv[i + 1])
			r = rarog_str_add_char(out, '_');
	}
	return r;
}

/* Of what is in a folder its path: others are called so, too. */
static int add_place(struct rarog_str *text, const char *place)
{
	if (strncmp(place, "./", 2) == 0)
		place += 2;
	return strchr(place, '/') ? rarog_str_addf(text, "\n%s", place) : 0;
}

static int hash_arguments(const struct rarog_technique_stats *stats, const char *place,
			  struct rarog_hash *ret_hash)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	const char *workload = stats->workload ? stats->workload : "";
	int r = rarog_str_add_bytes(&text, strlen(workload) + 1, workload);

	for (size_t i = 1; r == 0 && stats->argv[i]; i++)
		r = rarog_str_add_bytes(&text, strlen(stats->argv[i]) + 1, stats->argv[i]);
	r = r < 0 ? r : add_place(&text, place);
	r = r < 0 ? r : add_place(&text, stats->argv[0]);
	if (r == 0 && stats->configuration && *stats->configuration)
		r = rarog_str_addf(&text, "\n\n%s", stats->configuration);
	if (r == 0)
		rarog_hash_bytes(text.length, text.text, ret_hash);
	return r;
}

static int make_name(const struct rarog_technique_stats *stats, const char *path,
		     struct rarog_str *name)
{
	rarog_cleanup(rarog_freep) char *place = place_of(stats, path);
	struct rarog_hash hash;
	int r = place ? hash_arguments(stats, place, &hash) : rarog_oom();

	if (r == 0)
		r = rarog_str_addf(name, "statistics--%s--", base_name(stats->argv[0]));
	if (r == 0)
		r = add_readable(name, stats->argv);
	return r < 0 ? r
		     : rarog_str_addf(name, "-%.16s--%s", rarog_hash_hex(&hash).text,
				      base_name(place));
}

/* The bytes of the newest version that has any. 1; 0; -errno. */
static int read_newest(const struct rarog_technique_stats *stats, const char *path,
		       char **ret_bytes, size_t *ret_n)
{
	rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
	struct rarog_store *store = stats->store;
	int r = store ? make_name(stats, path, &name) : 0;

	for (size_t i = 0; r == 0 && store && i < stats->versions.n; i++)
		r = rarog_stats_read(store, stats->versions.v[i], name.text, ret_bytes, ret_n);
	return r == 0 && store ? rarog_stats_read(store, NULL, name.text, ret_bytes, ret_n) : r;
}

static int find(const struct rarog_technique_stats *stats, const char *path,
		struct rarog_statistics *ret_statistics)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	size_t n = 0;
	int r = read_newest(stats, path, &bytes, &n);

	if (r <= 0)
		return r;
	r = rarog_statistics_unpack(n, bytes, ret_statistics);
	return r == -EBADMSG ? 0 : r < 0 ? r : 1;
}

int rarog_technique_stats_find(const struct rarog_technique_stats *stats, const char *path,
			       struct rarog_statistics *ret_statistics)
{
	int r = find(stats, path, ret_statistics);

	if (r > 0)
		rarog_statistics_localise(ret_statistics, stats->machine.text);
	return r;
}

int rarog_technique_digest_of_run(const struct rarog_technique_stats *stats, const char *key,
				  struct rarog_code_digest *ret_then)
{
	struct rarog_hash hash;

	return stats->store && rarog_hash_parse(key, &hash) == 0
		       ? read_digest(stats->store, &hash, ret_then)
		       : 0;
}

static char *describe(const struct rarog_technique_stats *stats, const char *path,
		      const struct rarog_statistics *statistics)
{
	rarog_cleanup(rarog_freep) char *place = place_of(stats, path);
	json_t *arguments = json_array(), *all;
	struct rarog_hash key;
	bool is_known = make_key(path, &key) == 0;
	char *bytes;

	for (size_t i = 1; arguments && stats->argv[i]; i++)
		json_array_append_new(arguments, rarog_name_show(stats->argv[i]));
	rarog_error_clear();
	all = json_pack("{s:o, s:o, s:o, s:o, s:s, s:i, s:o}", "command",
			rarog_name_show(base_name(stats->argv[0])), "arguments", arguments,
			"workload", rarog_name_show(stats->workload ? stats->workload : ""), "file",
			rarog_name_show(place ? place : path), "digest",
			is_known ? rarog_hash_hex(&key).text : "", "runs", (int)statistics->runs,
			"functions", rarog_statistics_pack(statistics));
	bytes = all ? json_dumps(all, JSON_COMPACT) : NULL;
	json_decref(all);
	return bytes;
}

/* What fails may have hardly begun. */
static bool has_failed(const struct rarog_technique_stats *stats, const json_t *end)
{
	return json_integer_value(json_object_get(end, "exit_status")) != 0 &&
	       !stats->allows_status;
}

/* NULL: it is, so what nobody called in it is not called. */
static const char *why_not_whole(const struct rarog_technique_stats *stats,
				 struct rarog_profile *profile, bool *ret_is_within)
{
	json_t *header = json_loads(rarog_profile_header(profile), 0, NULL);
	const json_t *end = json_object_get(header, "end"),
		     *parameters = json_object_get(header, "parameters");
	const struct {
		bool is_so;
		const char *why;
	} reasons[] = {
		{ rarog_profile_is_partial(profile), "the profile is cut off" },
		{ json_is_true(json_object_get(end, "timed_out")), "it was stopped at its limit" },
		{ json_object_get(end, "signal"), "a signal ended it" },
		{ has_failed(stats, end), "its status is not 0" },
		{ json_object_get(header, "attached"), "only a part of it was measured" },
		{ json_object_get(parameters, "windows_period_ns"), "--windows leave calls out" },
	};
	const char *why = NULL;

	for (size_t i = 0; !why && i < sizeof(reasons) / sizeof(reasons[0]); i++)
		why = reasons[i].is_so ? reasons[i].why : NULL;
	*ret_is_within =
		json_object_get(parameters, "within") || json_object_get(parameters, "not_below");
	json_decref(header);
	return why;
}

static int read_run(const struct rarog_technique_stats *stats, struct rarog_profile *profile,
		    const char *path, bool is_within, struct rarog_statistics *now)
{
	const struct rarog_loss *losses;
	struct rarog_hash key;
	int r = rarog_statistics_read(now, profile, path);
	bool all_is_seen = !is_within && rarog_profile_losses(profile, &losses) == 0;

	if (r == 0 && all_is_seen)
		r = rarog_statistics_add_uncalled(now, profile, path);
	if (r == 0)
		r = make_key(path, &key);
	return r < 0 ? r
		     : rarog_statistics_stamp(now, rarog_hash_hex(&key).text, stats->machine.text);
}

int rarog_technique_stats_keep(const struct rarog_technique_stats *stats,
			       struct rarog_profile *profile, const char *path)
{
	rarog_cleanup(rarog_statistics_release) struct rarog_statistics now = { 0 }, before = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	int r = is_writable(stats) ? make_name(stats, path, &name) : 0;
	const char *why;
	bool is_within;

	if (r < 0 || !is_writable(stats))
		return r;
	why = why_not_whole(stats, profile, &is_within);
	if (why)
		return rarog_fail(-ENODATA, "%s", why);
	r = read_run(stats, profile, path, is_within, &now);
	if (r == 0)
		r = find(stats, path, &before);
	if (r > 0)
		r = rarog_statistics_carry(&now, &before);
	if (r < 0)
		return r;
	bytes = describe(stats, path, &now);
	return bytes ? rarog_stats_put(stats->store, stats->head, name.text, strlen(bytes), bytes)
		     : rarog_oom();
}

int rarog_technique_stats_forget(const struct rarog_technique_stats *stats, const char *path)
{
	rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
	struct rarog_stats_list list = { 0 };
	int r = is_writable(stats) ? make_name(stats, path, &name) : 0;

	if (r == 0 && is_writable(stats))
		r = rarog_stats_list(stats->store, &list);
	for (size_t i = 0; r == 0 && i < list.files.n; i++)
		if (strcmp(list.files.v[i].name, rarog_str_text(&name)) == 0)
			r = rarog_stats_remove(stats->store, &list.files.v[i], false);
	rarog_stats_list_release(&list);
	return r;
}
