/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads and processes that begin on the memory and with the thread pointer of another one that
 * runs on beside them (clone with CLONE_VM, without CLONE_SETTLS). Probes tell strands by the
 * thread pointer: both would write into one.
 */
#ifndef RAROG_COLLECT_TRACE_INLINE_NEWBORN_H
#define RAROG_COLLECT_TRACE_INLINE_NEWBORN_H

#include <stdint.h>
#include <sys/types.h>

/**
 * rarog_newborn_part() - see to it that a new task gets a strand of its own
 * @pid: stopped before its first instruction
 * @strands: of its image; strand 0 is there
 */
void rarog_newborn_part(pid_t pid, uint64_t strands);

#endif
