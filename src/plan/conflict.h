/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that themselves use what the engine needs. Both questions are asked of the file, before
 * anything is done to the process.
 */
#ifndef RAROG_PLAN_CONFLICT_H
#define RAROG_PLAN_CONFLICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** rarog_conflict_gs() - does its code set the base of %gs? (No, if the file cannot be read.) */
bool rarog_conflict_gs(const char *path);

/** rarog_conflict_ptrace() - does it trace others? A process has one tracer only. */
bool rarog_conflict_ptrace(const char *path);

/** rarog_conflict_gs_code() - the same of @n bytes of code alone: wrgsbase, or arch_prctl as a
 * system call with ARCH_SET_GS. */
bool rarog_conflict_gs_code(size_t n, const uint8_t code[]);

#endif
