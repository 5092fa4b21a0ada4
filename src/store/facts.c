/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A header's facts. Members that are not there or not of their type are unknown, never an error. */
#include "store/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "profile/reader.h"
#include "store/json-text.h"

void rarog_facts_release(struct rarog_facts *facts)
{
	json_decref(facts->header);
	free(facts->version);
	free(facts->tree);
	free(facts->diff);
	free(facts->software_json);
	free(facts->label);
	rarog_job_release(&facts->job);
	rarog_machine_release(&facts->machine);
	*facts = (struct rarog_facts){ 0 };
}

static int read_software(const json_t *header, struct rarog_facts *facts)
{
	const json_t *software = json_object_get(header, "software");

	if (!json_is_object(software))
		return 0;
	facts->software_json = rarog_json_canonical(software);
	if (!facts->software_json)
		return rarog_oom();
	rarog_hash_bytes(strlen(facts->software_json), facts->software_json, &facts->software);
	return 0;
}

static void read_end(const json_t *header, struct rarog_facts *facts)
{
	const json_t *end = json_object_get(header, "end");
	const json_t *status = json_object_get(end, "exit_status");
	const json_t *signal = json_object_get(end, "signal");
	const json_t *totals = json_object_get(header, "totals");

	facts->exit_status = -1;
	if (json_is_integer(status))
		facts->exit_status = (int)(json_integer_value(status) & 0xff);
	else if (json_is_integer(signal))
		facts->exit_status = 128 + (int)(json_integer_value(signal) & 0x7f);
	facts->wall_ns = rarog_json_amount(end, "wall_ns");
	facts->calls = rarog_json_amount(totals, "calls");
	facts->losses = rarog_json_amount(totals, "lost");
}

static int read_version(const json_t *header, struct rarog_facts *facts)
{
	const struct {
		const char *key;
		char **to;
	} texts[] = { { "version", &facts->version }, /* "commit" goes before it */
		      { "commit", &facts->version },
		      { "tree", &facts->tree },
		      { "diff", &facts->diff },
		      { "label", &facts->label } };
	int r = 0;

	facts->is_dirty = json_is_true(json_object_get(header, "dirty"));
	for (size_t i = 0; r == 0 && i < RAROG_COUNT(texts); i++)
		r = rarog_json_copy(header, texts[i].key, texts[i].to);
	return r;
}

int rarog_facts_parse(const char *name, const char *header, struct rarog_facts *ret_facts)
{
	rarog_cleanup(rarog_facts_release) struct rarog_facts facts = { 0 };
	json_error_t error;
	int r;

	facts.header = json_loads(header, JSON_REJECT_DUPLICATES, &error);
	if (!json_is_object(facts.header))
		return rarog_fail(-EBADMSG, "%s: its header is not a JSON object", name);
	read_end(facts.header, &facts);
	facts.started_ns = rarog_json_amount(facts.header, "started_ns");
	facts.is_noisy = json_array_size(json_object_get(
				 json_object_get(facts.header, "conditions"), "noisy")) > 0;
	r = read_version(facts.header, &facts);
	if (r == 0)
		r = rarog_job_parse(facts.header, &facts.job);
	if (r == 0)
		r = rarog_machine_parse(json_object_get(facts.header, "machine"), &facts.machine);
	if (r == 0)
		r = read_software(facts.header, &facts);
	if (r < 0)
		return r;
	*ret_facts = rarog_take_struct(facts);
	return 0;
}

/* Somebody else's breakpoint ended the recording of a file: what came after it is not there. */
static bool ended_early(const json_t *header)
{
	const json_t *one;
	size_t i;

	json_array_foreach (json_object_get(header, "breakpoints"), i, one)
		if (json_is_true(json_object_get(one, "ends_binary")))
			return true;
	return false;
}

int rarog_facts_of(const struct rarog_profile *profile, struct rarog_facts *ret_facts)
{
	int r = rarog_facts_parse(rarog_profile_path(profile), rarog_profile_header(profile),
				  ret_facts);

	if (r < 0)
		return r;
	ret_facts->ended_early = ended_early(ret_facts->header);
	ret_facts->is_partial = rarog_profile_is_partial(profile) || ret_facts->ended_early;
	if (ret_facts->started_ns == 0)
		ret_facts->started_ns = rarog_profile_clock(profile)->origin_ns;
	return 0;
}

int rarog_facts_read(const char *path, struct rarog_facts *ret_facts)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	int r = rarog_profile_open(path, &profile);

	return r < 0 ? r : rarog_facts_of(profile, ret_facts);
}
