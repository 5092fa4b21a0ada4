/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which engine counts the blocks of a program, where nobody said. */
#ifndef RAROG_CMD_COLLECT_BLOCKS_H
#define RAROG_CMD_COLLECT_BLOCKS_H

#include "cmd/collect-way.h"

/**
 * rarog_collect_blocks_choose() - put @way, if it is that of blocks, on the engine for @program
 *
 * Neither it nor a library that it names has counters, and it has symbols, so it is no shell that
 * was only installed: then its machine code is counted, with a line that says so.
 */
void rarog_collect_blocks_choose(const char *program, struct rarog_collect_way *way);

#endif
