/* SPDX-License-Identifier: GPL-3.0-or-later */
/* May programs be measured from the inside on this machine, by this user? */
#ifndef RAROG_ENGINE_INLINE_ABLE_H
#define RAROG_ENGINE_INLINE_ABLE_H

#include <stdbool.h>

/**
 * rarog_inline_able() - ask the kernel for what the engine stands on, one thing after the other
 *
 * Takes some ten system calls where nothing speaks against it; where rarog is under a filter of
 * system calls, or a rule of this machine is about ptrace, a child is traced to see.
 *
 * Return: 0; -errno with message: why not, and what would help.
 */
int rarog_inline_able(void);

/**
 * rarog_tracing_try() - may a child be traced?
 *
 * Return: 0; -errno, no message: the kernel's answer (-EPERM also where it ended the process).
 */
int rarog_tracing_try(void);

/** rarog_tracing_tells_sequences() - are restartable sequences of a child told (Linux 5.13)? */
bool rarog_tracing_tells_sequences(void);

/** rarog_executable_memory_try() - may what is written to a file of memory be executed? 0; -errno,
 * no message. */
int rarog_executable_memory_try(void);

#endif
