/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * No version system: versions are labels, in the order in which they were last used. They stand in
 * .rarog/labels, one line each, oldest first: "seconds label subject". The file is replaced as a
 * whole, under a lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/error.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "store/vcs.h"

#define LIMIT (64u << 20)

struct label {
	char *name, *subject;
	int64_t time;
};

struct labels {
	RAROG_VEC(struct label) v; /* oldest first */
};

static void labels_release(struct labels *labels)
{
	for (size_t i = 0; i < labels->v.n; i++) {
		free(labels->v.v[i].name);
		free(labels->v.v[i].subject);
	}
	rarog_vec_release(&labels->v);
}

/* --- finding it --- */

int rarog_vcs_create_plain(const char *directory)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/.rarog", directory);

	return path ? rarog_mkdirs(path, 0777) : rarog_oom();
}

static int plain_open(struct rarog_vcs *vcs, const char *start)
{
	rarog_cleanup(rarog_freep) char *here = realpath(start, NULL);

	if (!here)
		return rarog_fail_errno("%s", start);
	for (;;) {
		rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/.rarog", here);
		struct stat status;
		char *slash;

		if (!path)
			return rarog_oom();
		if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
			vcs->root = strdup(*here ? here : "/");
			vcs->store_path = rarog_take(path);
			return vcs->root ? 0 : rarog_oom();
		}
		slash = strrchr(here, '/');
		if (!slash || !*here)
			return -ENOENT;
		*slash = '\0';
	}
}

static void plain_release(struct rarog_vcs *vcs)
{
	(void)vcs;
}

/* --- the file --- */

static int parse_line(struct labels *labels, char *line)
{
	char *at = line, *end, *name;
	struct label label = { .time = strtoll(line, &end, 10) };

	if (end == line || *end != ' ')
		return 0; /* not ours to judge: skipped */
	at = end + 1;
	name = strsep(&at, " ");
	label.name = strdup(name);
	label.subject = strdup(at ? at : "");
	if (label.name && label.subject && rarog_vec_push(&labels->v, label) == 0)
		return 0;
	free(label.name);
	free(label.subject);
	return rarog_oom();
}

static int read_labels(struct rarog_vcs *vcs, struct labels *labels)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/labels", vcs->store_path);
	rarog_cleanup(rarog_freep) char *text = NULL;
	char *at, *line;
	int r;

	if (!path)
		return rarog_oom();
	if (access(path, F_OK) < 0)
		return 0;
	r = rarog_file_read(path, LIMIT, &text, NULL);
	at = text;
	while (r == 0 && (line = strsep(&at, "\n")) != NULL)
		r = parse_line(labels, line);
	return r;
}

static int write_labels(struct rarog_vcs *vcs, const struct labels *labels)
{
	rarog_cleanup(rarog_new_file_release) struct rarog_new_file file = RAROG_NEW_FILE_NONE;
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/labels", vcs->store_path);
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < labels->v.n; i++)
		r = rarog_str_addf(&text, "%" PRId64 " %s %s\n", labels->v.v[i].time,
				   labels->v.v[i].name, labels->v.v[i].subject);
	if (r < 0 || !path)
		return rarog_oom();
	r = rarog_new_file_open(path, &file);
	if (r < 0)
		return r;
	r = rarog_write_all(file.fd, text.length, rarog_str_text(&text));
	if (r < 0)
		return rarog_fail(r, "%s: cannot write: %s", path, strerror(-r));
	return rarog_new_file_commit(&file);
}

/* --- labels --- */

static int check_label(const char *label)
{
	static const char forbidden[] = " \t\n\r~^:?*[\\'\"@";
	size_t length = strlen(label);

	if (length == 0 || length > 200 || label[strcspn(label, forbidden)] != '\0' ||
	    strstr(label, "..") || *label == '-' || strcmp(label, "HEAD") == 0)
		return rarog_fail(-EINVAL,
				  "'%s' cannot be a label; it may not be empty, begin with '-' or "
				  "have blanks, '..' or any of ~^:?*[\\'\"@",
				  label);
	return 0;
}

static struct label take_out(struct labels *labels, const char *name)
{
	struct label found = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < labels->v.n; i++)
		if (strcmp(labels->v.v[i].name, name) == 0)
			found = labels->v.v[i];
		else
			labels->v.v[kept++] = labels->v.v[i];
	labels->v.n = kept;
	return found;
}

static int move_to_end(struct labels *labels, const char *name, const char *subject)
{
	struct label label = take_out(labels, name);

	label.time = (int64_t)time(NULL);
	if (!label.name)
		label.name = strdup(name);
	if (subject || !label.subject) {
		free(label.subject);
		label.subject = strdup(subject ? subject : "");
	}
	for (char *c = label.subject; c && *c; c++)
		if (*c == '\n')
			*c = ' ';
	if (label.name && label.subject && rarog_vec_push(&labels->v, label) == 0)
		return 0;
	free(label.name);
	free(label.subject);
	return rarog_oom();
}

static int plain_label(struct rarog_vcs *vcs, const char *label, const char *subject)
{
	rarog_cleanup(labels_release) struct labels labels = { 0 };
	rarog_cleanup(rarog_closep) int lock = -1;
	int r = check_label(label);

	if (r < 0)
		return r;
	lock = open(vcs->store_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lock < 0 || flock(lock, LOCK_EX) < 0)
		return rarog_fail_errno("%s: cannot lock", vcs->store_path);
	r = read_labels(vcs, &labels);
	if (r == 0)
		r = move_to_end(&labels, label, subject);
	return r < 0 ? r : write_labels(vcs, &labels);
}

/* --- versions --- */

/* The label as a commit whose parent is the one before it. */
static int to_commit(const struct labels *labels, size_t i, struct rarog_commit *ret_commit)
{
	const struct label *label = &labels->v.v[i];
	char *parent = i > 0 ? labels->v.v[i - 1].name : NULL;
	char *const subject = label->subject;
	char none[] = "";
	const struct rarog_commit commit = {
		.name = label->name,
		.n_parents = i > 0,
		.parents = &parent,
		.author = none,
		.email = none,
		.committer = none,
		.author_time = label->time,
		.commit_time = label->time,
		.subject = subject,
		.body = none,
	};

	return rarog_commit_copy(&commit, ret_commit);
}

static int unknown(const struct labels *labels, const char *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str near = { 0 };
	struct rarog_nearest nearest = { .wanted = text };

	if (labels->v.n == 0)
		return rarog_fail(-ENODATA, "there is no version yet; --label NAME makes one");
	for (size_t i = 0; i < labels->v.n; i++)
		rarog_nearest_offer(&nearest, labels->v.v[i].name);
	rarog_nearest_add(&nearest, "", &near);
	return rarog_fail(-ENOENT, "'%s' names no version%s", text, rarog_str_text(&near));
}

/* "HEAD", a label, either with ~N: the N-th before it. */
static int find(const struct labels *labels, const char *text, size_t *ret_index)
{
	size_t length = strcspn(text, "~"), back = 0, i = labels->v.n;
	char *end;

	if (text[length] == '~') {
		back = text[length + 1] ? strtoul(text + length + 1, &end, 10) : 1;
		if (text[length + 1] && *end)
			return unknown(labels, text);
	}
	if (length == 4 && strncmp(text, "HEAD", 4) == 0)
		i = labels->v.n > 0 ? labels->v.n - 1 : 0;
	for (size_t k = 0; i == labels->v.n && k < labels->v.n; k++)
		if (strlen(labels->v.v[k].name) == length &&
		    strncmp(labels->v.v[k].name, text, length) == 0)
			i = k;
	if (i >= labels->v.n || back > i)
		return unknown(labels, text);
	*ret_index = i - back;
	return 0;
}

static int plain_resolve(struct rarog_vcs *vcs, const char *text, struct rarog_commit *ret_commit)
{
	rarog_cleanup(labels_release) struct labels labels = { 0 };
	size_t i = 0;
	int r = read_labels(vcs, &labels);

	if (r == 0)
		r = find(&labels, text, &i);
	return r < 0 ? r : to_commit(&labels, i, ret_commit);
}

static int plain_state(struct rarog_vcs *vcs, bool with_diff, struct rarog_vcs_state *ret_state)
{
	rarog_cleanup(labels_release) struct labels labels = { 0 };
	struct rarog_vcs_state state = { 0 };
	int r = read_labels(vcs, &labels);

	(void)with_diff;
	if (r < 0)
		return r;
	if (labels.v.n > 0) {
		state.head = strdup(labels.v.v[labels.v.n - 1].name);
		if (!state.head)
			return rarog_oom();
	}
	*ret_state = state;
	return 0;
}

/* (low, high]: "A..B", "A" (all up to it), "^A". */
static int narrow(const struct labels *labels, const char *text, size_t *low, size_t *high)
{
	rarog_cleanup(rarog_freep) char *copy = strdup(text);
	char *dots = copy ? strstr(copy, "..") : NULL;
	size_t i = 0;
	int r;

	if (!copy)
		return rarog_oom();
	if (strcmp(text, "--all") == 0)
		return 0;
	if (dots)
		*dots = '\0';
	if (!dots && *copy == '^') {
		r = find(labels, copy + 1, &i);
		*low = r == 0 && i + 1 > *low ? i + 1 : *low;
		return r;
	}
	if (dots) {
		r = find(labels, *copy ? copy : "HEAD", &i);
		if (r < 0)
			return r;
		*low = i + 1 > *low ? i + 1 : *low;
	}
	text = dots ? dots + 2 + (dots[2] == '.') : copy;
	r = find(labels, *text ? text : "HEAD", &i);
	if (r == 0)
		*high = i + 1 < *high ? i + 1 : *high;
	return r;
}

static int visit_range(const struct labels *labels, const struct rarog_walk *walk, size_t low,
		       size_t high, int (*visit)(const struct rarog_commit *commit, void *user),
		       void *user)
{
	size_t n = low < high ? high - low : 0;
	int r = 0;

	if (walk->limit > 0 && n > walk->limit) {
		low = high - walk->limit; /* the newest, as git log does */
		n = walk->limit;
	}
	for (size_t k = 0; r == 0 && k < n; k++) {
		rarog_cleanup(rarog_commit_release) struct rarog_commit commit = { 0 };

		r = to_commit(labels, walk->reverse ? low + k : high - 1 - k, &commit);
		if (r == 0)
			r = visit(&commit, user);
	}
	return r;
}

static int plain_walk(struct rarog_vcs *vcs, const struct rarog_walk *walk,
		      int (*visit)(const struct rarog_commit *commit, void *user), void *user)
{
	rarog_cleanup(labels_release) struct labels labels = { 0 };
	size_t low = 0, high;
	int r = read_labels(vcs, &labels);

	high = labels.v.n;
	if (r == 0 && walk->n_from == 0 && labels.v.n == 0)
		return unknown(&labels, "HEAD");
	for (size_t i = 0; r == 0 && i < walk->n_from; i++)
		r = narrow(&labels, walk->from[i], &low, &high);
	return r < 0 ? r : visit_range(&labels, walk, low, high, visit, user);
}

static int find_both(struct rarog_vcs *vcs, const char *a, const char *b, size_t *ret_a,
		     size_t *ret_b)
{
	rarog_cleanup(labels_release) struct labels labels = { 0 };
	int r = read_labels(vcs, &labels);

	if (r == 0)
		r = find(&labels, a, ret_a);
	return r < 0 ? r : find(&labels, b, ret_b);
}

static int plain_is_ancestor(struct rarog_vcs *vcs, const char *old, const char *young)
{
	size_t i = 0, k = 0;
	int r = find_both(vcs, old, young, &i, &k);

	return r < 0 ? r : i <= k;
}

static int plain_merge_base(struct rarog_vcs *vcs, const char *a, const char *b, char **ret_name)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit commit = { 0 };
	size_t i = 0, k = 0;
	int r = find_both(vcs, a, b, &i, &k);

	if (r == 0)
		r = plain_resolve(vcs, i < k ? a : b, &commit);
	if (r < 0)
		return r;
	*ret_name = rarog_take(commit.name);
	return 0;
}

static int plain_main_branch(struct rarog_vcs *vcs, char **ret_revision)
{
	(void)vcs;
	*ret_revision = strdup("HEAD");
	return *ret_revision ? 0 : rarog_oom();
}

const struct rarog_vcs_system rarog_vcs_plain = {
	.name = "plain",
	.kind = RAROG_VCS_PLAIN,
	.open = plain_open,
	.release = plain_release,
	.state = plain_state,
	.resolve = plain_resolve,
	.walk = plain_walk,
	.is_ancestor = plain_is_ancestor,
	.merge_base = plain_merge_base,
	.main_branch = plain_main_branch,
	.label = plain_label,
};
