/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json-writer.h"
#include "base/table.h"
#include "cmd/build-system.h"
#include "cmd/commands.h"
#include "cmd/project.h"

#define FILE_LIMIT (4u << 20)

struct args {
	bool user, repository, all, json;
};

static const struct rarog_option options[] = {
	RAROG_OPT_FLAG('u', "user", struct args, user,
		       "use the user's settings, $XDG_CONFIG_HOME/rarog/config.yml"),
	RAROG_OPT_FLAG('r', "repository", struct args, repository,
		       "use the project's settings, .rarog.yml (default where there is a project)"),
	RAROG_OPT_FLAG('a', "all", struct args, all,
		       "list: show every key that exists, with its "
		       "default"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "get, list: write JSON"),
	RAROG_OPT_END,
};

/* --- get --- */

static void write_json(struct rarog_json *json, const char *key, const struct rarog_yaml *node)
{
	if (rarog_yaml_is_null(node)) {
		rarog_json_null(json, key);
	} else if (node->kind == RAROG_YAML_SCALAR) {
		rarog_json_string(json, key, node->text);
	} else if (node->kind == RAROG_YAML_LIST) {
		rarog_json_array(json, key);
		for (size_t i = 0; i < node->n; i++)
			write_json(json, NULL, node->members[i].value);
		rarog_json_end_array(json);
	} else {
		rarog_json_object(json, key);
		for (size_t i = 0; i < node->n; i++)
			write_json(json, node->members[i].key->text, node->members[i].value);
		rarog_json_end_object(json);
	}
}

static int print_value(const struct rarog_yaml *value, const struct args *args)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	struct rarog_json json;
	int r;

	if (args->json) {
		rarog_json_start(&json, stdout, true);
		write_json(&json, NULL, value);
		return rarog_json_finish(&json);
	}
	if (value->kind == RAROG_YAML_SCALAR) {
		puts(value->text);
		return 0;
	}
	r = rarog_yaml_print(value, 0, &text);
	fputs(rarog_str_text(&text), stdout);
	return r;
}

/* The value in the scopes that were asked for. */
static const struct rarog_yaml *find_value(const struct rarog_settings *settings, const char *key,
					   const struct args *args)
{
	const struct rarog_yaml *value;

	if (!args->user && !args->repository)
		return rarog_settings_get(settings, key, NULL);
	value = rarog_yaml_find(rarog_settings_root(settings, args->user ? RAROG_SCOPE_USER
									 : RAROG_SCOPE_REPOSITORY),
				key);
	return rarog_yaml_is_null(value) ? NULL : value;
}

static int get(const struct rarog_context *context, const struct args *args, char **operands)
{
	rarog_cleanup(rarog_project_release) struct rarog_project project = { 0 };
	const struct rarog_setting *setting = rarog_setting_find(operands[0]);
	const struct rarog_yaml *value;
	int r = rarog_project_open(context, RAROG_NEED_SETTINGS, &project);

	if (r < 0)
		return r;
	value = find_value(project.settings, operands[0], args);
	if (value)
		return print_value(value, args);
	if (!setting)
		return rarog_usage_error(rarog_setting_find(operands[0]) ? 0 : -EINVAL);
	if (!setting->standard || args->user || args->repository)
		return rarog_fail(-ENOENT, "%s is not set", operands[0]);
	return print_value(&(struct rarog_yaml){ .text = setting->standard }, args);
}

/* --- list --- */

struct line {
	const char *key, *scope;
	const struct rarog_yaml *value;
	const char *help;
};

static int add_line(struct rarog_table *table, const struct line *line)
{
	rarog_cleanup(rarog_str_release) struct rarog_str value = { 0 };
	int r = line->value ? rarog_yaml_print_flow(line->value, &value) : 0;

	if (r < 0)
		return r;
	return rarog_table_add(table, (struct rarog_cell[]){
					      { .text = line->key },
					      { .text = rarog_str_text(&value) },
					      { .text = line->scope, .style = RAROG_STYLE_DIM },
					      { .text = line->help, .style = RAROG_STYLE_DIM },
				      });
}

static void add_json(struct rarog_json *json, const struct line *line)
{
	rarog_json_object(json, line->key);
	write_json(json, "value", line->value);
	rarog_json_string(json, "scope", line->scope);
	if (line->help)
		rarog_json_string(json, "help", line->help);
	rarog_json_end_object(json);
}

/* Calls @visit for every key that is set, or for every one (--all). */
static int each_line(const struct rarog_settings *settings, const struct args *args,
		     int (*visit)(const struct line *line, void *user), void *user)
{
	int r = 0;

	for (const struct rarog_setting *s = rarog_settings_table; r == 0 && s->key; s++) {
		struct rarog_yaml standard = { .text = s->standard, .is_plain = true };
		enum rarog_scope_kind scope;
		struct line line = { .key = s->key, .help = args->all ? s->help : NULL };

		line.value = rarog_settings_get(settings, s->key, &scope);
		if (args->user || args->repository)
			line.value = find_value(settings, s->key, args);
		if (args->user || args->repository)
			scope = args->user ? RAROG_SCOPE_USER : RAROG_SCOPE_REPOSITORY;
		line.scope = line.value ? rarog_scope_names[scope] : "standard";
		if (!line.value && s->standard)
			line.value = &standard;
		if (args->all || strcmp(line.scope, "standard") != 0)
			r = visit(&line, user);
	}
	return r;
}

static int visit_table(const struct line *line, void *user)
{
	return add_line(user, line);
}

static int visit_json(const struct line *line, void *user)
{
	add_json(user, line);
	return 0;
}

static int list(const struct rarog_context *context, const struct args *args, char **operands)
{
	static const struct rarog_column columns[] = { { .title = "key" },
						       { .title = "value", .is_elastic = true },
						       { .title = "from" },
						       { .title = "" } };
	rarog_cleanup(rarog_project_release) struct rarog_project project = { 0 };
	rarog_cleanup(rarog_table_freep) struct rarog_table *table = NULL;
	struct rarog_json json;
	int r = rarog_project_open(context, RAROG_NEED_SETTINGS, &project);

	(void)operands;
	if (r < 0)
		return r;
	if (args->json) {
		rarog_json_start_object(&json, stdout);
		each_line(project.settings, args, visit_json, &json);
		return rarog_json_finish(&json);
	}
	table = rarog_table_new(args->all ? 4 : 3, columns);
	r = table ? each_line(project.settings, args, visit_table, table) : rarog_oom();
	if (r == 0 && rarog_table_rows(table) > 0)
		rarog_table_print(table, stdout, isatty(STDOUT_FILENO) ? context->width : 0,
				  context->colour);
	return r;
}

/* --- changing --- */

/* The file to change: the project's, else (or with --user) the user's. Links are followed: a
 * settings file that is one stays one. */
static int find_path(const struct args *args, char **ret_path)
{
	rarog_cleanup(rarog_vcs_freep) struct rarog_vcs *vcs = NULL;
	rarog_cleanup(rarog_freep) char *path = NULL;
	const char *root = NULL;
	char *target;

	if (args->user && args->repository)
		return rarog_usage_error(
			rarog_fail(-EINVAL, "--user and --repository do not go together"));
	if (!args->user) {
		int r = rarog_vcs_open(NULL, -1, &vcs);

		if (r < 0)
			return rarog_fail(r, "%s; for your own settings: --user",
					  rarog_error_message());
		root = rarog_vcs_root(vcs);
		if (!root)
			return rarog_fail(-ENOENT, "a bare repository has no " RAROG_SETTINGS_FILE
						   "; set it in a work tree, or with --user");
	}
	path = rarog_settings_file(root, args->user ? RAROG_SCOPE_USER : RAROG_SCOPE_REPOSITORY);
	if (!path)
		return rarog_fail(-ENOENT, "neither XDG_CONFIG_HOME nor HOME is set: there is no "
					   "place for your settings");
	target = realpath(path, NULL);
	*ret_path = target ? target : rarog_take(path);
	return 0;
}

/* "" where there is no file. */
static int read_text(const char *path, char **ret_text)
{
	int r = rarog_file_read(path, FILE_LIMIT, ret_text, NULL);

	if (r != -ENOENT)
		return r;
	rarog_error_clear();
	*ret_text = strdup("");
	return *ret_text ? 0 : rarog_oom();
}

static int write_text(const char *path, const struct rarog_str *text)
{
	rarog_cleanup(rarog_new_file_release) struct rarog_new_file file = RAROG_NEW_FILE_NONE;
	rarog_cleanup(rarog_freep) char *directory = strdup(path);
	int r;

	if (!directory)
		return rarog_oom();
	*strrchr(directory, '/') = '\0';
	r = rarog_mkdirs(*directory ? directory : "/", 0777);
	if (r == 0)
		r = rarog_new_file_open(path, &file);
	if (r < 0)
		return r;
	if (rarog_write_all(file.fd, text->length, rarog_str_text(text)) < 0)
		return rarog_fail_errno("%s: cannot write", path);
	return rarog_new_file_commit(&file);
}

static int set(const struct rarog_context *context, const struct args *args, char **operands)
{
	rarog_cleanup(rarog_freep) char *path = NULL, *old = NULL;
	rarog_cleanup(rarog_str_release) struct rarog_str new = { 0 }, value = { 0 };
	const struct rarog_setting *setting = rarog_setting_find(operands[0]);
	int r = setting ? rarog_setting_yaml(setting, operands[0], operands[1], &value) : -EINVAL;

	(void)context;
	if (r < 0)
		return rarog_usage_error(r);
	r = find_path(args, &path);
	if (r == 0)
		r = read_text(path, &old);
	if (r == 0)
		r = rarog_yaml_set(path, old, operands[0], rarog_str_text(&value), &new);
	return r < 0 ? r : write_text(path, &new);
}

static int unset(const struct rarog_context *context, const struct args *args, char **operands)
{
	rarog_cleanup(rarog_freep) char *path = NULL, *old = NULL;
	rarog_cleanup(rarog_str_release) struct rarog_str new = { 0 };
	int r = find_path(args, &path);

	(void)context;
	if (r == 0)
		r = read_text(path, &old);
	if (r == 0)
		r = rarog_yaml_unset(path, old, operands[0], &new);
	if (r == 0)
		return rarog_fail(-ENOENT, "%s: %s is not set there", path, operands[0]);
	return r < 0 ? r : write_text(path, &new);
}

/* --- edit --- */

static const char *editor_of(const struct rarog_settings *settings)
{
	const char *set = settings ? rarog_settings_text(settings, "core.editor") : NULL;
	const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");

	if (set)
		return set;
	if (visual && *visual)
		return visual;
	return editor && *editor ? editor : "vi";
}

static int run_editor(const char *editor, const char *path)
{
	rarog_cleanup(rarog_freep) char *command = rarog_asprintf("%s \"$1\"", editor);
	int status;
	pid_t pid;

	if (!command)
		return rarog_oom();
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", command, "editor", path, NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return rarog_fail_errno("cannot run the editor");
	if (status != 0)
		return rarog_fail(-EIO,
				  "the editor '%s' failed; $VISUAL, $EDITOR or core.editor "
				  "name another",
				  editor);
	return 0;
}

static int check_file(const char *path)
{
	rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file file = { 0 };
	int r = rarog_yaml_read(path, &file);

	return r < 0 ? r : rarog_settings_check(file.root);
}

/* The file as it is, also when it is wrong: that is what it is edited for. */
static int edit(const struct rarog_context *context, const struct args *args, char **operands)
{
	rarog_cleanup(rarog_project_release) struct rarog_project project = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	rarog_cleanup(rarog_freep) char *path = NULL;
	int r = find_path(args, &path);

	(void)operands;
	if (r < 0)
		return r;
	if (rarog_project_open(context, RAROG_NEED_SETTINGS, &project) < 0)
		rarog_error_clear();
	if (access(path, F_OK) < 0) {
		r = rarog_settings_suggest(
			project.vcs && rarog_vcs_root(project.vcs)
				? rarog_build_system_find(rarog_vcs_root(project.vcs))
				: NULL,
			&text);
		if (r == 0)
			r = write_text(path, &text);
	}
	if (r == 0)
		r = run_editor(editor_of(project.settings), path);
	return r < 0 ? r : check_file(path);
}

/* --- the five --- */

struct action {
	const char *name;
	int n_operands;
	const char *operands;
	int (*run)(const struct rarog_context *context, const struct args *args, char **operands);
};

static const struct action actions[] = {
	{ "list", 0, "", list },       { "get", 1, " KEY", get }, { "set", 2, " KEY VALUE", set },
	{ "unset", 1, " KEY", unset }, { "edit", 0, "", edit },
};

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { 0 };
	int first = rarog_options_parse(options, argc, argv, false, &args);
	const char *name = first >= 0 && first < argc ? argv[first] : "list";

	if (first < 0)
		return rarog_usage_error(first);
	for (size_t i = 0; i < RAROG_COUNT(actions); i++) {
		if (strcmp(actions[i].name, name) != 0)
			continue;
		if (argc - first - (first < argc) != actions[i].n_operands)
			return rarog_usage_error(rarog_fail(-EINVAL, "rarog config %s%s", name,
							    actions[i].operands));
		return actions[i].run(context, &args, argv + first + 1);
	}
	return rarog_usage_error(
		rarog_fail(-EINVAL, "'%s' is none of get, set, unset, list and edit", name));
}

const struct rarog_command rarog_cmd_config = {
	.name = "config",
	.summary = "show and change settings",
	.usage = "[OPTION…] [list | get KEY | set KEY VALUE | unset KEY | edit]",
	.description =
		"Settings have three scopes; the first that has a key decides: -c KEY=VALUE at any "
		"command, the project's .rarog.yml, and the user's own file.\n"
		"\n"
		"set and unset change one value and keep the comments and the layout of the file. "
		"VALUE is YAML in one line: a word, a number, [a, list], {a: map}; keys are dotted "
		"(gc.max-size), entries of lists are counted from 0 (jobs.0.command). get fails "
		"with status 3 if the key is not set and has no default. edit checks the file "
		"afterwards and says where it is wrong.",
	.examples = "rarog config list --all\n"
		    "rarog config set gc.max-size 10G\n"
		    "rarog config set --user core.editor 'code --wait'\n"
		    "rarog -c status.sort=size status",
	.options = options,
	.run = run,
};
