/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that may not be traced because they would notice, and what to do instead.
 */
#ifndef RAROG_PLAN_OBSTACLES_H
#define RAROG_PLAN_OBSTACLES_H

#include <stdbool.h>
#include <sys/types.h>

#include "binary/binary.h"
#include "plan/plan.h"

/**
 * rarog_obstacles_check() - may this program be traced?
 * @pid: its process, stopped at its first instruction; 0: not started, look at the file only
 *
 * Return: 0, or -ENOTSUP with a message that says why not.
 */
int rarog_obstacles_check(const struct rarog_plan *plan, pid_t pid, const char *program);

/** rarog_obstacles_in() - what the code of a program or library that is to be probed tells: does it
 * read itself, does it switch stacks by itself? Return: 0, or -ENOTSUP with a message. */
int rarog_obstacles_in(const struct rarog_plan *plan, const struct rarog_binary *binary);

/** rarog_obstacles_span() - is there room for code that reaches all of its memory? 0, or -ENOTSUP
 * with a message. */
int rarog_obstacles_span(const struct rarog_binary *binary);

/** rarog_obstacles_of_file() - the same for a program or library that is to be probed: what is in
 * the file at @path, which is called @name. */
int rarog_obstacles_of_file(const struct rarog_plan *plan, const char *path, const char *name);

/** rarog_obstacles_of_all() - why no call at all may be recorded once @library is loaded; NULL:
 * they may. It copies stacks, or has an mcount() of its own that is not known to look nowhere. */
const char *rarog_obstacles_of_all(const char *library);

/** rarog_obstacles_hides_unwinder() - may @path have an unwinder in it that it has no names for?
 * Exceptions are handled there, and neither is an unwinder or a personality named. */
bool rarog_obstacles_hides_unwinder(const char *path);

/** rarog_obstacles_unwinder() - are the functions of an unwinder that @binary hides found all the
 * same? 0, or -ENOTSUP with a message: an exception that we are not told of would find our
 * addresses on the stack. */
int rarog_obstacles_unwinder(const struct rarog_binary *binary);

/**
 * rarog_obstacles_reason() - why the inline engine records no calls of @binary
 *
 * Return: the message that rarog collect would give, the caller's; NULL: it does record them.
 */
char *rarog_obstacles_reason(const struct rarog_binary *binary);

/** rarog_obstacles_rights() - would @program have had rights that the kernel does not give to what
 * we trace (set-user-id, file capabilities)? */
bool rarog_obstacles_rights(const char *program);

#endif
