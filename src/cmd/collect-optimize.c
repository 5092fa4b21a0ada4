/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/collect-optimize.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cmd/call-graph-kept.h"
#include "cmd/project.h"
#include "store/derived.h"
#include "view/account.h"

#define KIND    "function-statistics"
#define VERSION "1"

/* --- what techniques ask for --- */

static int find_graph(void *user, const char *path, struct rarog_call_graph *ret_graph)
{
	const struct rarog_collect_optimize *o = user;
	const struct rarog_call_wanted wanted = { .path = path, .options = { .keep_parts = true } };

	return rarog_call_graph_kept(o->context, &wanted, ret_graph);
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
	rarog_cleanup(rarog_project_release) struct rarog_project project = { 0 };
	struct rarog_hash key;
	int r = make_key(o, path, &key);

	if (r == 0)
		r = rarog_project_open(o->context, RAROG_NEED_STORE_IF_ANY, &project);
	return r < 0 || !project.store ? r : read_kept(project.store, &key, ret_statistics);
}

/* --- begin and end --- */

int rarog_collect_optimize_init(struct rarog_collect_optimize *o,
				const struct rarog_collector *collector)
{
	const struct rarog_optimizer_sources sources = { find_graph, find_statistics, o };
	int r = rarog_optimizer_init(o->options, &sources, &o->optimizer);

	if (r < 0 || !rarog_optimizer_is_on(&o->optimizer) || !collector->traits)
		return r;
	return rarog_fail(-EINVAL,
			  "--pipeline and --on choose among functions that are traced; "
			  "rarog collect %s does not trace them",
			  collector->name);
}

void rarog_collect_optimize_release(struct rarog_collect_optimize *o)
{
	rarog_optimizer_release(&o->optimizer);
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
	rarog_cleanup(rarog_project_release) struct rarog_project project = { 0 };
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	int r;

	if (!wants_statistics(&o->optimizer) || !*path)
		return 0;
	r = rarog_project_open(o->context, RAROG_NEED_STORE_IF_ANY, &project);
	if (r < 0 || !project.store || rarog_store_is_read_only(project.store))
		return r;
	r = rarog_profile_open(path, &profile);
	for (size_t i = 0; r == 0 && i < o->optimizer.files.n; i++)
		r = keep_file(o, project.store, profile, o->optimizer.files.v[i].path);
	return r;
}
