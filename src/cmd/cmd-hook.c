/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "base/table.h"
#include "cmd/commands.h"
#include "cmd/hook-run.h"
#include "store/hooks.h"

struct args {
	bool gate, shared, json;
	const char *command;
};

static const struct rarog_option options[] = {
	RAROG_OPT_FLAG(0, "gate", struct args, gate,
		       "pre-push: wait for the command, and stop the push if it fails"),
	RAROG_OPT_STRING(0, "command", struct args, command, "LINE",
			 "shell line to run, with the commit in $RAROG_COMMIT (default: rarog run "
			 "--commit \"$RAROG_COMMIT\"; post-commit then checks the commit against "
			 "what was measured before)"),
	RAROG_OPT_FLAG(0, "shared", struct args, shared,
		       "install also if core.hooksPath is one directory for all your repositories"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "status: write JSON"),
	RAROG_OPT_END,
};

struct job {
	const struct rarog_context *context;
	const struct args *args;
	struct rarog_project project;
	struct rarog_hooks hooks;
};

static void job_release(struct job *job)
{
	rarog_hooks_release(&job->hooks);
	rarog_project_release(&job->project);
}

static int open_job(struct job *job)
{
	int r = rarog_project_open(job->context, RAROG_NEED_STORE, &job->project);

	return r < 0 ? r : rarog_hooks_find(job->project.vcs, &job->hooks);
}

static bool is_hook(const char *name)
{
	for (size_t i = 0; rarog_hook_names[i]; i++)
		if (strcmp(rarog_hook_names[i], name) == 0)
			return true;
	rarog_fail(-EINVAL, "'%s' is no hook of rarog; there are post-commit and pre-push", name);
	return false;
}

static int set(const struct job *job, const char *name, const char *what, const char *value)
{
	rarog_cleanup(rarog_freep) char *key = rarog_asprintf("hook.%s.%s", name, what);

	return key ? rarog_store_set(job->project.store, key, value) : rarog_oom();
}

/* --- install and uninstall --- */

static int own_path(char path[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);

	if (n < 0)
		return rarog_fail_errno("cannot find out where rarog is");
	path[n] = '\0';
	return 0;
}

static int install(struct job *job, const char *name)
{
	char program[PATH_MAX];
	int r = own_path(program);

	if (job->args->gate && strcmp(name, "pre-push") != 0)
		return rarog_usage_error(rarog_fail(
			-EINVAL, "%s cannot be a gate: git has made the commit by then", name));
	if (job->hooks.is_shared && !job->args->shared)
		return rarog_fail(-EPERM,
				  "%s has the hooks of all your repositories; --shared installs it "
				  "there (it does nothing where there is no store)",
				  job->hooks.directory);
	if (r == 0)
		r = set(job, name, "mode", job->args->gate ? "gate" : "background");
	if (r == 0)
		r = set(job, name, "command", job->args->command);
	if (r == 0)
		r = rarog_hook_install(&job->hooks, name, program);
	if (r == 0 && !job->context->quiet)
		printf("%s/%s: %s%s\n", job->hooks.directory, name,
		       job->args->gate ? "gate" : "in the background",
		       rarog_hook_state(&job->hooks, name) == RAROG_HOOK_CHAINED
			       ? ", after the hook that was there"
			       : "");
	return r;
}

static int uninstall(struct job *job, const char *name)
{
	int r = set(job, name, "mode", NULL);

	if (r == 0)
		r = set(job, name, "command", NULL);
	if (r == 0)
		r = rarog_hook_uninstall(&job->hooks, name);
	if (r >= 0 && !job->context->quiet)
		printf("%s/%s: %s\n", job->hooks.directory, name,
		       r == 1 ? "taken away"
		       : rarog_hook_state(&job->hooks, name) == RAROG_HOOK_NONE
			       ? "there was none"
			       : "is not rarog's; left alone");
	return r < 0 ? r : 0;
}

/* --- status --- */

struct line {
	const char *name, *state;
	char *mode, *command;
};

static void line_release(struct line *line)
{
	free(line->mode);
	free(line->command);
}

static int read_line(struct job *job, const char *name, struct line *line)
{
	static const char *const states[] = { "none", "not rarog's", "installed",
					      "installed, after the hook that was there" };
	rarog_cleanup(rarog_freep) char *mode = rarog_asprintf("hook.%s.mode", name);
	rarog_cleanup(rarog_freep) char *command = rarog_asprintf("hook.%s.command", name);
	int state = rarog_hook_state(&job->hooks, name);

	if (state < 0 || !mode || !command)
		return state < 0 ? state : rarog_oom();
	line->name = name;
	line->state = states[state];
	if (state < RAROG_HOOK_OURS)
		return 0;
	rarog_store_get(job->project.store, mode, &line->mode);
	rarog_store_get(job->project.store, command, &line->command);
	return 0;
}

static int add_line(struct rarog_table *table, const struct line *line)
{
	return rarog_table_add(table,
			       (struct rarog_cell[]){
				       { .text = line->name },
				       { .text = line->state },
				       { .text = line->mode },
				       { .text = line->command ? line->command
						 : line->mode  ? rarog_hook_command(line->name)
							       : "" },
			       });
}

static void write_line(struct rarog_json *json, const struct line *line)
{
	rarog_json_object(json, NULL);
	rarog_json_string(json, "hook", line->name);
	rarog_json_string(json, "state", line->state);
	rarog_json_string(json, "mode", line->mode);
	rarog_json_string(json, "command",
			  line->command ? line->command
			  : line->mode  ? rarog_hook_command(line->name)
					: NULL);
	rarog_json_end_object(json);
}

static int status(struct job *job)
{
	static const struct rarog_column columns[] = { { .title = "hook" },
						       { .title = "state" },
						       { .title = "mode" },
						       { .title = "command", .is_elastic = true } };
	rarog_cleanup(rarog_table_freep) struct rarog_table *table = rarog_table_new(4, columns);
	struct rarog_json json;
	int r = table ? 0 : rarog_oom();

	rarog_json_start(&json, stdout, true);
	if (job->args->json)
		rarog_json_array(&json, NULL);
	for (size_t i = 0; r == 0 && rarog_hook_names[i]; i++) {
		rarog_cleanup(line_release) struct line line = { 0 };

		r = read_line(job, rarog_hook_names[i], &line);
		if (r == 0 && job->args->json)
			write_line(&json, &line);
		else if (r == 0)
			r = add_line(table, &line);
	}
	if (r < 0)
		return r;
	if (job->args->json)
		return rarog_json_finish(&json);
	rarog_table_print(table, stdout, job->context->width, job->context->colour);
	printf("\nin %s; what runs in the background writes to %s/" RAROG_HOOK_LOG "\n",
	       job->hooks.directory, rarog_store_path(job->project.store));
	return 0;
}

/* --- the command --- */

static int each_hook(struct job *job, int (*do_it)(struct job *job, const char *name), size_t n,
		     char *const names[n])
{
	int r = open_job(job);

	for (size_t i = 0; r == 0 && i < n; i++)
		if (!is_hook(names[i]))
			return rarog_usage_error(-EINVAL);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = do_it(job, names[i]);
	return r < 0 ? r : RAROG_EXIT_OK;
}

static int dispatch(struct job *job, size_t n, char **operands)
{
	char commit[] = "post-commit", push[] = "pre-push";
	char *const first[] = { commit }, *const both[] = { commit, push };
	const char *verb = n > 0 ? operands[0] : "status";

	if (strcmp(verb, "install") == 0 && n == 1 && job->args->gate)
		return each_hook(job, install, 1, both + 1);
	if (strcmp(verb, "install") == 0)
		return each_hook(job, install, n > 1 ? n - 1 : 1, n > 1 ? operands + 1 : first);
	if (strcmp(verb, "uninstall") == 0)
		return each_hook(job, uninstall, n > 1 ? n - 1 : 2, n > 1 ? operands + 1 : both);
	if (strcmp(verb, "run") == 0 && n > 1)
		return is_hook(operands[1]) ? rarog_hook_run(job->context, operands[1])
					    : rarog_usage_error(-EINVAL);
	if (strcmp(verb, "status") == 0) {
		int r = open_job(job);

		return r < 0 ? r : status(job);
	}
	return rarog_usage_error(rarog_fail(
		-EINVAL, "hook cannot '%s'; it can install, uninstall and tell its status", verb));
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { 0 };
	int first = rarog_options_parse(options, argc, argv, false, &args);
	rarog_cleanup(job_release) struct job job = { .context = context, .args = &args };

	if (first < 0)
		return rarog_usage_error(first);
	return dispatch(&job, (size_t)(argc - first), argv + first);
}

const struct rarog_command rarog_cmd_hook = {
	.name = "hook",
	.summary = "measure every commit, or before every push",
	.usage = "install [--gate] [--command LINE] [HOOK…] | uninstall [HOOK…] | status",
	.description =
		"install makes git call rarog after each commit (post-commit, the default) or "
		"before a push (pre-push). By default rarog works in the background: git does not "
		"wait, nothing that happens there disturbs git, and commits that follow each other "
		"queue. post-commit measures the commit and compares it with what was measured "
		"before it; the table is in the log, the verdict in rarog log. With --gate, a push "
		"waits for the command and is stopped if the command fails.\n"
		"\n"
		"core.hooksPath is respected. A hook that is there already is kept, and called "
		"first with the same arguments and input; uninstall puts it back in its place.",
	.examples = "rarog hook install\n"
		    "rarog hook install --gate --command './bench.sh \"$RAROG_COMMIT\"' pre-push\n"
		    "rarog hook status",
	.options = options,
	.run = run,
};
