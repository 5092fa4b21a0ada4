/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "base/table.h"
#include "cmd/commands.h"
#include "cmd/project.h"
#include "store/version.h"
#include "view/names.h"

struct args {
	bool remove, json;
};

static const struct rarog_option options[] = {
	RAROG_OPT_FLAG('d', "delete", struct args, remove, "take the tag away"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "write the list as JSON"),
	RAROG_OPT_END,
};

/* --- list --- */

struct list {
	const struct rarog_project *project;
	struct rarog_table *table;
	struct rarog_json *json;
};

/* The hash of a tagged profile, "" if its row is gone. */
static int object_of(const struct list *list, int64_t record, struct rarog_hex *ret)
{
	rarog_cleanup(rarog_records_release) struct rarog_records records = { 0 };
	const struct rarog_record_filter filter = { .id = record };
	int r = rarog_records_read(list->project->store, &filter, &records);

	ret->text[0] = '\0';
	if (r == 0 && records.rows.n > 0)
		*ret = rarog_hash_hex(&records.rows.v[0].object);
	return r;
}

static int visit(const struct rarog_tag *tag, void *user)
{
	const struct list *list = user;
	bool is_profile = tag->kind == RAROG_TAG_PROFILE;
	struct rarog_hex object = { "" };
	int r = is_profile ? object_of(list, tag->record, &object) : 0;

	if (r < 0)
		return r;
	if (list->json) {
		rarog_json_object(list->json, NULL);
		rarog_json_string(list->json, "name", tag->name);
		rarog_json_string(list->json, is_profile ? "profile" : "version",
				  is_profile ? object.text : tag->version);
		rarog_json_uint(list->json, "made_ns", tag->made_ns);
		rarog_json_end_object(list->json);
		return 0;
	}
	object.text[10] = '\0';
	return rarog_table_add(
		list->table,
		(struct rarog_cell[]){
			{ .text = tag->name, .style = RAROG_STYLE_BOLD },
			{ .text = is_profile ? "profile" : "version" },
			{ .text = is_profile ? object.text
					     : rarog_short_name(list->project->vcs, tag->version)
						       .text },
			{ .text = rarog_date_of(tag->made_ns).text },
		});
}

static int list_tags(const struct rarog_context *context, const struct rarog_project *project,
		     const struct args *args)
{
	static const struct rarog_column columns[] = {
		{ .title = "tag" }, { .title = "of" }, { .title = "" }, { .title = "made" }
	};
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(RAROG_COUNT(columns), columns);
	struct rarog_json json;
	struct list list = { .project = project, .table = table };
	int r;

	if (!table)
		return rarog_oom();
	if (args->json) {
		list.json = &json;
		rarog_json_start(&json, stdout, true);
		rarog_json_array(&json, NULL);
	}
	r = rarog_tag_each(project->store, NULL, visit, &list);
	if (r < 0)
		return r;
	if (args->json)
		return rarog_json_finish(&json);
	if (rarog_table_rows(table) > 0)
		rarog_table_print(table, stdout, isatty(STDOUT_FILENO) ? context->width : 0,
				  context->colour);
	return 0;
}

/* --- set, unset --- */

static struct rarog_tag tag_of(const char *name, const struct rarog_target *target)
{
	struct rarog_tag tag = { .name = name, .kind = RAROG_TAG_VERSION };

	if (target->kind == RAROG_TARGET_VERSION) {
		tag.version = target->commit.name;
	} else {
		tag.kind = RAROG_TAG_PROFILE;
		tag.record = target->records.rows.v[0].id;
	}
	return tag;
}

static int change(const struct rarog_project *project, const struct args *args, const char *name,
		  const char *what)
{
	rarog_cleanup(rarog_target_release) struct rarog_target target = { 0 };
	const struct rarog_scope scope = rarog_project_scope(project);
	struct rarog_tag tag;
	int r = rarog_target_find(&scope, what, RAROG_TARGET_VERSION | RAROG_TARGET_PROFILE,
				  &target);

	if (r < 0)
		return r;
	tag = tag_of(name, &target);
	if (!args->remove)
		r = rarog_tag_set(project->store, &tag);
	else if ((r = rarog_tag_unset(project->store, &tag)) == 0)
		r = rarog_fail(-ENOENT, "%s does not carry the tag '%s'", what, name);
	return r < 0 ? r : 0;
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	rarog_cleanup(rarog_project_release) struct rarog_project project = { 0 };
	struct args args = { 0 };
	int first = rarog_options_parse(options, argc, argv, false, &args), r;
	int n = argc - first;

	if (first < 0)
		return rarog_usage_error(first);
	if (n > 2 || (args.remove && n == 0))
		return rarog_usage_error(rarog_fail(-EINVAL, "rarog tag [-d] NAME [REV|PROFILE]"));
	r = rarog_project_open(context, RAROG_NEED_STORE, &project);
	if (r < 0)
		return r;
	if (n == 0)
		return list_tags(context, &project, &args);
	return change(&project, &args, argv[first], n > 1 ? argv[first + 1] : "HEAD");
}

const struct rarog_command rarog_cmd_tag = {
	.name = "tag",
	.summary = "name versions and profiles, list the names",
	.usage = "[--json] | [-d] NAME [REV|PROFILE]",
	.description =
		"Without operands, lists the tags of the store. With NAME, it gives the tag NAME "
		"to a version (HEAD) or a profile, or with -d takes it away. Several versions and "
		"profiles may carry the same tag; as a name it stands for the newest of them. "
		"rarog gc never removes what carries a tag. Versions that are tagged stable may "
		"serve as a base of comparisons.\n"
		"\n"
		"These tags are the store's, not git's.",
	.examples = "rarog tag stable v1.2\n"
		    "rarog tag before-rewrite 0@i\n"
		    "rarog show before-rewrite",
	.options = options,
	.run = run,
};
