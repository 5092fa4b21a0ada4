/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cc-line.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

void rarog_cc_line_release(struct rarog_cc_line *line)
{
	for (size_t i = 0; i < line->words.n; i++)
		free(line->words.v[i]);
	rarog_vec_release(&line->words);
	free(line->library);
}

int rarog_cc_line_add(struct rarog_cc_line *line, char *take_text)
{
	if (take_text && rarog_vec_push(&line->words, take_text) == 0)
		return 0;
	free(take_text);
	return rarog_oom();
}

int rarog_cc_line_add_all(struct rarog_cc_line *line, size_t n, char *const argv[])
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = rarog_cc_line_add(line, strdup(argv[i]));
	return r;
}

int rarog_cc_line_add_files(struct rarog_cc_line *line, size_t n, char *const argv[])
{
	int r = 0;

	for (size_t i = 1; r == 0 && i < n; i++)
		r = rarog_cc_line_add(line,
				      rarog_asprintf("%s%s", *argv[i] == '-' ? "./" : "", argv[i]));
	return r;
}
