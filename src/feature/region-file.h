/* SPDX-License-Identifier: MIT */
/*
 * What a program leaves whose regions were compiled in (rarog cc --rarog-regions): a file for each
 * thread, in the folder that the environment names. Both sides include this.
 *
 * The first page is the head. After it stand the words of a strand's events (agent/abi.h), whose
 * functions are the numbers of regions. The file may be longer than what is used of it.
 */
#ifndef RAROG_FEATURE_REGION_FILE_H
#define RAROG_FEATURE_REGION_FILE_H

#include <stdint.h>

#define RAROG_REGION_ENVIRONMENT "RAROG_REGIONS"
#define RAROG_REGION_MAGIC       UINT64_C(0x3147455247415252) /* "RRAGREG1" */
#define RAROG_REGION_HEAD        4096

struct rarog_region_file {
	uint64_t magic;
	uint32_t pid, parent, tid, rest;
	uint64_t start, end; /* ticks; end 0: the thread did not say */
	uint64_t used;       /* bytes of the file, with the head */
	uint64_t lost;       /* events */
	char program[3072];  /* path */
	uint64_t elsewhere;  /* events on stacks that are not the thread's */
};

/* Beside them in the folder, a page: what has no file of its own counts here. */
#define RAROG_REGION_LOST "lost"

struct rarog_region_lost {
	uint64_t strands; /* threads, and children */
};

/* What rarog cc --region-nops leaves at the edges of regions: two nops, which a jump replaces. The
 * first of them alone is worked out by every kernel; newer ones make a call of a nop of five bytes,
 * which overwrites what a leaf function has below its stack pointer. */
#define RAROG_REGION_NOPS                                                                          \
	{                                                                                          \
		0x90, 0x0f, 0x1f, 0x40, 0x00                                                       \
	}
#define RAROG_REGION_NOPS_TEXT "0x90, 0x0f, 0x1f, 0x40, 0x00"

/* In no memory of the program: a text for each region of the list, which is "list, number, name,
 * file, line", tabs between them and a NUL after it. */
#define RAROG_REGION_SECTION ".rarog.regions"

#endif
