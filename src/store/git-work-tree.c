/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The work tree as a version: a copy of the index is brought up to date as git-commit(1) with -a
 * does, and written as a tree. The user's index, work tree and references stay as they are; what is
 * added are objects that nothing refers to, as git-stash(1) create leaves them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "store/git-own.h"
#include "store/object.h"

#define INDEX_LIMIT (1ull << 31)

int rarog_git_hash_diff(const struct rarog_git *git, const char *old, const char *new,
			char **ret_hash)
{
	const char *const arguments[] = { "diff",
					  "--binary",
					  "--no-color",
					  "--no-ext-diff",
					  "--no-textconv",
					  "--submodule=short",
					  old,
					  new,
					  NULL };
	rarog_cleanup(rarog_str_release) struct rarog_str diff = { 0 };
	struct rarog_hash hash;
	int r = rarog_git_must(git, arguments, &diff);

	if (r < 0)
		return r;
	rarog_hash_bytes(diff.length, rarog_str_text(&diff), &hash);
	*ret_hash = strdup(rarog_hash_hex(&hash).text);
	return *ret_hash ? 0 : rarog_oom();
}

/* What it says, one line; the caller frees. */
static int ask(const struct rarog_git *git, const char *const arguments[], char **ret_line)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = rarog_git_must(git, arguments, &text);

	if (r < 0)
		return r;
	if (text.length > 0 && text.text[text.length - 1] == '\n')
		text.text[text.length - 1] = '\0';
	*ret_line = strdup(rarog_str_text(&text));
	return *ret_line ? 0 : rarog_oom();
}

/* Its times of files are what makes it quick. A repository may have none yet. The copy is as old as
 * the original: files that are no older than their index are those that git looks into. */
static int copy_index(const struct rarog_git *git, const char *to)
{
	static const char *const where[] = { "rev-parse", "--path-format=absolute", "--git-path",
					     "index", NULL };
	rarog_cleanup(rarog_freep) char *path = NULL;
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	rarog_cleanup(rarog_new_file_release) struct rarog_new_file file = RAROG_NEW_FILE_NONE;
	struct stat st = { 0 };
	size_t n = 0;
	int r = ask(git, where, &path);

	if (r == 0 && stat(path, &st) < 0)
		return errno == ENOENT ? 0 : rarog_fail_errno("%s: cannot read", path);
	if (r == 0)
		r = rarog_file_read(path, INDEX_LIMIT, &bytes, &n);
	if (r == 0)
		r = rarog_new_file_open(to, &file);
	if (r < 0)
		return r;
	r = rarog_write_all(file.fd, n, bytes);
	if (r == 0 && futimens(file.fd, (const struct timespec[]){ st.st_atim, st.st_mtim }) < 0)
		r = -errno;
	return r < 0 ? rarog_fail(r, "%s: cannot write: %s", to, strerror(-r))
		     : rarog_new_file_commit(&file);
}

/* With the index as the files are, only what is inside of submodules can still differ. */
static int refuse_submodules(const struct rarog_git *git)
{
	static const char *const arguments[] = { "diff-files", "--quiet",
						 "--ignore-submodules=untracked", NULL };
	int status = rarog_git(git, arguments, 0, NULL, NULL, NULL);

	if (status == 1)
		return rarog_fail(-ENOTSUP, "a submodule has changes that are not committed there; "
					    "commit them, or name the version to measure");
	return status < 0 ? status : 0;
}

static int write_tree(struct rarog_git *git, const char *index, char **ret_tree)
{
	static const char *const update[] = { "add", "--update", NULL };
	static const char *const write[] = { "write-tree", NULL };
	int r = copy_index(git, index);

	git->index = index;
	if (r == 0)
		r = rarog_git_must(git, update, NULL);
	if (r == 0)
		r = refuse_submodules(git);
	return r < 0 ? r : ask(git, write, ret_tree);
}

int rarog_git_work_tree(struct rarog_vcs *vcs, const char *scratch, struct rarog_commit *ret_commit)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit commit = { 0 };
	rarog_cleanup(rarog_freep) char *index = rarog_asprintf("%s/index", scratch);
	struct rarog_git git = rarog_git_own(vcs)->git;
	int r = index ? rarog_git_resolve(vcs, "HEAD", &commit) : rarog_oom();

	if (r == 0)
		r = write_tree(&git, index, &commit.changed_tree);
	if (index)
		unlink(index);
	if (r == 0 && strcmp(commit.changed_tree, commit.tree) == 0)
		return 0;
	if (r == 0)
		r = rarog_git_hash_diff(&git, commit.tree, commit.changed_tree, &commit.diff);
	if (r < 0)
		return r;
	*ret_commit = rarog_take_struct(commit);
	return 1;
}
