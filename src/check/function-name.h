/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When two symbols, binaries or source files of different builds go by the same name. */
#ifndef RAROG_CHECK_FUNCTION_NAME_H
#define RAROG_CHECK_FUNCTION_NAME_H

#include <stddef.h>

/**
 * rarog_name_length() - of a symbol without what compilers append to clones
 *
 * ".constprop.0", ".isra.3", ".part.1", ".cold", ".lto_priv.0", ".llvm.123…": the same function in
 * the source, made several of or not as the compiler likes.
 */
size_t rarog_name_length(const char *symbol);

/**
 * rarog_name_family() - a demangled name without the numbers that compilers give to what has no
 * name: "main::{lambda()}::operator()() const" of "main::{lambda()#2}::operator()() const"
 *
 * The number is that of the order in the source: one that is taken out renumbers the others.
 *
 * Return: malloc'd; NULL: there are no such numbers, or no memory (errno).
 */
char *rarog_name_family(const char *name);

/** rarog_binary_length() - of a library's file name without its version: "libz.so" of
 * "libz.so.1.2.13"; @file: without directories. */
size_t rarog_binary_length(const char *file);

/** rarog_file_name() - what follows the last slash; "" for NULL. */
const char *rarog_file_name(const char *path);

#endif
