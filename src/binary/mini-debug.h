/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MiniDebugInfo: the symbols of a stripped program, compressed in a section of it.
 */
#ifndef RAROG_BINARY_MINI_DEBUG_H
#define RAROG_BINARY_MINI_DEBUG_H

#include "binary/elf-file.h"

/**
 * rarog_mini_debug_open() - the ELF file inside the section .gnu_debugdata of @elf
 * @ret_mini: stays NULL when there is none, and when it is damaged: names are a help, no need
 *
 * Return: 0, -ENOMEM.
 */
int rarog_mini_debug_open(const struct rarog_elf *elf, struct rarog_elf **ret_mini);

#endif
