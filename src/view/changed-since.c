/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile keeps no checksums of sources: what tells is the time at which a file was changed, and,
 * where the program was built from a commit, what that has. The project is that of the first file,
 * not of the current directory.
 */
#include "view/changed-since.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/vec.h"
#include "store/facts.h"
#include "store/vcs.h"
#include "view/stale.h"

#define LONGEST_SOURCE ((size_t)64 << 20)

struct sources {
	struct rarog_facts facts;
	struct rarog_vcs *vcs; /* NULL: of no file, or no commit has them */
	const char *known;
	RAROG_VEC(const char *) seen, changed; /* the profile's */
};

static void sources_release(struct sources *sources)
{
	rarog_facts_release(&sources->facts);
	rarog_vcs_free(sources->vcs);
	rarog_vec_release(&sources->seen);
	rarog_vec_release(&sources->changed);
}

bool rarog_changed_since(const struct stat *status, uint64_t ns)
{
	uint64_t changed =
		(uint64_t)status->st_mtim.tv_sec * 1000000000u + (uint64_t)status->st_mtim.tv_nsec;

	return ns > 0 && changed > ns;
}

/* The last first: functions of a file stand together. */
static bool was_seen(const struct sources *sources, const char *path)
{
	for (size_t i = sources->seen.n; i-- > 0;)
		if (strcmp(sources->seen.v[i], path) == 0)
			return true;
	return false;
}

static int look(struct sources *sources, const char *path)
{
	struct stat status;

	if (!path || *path != '/' || was_seen(sources, path))
		return 0;
	if (rarog_vec_push(&sources->seen, path) < 0)
		return rarog_oom();
	if (rarog_stale_has(sources->known, path) || stat(path, &status) < 0 ||
	    !S_ISREG(status.st_mode) || !rarog_changed_since(&status, sources->facts.started_ns))
		return 0;
	return rarog_vec_push(&sources->changed, path) < 0 ? rarog_oom() : 0;
}

static int look_at_all(struct sources *sources, struct rarog_profile *profile)
{
	const struct rarog_location *locations;
	long n = rarog_profile_locations(profile, &locations);
	int r = n < 0 ? (int)n : 0;

	for (long i = 0; r == 0 && i < n; i++)
		r = look(sources, locations[i].file);
	return r;
}

/* --- the commit --- */

/* Nothing is lost where there is none: what has changed is named then. */
static void open_project(struct sources *sources, const char *path)
{
	char folder[PATH_MAX];
	size_t n = (size_t)(strrchr(path, '/') - path);

	if (!sources->facts.version || sources->facts.is_dirty || n == 0 || n >= sizeof(folder))
		return;
	memcpy(folder, path, n);
	folder[n] = '\0';
	if (rarog_vcs_open(folder, RAROG_VCS_GIT, &sources->vcs) < 0)
		rarog_error_clear();
}

static const char *path_in_project(const struct sources *sources, const char *path)
{
	const char *root = sources->vcs ? rarog_vcs_root(sources->vcs) : NULL;
	size_t n = root ? strlen(root) : 0;

	return n > 0 && strncmp(path, root, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

static bool is_as_committed(const struct sources *sources, const char *path)
{
	rarog_cleanup(rarog_freep) char *now = NULL, *then = NULL;
	const char *inside = path_in_project(sources, path);
	size_t n_now, n_then;
	bool is_same =
		inside &&
		rarog_vcs_file(sources->vcs, sources->facts.version, inside, &then, &n_then) == 0 &&
		rarog_file_read(path, LONGEST_SOURCE, &now, &n_now) == 0 && n_now == n_then &&
		memcmp(now, then, n_now) == 0;

	rarog_error_clear();
	return is_same;
}

/* --- the line --- */

static void warn(const struct sources *sources)
{
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < sources->changed.n; i++) {
		const char *path = sources->changed.v[i];

		if (is_as_committed(sources, path))
			continue;
		first = first ? first : path;
		n++;
	}
	if (n > 0)
		rarog_warn("%s%s: changed since the program ran; counts are those of the lines it "
			   "had then",
			   first, n > 1 ? " and others" : "");
}

int rarog_changed_since_warn(struct rarog_profile *profile, const char *known)
{
	rarog_cleanup(sources_release) struct sources sources = { .known = known };
	int r = rarog_facts_of(profile, &sources.facts);

	if (r == 0)
		r = look_at_all(&sources, profile);
	if (r < 0 || sources.changed.n == 0)
		return r;
	open_project(&sources, sources.changed.v[0]);
	warn(&sources);
	return 0;
}
