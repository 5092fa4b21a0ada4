/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A number is as long as it can be: sign, digits, and a fraction only if digits follow the point
 * (so that 100.pgm is 100). Since no literal that follows one begins with a digit, there is one way
 * to read a name, found in one pass.
 */
#include "run/file-number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

void rarog_file_format_release(struct rarog_file_format *format)
{
	for (size_t i = 0; i <= RAROG_FILE_NUMBERS; i++)
		free(format->literals[i]);
	*format = (struct rarog_file_format){ 0 };
}

static bool is_known(const struct rarog_file_format *format, const char *name)
{
	for (size_t i = 0; i < format->n; i++)
		if (strcmp(format->names[i], name) == 0)
			return true;
	return false;
}

/* @at: the opening delimiter. *@ret_end: after the closing one. */
static int add_number(struct rarog_file_format *format, const char *text, const char *at,
		      char closing, const char **ret_end)
{
	const char *end = strchr(at + 1, closing);
	size_t n = end ? (size_t)(end - at - 1) : 0;
	char name[RAROG_NUMBER_NAME] = "";

	if (n == 0 || n >= sizeof(name))
		return rarog_fail(-EINVAL, "'%s': expected a name and %c after %c", text, closing,
				  *at);
	memcpy(name, at + 1, n);
	if (is_known(format, name))
		return rarog_fail(-EINVAL, "'%s': there are two numbers called '%s'", text, name);
	if (format->n == RAROG_FILE_NUMBERS)
		return rarog_fail(-EINVAL, "'%s': more than %d numbers", text, RAROG_FILE_NUMBERS);
	memcpy(format->names[format->n++], name, n + 1);
	*ret_end = end + 1;
	return 0;
}

static int add_literal(struct rarog_file_format *format, const char *text, const char *at, size_t n)
{
	bool is_first = format->n == 0, is_last = at[n] == '\0';

	if (!is_first && ((n == 0 && !is_last) || isdigit((unsigned char)*at)))
		return rarog_fail(-EINVAL,
				  "'%s': between two numbers must stand something that is not part "
				  "of a number",
				  text);
	format->literals[format->n] = strndup(at, n);
	return format->literals[format->n] ? 0 : rarog_oom();
}

static int parse(const char *text, const char *delimiters, struct rarog_file_format *format)
{
	const char opening[] = { delimiters[0], '\0' };

	for (const char *at = text;;) {
		size_t n = strcspn(at, opening);
		int r = add_literal(format, text, at, n);

		if (r < 0 || !at[n])
			return r;
		r = add_number(format, text, at + n, delimiters[1], &at);
		if (r < 0)
			return r;
	}
}

int rarog_file_format_parse(const char *format, const char *delimiters,
			    struct rarog_file_format *ret_format)
{
	struct rarog_file_format parsed = { 0 };
	int r;

	if (strlen(delimiters) != 2)
		return rarog_fail(-EINVAL, "'%s': expected two delimiters, such as {}", delimiters);
	r = parse(format, delimiters, &parsed);
	if (r < 0)
		rarog_file_format_release(&parsed);
	else
		*ret_format = parsed;
	return r;
}

/* After the number that begins at @at; @at: there is none. */
static const char *number_end(const char *at)
{
	const char *digits = at + (*at == '-' || *at == '+'), *end = digits;

	while (isdigit((unsigned char)*end))
		end++;
	if (end == digits)
		return at;
	if (*end == '.' && isdigit((unsigned char)end[1]))
		for (end++; isdigit((unsigned char)*end);)
			end++;
	return end;
}

bool rarog_file_format_match(const struct rarog_file_format *format, const char *name,
			     double ret_numbers[RAROG_FILE_NUMBERS])
{
	const char *at = name;

	for (size_t i = 0;; i++) {
		size_t n = strlen(format->literals[i]);
		const char *end;

		if (strncmp(at, format->literals[i], n) != 0)
			return false;
		at += n;
		if (i == format->n)
			return *at == '\0';
		end = number_end(at);
		if (end == at)
			return false;
		ret_numbers[i] = strtod(at, NULL); /* LC_NUMERIC is C */
		at = end;
	}
}
