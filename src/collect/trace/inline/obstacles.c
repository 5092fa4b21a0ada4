/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/trace/inline/obstacles.h"

#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "collect/trace/inline/names.h"
#include "collect/trace/inline/remote.h"

/*
 * Names in a file's string tables (section names survive `strip`) that tell of a run-time system
 * which reads or moves return addresses. Counting leaves return addresses alone.
 */
static const struct {
	const char *name, *reason;
} walkers[] = {
	{ ".go.buildinfo",
	  "is a Go program: its run-time moves stacks and reads return addresses" },
	{ "caml_frametable", "is an OCaml program: its garbage collector reads return addresses" },
};

static int look_at(const struct rarog_plan *plan, const char *path)
{
	for (size_t i = 0; plan->detail != RAROG_DETAIL_COUNT && i < RAROG_COUNT(walkers); i++)
		if (rarog_file_names(path, walkers[i].name))
			return rarog_fail(-ENOTSUP, "%s %s; --detail=count can count its calls",
					  path, walkers[i].reason);
	return 0;
}

/* Filters that the program inherited and rarog did not: what is to be called inside may be
 * forbidden there, on pain of death. */
static int look_at_filters(pid_t pid, const char *program)
{
	static const char field[] = "Seccomp_filters:";

	if (rarog_process_status(pid, field) <= rarog_process_status(getpid(), field))
		return 0;
	return rarog_fail(-ENOTSUP,
			  "%s was started under a seccomp filter, which may forbid what rarog has "
			  "to do inside; start it without the sandbox",
			  program);
}

int rarog_obstacles_check(const struct rarog_plan *plan, pid_t pid, const char *program)
{
	int r = look_at(plan, program);

	return r < 0 || pid == 0 ? r : look_at_filters(pid, program);
}

int rarog_obstacles_of_library(const struct rarog_plan *plan, const char *library)
{
	return look_at(plan, library);
}

bool rarog_obstacles_rights(const char *program)
{
	struct stat st;

	if (geteuid() == 0 || stat(program, &st) < 0)
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	       (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getegid()) ||
	       getxattr(program, "security.capability", NULL, 0) > 0;
}
