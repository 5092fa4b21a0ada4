/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the linker puts a function makes it faster or slower by chance, by as much as changes of
 * the source do. A program that is linked anew for every run, with gaps of other sizes between its
 * objects, shows how much of it is chance. Source: Mytkowicz and others, "Producing wrong data
 * without doing anything obviously wrong", ASPLOS 2009; Curtsinger, Berger, "Stabilizer", ASPLOS
 * 2013.
 */
#ifndef RAROG_RUN_LAYOUT_H
#define RAROG_RUN_LAYOUT_H

#include <stdint.h>

/**
 * rarog_layout_draw() - link a program of a build anew, gaps drawn by lot
 * @directory: of the build
 * @program: path of the file; replaced at once, never half
 * @scratch: keeps the objects that make the gaps
 *
 * The order of the objects stays: constructors and tables made by the linker depend on it. What
 * comes out must have the same functions, of the same sizes, else the program stays as it is.
 *
 * Return: 1; 0: it stays as it is, no link of it is known or it cannot be repeated; -errno.
 */
int rarog_layout_draw(const char *directory, const char *program, const char *scratch,
		      uint64_t seed);

/** rarog_layout_restore() - the program as the build made it. 0 or -errno. */
int rarog_layout_restore(const char *program);

#endif
