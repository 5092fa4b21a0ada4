/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the processes of a run counted: the folder that their runtimes write to, and the sums of all
 * files in it, by binary.
 *
 * Processes of root may become others' and go on counting. So root's folder takes files of every
 * process that knows its name, which only the program's environment has; what is in it may be
 * anything.
 */
#ifndef RAROG_ENGINE_BLOCKS_HARVEST_H
#define RAROG_ENGINE_BLOCKS_HARVEST_H

#include <limits.h>
#include <stdbool.h>

#include "base/vec.h"
#include "blocks/counters.h"
#include "engine/blocks/ends.h"
#include "engine/blocks/exec-watcher.h"
#include "engine/blocks/registry.h"
#include "process/scratch-folder.h"

/* The counters of a program or library, summed over its processes. */
struct rarog_harvest_image {
	char *path, *build_id; /* "" where unknown */
	uint64_t address;      /* of the first, in the file's numbering */
	size_t n;
	uint64_t *values;
};

struct rarog_harvest_process {
	uint32_t pid, parent;
	char *program;      /* path */
	bool knows_threads; /* it counts itself: its runtime sees every thread that is created … */
	bool has_threads;   /* … as it did here */
	struct rarog_process_end end;
};

struct rarog_harvest {
	struct rarog_scratch_folder folder;
	char path[PATH_MAX + 96]; /* of the folder in it for the files */
	struct rarog_block_registry registry;
	/* Borrowed; NULL: there is none. */
	struct rarog_exec_watcher *exec_watcher;
	RAROG_VEC(struct rarog_harvest_image) images;      /* by path, then build-id */
	RAROG_VEC(struct rarog_harvest_process) processes; /* by pid; each once */
	uint64_t n_files;
	uint64_t n_shared;    /* processes in which threads shared counters: may be too low */
	uint64_t n_childless; /* … of which a forked child was not counted */
	uint64_t n_unread;    /* files that were cut off or damaged */
	uint64_t n_foreign;   /* files of programs that another version of rarog has built */
	uint64_t n_running;   /* processes that were not at their end */
	uint64_t n_without;   /* programs and libraries of processes that could have no file, or
			       * might not */
};

/** rarog_harvest_open() - make the folder and the registry. 0; -errno with message. */
int rarog_harvest_open(struct rarog_harvest *ret_harvest);

/** rarog_harvest_gather() - read what is in the folder. 0; -errno with message. */
int rarog_harvest_gather(struct rarog_harvest *harvest);

/** rarog_harvest_may_have_threads() - did any process have several, as far as that is known? */
bool rarog_harvest_may_have_threads(const struct rarog_harvest *harvest);

/** rarog_harvest_release() - the folder, too. Fits rarog_cleanup(). */
void rarog_harvest_release(struct rarog_harvest *harvest);

#endif
