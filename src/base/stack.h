/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks that a small `ulimit -s`, which is meant for the measured program, does not make too
 * small. */
#ifndef RAROG_BASE_STACK_H
#define RAROG_BASE_STACK_H

/**
 * rarog_stack_run() - run @work on a stack that is large enough for Rarog
 * @work, @context: called once; on the stack that there is, unless that is limited to less
 *
 * Threads that begin later have such a stack as well. To be called once, before there are threads.
 *
 * Return: what @work returned.
 */
int rarog_stack_run(int (*work)(void *context), void *context);

#endif
