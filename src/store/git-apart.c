/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Git's worktrees share the file "config": what a build sets there (git config, submodule init)
 * would be set in the user's repository. Ours get a common directory of their own,
 * worktrees/ID/common: a copy of the settings, and beside it a link to everything else of the real
 * one. The file "commondir" names it (gitrepository-layout(5)); it goes with the worktree.
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "store/git-own.h"

/* What they include is in the copy. */
static bool is_kept(const char *key)
{
	return strncasecmp(key, "include.", 8) != 0 && strncasecmp(key, "includeif.", 10) != 0;
}

static int git_directory(const char *path, struct rarog_str *ret_directory)
{
	static const char *const arguments[] = { "rev-parse", "--absolute-git-dir", NULL };
	const struct rarog_git git = { .directory = path };
	int r = rarog_git_must(&git, arguments, ret_directory);

	if (r == 0 && ret_directory->length > 0)
		ret_directory->text[--ret_directory->length] = '\0'; /* the line's end */
	return r;
}

static int write_file(const char *directory, const char *name, const char *text)
{
	rarog_cleanup(rarog_new_file_release) struct rarog_new_file file = RAROG_NEW_FILE_NONE;
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/%s", directory, name);
	int r = path ? rarog_new_file_open(path, &file) : rarog_oom();

	if (r < 0)
		return r;
	r = rarog_write_all(file.fd, strlen(text), text);
	return r < 0 ? rarog_fail(r, "%s: cannot write: %s", path, strerror(-r))
		     : rarog_new_file_commit(&file);
}

/* --- links --- */

static int link_one(const char *from, const char *to, const char *name)
{
	rarog_cleanup(rarog_freep) char *target = rarog_asprintf("%s/%s", from, name);
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/%s", to, name);

	if (!target || !path)
		return rarog_oom();
	if (symlink(target, path) < 0 && errno != EEXIST)
		return rarog_fail_errno("%s: cannot make the link", path);
	return 0;
}

/* A lock that is there now is gone soon: the next one made would meet its link. */
static bool is_shared(const char *name)
{
	size_t n = strlen(name);

	return name[0] != '.' && strcmp(name, "config") != 0 &&
	       (n < 5 || strcmp(name + n - 5, ".lock") != 0);
}

/* packed-refs: git may make it while the build runs, and remove what it packed. */
static int link_all(const char *from, const char *to)
{
	DIR *directory = opendir(from);
	const struct dirent *entry;
	int r = directory ? link_one(from, to, "packed-refs")
			  : rarog_fail_errno("%s: cannot open", from);

	while (r == 0 && (entry = readdir(directory)) != NULL)
		if (is_shared(entry->d_name))
			r = link_one(from, to, entry->d_name);
	if (directory)
		closedir(directory);
	return r;
}

int rarog_git_set_apart(const struct rarog_git_own *own, const char *path)
{
	rarog_cleanup(rarog_str_release) struct rarog_str settings = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str directory = { 0 };
	rarog_cleanup(rarog_freep) char *common = NULL;
	const struct rarog_git git = { .directory = path };
	int r = git_directory(path, &directory);

	if (r == 0)
		r = rarog_git_settings(&git, is_kept, &settings);
	if (r < 0)
		return r;
	common = rarog_asprintf("%s/common", rarog_str_text(&directory));
	r = common ? rarog_mkdirs(common, 0777) : rarog_oom();
	if (r == 0)
		r = link_all(own->common, common);
	if (r == 0)
		r = write_file(common, "config", rarog_str_text(&settings));
	return r == 0 ? write_file(rarog_str_text(&directory), "commondir", "common\n") : r;
}
