/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html/sources.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "view/html/columns.h"

static void write_text(struct rarog_json *json, const struct rarog_source_text *source)
{
	if (source->text)
		rarog_json_string_n(json, NULL, source->n, source->text);
	else
		rarog_json_null(json, NULL);
}

/* One file in memory at a time; states are few and static. */
static int write_texts(const struct rarog_html_texts *files,
		       const struct rarog_source_origin *origin, struct rarog_json *json,
		       const char *states[])
{
	size_t room = RAROG_REPORT_SOURCES;
	int r = 0;

	rarog_json_array(json, "text");
	for (size_t i = 0; r == 0 && i < files->n; i++) {
		struct rarog_source_text source = { 0 };

		r = rarog_source_origin_read(origin, files->v[i], room, &source);
		write_text(json, &source);
		free(source.text);
		room -= source.n;
		states[i] = source.state;
	}
	rarog_json_end_array(json);
	return r;
}

int rarog_html_sources_write(const struct rarog_html_texts *files,
			     const struct rarog_source_origin *origin, struct rarog_json *json)
{
	rarog_cleanup(rarog_freep) const char **states = calloc(files->n + 1, sizeof(*states));
	int r = 0;

	if (!states)
		return rarog_oom();
	rarog_json_object(json, "sources");
	if (origin)
		r = write_texts(files, origin, json, states);
	else
		RAROG_COLUMN(json, "text", files->n, i, rarog_json_null(json, NULL));
	RAROG_COLUMN(json, "state", files->n, i,
		     rarog_json_string(json, NULL, states[i] ? states[i] : "unwanted"));
	rarog_json_end_object(json);
	return r;
}
