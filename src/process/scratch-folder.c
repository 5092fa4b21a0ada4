/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel gives up a lock when its holder ends, however that happens; so a folder whose mark is
 * not locked has no owner. A folder is locked shortly after it is made: if it was swept away in
 * between, there will be another. A folder without the mark is not ours.
 */
#include "process/scratch-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/signals.h"

#define PREFIX "rarog-"
#define RANDOM "XXXXXX"
#define MARK   ".rarog-scratch" /* in folders that rarog made: no other is ever swept */
#define TRIES  100
#define DEPTH  10000 /* of folders that are removed */

static const char *place_of(void)
{
	const char *place = getenv("TMPDIR");

	return place && *place == '/' && strlen(place) <= PATH_MAX / 2 ? place : "/tmp";
}

/* One of this user's; -1 */
static int open_folder(int place, const char *name)
{
	int fd = openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || (fstat(fd, &st) == 0 && st.st_uid == geteuid()))
		return fd;
	close(fd);
	return -1;
}

/* A descriptor that holds the lock; -1: another process has it, or it is gone, or the folder is not
 * one of ours, whatever its name is. Where there are no locks none is swept, and @is_new ones go
 * without. */
static int hold(int folder, bool is_new)
{
	int fd = openat(folder, MARK,
			O_RDWR | O_NOFOLLOW | O_CLOEXEC | (is_new ? O_CREAT | O_EXCL : 0), 0600);
	struct stat st;

	if (fd < 0)
		return -1;
	if ((flock(fd, LOCK_EX | LOCK_NB) == 0 || (is_new && errno != EWOULDBLOCK)) &&
	    fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink > 0)
		return fd;
	close(fd);
	return -1;
}

/* --- what others have left in a folder: whatever it is --- */

/* The folder @name in @folder; NULL: it is none. */
static DIR *entries_of(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !directory)
		close(fd);
	return directory;
}

static const char *next_name(DIR *directory)
{
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			return entry->d_name;
	return NULL;
}

static bool take_off_cpu(int folder, const char *name)
{
	return unlinkat(folder, name, 0) == 0 || unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

/* What is in the folder @name goes away, or up into @folder: however deep folders are, no more than
 * one is open. */
static void lift(int folder, const char *name, unsigned *number)
{
	DIR *directory = entries_of(folder, name);
	const char *inside;
	char as[32];

	if (!directory)
		return;
	fchmod(dirfd(directory), 0700); /* nothing more comes into it */
	while ((inside = next_name(directory))) {
		snprintf(as, sizeof(as), "lifted-%u", (*number)++);
		if (!take_off_cpu(dirfd(directory), inside))
			renameat(dirfd(directory), inside, folder, as);
	}
	closedir(directory);
}

/* Returns whether there were folders, so that something may be left. */
static bool empty_once(int folder, unsigned *number)
{
	DIR *directory = entries_of(folder, ".");
	bool has_folders = false;
	const char *name;

	while ((name = next_name(directory)))
		if (!take_off_cpu(folder, name)) {
			lift(folder, name, number);
			has_folders = true;
		}
	if (directory)
		closedir(directory);
	return has_folders;
}

static void empty(int folder)
{
	unsigned number = 0;

	for (int i = 0; i < DEPTH && empty_once(folder, &number); i++)
		;
}

/* "rarog-KIND-" and six characters */
static bool is_name(const char *name, const char *kind)
{
	size_t n = strlen(kind);

	return strncmp(name, PREFIX, strlen(PREFIX)) == 0 &&
	       strncmp(name + strlen(PREFIX), kind, n) == 0 && name[strlen(PREFIX) + n] == '-' &&
	       strlen(name) == strlen(PREFIX) + n + 1 + strlen(RANDOM);
}

static void sweep_one(int place, const char *name)
{
	int folder = open_folder(place, name);
	int lock = folder < 0 ? -1 : hold(folder, false);

	if (lock >= 0) {
		empty(folder);
		unlinkat(place, name, AT_REMOVEDIR);
		close(lock);
	}
	if (folder >= 0)
		close(folder);
}

static void sweep(const char *place, const char *kind)
{
	DIR *directory = opendir(place);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (is_name(entry->d_name, kind))
			sweep_one(dirfd(directory), entry->d_name);
	if (directory)
		closedir(directory);
}

int rarog_scratch_folder_make(const char *kind, struct rarog_scratch_folder *ret_folder)
{
	const char *place = place_of();
	char path[PATH_MAX];
	sigset_t signals;

	*ret_folder = (struct rarog_scratch_folder){ 0 };
	sweep(place, kind);
	rarog_signals_hold(&signals); /* or it would stay behind */
	for (int i = 0; i < TRIES; i++) {
		snprintf(path, sizeof(path), "%s/" PREFIX "%s-" RANDOM, place, kind);
		if (!mkdtemp(path))
			break;
		ret_folder->folder = open_folder(AT_FDCWD, path);
		if (ret_folder->folder < 0)
			continue;
		ret_folder->lock = hold(ret_folder->folder, true);
		if (ret_folder->lock < 0) {
			close(ret_folder->folder);
			rmdir(path);
			continue;
		}
		memcpy(ret_folder->path, path, sizeof(path));
		return 0;
	}
	return rarog_fail_errno("%s: cannot make a folder (TMPDIR names another place)", place);
}

void rarog_scratch_folder_remove(struct rarog_scratch_folder *folder)
{
	if (!*folder->path)
		return;
	empty(folder->folder);
	rmdir(folder->path);
	close(folder->lock);
	close(folder->folder);
	*folder = (struct rarog_scratch_folder){ 0 };
}

bool rarog_scratch_folder_is_full(const struct rarog_scratch_folder *folder)
{
	struct statvfs room;

	return statvfs(folder->path, &room) == 0 &&
	       (room.f_bavail < 256 || (room.f_files > 0 && room.f_favail == 0));
}
