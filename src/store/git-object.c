/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One cat-file answers every question about objects; git-cat-file(1) has the format. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "store/git-own.h"

#define OBJECT_LIMIT (1ull << 31)

static int start_cat(struct rarog_git_own *own)
{
	static const char *const arguments[] = { "cat-file", "--batch", "--follow-symlinks", NULL };
	/* a report is read in whichever repository: that must not run what its settings say */
	struct rarog_git git = own->git;
	int r;

	git.is_offline = true;
	r = own->is_catting ? 0 : rarog_git_start(&git, arguments, true, &own->cat);
	own->is_catting = r == 0;
	return r;
}

static int read_body(FILE *from, size_t n, char **ret_bytes)
{
	rarog_cleanup(rarog_freep) char *bytes = malloc(n + 1);

	if (!bytes)
		return rarog_oom();
	if (fread(bytes, 1, n, from) != n || getc(from) != '\n')
		return rarog_fail(-EIO, "git cat-file ended in the middle");
	bytes[n] = '\0';
	*ret_bytes = rarog_take(bytes);
	return 0;
}

/* "ID TYPE SIZE" */
static bool parse_answer(const char *line, struct rarog_git_object *object)
{
	unsigned long long n;
	int size_at = 0;
	char *end;

	if (sscanf(line, "%79s %15s %n", object->id, object->type, &size_at) != 2 || size_at == 0)
		return false;
	errno = 0;
	n = strtoull(line + size_at, &end, 10);
	object->n = (size_t)n;
	return errno == 0 && line[size_at] >= '0' && line[size_at] <= '9' && *end == '\0' &&
	       n <= OBJECT_LIMIT;
}

/* "symlink SIZE", and the same number of bytes: a link that leads to nothing in the version. */
static bool is_lost_link(const char *line, size_t *ret_n)
{
	static const char *const words[] = { "symlink ", "dangling ", "loop ", "notdir " };

	for (size_t i = 0; i < RAROG_COUNT(words); i++)
		if (rarog_starts_with(line, words[i])) {
			char *end;
			unsigned long long n = strtoull(line + strlen(words[i]), &end, 10);

			*ret_n = (size_t)n;
			return *end == '\0' && n <= OBJECT_LIMIT;
		}
	return false;
}

/* parse_answer()'s, is_lost_link()'s, or the name and "missing" or "ambiguous". */
static int read_answer(struct rarog_git_own *own, struct rarog_git_object *ret_object)
{
	rarog_cleanup(rarog_freep) char *line = NULL;
	struct rarog_git_object object = { 0 };
	size_t room = 0;
	int r;

	if (getline(&line, &room, own->cat.from) < 0)
		return rarog_fail(-EIO, "git cat-file does not answer");
	line[strcspn(line, "\n")] = '\0';
	if (rarog_ends_with(line, " missing"))
		return 0;
	if (rarog_ends_with(line, " ambiguous"))
		return -EINVAL;
	if (is_lost_link(line, &object.n)) {
		rarog_cleanup(rarog_freep) char *name = NULL;

		return read_body(own->cat.from, object.n, &name);
	}
	if (!parse_answer(line, &object))
		return rarog_fail(-EIO, "git cat-file: %.200s", line);
	r = read_body(own->cat.from, object.n, &object.bytes);
	if (r < 0)
		return r;
	*ret_object = object;
	return 1;
}

int rarog_git_object(struct rarog_vcs *vcs, const char *name, struct rarog_git_object *ret_object)
{
	struct rarog_git_own *own = rarog_git_own(vcs);
	rarog_cleanup(rarog_freep) char *line = NULL;
	int r;

	if (strchr(name, '\n'))
		return 0;
	line = rarog_asprintf("%s\n", name);
	r = line ? start_cat(own) : rarog_oom();
	if (r == 0)
		r = rarog_git_tell(&own->cat, strlen(line), line);
	if (r == 0)
		r = read_answer(own, ret_object);
	if (r < 0 && r != -EINVAL) { /* out of step: begin anew next time */
		rarog_git_stop(&own->cat);
		own->is_catting = false;
	}
	return r;
}
