/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/export/callgrind-names.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "view/text.h"

int rarog_callgrind_names_init(struct rarog_callgrind_names *ret_names, const struct rarog_run *run,
			       FILE *out)
{
	*ret_names = (struct rarog_callgrind_names){
		.run = run,
		.is_named = calloc(run->n_locations + 1, sizeof(bool)),
		.out = out,
	};
	return ret_names->is_named ? 0 : rarog_oom();
}

void rarog_callgrind_names_release(struct rarog_callgrind_names *names)
{
	free(names->is_named);
	*names = (struct rarog_callgrind_names){ 0 };
}

void rarog_callgrind_write_text(FILE *out, const char *key, const char *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str clean = { 0 };

	rarog_text_add_clean(&clean, text, false);
	fprintf(out, "%s%s\n", key, rarog_str_text(&clean));
}

const struct rarog_location *rarog_callgrind_location(const struct rarog_run *run, uint32_t index)
{
	static const struct rarog_location outside = { .name = "(outside)", .binary = RAROG_NONE };

	return index < run->n_locations ? &run->locations[index] : &outside;
}

void rarog_callgrind_write_function(struct rarog_callgrind_names *names, const char *prefix,
				    uint32_t location)
{
	const struct rarog_location *of = rarog_callgrind_location(names->run, location);
	const char *binary = rarog_run_binary(names->run, of);
	bool *is_named = &names->is_named[location];
	char key[32];

	snprintf(key, sizeof(key), "%sob=", prefix);
	rarog_callgrind_write_text(names->out, key, binary ? binary : "???");
	snprintf(key, sizeof(key), "%s=", *prefix ? "cfi" : "fl");
	rarog_callgrind_write_text(names->out, key, of->file ? of->file : "???");
	fprintf(names->out, "%sfn=(%" PRIu32 ")", prefix, location + 1);
	rarog_callgrind_write_text(names->out, *is_named ? "" : " ",
				   *is_named ? "" : rarog_location_title(of));
	*is_named = true;
}
