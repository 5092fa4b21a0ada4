/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quoting as in POSIX, XCU 2.2. */
#include "run/words.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

#define SHELL_ONLY "|&;<>()$`\n"

void rarog_words_release(struct rarog_words *words)
{
	for (size_t i = 0; i < words->list.n; i++)
		free(words->list.v[i]);
	rarog_vec_release(&words->list);
}

int rarog_words_add(struct rarog_words *words, const char *word)
{
	char *copy = strdup(word);

	if (!copy || rarog_vec_reserve(&words->list, words->list.n + 2) < 0) {
		free(copy);
		return rarog_oom();
	}
	words->list.v[words->list.n++] = copy;
	words->list.v[words->list.n] = NULL;
	return 0;
}

/* The text inside quotes that begin at *@at; *@at becomes the closing one. */
static int add_quoted(const char *text, const char **at, struct rarog_str *word)
{
	char quote = *(*at)++;

	for (; **at && **at != quote; ++*at) {
		if (quote == '"' && (**at == '$' || **at == '`'))
			return rarog_fail(-EINVAL,
					  "'%s': nothing is expanded; write sh -c '...' around it",
					  text);
		if (quote == '"' && **at == '\\' && strchr("\"\\$`", (*at)[1]) && (*at)[1])
			++*at;
		if (rarog_str_add_char(word, **at) < 0)
			return rarog_oom();
	}
	if (!**at)
		return rarog_fail(-EINVAL, "'%s': the quote %c is not closed", text, quote);
	return 0;
}

static int add_character(const char *text, const char **at, struct rarog_str *word)
{
	if (**at == '\'' || **at == '"')
		return add_quoted(text, at, word);
	if (**at == '\\' && (*at)[1])
		++*at;
	else if (strchr(SHELL_ONLY, **at))
		return rarog_fail(-EINVAL,
				  "'%s': only a shell understands %s; quote it, or write sh -c "
				  "'...' around all",
				  text, **at == '\n' ? "a line break" : (char[]){ **at, '\0' });
	return rarog_str_add_char(word, **at) < 0 ? rarog_oom() : 0;
}

/* *@at: the first character of the word, then the one after it. */
static int add_word(const char *text, const char **at, struct rarog_words *words)
{
	rarog_cleanup(rarog_str_release) struct rarog_str word = { 0 };
	int r = 0;

	for (; r == 0 && **at && !strchr(" \t", **at); ++*at) {
		r = add_character(text, at, &word);
		if (r < 0)
			return r;
	}
	return rarog_words_add(words, rarog_str_text(&word));
}

int rarog_words_split(const char *text, struct rarog_words *words)
{
	int r = 0;

	for (const char *at = text; r == 0;) {
		at += strspn(at, " \t");
		if (!*at)
			break;
		r = add_word(text, &at, words);
	}
	return r;
}

int rarog_text_replace(const char *text, const char *what, const char *with,
		       struct rarog_str *result)
{
	int n = 0, r = 0;

	for (const char *found; r == 0 && (found = strstr(text, what)); n++) {
		r = rarog_str_add_bytes(result, (size_t)(found - text), text);
		if (r == 0)
			r = rarog_str_add(result, with);
		text = found + strlen(what);
	}
	if (r == 0)
		r = rarog_str_add(result, text);
	return r < 0 ? rarog_oom() : n;
}
