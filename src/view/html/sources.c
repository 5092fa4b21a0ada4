/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html/sources.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "view/html/columns.h"
#include "view/stale.h"

static bool is_newer(const struct stat *status, uint64_t ns)
{
	uint64_t changed =
		(uint64_t)status->st_mtim.tv_sec * 1000000000u + (uint64_t)status->st_mtim.tv_nsec;

	return ns > 0 && changed > ns;
}

int rarog_html_source_read(const char *path, uint64_t started_ns, const char *stale, size_t *room,
			   struct rarog_html_source *ret_source)
{
	struct stat status;
	int r;

	*ret_source = (struct rarog_html_source){ .state = "missing" };
	if (path[0] != '/' || stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return 0;
	ret_source->state = "large";
	if ((uint64_t)status.st_size > *room)
		return 0;
	r = rarog_file_read(path, *room, &ret_source->text, &ret_source->n);
	if (r == -ENOMEM)
		return r;
	ret_source->state = r < 0 ? "missing"
			    : is_newer(&status, started_ns) || rarog_stale_has(stale, path)
				    ? "changed"
				    : "whole";
	*room -= ret_source->n;
	return 0;
}

static void write_text(struct rarog_json *json, const struct rarog_html_source *source)
{
	if (source->text)
		rarog_json_string_n(json, NULL, source->n, source->text);
	else
		rarog_json_null(json, NULL);
}

/* One file in memory at a time; states are few and static. */
static int write_texts(const struct rarog_html_texts *files, uint64_t started_ns, const char *stale,
		       struct rarog_json *json, const char *states[])
{
	size_t room = RAROG_REPORT_SOURCES;
	int r = 0;

	rarog_json_array(json, "text");
	for (size_t i = 0; r == 0 && i < files->n; i++) {
		struct rarog_html_source source;

		r = rarog_html_source_read(files->v[i], started_ns, stale, &room, &source);
		write_text(json, &source);
		free(source.text);
		states[i] = source.state;
	}
	rarog_json_end_array(json);
	return r;
}

int rarog_html_sources_write(const struct rarog_html_texts *files, uint64_t started_ns,
			     const char *stale, bool is_wanted, struct rarog_json *json)
{
	rarog_cleanup(rarog_freep) const char **states = calloc(files->n + 1, sizeof(*states));
	int r = 0;

	if (!states)
		return rarog_oom();
	rarog_json_object(json, "sources");
	if (is_wanted)
		r = write_texts(files, started_ns, stale, json, states);
	else
		RAROG_COLUMN(json, "text", files->n, i, rarog_json_null(json, NULL));
	RAROG_COLUMN(json, "state", files->n, i,
		     rarog_json_string(json, NULL, states[i] ? states[i] : "unwanted"));
	rarog_json_end_object(json);
	return r;
}
