/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a view writes: standard output, or a file that appears under its name only when it is
 * whole. A reader that goes away early (| head) ends the program by SIGPIPE or, where that is
 * ignored, rarog_destination_close() says -EPIPE and commands end quietly.
 */
#ifndef RAROG_VIEW_DESTINATION_H
#define RAROG_VIEW_DESTINATION_H

#include <stdbool.h>
#include <stdio.h>

#include "base/file.h"

struct rarog_destination {
	FILE *stream;
	const char *path;           /* borrowed; NULL: standard output */
	struct rarog_new_file file; /* fd -1: written in place */
};

/** rarog_destination_open() - @path NULL or "-": standard output. Return: 0, -errno with message.
 */
int rarog_destination_open(struct rarog_destination *to, const char *path);

/**
 * rarog_destination_close() - flush, give the file its name
 * @result: of what wrote; negative: the file is removed
 *
 * Return: @result if negative; -EPIPE the reader went away; -errno "cannot write …"; 0.
 */
int rarog_destination_close(struct rarog_destination *to, int result);

#endif
