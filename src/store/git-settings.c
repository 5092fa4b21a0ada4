/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of a repository, written down again for another one. */
#include <errno.h>
#include <string.h>

#include "store/git-own.h"

static int add_quoted(struct rarog_str *text, const char *value)
{
	int r = rarog_str_add_char(text, '"');

	for (; r == 0 && *value; value++) {
		if (*value == '"' || *value == '\\')
			r = rarog_str_add_char(text, '\\');
		if (r == 0)
			r = *value == '\n' ? rarog_str_add(text, "\\n")
					   : rarog_str_add_char(text, *value);
	}
	return r < 0 ? r : rarog_str_add_char(text, '"');
}

int rarog_git_setting(struct rarog_str *text, const char *key, const char *value)
{
	const char *first = strchr(key, '.'), *last = strrchr(key, '.');
	rarog_cleanup(rarog_freep) char *sub = NULL;
	int r;

	if (!first)
		return 0;
	r = rarog_str_addf(text, "[%.*s", (int)(first - key), key);
	if (r == 0 && first < last) {
		sub = strndup(first + 1, (size_t)(last - first - 1));
		r = sub ? rarog_str_add_char(text, ' ') : -ENOMEM;
		if (r == 0)
			r = add_quoted(text, sub);
	}
	if (r == 0)
		r = rarog_str_addf(text, "]\n\t%s = ", last + 1);
	if (r == 0)
		r = add_quoted(text, value);
	return r < 0 ? r : rarog_str_add_char(text, '\n');
}

/* "SCOPE NUL KEY LF VALUE NUL" of every setting in force here; the user's and the system's hold for
 * any repository. */
int rarog_git_settings(const struct rarog_git *git, bool (*is_wanted)(const char *key),
		       struct rarog_str *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str all = { 0 };
	int r = rarog_git_must(git,
			       (const char *const[]){ "config", "--list", "--show-scope", "-z",
						      "--includes", NULL },
			       &all);
	const char *at = rarog_str_text(&all), *end = at + all.length;

	while (r == 0 && at < end) {
		bool is_ours = strcmp(at, "local") == 0 || strcmp(at, "worktree") == 0;
		const char *key = at + strlen(at) + 1;
		size_t length = key < end ? strcspn(key, "\n") : 0;
		rarog_cleanup(rarog_freep) char *name = key < end ? strndup(key, length) : NULL;

		if (!name)
			break;
		if (is_ours && is_wanted(name))
			r = rarog_git_setting(text, name, key[length] ? key + length + 1 : "true");
		at = key + strlen(key) + 1;
	}
	return r;
}
