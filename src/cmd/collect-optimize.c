/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/collect-optimize.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cmd/call-graph-kept.h"
#include "store/derived.h"
#include "view/account.h"

#define KIND    "function-statistics"
#define VERSION "1"
#define DIGEST  "code-digest"

#define VERSIONS_MOST 1000 /* that are looked through */

/* --- what techniques ask for --- */

static int find_graph(void *user, const char *path, struct rarog_call_graph *ret_graph)
{
	const struct rarog_collect_optimize *o = user;
	const struct rarog_call_wanted wanted = { .path = path, .options = { .keep_parts = true } };

	return rarog_call_graph_kept_in(o->project.store, &wanted, ret_graph);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The command by its name, as versions are built in different places; its arguments; the file. */
static int make_key(const struct rarog_collect_optimize *o, const char *path,
		    struct rarog_hash *ret_key)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	const char *command = base_name(o->argv[0]);
	int r = rarog_str_add_bytes(&text, sizeof(VERSION), VERSION);

	if (r == 0)
		r = rarog_str_add_bytes(&text, strlen(command) + 1, command);
	for (size_t i = 1; r == 0 && o->argv[i]; i++)
		r = rarog_str_add_bytes(&text, strlen(o->argv[i]) + 1, o->argv[i]);
	if (r == 0)
		r = rarog_str_add(&text, base_name(path));
	if (r < 0)
		return rarog_oom();
	rarog_hash_bytes(text.length, text.text, ret_key);
	return 0;
}

static int read_kept(struct rarog_store *store, const struct rarog_hash *key,
		     struct rarog_statistics *ret_statistics)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	size_t n = 0;
	int r = rarog_derived_read(store, KIND, key, &bytes, &n);

	if (r <= 0)
		return r;
	r = rarog_statistics_unpack(n, bytes, ret_statistics);
	return r == -EBADMSG ? 0 : r < 0 ? r : 1;
}

static int find_statistics(void *user, const char *path, struct rarog_statistics *ret_statistics)
{
	const struct rarog_collect_optimize *o = user;
	struct rarog_hash key;
	int r = make_key(o, path, &key);

	return r < 0 || !o->project.store ? r : read_kept(o->project.store, &key, ret_statistics);
}

/* --- versions --- */

/* Of the file in one version. */
static int make_digest_key(const char *path, const char *version, struct rarog_hash *ret_key)
{
	rarog_cleanup(rarog_freep) char *text =
		rarog_asprintf("%d\n%s\n%s", RAROG_CODE_DIGEST_VERSION, base_name(path), version);

	if (!text)
		return rarog_oom();
	rarog_hash_bytes(strlen(text), text, ret_key);
	return 0;
}

static int read_digest(const struct rarog_collect_optimize *o, const char *path,
		       const char *version, struct rarog_code_digest *ret_then)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	struct rarog_hash key;
	size_t n = 0;
	int r = make_digest_key(path, version, &key);

	if (r == 0)
		r = rarog_derived_read(o->project.store, DIGEST, &key, &bytes, &n);
	if (r <= 0)
		return r;
	r = rarog_digest_unpack(n, bytes, ret_then);
	return r == -EBADMSG ? 0 : r < 0 ? r : 1;
}

/* The newest version before this one of which anything is kept. */
static int find_digest(void *user, const char *path, struct rarog_code_digest *ret_then)
{
	const struct rarog_collect_optimize *o = user;
	int r = 0;

	for (size_t i = 0; r == 0 && o->project.store && i < o->versions.n; i++)
		r = read_digest(o, path, o->versions.v[i], ret_then);
	return r;
}

static int keep_digest(void *user, const char *path, const struct rarog_code_digest *now)
{
	const struct rarog_collect_optimize *o = user;
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	struct rarog_derived derived = { .kind = DIGEST };
	int r;

	if (!o->version || !o->project.store || rarog_store_is_read_only(o->project.store))
		return 0;
	r = make_digest_key(path, o->version, &derived.key);
	if (r < 0)
		return r;
	bytes = rarog_digest_pack(now);
	return bytes ? rarog_derived_put(o->project.store, &derived, strlen(bytes), bytes, 0, NULL)
		     : rarog_oom();
}

static int add_version(struct rarog_collect_optimize *o, const char *name)
{
	char *copy = strdup(name);

	if (copy && rarog_vec_push(&o->versions, copy) == 0)
		return 0;
	free(copy);
	return rarog_oom();
}

static int visit_version(const struct rarog_commit *commit, void *user)
{
	struct rarog_collect_optimize *o = user;

	return o->version && strcmp(commit->name, o->version) == 0 ? 0
								   : add_version(o, commit->name);
}

static int find_named(struct rarog_collect_optimize *o, const char *revision)
{
	struct rarog_commit commit = { 0 };
	int r = rarog_vcs_resolve(o->project.vcs, revision, &commit);

	if (r == 0)
		r = add_version(o, commit.name);
	rarog_commit_release(&commit);
	return r;
}

/* Changes that are in no version have no name, and the last version comes before them. */
static int find_versions(struct rarog_collect_optimize *o)
{
	const char *revision = o->optimizer.parameters.text[RAROG_PARAMETER_DIFF_VERSION];
	const struct rarog_walk walk = { .limit = VERSIONS_MOST };
	struct rarog_vcs_state state = { 0 };
	int r = rarog_vcs_state(o->project.vcs, false, &state);

	if (r == 0 && state.head && !state.is_dirty)
		o->version = rarog_take(state.head);
	if (r == 0 && revision)
		r = find_named(o, revision);
	else if (r == 0 && (o->version || state.head))
		r = rarog_vcs_walk(o->project.vcs, &walk, visit_version, o);
	rarog_vcs_state_release(&state);
	return r;
}

/* --- begin and end --- */

static int look_around(struct rarog_collect_optimize *o)
{
	int r = rarog_project_open(o->context, RAROG_NEED_STORE_IF_ANY, &o->project);

	return r == 0 && o->project.vcs && o->optimizer.is_on[RAROG_TECHNIQUE_DIFF_TRACING]
		       ? find_versions(o)
		       : r;
}

int rarog_collect_optimize_init(struct rarog_collect_optimize *o,
				const struct rarog_collector *collector,
				const struct rarog_engine *engine)
{
	const struct rarog_optimizer_sources sources = { find_graph, find_statistics, find_digest,
							 keep_digest, o };
	int r = rarog_optimizer_init(o->options, &sources, &o->optimizer);

	if (r < 0 || !rarog_optimizer_is_on(&o->optimizer))
		return r;
	if (collector->traits)
		return rarog_fail(-EINVAL,
				  "--pipeline and --on choose among functions that are traced; "
				  "rarog collect %s does not trace them",
				  collector->name);
	if (!(engine->abilities & RAROG_ENGINE_CHOOSES))
		return rarog_fail(-EINVAL,
				  "--pipeline and --on choose functions; --engine=%s cannot: it %s",
				  engine->name, engine->instead);
	return look_around(o);
}

void rarog_collect_optimize_release(struct rarog_collect_optimize *o)
{
	rarog_optimizer_release(&o->optimizer);
	for (size_t i = 0; i < o->versions.n; i++)
		free(o->versions.v[i]);
	rarog_vec_release(&o->versions);
	free(o->version);
	rarog_project_release(&o->project);
}

int rarog_collect_optimize_say(const struct rarog_collect_optimize *o)
{
	if (!o->context->quiet)
		rarog_account_say(&o->optimizer, stderr);
	return o->options->explain ? rarog_account_print(&o->optimizer, stderr, o->context->width,
							 o->context->colour)
				   : 0;
}

/* --- what this run says --- */

static int keep_file(const struct rarog_collect_optimize *o, struct rarog_store *store,
		     struct rarog_profile *profile, const char *path)
{
	rarog_cleanup(rarog_statistics_release) struct rarog_statistics now = { 0 }, before = { 0 };
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	struct rarog_derived derived = { .kind = KIND };
	int r = make_key(o, path, &derived.key);

	if (r == 0)
		r = rarog_statistics_read(&now, profile, path);
	if (r == 0)
		r = read_kept(store, &derived.key, &before);
	if (r > 0)
		r = rarog_statistics_carry(&now, &before);
	if (r < 0)
		return r;
	bytes = rarog_statistics_pack(&now);
	return bytes ? rarog_derived_put(store, &derived, strlen(bytes), bytes, 0, NULL)
		     : rarog_oom();
}

static bool wants_statistics(const struct rarog_optimizer *optimizer)
{
	return optimizer->is_on[RAROG_TECHNIQUE_DYNAMIC_BASELINE] ||
	       optimizer->is_on[RAROG_TECHNIQUE_DYNAMIC_SAMPLING];
}

int rarog_collect_optimize_keep(struct rarog_collect_optimize *o, const char *path)
{
	struct rarog_store *store = o->project.store;
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	int r;

	if (!wants_statistics(&o->optimizer) || !*path || !store || rarog_store_is_read_only(store))
		return 0;
	r = rarog_profile_open(path, &profile);
	for (size_t i = 0; r == 0 && i < o->optimizer.files.n; i++)
		r = keep_file(o, store, profile, o->optimizer.files.v[i].path);
	return r;
}
