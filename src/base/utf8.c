/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Well-formed byte sequences: Unicode 15, table 3-7. */
#include "base/utf8.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/cleanup.h"

size_t rarog_utf8_length(size_t n, const char *bytes)
{
	static const struct {
		unsigned char first, last, low, high;
		size_t length;
	} forms[] = {
		{ 0x00, 0x7f, 0, 0, 1 },       { 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};
	const unsigned char *s = (const unsigned char *)bytes;

	for (size_t i = 0; i < RAROG_COUNT(forms); i++) {
		if (s[0] < forms[i].first || s[0] > forms[i].last)
			continue;
		if (forms[i].length > n)
			return 0;
		if (forms[i].length > 1 && (s[1] < forms[i].low || s[1] > forms[i].high))
			return 0;
		for (size_t k = 2; k < forms[i].length; k++)
			if ((s[k] & 0xc0) != 0x80)
				return 0;
		return forms[i].length;
	}
	return 0;
}

static wchar_t decode(const char *text, size_t length)
{
	static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	unsigned code = (unsigned char)text[0] & masks[length];

	for (size_t i = 1; i < length; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return (wchar_t)code;
}

/* As rarog_utf8_next(), @ret_is_shown false when the character cannot be. */
static size_t next(const char *text, int *ret_columns, bool *ret_is_shown)
{
	size_t length = text[0] ? rarog_utf8_length(strnlen(text, 4), text) : 0;
	int columns = length ? wcwidth(decode(text, length)) : -1;

	*ret_is_shown = columns >= 0;
	*ret_columns = columns >= 0 ? columns : text[0] != '\0';
	if (length)
		return length;
	return text[0] != '\0';
}

size_t rarog_utf8_next(const char *text, int *ret_columns)
{
	bool is_shown;

	return next(text, ret_columns, &is_shown);
}

int rarog_utf8_columns(const char *text)
{
	int sum = 0, columns;

	for (size_t n; (n = rarog_utf8_next(text, &columns)) > 0; text += n)
		sum += columns;
	return sum;
}

/* Characters from @text while they fit into @width columns; @ret_columns: how many they took. */
static const char *print_while(FILE *out, const char *text, int width, int *ret_columns)
{
	int columns;
	bool is_shown;

	*ret_columns = 0;
	for (size_t n; (n = next(text, &columns, &is_shown)) > 0; text += n) {
		if (*ret_columns + columns > width)
			break;
		if (is_shown)
			fwrite(text, 1, n, out);
		else
			fputs("\xef\xbf\xbd", out);
		*ret_columns += columns;
	}
	return text;
}

int rarog_utf8_print(FILE *out, const char *text, int width)
{
	int total = rarog_utf8_columns(text), head, tail, columns;

	if (total <= width) {
		print_while(out, text, width, &head);
		return head;
	}
	if (width < 1)
		return 0;
	text = print_while(out, text, width / 2, &head);
	fputs("\xe2\x80\xa6", out);
	for (int rest = total - head; *text && rest > width - head - 1; rest -= columns)
		text += rarog_utf8_next(text, &columns);
	print_while(out, text, width - head - 1, &tail);
	return head + 1 + tail;
}

bool rarog_utf8_is_spoken(void)
{
	const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}
