/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "description.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

void die(size_t number, const char *what)
{
	fprintf(stderr, "make-profile: line %zu: %s\n", number, what);
	exit(2);
}

void must(long r)
{
	if (r >= 0)
		return;
	fprintf(stderr, "make-profile: %s\n", rarog_error_message());
	exit(3);
}

void *must_alloc(void *pointer)
{
	if (!pointer)
		must(rarog_oom());
	return pointer;
}

/* One word of @text, quotes and escapes undone in place; NULL at the end of the line. */
static char *next_word(char **text)
{
	char *in = *text + strspn(*text, " \t"), *word = in, *out = in;
	bool quoted = false;

	if (*in == '\0' || *in == '\n' || *in == '#')
		return NULL;
	for (; *in && *in != '\n' && (quoted || (*in != ' ' && *in != '\t')); in++) {
		unsigned byte;

		if (*in == '"') {
			quoted = !quoted;
		} else if (*in == '\\' && sscanf(in, "\\x%2x", &byte) == 1) {
			*out++ = (char)byte;
			in += 3;
		} else if (*in == '\\' && in[1]) {
			*out++ = *++in == 'n' ? '\n' : *in;
		} else {
			*out++ = *in;
		}
	}
	*text = *in ? in + 1 : in;
	*out = '\0';
	return word;
}

static void read_line(struct description *description, size_t number, char *text)
{
	struct line line = { .number = number };
	char *word;

	if (strncmp(text, "header ", 7) == 0) {
		text[strcspn(text, "\n")] = '\0';
		line.words[0] = must_alloc(strdup("header"));
		line.words[1] = must_alloc(strdup(text + 7));
		line.n = 2;
		must(rarog_vec_push(&description->lines, line));
		return;
	}
	while ((word = next_word(&text))) {
		if (line.n == MAX_WORDS)
			die(number, "too many words");
		line.words[line.n++] = must_alloc(strdup(word));
	}
	if (line.n > 0)
		must(rarog_vec_push(&description->lines, line));
}

static void pair_repeats(struct description *description)
{
	RAROG_VEC(size_t) open = { 0 };

	for (size_t i = 0; i < description->lines.n; i++) {
		struct line *line = &description->lines.v[i];

		if (strcmp(line->words[0], "repeat") == 0)
			must(rarog_vec_push(&open, i));
		if (strcmp(line->words[0], "end") != 0)
			continue;
		if (open.n == 0)
			die(line->number, "end without repeat");
		line->jump = open.v[--open.n];
		description->lines.v[line->jump].jump = i;
	}
	if (open.n > 0)
		die(description->lines.v[open.v[0]].number, "repeat without end");
	rarog_vec_release(&open);
}

uint64_t number_of(const struct line *line, size_t i, uint64_t otherwise)
{
	char *end;

	if (i >= line->n)
		return otherwise;
	uint64_t value = strtoull(line->words[i], &end, 0);

	if (*end)
		die(line->number, "expected a number");
	return value;
}

const char *word_of(const struct line *line, size_t i)
{
	if (i >= line->n)
		die(line->number, "a word is missing");
	return line->words[i];
}

const char *value_of(const struct line *line, const char *key)
{
	size_t length = strlen(key);

	for (size_t i = 2; i < line->n; i++)
		if (strncmp(line->words[i], key, length) == 0 && line->words[i][length] == '=')
			return line->words[i] + length + 1;
	return NULL;
}

uint64_t number_value(const struct line *line, const char *key, uint64_t otherwise)
{
	const char *value = value_of(line, key);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

void description_read(struct description *description, FILE *in)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t capacity = 0;

	for (size_t number = 1; getline(&text, &capacity, in) > 0; number++)
		read_line(description, number, text);
	pair_repeats(description);
}

void description_release(struct description *description)
{
	for (size_t i = 0; i < description->lines.n; i++)
		for (size_t k = 0; k < description->lines.v[i].n; k++)
			free(description->lines.v[i].words[k]);
	rarog_vec_release(&description->lines);
}
