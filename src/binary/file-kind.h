/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a file is, judged by its first bytes, in words for people.
 */
#ifndef RAROG_BINARY_FILE_KIND_H
#define RAROG_BINARY_FILE_KIND_H

#include <stddef.h>
#include <stdint.h>

/**
 * rarog_file_kind_check() - is this an ELF program or shared library for x86-64?
 * @path: for the message
 * @n: bytes at hand; 256 are enough
 *
 * Return: 0; -ENOEXEC with a message that says what the file is and what to do; -EINVAL cut off.
 */
int rarog_file_kind_check(const char *path, size_t n, const uint8_t *bytes);

#endif
