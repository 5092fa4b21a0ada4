/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/usdt.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

static const struct {
	const char *begin, *end;
} pairs[] = {
	{ "begin", "end" },          { "begin", "done" },      { "entry", "return" },
	{ "entry", "exit" },         { "enter", "leave" },     { "enter", "exit" },
	{ "start", "finish" },       { "start", "end" },       { "start", "stop" },
	{ "start", "done" },         { "create", "destroy" },  { "construct", "deconstruct" },
	{ "construct", "destruct" }, { "acquire", "release" }, { "open", "close" },
};

static bool is_separator(char c)
{
	return c == '_' || c == '-';
}

/* The length of the part of a name that begins at @part. */
static size_t part_length(const char *part)
{
	return strcspn(part, "_-");
}

static bool is_word(const char *part, size_t n, const char *word)
{
	return n == strlen(word) && memcmp(part, word, n) == 0;
}

static bool are_pair(const char *begin, size_t n_begin, const char *end, size_t n_end)
{
	for (size_t i = 0; i < RAROG_COUNT(pairs); i++)
		if (is_word(begin, n_begin, pairs[i].begin) && is_word(end, n_end, pairs[i].end))
			return true;
	return false;
}

bool rarog_usdt_begins(const char *begin, const char *end)
{
	size_t n_different = 0;

	for (;;) {
		size_t n_begin = part_length(begin), n_end = part_length(end);

		if (n_begin != n_end || memcmp(begin, end, n_begin) != 0) {
			if (!are_pair(begin, n_begin, end, n_end))
				return false;
			n_different++;
		}
		begin += n_begin;
		end += n_end;
		if (*begin != *end)
			return false;
		if (!is_separator(*begin))
			return n_different == 1;
		begin++;
		end++;
	}
}

char *rarog_usdt_region_name(const char *begin, const char *end)
{
	const char *from = begin, *rest;
	size_t n;

	for (n = part_length(from); n == part_length(end) && memcmp(from, end, n) == 0;
	     n = part_length(from)) {
		from += n + 1;
		end += n + 1;
	}
	rest = from + n;
	n = (size_t)(from - begin);
	while (n > 0 && is_separator(begin[n - 1]))
		n--;
	while (n == 0 && is_separator(*rest))
		rest++;
	return n == 0 && !*rest ? strdup(begin) : rarog_asprintf("%.*s%s", (int)n, begin, rest);
}
