/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the processes of a run counted, by program and library. */
#ifndef RAROG_ENGINE_VEX_HARVEST_H
#define RAROG_ENGINE_VEX_HARVEST_H

#include <limits.h>

#include "engine/vex/counted.h"
#include "engine/vex/pieces.h"
#include "process/scratch-folder.h"
#include "profile/profile.h"

struct rarog_vex_entry {
	uint64_t address; /* in the file's numbering */
	uint64_t calls;
	const char *name; /* "" without symbol; borrowed */
};

/* What an instruction has done with memory, all together; an address may have several. */
struct rarog_vex_touch {
	uint64_t address;
	struct rarog_block_accesses amounts; /* its .block is not set */
};

/* A condition, and the way that was counted there. */
struct rarog_vex_branch {
	uint64_t end; /* of its instruction */
	uint64_t next, went_on;
};

/* [0] is generated code: its path is "", its addresses are those of the processes. */
struct rarog_vex_image {
	const char *path; /* borrowed */
	RAROG_VEC(struct rarog_vex_run) runs;
	RAROG_VEC(struct rarog_vex_entry) entries; /* by address, each once */
	RAROG_VEC(struct rarog_vex_touch) touches;
	RAROG_VEC(struct rarog_vex_branch) branches; /* by end and next, each once */
};

struct rarog_vex_harvest {
	struct rarog_scratch_folder folder;
	RAROG_VEC(struct rarog_vex_counted *) processes; /* by pid, then in the order of exec */
	RAROG_VEC(struct rarog_vex_image) images;        /* [0], then by path */
	uint64_t n_unread;                               /* files that are cut off or damaged */
	uint64_t n_lost;       /* processes that had no room for all their counters */
	uint64_t n_running;    /* processes that have not ended yet */
	uint64_t n_ended;      /* processes that Valgrind has ended */
	uint64_t n_complaints; /* processes that Valgrind had something to say of … */
	char *complaint;       /* … the first line; NULL: none */
};

/** rarog_vex_harvest_open() - make the folder. 0; -errno with message. */
int rarog_vex_harvest_open(struct rarog_vex_harvest *ret_harvest);

/** rarog_vex_harvest_gather() - read what is in the folder. 0; -errno with message. */
int rarog_vex_harvest_gather(struct rarog_vex_harvest *harvest);

/** rarog_vex_harvest_image() - number of the image of an object of @counted; 0: generated code. */
size_t rarog_vex_harvest_image(const struct rarog_vex_harvest *harvest,
			       const struct rarog_vex_counted *counted, uint32_t object);

/** rarog_vex_harvest_release() - the folder, too. Fits rarog_cleanup(). */
void rarog_vex_harvest_release(struct rarog_vex_harvest *harvest);

#endif
