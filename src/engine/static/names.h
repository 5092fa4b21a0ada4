/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the numbers of regions mean that were compiled into a program. */
#ifndef RAROG_ENGINE_STATIC_NAMES_H
#define RAROG_ENGINE_STATIC_NAMES_H

#include "base/vec.h"
#include "events/recorder.h"

struct rarog_static_region {
	uint32_t number, line;
	char *name, *file; /* owned */
};

/* A program's; zeroed: none. */
struct rarog_static_names {
	char *path;                              /* owned */
	RAROG_VEC(struct rarog_static_region) v; /* by number, each once */
	struct rarog_id_map *map;                /* of the recorder */
};

/** rarog_static_names_read() - of the program @path. 0; -ENODATA: it has none; -EINVAL: its objects
 * were compiled by different lists; -errno; with message. Release in any case. */
int rarog_static_names_read(const char *path, struct rarog_static_names *ret_names);

/** rarog_static_names_announce() - to @recorder, which has .map then. 0 or -errno. */
int rarog_static_names_announce(struct rarog_static_names *names, struct rarog_recorder *recorder);
void rarog_static_names_release(struct rarog_static_names *names);

#endif
