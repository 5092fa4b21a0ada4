/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile names files by the paths of the compilation, which may be those of a work tree that is
 * long gone. What its commit has under that name is what was compiled, whatever is there today.
 */
#include "view/html/source-origin.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "view/changed-since.h"
#include "view/stale.h"

void rarog_source_origin_release(struct rarog_source_origin *origin)
{
	rarog_facts_release(&origin->facts);
	free(origin->stale);
}

/* A project that does not know the commit is another, or does not have it yet. */
static bool is_its_project(struct rarog_vcs *vcs, const char *version)
{
	struct rarog_commit commit = { 0 };
	bool is_known = !version || rarog_vcs_kind(vcs) != RAROG_VCS_GIT ||
			rarog_vcs_resolve(vcs, version, &commit) == 0;

	rarog_commit_release(&commit);
	rarog_error_clear();
	return is_known;
}

int rarog_source_origin_init(struct rarog_source_origin *origin, struct rarog_profile *profile,
			     struct rarog_vcs *vcs)
{
	int r = rarog_facts_of(profile, &origin->facts);

	if (r == 0)
		r = rarog_stale_list(profile, &origin->stale);
	if (r < 0)
		return r;
	if (!vcs || !is_its_project(vcs, origin->facts.version))
		return 0;
	origin->root = rarog_vcs_root(vcs);
	if (rarog_vcs_kind(vcs) == RAROG_VCS_GIT && origin->facts.version &&
	    !origin->facts.is_dirty)
		origin->vcs = vcs;
	return 0;
}

/* --- one file --- */

/* As it is now; @room: bytes that the page still has. A file that cannot be read is missing. */
static int read_now(const struct rarog_source_origin *origin, const char *path, size_t room,
		    struct rarog_source_text *ret_source)
{
	struct stat status;
	int r;

	*ret_source = (struct rarog_source_text){ .state = "missing" };
	if (path[0] != '/' || stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return 0;
	ret_source->state = "large";
	if ((uint64_t)status.st_size > room)
		return 0;
	r = rarog_file_read(path, room, &ret_source->text, &ret_source->n);
	if (r == -ENOMEM)
		return r;
	ret_source->state = r < 0 ? "missing"
			    : rarog_changed_since(&status, origin->facts.started_ns) ||
					    rarog_stale_has(origin->stale, path)
				    ? "changed"
				    : "whole";
	return 0;
}

/* @path as the project has it; NULL: it is elsewhere. */
static const char *path_in_project(const struct rarog_source_origin *origin, const char *path)
{
	size_t n = origin->root ? strlen(origin->root) : 0;

	while (path[0] == '.' && path[1] == '/')
		path += 2;
	if (path[0] != '/')
		return path;
	return n > 0 && strncmp(path, origin->root, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* Return: 1; 0: the commit has no such file, or the commit is unknown; -ENOMEM. */
static int read_committed(const struct rarog_source_origin *origin, const char *path, size_t room,
			  struct rarog_source_text *ret_source)
{
	char *text;
	size_t n;
	int r = rarog_vcs_file(origin->vcs, origin->facts.version, path, &text, &n);

	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		rarog_error_clear();
		return 0;
	}
	*ret_source = (struct rarog_source_text){ .text = text, .n = n, .state = "whole" };
	if (n > room) {
		free(text);
		*ret_source = (struct rarog_source_text){ .state = "large" };
	}
	return 1;
}

static bool is_folder_gone(const char *path)
{
	char folder[PATH_MAX];
	size_t n = (size_t)(strrchr(path, '/') - path);

	if (n >= sizeof(folder))
		return false;
	memcpy(folder, path, n);
	folder[n] = '\0';
	return n > 0 && access(folder, F_OK) < 0;
}

/* Of a path that was in another folder then, and is not there any more: the longest end of it that
 * the commit has. The name alone may be another's, unless the folder is gone as well. Files of the
 * system belong to no project. */
static int read_moved(const struct rarog_source_origin *origin, const char *path, size_t room,
		      struct rarog_source_text *ret_source)
{
	int r = 0;

	if (path[0] != '/' || strncmp(path, "/usr/", 5) == 0)
		return 0;
	for (const char *end = path; r == 0 && end; end = strchr(end + 1, '/'))
		if (strchr(end + 1, '/') || is_folder_gone(path))
			r = read_committed(origin, end + 1, room, ret_source);
	if (r > 0 && ret_source->text && rarog_stale_has(origin->stale, path))
		ret_source->state = "changed";
	return r;
}

/* As it is now. */
static int read_present(const struct rarog_source_origin *origin, const char *path, size_t room,
			struct rarog_source_text *ret_source)
{
	const char *inside = path_in_project(origin, path);
	char whole[PATH_MAX];

	if (inside && origin->root &&
	    snprintf(whole, sizeof(whole), "%s/%s", origin->root, inside) < (int)sizeof(whole))
		path = whole;
	return read_now(origin, path, room, ret_source);
}

int rarog_source_origin_read(const struct rarog_source_origin *origin, const char *path,
			     size_t room, struct rarog_source_text *ret_source)
{
	const char *inside = path_in_project(origin, path);
	struct rarog_source_text old = { 0 };
	int r = 0;

	if (origin->vcs && inside)
		r = read_committed(origin, inside, room, ret_source);
	if (r > 0 && ret_source->text && rarog_stale_has(origin->stale, path))
		ret_source->state = "changed";
	if (r != 0)
		return r < 0 ? r : 0;
	r = read_present(origin, path, room, ret_source);
	if (r < 0 || !origin->vcs || inside || strcmp(ret_source->state, "missing") != 0)
		return r;
	r = read_moved(origin, path, room, &old);
	if (r <= 0)
		return r;
	free(ret_source->text);
	*ret_source = old;
	return 0;
}
