/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/units.h"
#include "base/utf8.h"
#include "cmd/commands.h"
#include "cmd/option-choice.h"
#include "cmd/project.h"
#include "store/keep.h"
#include "store/version.h"
#include "view/history/records.h"
#include "view/names.h"

struct args {
	bool brief, json;
	int sort;
	struct rarog_option_choice options;
};

static const char *const sorts[] = { "time",      "newest", "command", "workload",
				     "collector", "size",   "hash",    NULL };

static const struct rarog_option options[] = {
	RAROG_OPT_FLAG('s', "short", struct args, brief, "only the lists"),
	RAROG_OPT_CHOICE(0, "sort", struct args, sort, NULL, sorts,
			 "order of the profiles (the setting status.sort); their numbers stay the "
			 "same"),
	RAROG_OPTION_CHOICE(struct args, options,
			    "only profiles whose program ran with this option; may be repeated"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "write the same facts as JSON"),
	RAROG_OPT_END,
};

/* Everything that status tells. */
struct status {
	const struct rarog_context *context;
	const struct args *args;
	struct rarog_project project;
	struct rarog_vcs_state state;
	struct rarog_commit commit; /* whose profiles are listed; .name NULL: of no version */
	bool is_head;
	const char *revision;         /* as the user wrote it, NULL: HEAD */
	struct rarog_records records; /* in the order that numbers them */
	struct rarog_pendings pendings;
	struct rarog_sizes sizes;
	struct rarog_hash machine_class;
};

static void status_release(struct status *s)
{
	rarog_records_release(&s->records);
	rarog_pendings_release(&s->pendings);
	rarog_commit_release(&s->commit);
	rarog_vcs_state_release(&s->state);
	rarog_project_release(&s->project);
}

/* --- finding out --- */

static int read_class(struct status *s)
{
	struct rarog_machine machine = { 0 };
	int r = rarog_machine_read(rarog_settings_text(s->project.settings, "machine.class"),
				   &machine);

	if (r == 0)
		r = rarog_machine_class(&machine, &s->machine_class);
	rarog_machine_release(&machine);
	return r;
}

/* The commit's facts: from the catalogue if it knows them, which saves a process. */
static int read_version(struct status *s)
{
	const char *head = s->state.head;

	if (s->revision) {
		const struct rarog_scope scope = rarog_project_scope(&s->project);
		rarog_cleanup(rarog_target_release) struct rarog_target target = { 0 };
		int r = rarog_target_find(&scope, s->revision, RAROG_TARGET_VERSION, &target);

		if (r < 0)
			return r;
		s->commit = target.commit;
		target.commit = (struct rarog_commit){ 0 };
		s->is_head = head && strcmp(head, s->commit.name) == 0;
		return 0;
	}
	s->is_head = true;
	if (!head)
		return 0;
	if (rarog_version_find(s->project.store, head, &s->commit) == 0 && s->commit.subject)
		return 0;
	rarog_error_clear();
	rarog_commit_release(&s->commit);
	return rarog_vcs_resolve(s->project.vcs, head, &s->commit);
}

static struct rarog_record_filter filter_of(const struct status *s, enum rarog_record_order order)
{
	return (struct rarog_record_filter){
		.version = s->commit.name ? s->commit.name : "",
		.order = order,
	};
}

static int find_out(struct status *s)
{
	struct rarog_record_filter filter;
	int r = rarog_project_open(s->context, RAROG_NEED_STORE, &s->project);

	if (r == 0)
		r = rarog_option_choice_apply(&s->args->options, &s->project);
	if (r == 0)
		r = rarog_vcs_state(s->project.vcs, false, &s->state);
	if (r == 0)
		r = read_version(s);
	if (r == 0)
		r = read_class(s);
	if (r < 0)
		return r;
	filter = filter_of(s, rarog_project_scope(&s->project).order);
	r = rarog_records_read(s->project.store, &filter, &s->records);
	if (r == 0)
		r = rarog_pendings_read(s->project.store, &s->pendings);
	if (r == 0)
		r = rarog_store_sizes(s->project.store, false, &s->sizes);
	return r;
}

/* --- names --- */

struct name {
	char text[64];
};

/* "3@i": what revision.h makes of it. Profiles of no version have no number. */
static struct name name_of(const struct status *s, const struct rarog_record *record)
{
	struct name name = { "" };

	if (!s->commit.name)
		return name;
	for (size_t i = 0; i < s->records.rows.n; i++)
		if (s->records.rows.v[i].id == record->id)
			snprintf(name.text, sizeof(name.text), "%zu@%.40s", i,
				 s->is_head ? "i" : s->revision);
	return name;
}

/* Calls @visit in the order that was asked for, for those that were asked for. */
static int each_record(const struct status *s,
		       int (*visit)(const struct status *s, const char *name,
				    const struct rarog_record *record, void *user),
		       void *user)
{
	rarog_cleanup(rarog_records_release) struct rarog_records other = { 0 };
	const struct rarog_records *records = &s->records;
	int r = 0;

	if (s->args->sort >= 0 || s->args->options.options.list.n > 0) {
		enum rarog_record_order order = s->args->sort >= 0
							? (enum rarog_record_order)s->args->sort
							: rarog_project_scope(&s->project).order;
		struct rarog_record_filter filter = filter_of(s, order);

		filter.options = s->project.options;
		r = rarog_records_read(s->project.store, &filter, &other);
		records = &other;
	}
	for (size_t i = 0; r == 0 && i < records->rows.n; i++)
		r = visit(s, name_of(s, &records->rows.v[i]).text, &records->rows.v[i], user);
	return r;
}

/* --- for people --- */

static void say_where(const struct status *s)
{
	const char *subject = s->commit.subject ? s->commit.subject : "";

	if (!s->commit.name) {
		printf("%s%s: no version yet\n", s->state.branch ? "on " : "",
		       s->state.branch ? s->state.branch : "here");
	} else {
		if (s->is_head && s->state.branch)
			printf("on %s at ", s->state.branch);
		else if (s->is_head && rarog_vcs_kind(s->project.vcs) == RAROG_VCS_GIT)
			fputs("on no branch at ", stdout);
		printf("%s%s%s%s", rarog_style_on(s->context->colour ? RAROG_STYLE_YELLOW : 0),
		       rarog_short_name(s->project.vcs, s->commit.name).text,
		       rarog_style_off(s->context->colour ? RAROG_STYLE_YELLOW : 0),
		       *subject ? " " : "");
		rarog_utf8_print(stdout, subject, s->context->width);
		puts(s->is_head && s->state.is_dirty ? " (changed)" : "");
	}
	printf("%s profile%s in the store, %s; machine class %s\n",
	       rarog_format_count(s->sizes.profiles).text, rarog_plural(s->sizes.profiles),
	       rarog_format_bytes(s->sizes.profile_bytes).text,
	       rarog_short_object(&s->machine_class).text);
	if (rarog_vcs_is_shallow(s->project.vcs))
		puts("this clone is shallow: its history ends early");
}

static int add_row(const struct status *s, const char *name, const struct rarog_record *record,
		   void *user)
{
	return rarog_record_table_add(user, name, record, &s->machine_class);
}

static int print_records(const struct status *s)
{
	rarog_cleanup(rarog_table_freep) struct rarog_table *table = rarog_record_table_new();
	int r = table ? each_record(s, add_row, table) : rarog_oom();

	if (r < 0)
		return r;
	if (s->records.rows.n == 0 && !s->args->brief)
		puts("\nno profile of this version; rarog collect -- PROG makes one");
	if (s->records.rows.n == 0)
		return 0;
	if (!s->args->brief)
		putchar('\n');
	rarog_table_print(table, stdout, isatty(STDOUT_FILENO) ? s->context->width : 0,
			  s->context->colour);
	return 0;
}

static int print_pendings(const struct status *s)
{
	static const struct rarog_column columns[] = {
		{ .title = "pending" },
		{ .title = "changed" },
		{ .title = "file", .is_elastic = true },
		{ .title = "size", .is_right = true },
	};
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(RAROG_COUNT(columns), columns);
	int r = table ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < s->pendings.files.n; i++) {
		const struct rarog_pending *file = &s->pendings.files.v[i];
		struct name name;

		snprintf(name.text, sizeof(name.text), "%zu@p", i);
		r = rarog_table_add(table, (struct rarog_cell[]){
						   { .text = name.text, .style = RAROG_STYLE_BOLD },
						   { .text = rarog_date_of(file->changed_ns).text },
						   { .text = file->name },
						   { .text = rarog_format_bytes(file->bytes).text },
					   });
	}
	if (r < 0 || s->pendings.files.n == 0)
		return r;
	puts(s->args->brief ? "" : "\nnot registered; rarog add 0@p does it, rarog rm 0@p removes");
	rarog_table_print(table, stdout, isatty(STDOUT_FILENO) ? s->context->width : 0,
			  s->context->colour);
	return 0;
}

static int print(const struct status *s)
{
	int r;

	if (!s->args->brief)
		say_where(s);
	r = print_records(s);
	return r < 0 ? r : print_pendings(s);
}

/* --- for programs --- */

static int write_record(const struct status *s, const char *name, const struct rarog_record *record,
			void *user)
{
	(void)s;
	rarog_record_json(user, *name ? name : NULL, record);
	return 0;
}

static void write_pendings(struct rarog_json *json, const struct rarog_pendings *pendings)
{
	rarog_json_array(json, "pending");
	for (size_t i = 0; i < pendings->files.n; i++) {
		const struct rarog_pending *file = &pendings->files.v[i];
		struct name name;

		snprintf(name.text, sizeof(name.text), "%zu@p", i);
		rarog_json_object(json, NULL);
		rarog_json_string(json, "name", name.text);
		rarog_json_string(json, "path", file->path);
		rarog_json_uint(json, "bytes", file->bytes);
		rarog_json_uint(json, "changed_ns", file->changed_ns);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

static int write_json(const struct status *s)
{
	struct rarog_json json;
	int r;

	rarog_json_start_object(&json, stdout);
	rarog_json_string(&json, "version", s->commit.name);
	rarog_json_string(&json, "tree", s->commit.tree);
	rarog_json_string(&json, "subject", s->commit.subject);
	rarog_json_bool(&json, "is_head", s->is_head);
	rarog_json_string(&json, "branch", s->state.branch);
	rarog_json_bool(&json, "dirty", s->state.is_dirty);
	rarog_json_bool(&json, "shallow", rarog_vcs_is_shallow(s->project.vcs));
	rarog_json_string(&json, "machine_class", rarog_hash_hex(&s->machine_class).text);
	rarog_json_object(&json, "store");
	rarog_json_string(&json, "path", rarog_store_path(s->project.store));
	rarog_json_bool(&json, "read_only", rarog_store_is_read_only(s->project.store));
	rarog_json_uint(&json, "profiles", s->sizes.profiles);
	rarog_json_uint(&json, "profile_bytes", s->sizes.profile_bytes);
	rarog_json_end_object(&json);
	rarog_json_array(&json, "profiles");
	r = each_record(s, write_record, &json);
	rarog_json_end_array(&json);
	write_pendings(&json, &s->pendings);
	return r < 0 ? r : rarog_json_finish(&json);
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { .sort = -1 };
	rarog_cleanup(status_release) struct status status = { .context = context, .args = &args };
	int first = rarog_options_parse(options, argc, argv, false, &args);
	int r = first < 0 ? first : 0;

	if (r == 0 && argc - first > 1)
		r = rarog_fail(-EINVAL, "one version at a time");
	r = r < 0 ? rarog_usage_error(r) : rarog_option_choice_read(&args.options);
	if (r == 0) {
		status.revision = first < argc ? argv[first] : NULL;
		r = find_out(&status);
	}
	if (r == 0)
		r = args.json ? write_json(&status) : print(&status);
	rarog_option_choice_release(&args.options);
	rarog_options_release(options, &args);
	return r;
}

const struct rarog_command rarog_cmd_status = {
	.name = "status",
	.summary = "list the profiles of a version, and those not registered yet",
	.usage = "[OPTION…] [REV]",
	.description =
		"Lists the profiles of the commit that is checked out (or of REV), numbered as "
		"other commands take them: 0@i, 1@i, … for HEAD, 0@REV for others; pending ones "
		"are 0@p, 1@p, …\n"
		"\n"
		"Profiles are marked if they were measured with changes that are in no commit "
		"(changed), were cut off, were measured while the machine was busy (noisy), have "
		"lost events (lossy), come from elsewhere (imported), are damaged, were made on a "
		"machine of another class, or are of a run that failed.",
	.examples = "rarog status\n"
		    "rarog status --sort size HEAD~3\n"
		    "rarog status --json",
	.options = options,
	.run = run,
};
