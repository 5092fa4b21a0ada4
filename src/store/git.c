/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Git as a version system. Processes are what costs (1.5 ms each here), so: one to open, one
 * cat-file for every question about objects, one for each walk. git-rev-parse(1), git-cat-file(1),
 * git-status(1) have the formats.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/vec.h"
#include "store/git-own.h"

/* --- opening --- */

/* git: detected dubious ownership in repository at '/srv/project' */
static int not_ours(const char *start, const char *words)
{
	const char *path = strchr(words, '\'');
	size_t n = path ? strcspn(path + 1, "'\n") : strlen(start);

	path = path ? path + 1 : start;
	return rarog_fail(-EACCES,
			  "%.*s: the git repository belongs to somebody else; git config --global "
			  "--add safe.directory '%.*s' accepts it",
			  (int)n, path, (int)n, path);
}

static int no_repository(const char *start, const char *words)
{
	if (strstr(words, "dubious ownership"))
		return not_ours(start, words);
	if (strstr(words, "not a git repository") || strstr(words, "cannot change to"))
		return -ENOENT;
	return rarog_fail(-EIO, "git: %.*s", (int)strcspn(words, "\n"), words);
}

/* One line of @at, which moves after it. */
static char *next_line(char **at)
{
	char *line = *at, *end = strchr(line, '\n');

	if (end)
		*end = '\0';
	*at = end ? end + 1 : line + strlen(line);
	return line;
}

static int find_root(struct rarog_vcs *vcs, const char *start, const char *up)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/%s", start, up);

	vcs->root = path ? realpath(path, NULL) : NULL;
	return vcs->root ? 0 : rarog_fail_errno("%s: cannot find its work tree", start);
}

static int read_shallow(struct rarog_git_own *own)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/shallow", own->common);

	if (!path)
		return rarog_oom();
	return rarog_file_read(path, 1 << 28, &own->shallow, NULL);
}

/* Takes the last line off; what is before it may have line breaks, as names of directories may. */
static char *last_line(char *text)
{
	size_t length = strlen(text);

	if (length > 0 && text[length - 1] == '\n')
		text[length - 1] = '\0';
	char *line = strrchr(text, '\n');

	if (!line)
		return text + strlen(text);
	*line = '\0';
	return line + 1;
}

/* The order in which rev-parse was asked. */
static int read_answers(struct rarog_vcs *vcs, const char *start, char *text)
{
	struct rarog_git_own *own = rarog_git_own(vcs);
	bool is_in_tree = strcmp(next_line(&text), "true") == 0;

	vcs->is_shallow = strcmp(next_line(&text), "true") == 0;
	vcs->hash_digits = strcmp(next_line(&text), "sha256") == 0 ? 64 : 40;
	const char *up = is_in_tree ? last_line(text) : NULL,
		   *common = is_in_tree ? text : next_line(&text);
	int r = is_in_tree ? find_root(vcs, start, up) : 0;

	if (r < 0)
		return r;
	own->common = realpath(common, NULL);
	if (!own->common)
		return rarog_fail_errno("%s: cannot find it", common);
	vcs->store_path = rarog_asprintf("%s/rarog", own->common);
	if (vcs->is_shallow)
		r = read_shallow(own);
	own->directory = strdup(vcs->root ? vcs->root : own->common);
	own->git.directory = own->directory;
	return r == 0 && (!vcs->store_path || !own->directory) ? rarog_oom() : r;
}

static int git_open(struct rarog_vcs *vcs, const char *start)
{
	/* --show-cdup comes last: it says nothing at all in a bare repository */
	static const char *const question[] = { "rev-parse",
						"--is-inside-work-tree",
						"--is-shallow-repository",
						"--show-object-format",
						"--path-format=absolute",
						"--git-common-dir",
						"--path-format=relative",
						"--show-cdup",
						NULL };
	rarog_cleanup(rarog_str_release) struct rarog_str answer = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str errors = { 0 };
	struct rarog_git_own *own = calloc(1, sizeof(*own));
	const struct rarog_git git = { .directory = start };
	int status;

	if (!own)
		return rarog_oom();
	own->cat = (struct rarog_git_stream)RAROG_GIT_STREAM_NONE;
	vcs->own = own;
	status = rarog_git(&git, question, 0, NULL, &answer, &errors);
	if (status < 0)
		return status;
	if (status > 0)
		return no_repository(start, rarog_str_text(&errors));
	if (answer.length == 0)
		return rarog_fail(-EIO, "%s: git says nothing", start);
	return read_answers(vcs, start, answer.text);
}

static void git_release(struct rarog_vcs *vcs)
{
	struct rarog_git_own *own = rarog_git_own(vcs);

	if (!own)
		return;
	rarog_git_finish(&own->cat);
	free(own->directory);
	free(own->common);
	free(own->shallow);
	free(own);
}

/* --- objects --- */

static int git_file(struct rarog_vcs *vcs, const char *name, const char *path, char **ret_bytes,
		    size_t *ret_n)
{
	rarog_cleanup(rarog_freep) char *object_name = rarog_asprintf("%s:%s", name, path);
	struct rarog_git_object object = { 0 };
	int r = object_name ? rarog_git_object(vcs, object_name, &object) : rarog_oom();

	if (r > 0 && strcmp(object.type, "blob") == 0) {
		*ret_bytes = object.bytes;
		if (ret_n)
			*ret_n = object.n;
		return 0;
	}
	free(object.bytes);
	return r < 0 ? r : rarog_fail(-ENOENT, "%s: is not in version %.12s", path, name);
}

static int git_has(struct rarog_vcs *vcs, const char *name, const char *path)
{
	rarog_cleanup(rarog_freep) char *object_name = rarog_asprintf("%s:%s", name, path);
	struct rarog_git_object object = { 0 };
	int r = object_name ? rarog_git_object(vcs, object_name, &object) : rarog_oom();

	free(object.bytes);
	return r < 0 ? r : r > 0;
}

/* --- state --- */

static int take_field(const char *line, const char *key, const char *none, char **ret_value)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length) != 0 || strcmp(line + length, none) == 0)
		return 0;
	free(*ret_value);
	*ret_value = strdup(line + length);
	return *ret_value ? 0 : rarog_oom();
}

/* Everything of status until the first change: more is not asked. */
static int read_status(FILE *from, struct rarog_vcs_state *state)
{
	rarog_cleanup(rarog_freep) char *line = NULL;
	size_t room = 0;
	int r = 0;

	while (r == 0 && !state->is_dirty && getdelim(&line, &room, '\0', from) > 0) {
		if (line[0] != '#')
			state->is_dirty = true;
		else
			r = take_field(line, "# branch.oid ", "(initial)", &state->head);
		if (r == 0)
			r = take_field(line, "# branch.head ", "(detached)", &state->branch);
	}
	return r;
}

static int ask_status(struct rarog_git_own *own, struct rarog_vcs_state *state)
{
	static const char *const arguments[] = { "status",
						 "--porcelain=v2",
						 "--branch",
						 "--no-ahead-behind",
						 "--untracked-files=no",
						 "--ignore-submodules=none",
						 "-z",
						 NULL };
	rarog_cleanup(rarog_git_stop) struct rarog_git_stream stream = RAROG_GIT_STREAM_NONE;
	int r = rarog_git_start(&own->git, arguments, false, &stream);

	if (r == 0)
		r = read_status(stream.from, state);
	if (r < 0 || state->is_dirty)
		return r;
	if (rarog_git_finish(&stream) != 0)
		return rarog_fail(-EIO, "%s: git status failed", own->directory);
	return 0;
}

/* A bare repository has no changes. */
static int ask_bare(struct rarog_git_own *own, struct rarog_vcs_state *state)
{
	static const char *const arguments[] = { "symbolic-ref", "-q", "--short", "HEAD", NULL };
	rarog_cleanup(rarog_str_release) struct rarog_str branch = { 0 };
	int r = rarog_git(&own->git, arguments, 0, NULL, &branch, NULL);

	if (r != 0)
		return r < 0 ? r : 0;
	branch.text[strcspn(branch.text, "\n")] = '\0';
	state->branch = rarog_str_take(&branch);
	return state->branch ? 0 : rarog_oom();
}

static int add_head(struct rarog_vcs *vcs, struct rarog_vcs_state *state)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit commit = { 0 };
	int r = rarog_git_resolve(vcs, "HEAD", &commit);

	if (r == -ENODATA) {
		rarog_error_clear();
		return 0;
	}
	if (r < 0)
		return r;
	free(state->head);
	state->head = rarog_take(commit.name);
	state->tree = rarog_take(commit.tree);
	return 0;
}

static int git_state(struct rarog_vcs *vcs, bool with_diff, struct rarog_vcs_state *ret_state)
{
	rarog_cleanup(rarog_vcs_state_release) struct rarog_vcs_state state = { 0 };
	struct rarog_git_own *own = rarog_git_own(vcs);
	int r = vcs->root ? ask_status(own, &state) : ask_bare(own, &state);

	if (r == 0)
		r = add_head(vcs, &state);
	if (r == 0 && state.is_dirty && with_diff)
		r = rarog_git_hash_diff(&own->git, state.head ? "HEAD" : "--cached", NULL,
					&state.diff);
	if (r < 0)
		return r;
	*ret_state = rarog_take_struct(state);
	return 0;
}

/* --- relations --- */

static int git_is_ancestor(struct rarog_vcs *vcs, const char *old, const char *young)
{
	const char *const arguments[] = { "merge-base", "--is-ancestor", "--end-of-options",
					  old,          young,           NULL };
	int status = rarog_git(&rarog_git_own(vcs)->git, arguments, 0, NULL, NULL, NULL);

	if (status < 0)
		return status;
	if (status > 1)
		return rarog_fail(-ENOENT, "%.12s or %.12s is not in this repository", old, young);
	return status == 0;
}

static int git_merge_base(struct rarog_vcs *vcs, const char *a, const char *b, char **ret_name)
{
	const char *const arguments[] = { "merge-base", "--end-of-options", a, b, NULL };
	rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
	int status = rarog_git(&rarog_git_own(vcs)->git, arguments, 0, NULL, &name, NULL);

	if (status < 0)
		return status;
	if (status > 0)
		return rarog_fail(-ENOENT, "%.40s and %.40s have no common ancestor here", a, b);
	name.text[strcspn(name.text, "\n")] = '\0';
	*ret_name = rarog_str_take(&name);
	return *ret_name ? 0 : rarog_oom();
}

static bool is_there(struct rarog_vcs *vcs, const char *revision)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit commit = { 0 };
	int r = rarog_git_resolve(vcs, revision, &commit);

	if (r < 0)
		rarog_error_clear();
	return r == 0;
}

static void configured_branch(struct rarog_vcs *vcs, char *name, size_t size)
{
	static const char *const arguments[] = { "config", "init.defaultBranch", NULL };
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	name[0] = '\0';
	if (rarog_git(&rarog_git_own(vcs)->git, arguments, 0, NULL, &text, NULL) == 0)
		snprintf(name, size, "refs/heads/%.*s", (int)strcspn(text.text, "\n"), text.text);
}

static int git_main_branch(struct rarog_vcs *vcs, char **ret_revision)
{
	char configured[256];
	const char *const names[] = { "refs/remotes/origin/HEAD", configured, "refs/heads/main",
				      "refs/heads/master", "refs/heads/trunk" };

	configured_branch(vcs, configured, sizeof(configured));
	for (size_t i = 0; i < RAROG_COUNT(names); i++) {
		if (!*names[i] || !is_there(vcs, names[i]))
			continue;
		*ret_revision = strdup(names[i]);
		return *ret_revision ? 0 : rarog_oom();
	}
	return rarog_fail(-ENOENT, "there is no main branch: no origin/HEAD, main or master");
}

static int git_diff(struct rarog_vcs *vcs, const char *old, const char *new, size_t n_paths,
		    const char *const paths[], struct rarog_str *diff)
{
	const char *const first[] = { "diff",
				      "--unified=0",
				      "--no-color",
				      "--no-ext-diff",
				      "--no-textconv",
				      "--find-renames",
				      "--src-prefix=a/",
				      "--dst-prefix=b/",
				      "--end-of-options",
				      old };
	RAROG_VEC(const char *) words = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(first); i++)
		r = rarog_vec_push(&words, first[i]);
	if (r == 0 && new)
		r = rarog_vec_push(&words, new);
	if (r == 0)
		r = rarog_vec_push(&words, "--");
	for (size_t i = 0; r == 0 && i < n_paths; i++)
		r = rarog_vec_push(&words, paths[i]);
	if (r == 0)
		r = rarog_vec_push(&words, NULL);
	r = r < 0 ? rarog_oom() : rarog_git_must(&rarog_git_own(vcs)->git, words.v, diff);
	rarog_vec_release(&words);
	return r;
}

const struct rarog_vcs_system rarog_vcs_git = {
	.name = "git",
	.kind = RAROG_VCS_GIT,
	.open = git_open,
	.release = git_release,
	.state = git_state,
	.work_tree = rarog_git_work_tree,
	.resolve = rarog_git_resolve,
	.walk = rarog_git_walk,
	.is_ancestor = git_is_ancestor,
	.merge_base = git_merge_base,
	.main_branch = git_main_branch,
	.file = git_file,
	.has = git_has,
	.diff = git_diff,
	.checkout = rarog_git_checkout,
	.checkout_remove = rarog_git_checkout_remove,
};
