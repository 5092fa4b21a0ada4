/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/remove-tree.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define DESCRIPTORS 16

static int open_up(const char *path, const struct stat *status, int type, struct FTW *at)
{
	(void)at;
	if ((type == FTW_D || type == FTW_DNR) && (status->st_mode & 0700) != 0700)
		chmod(path, (status->st_mode & 07777) | 0700);
	return 0;
}

static int drop(const char *path, const struct stat *status, int type, struct FTW *at)
{
	(void)status;
	(void)type;
	(void)at;
	return remove(path) == 0 || errno == ENOENT ? 0 : -errno;
}

int rarog_remove_tree(const char *path)
{
	struct stat status;
	int r;

	if (lstat(path, &status) < 0)
		return errno == ENOENT ? 0 : rarog_fail_errno("%s: cannot remove", path);
	nftw(path, open_up, DESCRIPTORS, FTW_PHYS);
	r = nftw(path, drop, DESCRIPTORS, FTW_PHYS | FTW_DEPTH);
	if (r < 0)
		return errno == ENOENT ? 0 : rarog_fail_errno("%s: cannot remove", path);
	return 0;
}

static __thread uint64_t sum;

static int add(const char *path, const struct stat *status, int type, struct FTW *at)
{
	(void)path;
	(void)at;
	if (type != FTW_NS)
		sum += (uint64_t)status->st_blocks * 512;
	return 0;
}

uint64_t rarog_tree_bytes(const char *path)
{
	sum = 0;
	nftw(path, add, DESCRIPTORS, FTW_PHYS);
	return sum;
}
