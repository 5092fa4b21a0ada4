/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inline/ring/processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

struct rarog_drained *rarog_processes_find(const struct rarog_processes *processes, pid_t pid)
{
	for (size_t i = 0; i < processes->n; i++)
		if (processes->v[i].pid == pid)
			return &processes->v[i];
	return NULL;
}

struct rarog_drained *rarog_processes_inner(const struct rarog_processes *processes,
					    const struct rarog_image *image, pid_t inner)
{
	for (size_t i = 0; i < processes->n; i++)
		if (processes->v[i].image == image && processes->v[i].inner == inner)
			return &processes->v[i];
	return NULL;
}

/* The last number of "NSpid:". */
pid_t rarog_process_inner(pid_t pid)
{
	char path[64], line[256];
	rarog_cleanup(rarog_fclosep) FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		const char *last = strrchr(line, '\t');

		if (rarog_starts_with(line, "NSpid:") && last)
			return (pid_t)strtol(last, NULL, 10);
	}
	return pid;
}

bool rarog_processes_foreign(const struct rarog_processes *processes,
			     const struct rarog_image *image)
{
	for (size_t i = 0; i < processes->n; i++)
		if (processes->v[i].image == image && processes->v[i].inner != processes->v[i].pid)
			return true;
	return false;
}

bool rarog_processes_other(const struct rarog_processes *processes, const struct rarog_drained *p,
			   bool inner)
{
	for (size_t i = 0; i < processes->n; i++) {
		const struct rarog_drained *other = &processes->v[i];

		if (other->pid != p->pid && other->image == p->image &&
		    (!inner || other->inner == p->inner))
			return true;
	}
	return false;
}
