/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile keeps no checksums of sources: what tells is the time at which a file was changed, and,
 * where the program was built from a commit, what that has. A file's project is that around it,
 * wherever a link to it stands, not that of the current directory; files of no project, or of one
 * that does not have the commit, are known by their time alone.
 */
#include "view/changed-since.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "base/vec.h"
#include "profile/strings.h"
#include "store/facts.h"
#include "store/vcs.h"

#define LONGEST_SOURCE ((size_t)64 << 20)

struct sources {
	struct rarog_facts facts;
	RAROG_VEC(struct rarog_vcs *) projects;
	struct rarog_string_table folders; /* whose project was looked for */
	struct rarog_string_table seen;
	RAROG_VEC(const char *) changed; /* the profile's */
};

static void sources_release(struct sources *sources)
{
	rarog_facts_release(&sources->facts);
	for (size_t i = 0; i < sources->projects.n; i++)
		rarog_vcs_free(sources->projects.v[i]);
	rarog_vec_release(&sources->projects);
	rarog_string_table_release(&sources->folders);
	rarog_string_table_release(&sources->seen);
	rarog_vec_release(&sources->changed);
}

bool rarog_changed_since(const struct stat *status, uint64_t ns)
{
	uint64_t changed = rarog_timespec_ns(status->st_mtim);

	return ns > 0 && changed > ns;
}

/* One path a line. */
static int add_known(struct sources *sources, const char *known)
{
	int r = 0;

	for (const char *line = known; r >= 0 && line && *line; line += strcspn(line, "\n") + 1) {
		rarog_cleanup(rarog_freep) char *path = strndup(line, strcspn(line, "\n"));

		r = path ? rarog_string_is_new(&sources->seen, path) : rarog_oom();
	}
	return r < 0 ? r : 0;
}

static int look(struct sources *sources, const char *path)
{
	struct stat status;
	int r = path && *path == '/' ? rarog_string_is_new(&sources->seen, path) : 0;

	if (r <= 0)
		return r;
	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode) ||
	    !rarog_changed_since(&status, sources->facts.started_ns))
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

static const char *path_in(const struct rarog_vcs *project, const char *path)
{
	const char *root = rarog_vcs_root(project);
	size_t n = root ? strlen(root) : 0;

	return n > 0 && strncmp(path, root, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* Is there another project within @project, and @path in that? */
static bool is_nested(const struct rarog_vcs *project, const char *path)
{
	size_t root = strlen(rarog_vcs_root(project));
	const char *end = strrchr(path, '/');
	bool is_nested = false;

	for (; !is_nested && end && (size_t)(end - path) > root;
	     end = memrchr(path, '/', (size_t)(end - path))) {
		rarog_cleanup(rarog_freep) char *mark =
			rarog_asprintf("%.*s/.git", (int)(end - path), path);

		is_nested = mark && access(mark, F_OK) == 0;
	}
	return is_nested;
}

/* Nothing is lost where there is none: what has changed is named then. */
static struct rarog_vcs *open_project(struct sources *sources, const char *path)
{
	rarog_cleanup(rarog_vcs_freep) struct rarog_vcs *project = NULL;
	rarog_cleanup(rarog_freep) char *folder =
		strndup(path, (size_t)(strrchr(path, '/') - path));
	bool is_open = folder && *folder && rarog_string_is_new(&sources->folders, folder) > 0 &&
		       rarog_vcs_open(folder, RAROG_VCS_GIT, &project) == 0 &&
		       rarog_vec_push(&sources->projects, project) == 0;

	rarog_error_clear();
	return is_open ? rarog_take(project) : NULL;
}

static struct rarog_vcs *project_of(struct sources *sources, const char *path)
{
	if (!sources->facts.version || sources->facts.is_dirty)
		return NULL;
	for (size_t i = 0; i < sources->projects.n; i++)
		if (path_in(sources->projects.v[i], path) &&
		    !is_nested(sources->projects.v[i], path))
			return sources->projects.v[i];
	return open_project(sources, path);
}

/* A link is what it leads to: that is what the compiler read. */
static bool is_as_committed(struct sources *sources, const char *path)
{
	rarog_cleanup(rarog_freep) char *now = NULL, *then = NULL, *real = realpath(path, NULL);
	struct rarog_vcs *project = real ? project_of(sources, real) : NULL;
	const char *inside = project ? path_in(project, real) : NULL;
	size_t n_now, n_then;
	bool is_same =
		inside &&
		rarog_vcs_file(project, sources->facts.version, inside, &then, &n_then) == 0 &&
		rarog_file_read(real, LONGEST_SOURCE, &now, &n_now) == 0 && n_now == n_then &&
		memcmp(now, then, n_now) == 0;

	rarog_error_clear();
	return is_same;
}

/* --- the line --- */

static void warn(struct sources *sources)
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
	rarog_cleanup(sources_release) struct sources sources = { 0 };
	int r = rarog_facts_of(profile, &sources.facts);

	if (r == 0)
		r = add_known(&sources, known);
	if (r == 0)
		r = look_at_all(&sources, profile);
	if (r == 0)
		warn(&sources);
	return r;
}
