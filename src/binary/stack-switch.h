/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code that leaves one machine stack and goes on with another, as coroutines written by hand do. */
#ifndef RAROG_BINARY_STACK_SWITCH_H
#define RAROG_BINARY_STACK_SWITCH_H

#include "binary/binary.h"

/**
 * rarog_stack_switch() - look for a stack switch in the code of @binary
 * @known: names of functions that may switch stacks, NULL after the last
 *
 * A switch saves the stack pointer and, within a few instructions, takes another one from
 * elsewhere, or adds a register to it and to the frame pointer. What restores a stack pointer that
 * the same code saved or computed from it is none, nor is longjmp(), which saves nothing.
 *
 * Return: the vaddr of the instruction that sets the stack pointer; 0: there is none.
 */
uint64_t rarog_stack_switch(const struct rarog_binary *binary, const char *const known[]);

/** rarog_sets_stack() - does @f take a stack pointer from somewhere, as whatever switches must? */
bool rarog_sets_stack(const struct rarog_binary *binary, const struct rarog_function *f);

#endif
