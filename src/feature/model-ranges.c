/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of several places is of this version of a source only the source says: where a name stands
 * exactly there. */
#include "feature/model-ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"

#define FILE_MAX ((size_t)16 << 20)

bool rarog_model_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* The last word of the columns that VaRA names; they count from 1. @is_exact: it is all of them. */
static char *word_at(const char *line, const struct rarog_model_range *range, bool is_exact)
{
	size_t n = strcspn(line, "\n"), end = (size_t)range->last, first;

	if (range->first < 1 || range->last < range->first || end > n)
		return NULL;
	while (end > 0 && end >= (size_t)range->first && !rarog_model_is_word(line[end - 1]))
		end--;
	first = end;
	while (first > 0 && rarog_model_is_word(line[first - 1]))
		first--;
	if (is_exact && (first != (size_t)range->first - 1 || end != (size_t)range->last ||
			 rarog_model_is_word(line[end])))
		return NULL;
	return first < end ? strndup(line + first, end - first) : NULL;
}

/* Beside the model, or in the folder where one is: models are kept with others, too. NULL: it is
 * nowhere. */
static char *find_source(const char *model, const char *path)
{
	const char *slash = strrchr(model, '/');
	rarog_cleanup(rarog_freep) char *beside = NULL;
	char *real = NULL;

	if (slash && *path != '/')
		beside = rarog_asprintf("%.*s/%s", (int)(slash - model), model, path);
	if (beside)
		real = realpath(beside, NULL);
	return real ? real : realpath(path, NULL);
}

static void release_source(struct rarog_model_source *source)
{
	free(source->path);
	free(source->real);
	if (!source->is_again)
		free(source->text);
}

static void read_source(struct rarog_model_sources *sources, struct rarog_model_source *source)
{
	size_t n = 0;

	for (size_t i = 0; i < sources->list.n; i++) {
		const struct rarog_model_source *before = &sources->list.v[i];

		if (!before->real || strcmp(before->real, source->real) != 0)
			continue;
		source->text = before->text;
		source->is_again = true;
		return;
	}
	if (rarog_file_read(source->real, FILE_MAX, &source->text, &n) < 0)
		rarog_error_clear();
	else if (sources->bytes + n > RAROG_MODEL_SOURCES_MOST) /* they can be read again */
		rarog_model_sources_release(sources);
	sources->bytes += n;
}

/* Models name the same few files hundreds of times. */
static const char *text_of(struct rarog_model_sources *sources, const char *path)
{
	struct rarog_model_source source = { 0 };

	for (size_t i = 0; i < sources->list.n; i++)
		if (strcmp(sources->list.v[i].path, path) == 0)
			return sources->list.v[i].text;
	source.path = strdup(path);
	if (source.path)
		source.real = find_source(sources->model, path);
	if (source.real)
		read_source(sources, &source);
	if (source.path && rarog_vec_push(&sources->list, source) == 0)
		return source.text;
	release_source(&source);
	return NULL;
}

static char *read_word(struct rarog_model_sources *sources, const struct rarog_model_range *range,
		       bool is_exact)
{
	const char *line;

	if (!range->path || range->line < 1)
		return NULL;
	line = text_of(sources, range->path);
	for (int i = 1; line && i < range->line; i++) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return line ? word_at(line, range, is_exact) : NULL;
}

/* The last one of this kind. */
static const struct rarog_model_range *find_range(const struct rarog_model_ranges *ranges,
						  struct rarog_model_sources *sources,
						  bool is_exact, bool is_removed, char **ret_word)
{
	for (size_t i = ranges->list.n; i-- > 0;) {
		const struct rarog_model_range *range = &ranges->list.v[i];

		if (range->is_removed != is_removed)
			continue;
		*ret_word = read_word(sources, range, is_exact);
		if (*ret_word)
			return range;
	}
	return NULL;
}

const struct rarog_model_range *rarog_model_ranges_choose(const struct rarog_model_ranges *ranges,
							  struct rarog_model_sources *sources,
							  char **ret_word)
{
	const struct rarog_model_range *found = NULL;

	for (unsigned kind = 0; !found && kind < 4; kind++)
		found = find_range(ranges, sources, kind < 2, kind & 1, ret_word);
	return found;
}

void rarog_model_ranges_release(struct rarog_model_ranges *ranges)
{
	for (size_t i = 0; i < ranges->list.n; i++) {
		free(ranges->list.v[i].path);
		free(ranges->list.v[i].member);
	}
	rarog_vec_release(&ranges->list);
}

void rarog_model_sources_release(struct rarog_model_sources *sources)
{
	for (size_t i = 0; i < sources->list.n; i++)
		release_source(&sources->list.v[i]);
	rarog_vec_release(&sources->list);
	sources->bytes = 0;
}
