/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * By inotify: it needs no rights and costs the program nothing. It does not see files that are only
 * asked for (stat), nor those of folders that are made meanwhile: these are no part of a version.
 */
#include "run/opened.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "run/link-record.h"
#include "run/outside.h"

#define FOLDERS_MOST 8192
#define BYTES_MOST   ((uint64_t)1 << 30)
#define ORIGINAL     ".rarog-original" /* layout.c keeps there what was built */

static void stop(struct rarog_opened *opened)
{
	for (size_t i = 0; i < opened->folders.n; i++)
		free(opened->folders.v[i].path);
	rarog_vec_release(&opened->folders);
	if (opened->notices > 0)
		close(opened->notices - 1);
	free(opened->root);
	opened->root = NULL;
	opened->notices = 0;
}

void rarog_opened_release(struct rarog_opened *opened)
{
	stop(opened);
	for (size_t i = 0; i < opened->names.n; i++)
		free(opened->names.v[i]);
	rarog_vec_release(&opened->names);
	*opened = (struct rarog_opened){ 0 };
}

/* 0; -ENOMEM. @take_name: NULL is one that there was no memory for. */
static int add_name(struct rarog_opened *opened, char *take_name)
{
	if (take_name && rarog_vec_push(&opened->names, take_name) == 0)
		return 0;
	free(take_name);
	return rarog_oom();
}

/* --- watching --- */

/* 1 it is watched, 0 it cannot be, -ENOMEM. */
static int watch(struct rarog_opened *opened, const char *path)
{
	struct rarog_opened_folder folder = { .watch = -1 };

	if (opened->folders.n < FOLDERS_MOST)
		folder.watch = inotify_add_watch(opened->notices - 1, path, IN_OPEN);
	if (folder.watch < 0)
		return 0;
	folder.path = strdup(path);
	if (folder.path && rarog_vec_push(&opened->folders, folder) == 0)
		return 1;
	free(folder.path);
	return rarog_oom();
}

static void fts_closep(FTS **tree)
{
	if (*tree)
		fts_close(*tree);
}

static bool is_inside(const struct rarog_opened *opened, const char *path)
{
	size_t n = strlen(opened->root);

	return strncmp(path, opened->root, n) == 0 && strchr("/", path[n]);
}

static bool is_watched(const struct rarog_opened *opened, const char *path)
{
	for (size_t i = 0; i < opened->folders.n; i++)
		if (strcmp(opened->folders.v[i].path, path) == 0)
			return true;
	return false;
}

static int watch_below(struct rarog_opened *opened, char *root);

/* What is opened through a link is seen where it is. One out of the tree also tells versions apart
 * by itself. 1, 0, -ENOMEM as watch(). */
static int add_link(struct rarog_opened *opened, const char *path)
{
	size_t skip = is_inside(opened, path) ? strlen(opened->root) + 1 : 0;
	rarog_cleanup(rarog_freep) char *target = realpath(path, NULL);
	struct stat status;
	int r;

	if (!target || is_inside(opened, target))
		return 1;
	r = add_name(opened, rarog_asprintf("%s -> %s", path + skip, target));
	if (r < 0 || !rarog_outside_is_input(target) || is_watched(opened, target) ||
	    stat(target, &status) < 0)
		return r < 0 ? r : 1;
	return S_ISDIR(status.st_mode)   ? watch_below(opened, target)
	       : S_ISREG(status.st_mode) ? watch(opened, target)
					 : 1;
}

/* 1 go on, 0 it cannot be watched, -ENOMEM. */
static int watch_entry(struct rarog_opened *opened, FTS *tree, FTSENT *entry)
{
	if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR)
		return 0;
	if (entry->fts_info == FTS_SL)
		return add_link(opened, entry->fts_path);
	/* others open what programs name (/etc/passwd), too: so it counts, opened or not */
	if (entry->fts_info == FTS_F && entry->fts_level == FTS_ROOTLEVEL)
		return add_name(opened, strdup(entry->fts_path)) < 0 ? -ENOMEM : 1;
	if (entry->fts_info != FTS_D)
		return 1;
	if (strcmp(entry->fts_name, ".git") == 0)
		return fts_set(tree, entry, FTS_SKIP) == 0;
	return watch(opened, entry->fts_path);
}

static int watch_below(struct rarog_opened *opened, char *root)
{
	char *const roots[] = { root, NULL };
	rarog_cleanup(fts_closep) FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	int r = tree ? 1 : 0;

	for (FTSENT *entry; r > 0 && (entry = fts_read(tree)) != NULL;)
		r = watch_entry(opened, tree, entry);
	return r;
}

/* Notices of our own walk. */
static void drop_notices(const struct rarog_opened *opened)
{
	char events[4096];

	while (read(opened->notices - 1, events, sizeof(events)) > 0)
		;
}

int rarog_opened_watch(const char *directory, const struct rarog_words *outside,
		       struct rarog_opened *opened)
{
	int r;

	opened->root = realpath(directory, NULL);
	opened->notices = inotify_init1(IN_CLOEXEC | IN_NONBLOCK) + 1;
	r = opened->root && opened->notices > 0 ? watch_below(opened, opened->root) : 0;
	for (size_t i = 0; r > 0 && i < outside->list.n; i++)
		r = watch_below(opened, outside->list.v[i]);
	if (r > 0) {
		drop_notices(opened);
		return 0;
	}
	opened->is_lost = true;
	stop(opened);
	return r;
}

/* --- what was opened --- */

static const char *folder_of(const struct rarog_opened *opened, int watch)
{
	for (size_t i = 0; i < opened->folders.n; i++)
		if (opened->folders.v[i].watch == watch)
			return opened->folders.v[i].path;
	return NULL;
}

/* What a checkout has beside the version's files. */
static bool is_ours(const char *name)
{
	return strcmp(name, ".git") == 0 || rarog_starts_with(name, RAROG_LINK_RECORDS);
}

/* Relative to the root, or absolute. 0; -ENOMEM. */
static int add_event(struct rarog_opened *opened, const struct inotify_event *event,
		     const char *name)
{
	const char *folder = folder_of(opened, event->wd);

	opened->is_lost |= (event->mask & IN_Q_OVERFLOW) != 0;
	if (!(event->mask & IN_OPEN) || !folder)
		return 0;
	if (is_inside(opened, folder)) {
		folder += strlen(opened->root);
		folder += *folder == '/';
		if (is_ours(*folder ? folder : name))
			return 0;
	}
	return add_name(opened,
			rarog_asprintf("%s%s%s", folder, *folder && *name ? "/" : "", name));
}

static int read_names(struct rarog_opened *opened)
{
	_Alignas(struct inotify_event) char events[16384];
	ssize_t got = 0;
	int r = 0;

	while (r == 0 && (got = read(opened->notices - 1, events, sizeof(events))) > 0)
		for (char *at = events; r == 0 && at < events + got;) {
			struct inotify_event event;

			memcpy(&event, at, sizeof(event));
			r = add_event(opened, &event, event.len > 0 ? at + sizeof(event) : "");
			at += sizeof(event) + event.len;
		}
	return r;
}

int rarog_opened_pause(struct rarog_opened *opened)
{
	int r = opened->notices > 0 ? read_names(opened) : 0;

	stop(opened);
	return r;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_once(struct rarog_opened *opened)
{
	char **names = opened->names.v;
	size_t n = 0;

	if (opened->names.n > 0)
		qsort(names, opened->names.n, sizeof(*names), compare);
	for (size_t i = 0; i < opened->names.n; i++) {
		if (n > 0 && strcmp(names[n - 1], names[i]) == 0)
			free(names[i]);
		else
			names[n++] = names[i];
	}
	opened->names.n = n;
}

/* --- what is in them --- */

struct digest {
	XXH3_state_t *state, *one; /* of all, of one name */
	uint64_t bytes;
};

static void update(struct digest *digest, const void *bytes, size_t n)
{
	XXH3_128bits_update(digest->state, bytes, n);
	XXH3_64bits_update(digest->one, bytes, n);
}

/* Rarog's own files are no part of it. */
static int is_shown(const struct dirent *entry)
{
	return !rarog_ends_with(entry->d_name, ORIGINAL);
}

/* A program that reads a folder sees its names. */
static int add_folder(struct digest *digest, const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_shown, alphasort);

	for (int i = 0; i < n; i++) {
		update(digest, entries[i]->d_name, strlen(entries[i]->d_name) + 1);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return n < 0 ? -errno : 0;
}

static int add_bytes(struct digest *digest, int fd)
{
	char bytes[65536];
	ssize_t got;

	while ((got = read(fd, bytes, sizeof(bytes))) > 0) {
		digest->bytes += (uint64_t)got;
		if (digest->bytes > BYTES_MOST)
			return -EFBIG;
		update(digest, bytes, (size_t)got);
	}
	return got < 0 ? -errno : 0;
}

/* A file that is gone again is one without content. */
static int add_file(struct digest *digest, const char *root, const char *name)
{
	const char *slash = *name == '/' ? "" : "/";
	rarog_cleanup(rarog_freep) char *path =
		rarog_asprintf("%s%s%s", *slash ? root : "", slash, name);
	rarog_cleanup(rarog_freep) char *built = path ? rarog_asprintf("%s" ORIGINAL, path) : NULL;
	rarog_cleanup(rarog_closep) int fd = -1;
	struct stat status;

	if (!path || !built)
		return -ENOMEM;
	update(digest, name, strlen(name) + 1);
	if (stat(path, &status) < 0)
		return 0;
	if (S_ISDIR(status.st_mode))
		return add_folder(digest, path);
	if (!S_ISREG(status.st_mode))
		return 0;
	fd = open(access(built, F_OK) == 0 ? built : path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && *name == '/' && errno == EACCES)
		return 0; /* nor can the program read it */
	return fd < 0 ? -errno : add_bytes(digest, fd);
}

/* One after the other. 0; -ENOMEM, -EFBIG, or what reading says. */
static int add_files(struct rarog_opened *opened, struct digest *digest)
{
	int r = 0;

	XXH3_128bits_reset(digest->state);
	for (size_t i = 0; r == 0 && i < opened->names.n; i++) {
		if (rarog_ends_with(opened->names.v[i], ORIGINAL))
			continue;
		XXH3_64bits_reset(digest->one);
		r = add_file(digest, opened->root, opened->names.v[i]);
		if (r == 0 && i < RAROG_OPENED_EACH)
			opened->each[i] = XXH3_64bits_digest(digest->one);
	}
	return r;
}

static int digest_names(struct rarog_opened *opened, XXH128_hash_t *ret_hash)
{
	struct digest digest = { .state = XXH3_createState(), .one = XXH3_createState() };
	int r = digest.state && digest.one ? add_files(opened, &digest) : -ENOMEM;

	if (r == 0)
		*ret_hash = XXH3_128bits_digest(digest.state);
	XXH3_freeState(digest.state);
	XXH3_freeState(digest.one);
	return r;
}

static void conclude(struct rarog_opened *opened)
{
	XXH128_hash_t hash = { 0 };
	int r = read_names(opened);

	sort_once(opened);
	if (r == 0)
		r = opened->is_lost ? -EOVERFLOW : digest_names(opened, &hash);
	if (r == 0)
		snprintf(opened->digest, sizeof(opened->digest), "%016llx%016llx",
			 (unsigned long long)hash.high64, (unsigned long long)hash.low64);
	opened->files = opened->names.n;
	close(opened->notices - 1); /* we have opened some ourselves now */
	opened->notices = 0;
}

static void write_each(struct rarog_json *json, const struct rarog_opened *opened)
{
	char digest[17];

	if (opened->names.n > RAROG_OPENED_EACH)
		return;
	rarog_json_object(json, "each");
	for (size_t i = 0; i < opened->names.n; i++) {
		if (rarog_ends_with(opened->names.v[i], ORIGINAL))
			continue;
		snprintf(digest, sizeof(digest), "%016llx", (unsigned long long)opened->each[i]);
		rarog_json_string(json, opened->names.v[i], digest);
	}
	rarog_json_end_object(json);
}

void rarog_opened_write(struct rarog_json *json, struct rarog_opened *opened)
{
	if (opened->notices > 0)
		conclude(opened);
	if (!*opened->digest)
		return;
	rarog_json_object(json, "opened");
	rarog_json_uint(json, "files", opened->files);
	rarog_json_string(json, "digest", opened->digest);
	write_each(json, opened);
	rarog_json_end_object(json);
}
