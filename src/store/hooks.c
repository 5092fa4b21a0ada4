/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A hook file of ours has a line that says so. It first calls the hook that was there before, with
 * the same arguments and input, and ends as that one does if it fails: ours changes nothing for it.
 * Where rarog is gone the hook does nothing.
 */
#include "store/hooks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "store/git-own.h"

#define MARK  "# made by rarog hook install; rarog hook uninstall takes it away again"
#define LIMIT (1u << 20)

const char *const rarog_hook_names[] = { "post-commit", "pre-push", NULL };

void rarog_hooks_release(struct rarog_hooks *hooks)
{
	free(hooks->directory);
	*hooks = (struct rarog_hooks){ 0 };
}

/* --- where they are --- */

/* Our own git runs without hooks: what the user's would say is what is set elsewhere. */
static int find_setting(const struct rarog_git *git, char **ret_value, bool *ret_is_shared)
{
	rarog_cleanup(rarog_str_release) struct rarog_str all = { 0 };
	int r = rarog_git_must(git,
			       (const char *const[]){ "config", "--list", "--show-scope", "-z",
						      "--includes", NULL },
			       &all);
	static const char key[] = "core.hookspath\n";
	const char *at = rarog_str_text(&all), *end = at + all.length, *value = NULL;

	while (r == 0 && at < end) {
		const char *setting = at + strlen(at) + 1;

		if (setting < end && strncmp(setting, key, strlen(key)) == 0 &&
		    strcmp(at, "command") != 0) {
			value = setting + strlen(key);
			*ret_is_shared = strcmp(at, "local") != 0 && strcmp(at, "worktree") != 0;
		}
		at = setting < end ? setting + strlen(setting) + 1 : end;
	}
	*ret_value = value && *value ? strdup(value) : NULL;
	return r;
}

int rarog_hooks_find(struct rarog_vcs *vcs, struct rarog_hooks *ret_hooks)
{
	const struct rarog_git_own *own;
	rarog_cleanup(rarog_freep) char *value = NULL;
	const char *home = getenv("HOME");
	bool is_shared = false;
	int r;

	if (rarog_vcs_kind(vcs) != RAROG_VCS_GIT)
		return rarog_fail(-ENOTSUP, "there is no git here and so no hooks");
	own = rarog_git_own(vcs);
	r = find_setting(&own->git, &value, &is_shared);
	if (r < 0)
		return r;
	if (!value)
		ret_hooks->directory = rarog_asprintf("%s/hooks", own->common);
	else if (rarog_starts_with(value, "~/") && home)
		ret_hooks->directory = rarog_asprintf("%s%s", home, value + 1);
	else
		ret_hooks->directory = *value == '/'
					       ? strdup(value)
					       : rarog_asprintf("%s/%s", own->directory, value);
	ret_hooks->is_shared = is_shared;
	return ret_hooks->directory ? 0 : rarog_oom();
}

/* --- one of them --- */

struct paths {
	char *hook, *before;
};

static void paths_release(struct paths *paths)
{
	free(paths->hook);
	free(paths->before);
}

static int make_paths(const struct rarog_hooks *hooks, const char *name, struct paths *paths)
{
	paths->hook = rarog_asprintf("%s/%s", hooks->directory, name);
	paths->before = rarog_asprintf("%s/%s.before-rarog", hooks->directory, name);
	return paths->hook && paths->before ? 0 : rarog_oom();
}

static bool is_there(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

static int state_of(const struct paths *paths)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	int r;

	if (!is_there(paths->hook))
		return RAROG_HOOK_NONE;
	r = rarog_file_read(paths->hook, LIMIT, &text, NULL);
	if (r < 0)
		rarog_error_clear(); /* a dangling link, a program: not ours */
	if (r < 0 || !strstr(text, MARK))
		return RAROG_HOOK_OTHER;
	return is_there(paths->before) ? RAROG_HOOK_CHAINED : RAROG_HOOK_OURS;
}

int rarog_hook_state(const struct rarog_hooks *hooks, const char *name)
{
	rarog_cleanup(paths_release) struct paths paths = { 0 };
	int r = make_paths(hooks, name, &paths);

	return r < 0 ? r : state_of(&paths);
}

static int add_quoted(struct rarog_str *text, const char *word)
{
	int r = rarog_str_add_char(text, '\'');

	for (; r == 0 && *word; word++)
		r = *word == '\'' ? rarog_str_add(text, "'\\''") : rarog_str_add_char(text, *word);
	return r < 0 ? r : rarog_str_add_char(text, '\'');
}

static int write_script(const char *name, const char *program, struct rarog_str *text)
{
	int r = rarog_str_addf(text,
			       "#!/bin/sh\n" MARK "\n"
			       "earlier=$(dirname \"$0\")/%s.before-rarog\n"
			       "input=\n"
			       "[ %s = pre-push ] && input=$(cat; echo .)\n"
			       "input=${input%%.}\n"
			       "if [ -x \"$earlier\" ]; then\n"
			       "\tprintf %%s \"$input\" | \"$earlier\" \"$@\" || exit\n"
			       "fi\n"
			       "rarog=",
			       name, name);

	if (r == 0)
		r = add_quoted(text, program);
	if (r == 0)
		r = rarog_str_addf(text,
				   "\n[ -x \"$rarog\" ] || rarog=$(command -v rarog) || exit 0\n"
				   "printf %%s \"$input\" | \"$rarog\" hook run %s \"$@\"\n",
				   name);
	return r < 0 ? rarog_oom() : 0;
}

static int write_hook(const char *path, const struct rarog_str *text)
{
	rarog_cleanup(rarog_new_file_release) struct rarog_new_file file = RAROG_NEW_FILE_NONE;
	int r = rarog_new_file_open(path, &file);

	if (r < 0)
		return r;
	r = rarog_write_all(file.fd, text->length, text->text);
	if (r < 0 || fchmod(file.fd, 0755) < 0)
		return rarog_fail(r < 0 ? r : -errno, "%s: cannot write", path);
	return rarog_new_file_commit(&file);
}

int rarog_hook_install(const struct rarog_hooks *hooks, const char *name, const char *program)
{
	rarog_cleanup(paths_release) struct paths paths = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = make_paths(hooks, name, &paths);

	if (r == 0)
		r = write_script(name, program, &text);
	if (r == 0)
		r = rarog_mkdirs(hooks->directory, 0777);
	if (r < 0)
		return r;
	if (state_of(&paths) == RAROG_HOOK_OTHER) {
		if (is_there(paths.before))
			return rarog_fail(-EEXIST,
					  "%s is not rarog's, and %s is from an earlier time; move "
					  "one of them away",
					  paths.hook, paths.before);
		if (rename(paths.hook, paths.before) < 0)
			return rarog_fail_errno("%s: cannot rename", paths.hook);
	}
	r = write_hook(paths.hook, &text);
	if (r < 0 && !is_there(paths.hook))
		rename(paths.before, paths.hook); /* as it was */
	return r;
}

int rarog_hook_uninstall(const struct rarog_hooks *hooks, const char *name)
{
	rarog_cleanup(paths_release) struct paths paths = { 0 };
	int r = make_paths(hooks, name, &paths), state;

	if (r < 0)
		return r;
	state = state_of(&paths);
	if (state != RAROG_HOOK_OURS && state != RAROG_HOOK_CHAINED)
		return 0;
	if (state == RAROG_HOOK_CHAINED)
		r = rename(paths.before, paths.hook);
	else
		r = unlink(paths.hook);
	return r < 0 ? rarog_fail_errno("%s: cannot take it away", paths.hook) : 1;
}
