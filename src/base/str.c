/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static int reserve(struct rarog_str *str, size_t more)
{
	size_t wanted, grown;
	char *moved;

	if (more > SIZE_MAX - str->length - 1)
		return rarog_oom();
	wanted = str->length + more + 1;
	if (wanted <= str->capacity)
		return 0;
	grown = str->capacity + str->capacity / 2 + 32;
	if (grown < wanted)
		grown = wanted;
	moved = realloc(str->text, grown);
	if (!moved)
		return rarog_oom();
	str->text = moved;
	str->capacity = grown;
	return 0;
}

const char *rarog_str_text(const struct rarog_str *str)
{
	return str->text ? str->text : "";
}

int rarog_str_add_bytes(struct rarog_str *str, size_t n, const char *bytes)
{
	int r = reserve(str, n);

	if (r < 0)
		return r;
	if (n > 0)
		memcpy(str->text + str->length, bytes, n);
	str->length += n;
	str->text[str->length] = '\0';
	return 0;
}

int rarog_str_add(struct rarog_str *str, const char *text)
{
	return rarog_str_add_bytes(str, strlen(text), text);
}

int rarog_str_add_char(struct rarog_str *str, char c)
{
	return rarog_str_add_bytes(str, 1, &c);
}

int rarog_str_vaddf(struct rarog_str *str, const char *format, va_list args)
{
	va_list again;
	int n, r;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (n < 0)
		return rarog_oom();
	r = reserve(str, (size_t)n);
	if (r < 0)
		return r;
	vsnprintf(str->text + str->length, (size_t)n + 1, format, args);
	str->length += (size_t)n;
	return 0;
}

int rarog_str_addf(struct rarog_str *str, const char *format, ...)
{
	va_list args;
	int r;

	va_start(args, format);
	r = rarog_str_vaddf(str, format, args);
	va_end(args);
	return r;
}

void rarog_str_clear(struct rarog_str *str)
{
	str->length = 0;
	if (str->text)
		str->text[0] = '\0';
}

void rarog_str_release(struct rarog_str *str)
{
	free(str->text);
	*str = (struct rarog_str){ 0 };
}

char *rarog_str_take(struct rarog_str *str)
{
	char *text = str->text ? str->text : calloc(1, 1);

	*str = (struct rarog_str){ 0 };
	return text;
}

char *rarog_asprintf(const char *format, ...)
{
	struct rarog_str str = { 0 };
	va_list args;
	int r;

	va_start(args, format);
	r = rarog_str_vaddf(&str, format, args);
	va_end(args);
	if (r < 0) {
		rarog_str_release(&str);
		return NULL;
	}
	return rarog_str_take(&str);
}

bool rarog_starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool rarog_ends_with(const char *text, const char *suffix)
{
	size_t n = strlen(text), m = strlen(suffix);

	return n >= m && memcmp(text + n - m, suffix, m) == 0;
}
