/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A template is filled in from a header, and the profile's is not there before the program ran:
 * what of it is known by then is written here.
 */
#include "cmd/collect-name.h"

#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "store/facts.h"
#include "store/template.h"

/* "x.3.rarog"; a name without .rarog gets the number at its end. */
static char *numbered(const char *name, long number)
{
	static const char suffix[] = ".rarog";
	int stem = (int)strlen(name);

	if (!rarog_ends_with(name, suffix))
		return rarog_asprintf("%s.%ld", name, number);
	return rarog_asprintf("%.*s.%ld%s", stem - (int)strlen(suffix), name, number, suffix);
}

static int write_header(const struct rarog_collect_name *name, char **ret_text)
{
	struct rarog_json_text out;
	struct rarog_json *json = rarog_json_text_start(&out);

	if (!json)
		return rarog_oom();
	rarog_json_object(json, NULL);
	rarog_json_array(json, "command");
	for (char *const *arg = name->argv; *arg; arg++)
		rarog_json_string(json, NULL, *arg);
	rarog_json_end_array(json);
	name->write_parameters(json, name->plan);
	rarog_json_uint(json, "started_ns", (uint64_t)time(NULL) * 1000000000);
	rarog_provenance_write(json, name->provenance);
	rarog_json_end_object(json);
	*ret_text = rarog_json_text_end(&out);
	return *ret_text ? 0 : rarog_oom();
}

static int fill_in(const struct rarog_collect_name *name, char **ret_path)
{
	rarog_cleanup(rarog_facts_release) struct rarog_facts facts = { 0 };
	rarog_cleanup(rarog_freep) char *header = NULL;
	int r = write_header(name, &header);

	if (r == 0)
		r = rarog_facts_parse("-o", header, &facts);
	return r < 0 ? r : rarog_template_path(name->given, &facts, ret_path);
}

int rarog_collect_name(const struct rarog_collect_name *name, long number, char **ret_path)
{
	bool is_template = name->may_have_tags && rarog_template_is_one(name->given);
	rarog_cleanup(rarog_freep) char *path = NULL;
	int r = is_template ? fill_in(name, &path) : 0;

	if (!is_template)
		path = strdup(name->given);
	if (r < 0 || !path)
		return r < 0 ? r : rarog_oom();
	if (number > 0 && !(is_template && rarog_template_counts(name->given)))
		*ret_path = numbered(path, number);
	else
		*ret_path = rarog_take(path);
	return *ret_path ? 0 : rarog_oom();
}
