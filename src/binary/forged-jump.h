/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that make jump buffers (jmp_buf) themselves, to switch stacks by longjmp(): what green
 * threads without ucontext do. glibc keeps addresses in a buffer mixed with a secret of the process
 * at %fs:0x30 (the pointer guard), which a program reads for nothing else.
 */
#ifndef RAROG_BINARY_FORGED_JUMP_H
#define RAROG_BINARY_FORGED_JUMP_H

#include "binary/binary.h"

/**
 * rarog_forges_jumps() - does a program read the pointer guard itself?
 *
 * Static programs have the C library in them, which does.
 *
 * Return: the address of such an instruction; 0: none, or @binary is no dynamic program.
 */
uint64_t rarog_forges_jumps(const struct rarog_binary *binary);

#endif
