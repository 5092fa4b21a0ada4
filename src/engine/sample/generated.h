/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of code that a process made itself: from its perf map (/tmp/perf-PID.map), which tells what
 * is where, and from its jitdump, which also tells since when. Both are what `perf` defined.
 */
#ifndef RAROG_ENGINE_SAMPLE_GENERATED_H
#define RAROG_ENGINE_SAMPLE_GENERATED_H

#include <stdint.h>

#include "base/vec.h"

struct rarog_generated_code {
	uint64_t start, size, ns; /* ns: CLOCK_MONOTONIC since when; 0: always */
	char *name;               /* owned */
};

struct rarog_generated {
	RAROG_VEC(struct rarog_generated_code) list; /* as they were read */
};

/** rarog_generated_map() - read a perf map. 0, also if there is none; -ENOMEM. What is no line of a
 * map is left out. */
int rarog_generated_map(struct rarog_generated *generated, const char *path);

/** rarog_generated_dump() - read a jitdump of this machine's byte order. 0, also if there is none
 * or it is cut off (what is whole counts); -ENOMEM. */
int rarog_generated_dump(struct rarog_generated *generated, const char *path);

/** rarog_generated_find() - what was at @address at @ns: the youngest that covers it; NULL. */
const struct rarog_generated_code *rarog_generated_find(const struct rarog_generated *generated,
							uint64_t address, uint64_t ns);
void rarog_generated_release(struct rarog_generated *generated);

#endif
