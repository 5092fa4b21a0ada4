/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Run-times that make code and know their way on stacks where it runs: to them a return address
 * tells which of their code it is, and one that probes put there is of none.
 */
#ifndef RAROG_BINARY_MADE_CODE_H
#define RAROG_BINARY_MADE_CODE_H

#include "binary/binary.h"

/**
 * rarog_makes_code() - does the code of @binary ask the kernel for memory that may be executed?
 *
 * It calls mmap() or mprotect() of another file, or of its own, and shortly before a constant with
 * PROT_EXEC in it becomes an argument, or part of one.
 *
 * Return: the vaddr of the call; 0: there is none.
 */
uint64_t rarog_makes_code(const struct rarog_binary *binary);

/**
 * rarog_walks_frames() - does it go from frame to frame by itself?
 *
 * A function that has made rbp its frame pointer reads what that points to, its caller's: the way
 * from frame to frame begins so, and no compiler does it by itself.
 *
 * Return: the vaddr of the instruction; 0: there is none.
 */
uint64_t rarog_walks_frames(const struct rarog_binary *binary);

#endif
