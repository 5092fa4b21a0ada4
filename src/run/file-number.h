/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers out of file names: "img{width}x{height}.pgm" finds width and height in img64x48.pgm.
 */
#ifndef RAROG_RUN_FILE_NUMBER_H
#define RAROG_RUN_FILE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#define RAROG_FILE_NUMBERS 16
#define RAROG_NUMBER_NAME  64

/* A format, taken apart: literal, number, literal, number, …, literal. */
struct rarog_file_format {
	size_t n; /* numbers */
	char names[RAROG_FILE_NUMBERS][RAROG_NUMBER_NAME];
	char *literals[RAROG_FILE_NUMBERS + 1];
};

/**
 * rarog_file_format_parse() - @delimiters: the two characters around a name, "{}"
 *
 * Return: 0; -EINVAL: a delimiter alone, no name, the same name twice, two numbers with nothing
 * between them or with digits: where one ends could not be told.
 */
int rarog_file_format_parse(const char *format, const char *delimiters,
			    struct rarog_file_format *ret_format);
void rarog_file_format_release(struct rarog_file_format *format);

/** rarog_file_format_match() - does @name have that form? Then its numbers, in order. */
bool rarog_file_format_match(const struct rarog_file_format *format, const char *name,
			     double ret_numbers[RAROG_FILE_NUMBERS]);

#endif
