/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html/pair-sources.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "view/coverage.h"
#include "view/html/columns.h"
#include "view/html/source-origin.h"
#include "view/html/texts.h"

/* --- texts of a page --- */

static size_t find_text(const struct rarog_pair_texts *texts, const struct rarog_pair_text *text)
{
	size_t i = 0;

	for (; i < texts->list.n; i++)
		if (texts->list.v[i].hash == text->hash && texts->list.v[i].n == text->n &&
		    memcmp(texts->list.v[i].text, text->text, text->n) == 0)
			break;
	return i;
}

/* The text of @take_source is the page's from here on. */
static int add_text(struct rarog_pair_texts *texts, struct rarog_source_text *take_source,
		    uint32_t *ret_index)
{
	struct rarog_pair_text text = { take_source->text, take_source->n,
					XXH3_64bits(take_source->text, take_source->n) };
	size_t at = find_text(texts, &text);

	if (at < texts->list.n || rarog_vec_push(&texts->list, text) < 0)
		free(text.text);
	else
		texts->room -= text.n;
	*ret_index = (uint32_t)at;
	return at < texts->list.n ? 0 : rarog_oom();
}

void rarog_pair_texts_write(const struct rarog_pair_texts *texts, struct rarog_json *json)
{
	RAROG_COLUMN(json, "source_texts", texts->list.n, i,
		     rarog_json_string_n(json, NULL, texts->list.v[i].n, texts->list.v[i].text));
}

void rarog_pair_texts_release(struct rarog_pair_texts *texts)
{
	for (size_t i = 0; i < texts->list.n; i++)
		free(texts->list.v[i].text);
	rarog_vec_release(&texts->list);
}

/* --- one version --- */

struct count {
	uint32_t line;
	uint64_t count;
	bool is_partly;
};

struct group {
	const char *file;
	uint32_t n;
};

struct version {
	const struct rarog_check *check;
	size_t side;
	struct rarog_json *json;
	struct rarog_coverage coverage;
	struct rarog_html_texts files;
	RAROG_VEC(struct group) groups; /* lines of a file stand together */
	RAROG_VEC(struct count) counts;
};

static void version_release(struct version *v)
{
	rarog_coverage_release(&v->coverage);
	rarog_html_texts_release(&v->files);
	rarog_vec_release(&v->groups);
	rarog_vec_release(&v->counts);
}

/* What changed first: if there is not room for all, it is not these that are left out. */
static int index_files(struct version *v)
{
	const struct rarog_comparison *c = &v->check->comparison;
	const struct rarog_verdict *verdict = &v->check->verdict;
	long r = 0;

	for (size_t i = 0; r >= -1 && i < verdict->changes.n; i++)
		if (verdict->changes.v[i].row < c->n)
			r = rarog_html_texts_index(
				&v->files, c->rows[verdict->changes.v[i].row].form[v->side].file);
	for (size_t i = 0; r >= -1 && i < c->n; i++)
		r = rarog_html_texts_index(&v->files, c->rows[i].form[v->side].file);
	for (size_t i = 0; r >= -1 && i < v->coverage.functions.n; i++)
		r = rarog_html_texts_index(&v->files, v->coverage.functions.v[i].at.file);
	for (size_t i = 0; r >= -1 && i < v->coverage.lines.n; i++)
		r = rarog_html_texts_index(&v->files, v->coverage.lines.v[i].at.file);
	return r < -1 ? (int)r : 0;
}

static int write_texts(struct version *v, const struct rarog_source_origin *origin,
		       struct rarog_pair_texts *texts)
{
	rarog_cleanup(rarog_freep) const char **states = calloc(v->files.n + 1, sizeof(*states));
	int r = states ? 0 : rarog_oom();

	rarog_json_array(v->json, "text");
	for (size_t i = 0; r == 0 && i < v->files.n; i++) {
		struct rarog_source_text source = { .state = "unwanted" };
		uint32_t index = RAROG_NONE;

		if (texts->is_wanted)
			r = rarog_source_origin_read(origin, v->files.v[i], texts->room, &source);
		if (r == 0 && source.text)
			r = add_text(texts, &source, &index);
		rarog_html_index(v->json, index);
		states[i] = source.state;
	}
	rarog_json_end_array(v->json);
	if (r == 0)
		RAROG_COLUMN(v->json, "state", v->files.n, i,
			     rarog_json_string(v->json, NULL, states[i]));
	return r;
}

/* Lines of several functions (templates, inlined code) are summed. */
static int sum_lines(struct version *v)
{
	const char *file = NULL;

	for (size_t i = 0; i < v->coverage.lines.n; i++) {
		const struct rarog_covered_line *line = &v->coverage.lines.v[i];
		const char *of = line->at.file;
		bool is_same = file && strcmp(of, file) == 0;
		struct count *last = is_same ? &v->counts.v[v->counts.n - 1] : NULL;

		if (!is_same && rarog_vec_push(&v->groups, (struct group){ of, 0 }) < 0)
			return rarog_oom();
		file = of;
		if (last && last->line == line->at.line) {
			last->count += line->count;
			last->is_partly |= line->has_unexecuted;
			continue;
		}
		v->groups.v[v->groups.n - 1].n++;
		if (rarog_vec_push(&v->counts, (struct count){ line->at.line, line->count,
							       line->has_unexecuted }) < 0)
			return rarog_oom();
	}
	return 0;
}

static void write_lines(struct version *v)
{
	struct rarog_json *json = v->json;
	const struct count *counts = v->counts.v;

	RAROG_COLUMN(
		json, "file", v->groups.n, i,
		rarog_json_int(json, NULL, rarog_html_texts_index(&v->files, v->groups.v[i].file)));
	RAROG_COLUMN(json, "lines", v->groups.n, i, rarog_json_uint(json, NULL, v->groups.v[i].n));
	RAROG_COLUMN(json, "line", v->counts.n, i, rarog_json_uint(json, NULL, counts[i].line));
	RAROG_COLUMN(json, "count", v->counts.n, i, rarog_json_uint(json, NULL, counts[i].count));
	RAROG_COLUMN(json, "partly", v->counts.n, i,
		     rarog_json_uint(json, NULL, counts[i].is_partly));
}

static void write_rows(struct version *v)
{
	const struct rarog_comparison *c = &v->check->comparison;
	struct rarog_json *json = v->json;

	RAROG_COLUMN(
		json, "of_row", c->n, i,
		rarog_json_int(json, NULL,
			       rarog_html_texts_index(&v->files, c->rows[i].form[v->side].file)));
	RAROG_COLUMN(json, "begin", c->n, i,
		     rarog_json_uint(json, NULL, c->rows[i].form[v->side].line));
}

static int write_version(struct version *v, struct rarog_pair_texts *texts)
{
	struct rarog_profile *profile = v->check->comparison.sides[v->side].runs.v[0].profile;
	rarog_cleanup(rarog_source_origin_release) struct rarog_source_origin origin = { 0 };
	int r = rarog_source_origin_init(&origin, profile, texts->vcs);

	if (r == 0)
		r = rarog_coverage_read(profile, &v->coverage);
	if (r == 0)
		r = index_files(v);
	if (r == 0)
		r = sum_lines(v);
	if (r < 0)
		return r;
	rarog_json_object(v->json, v->side == RAROG_BASELINE ? "before" : "now");
	RAROG_COLUMN(v->json, "path", v->files.n, i,
		     rarog_json_string(v->json, NULL, v->files.v[i]));
	r = write_texts(v, &origin, texts);
	write_lines(v);
	write_rows(v);
	rarog_json_end_object(v->json);
	return r;
}

int rarog_pair_sources_write(const struct rarog_check *check, struct rarog_pair_texts *texts,
			     struct rarog_json *json)
{
	int r = 0;

	if (!check->comparison.has_blocks) {
		rarog_json_null(json, "sources");
		return 0;
	}
	rarog_json_object(json, "sources");
	for (size_t side = 0; r == 0 && side < 2; side++) {
		rarog_cleanup(version_release) struct version version = { .check = check,
									  .side = side,
									  .json = json };

		r = write_version(&version, texts);
	}
	rarog_json_end_object(json);
	return r;
}
