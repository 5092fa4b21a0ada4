/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define WITHOUT "RAROG_TEST_WITHOUT" /* machines that lack something are rare where tests run */

const char *rarog_engine_word(const struct rarog_engine *engine)
{
	return engine->word ? engine->word : engine->name;
}

/* Is @word one of those in @list, with commas between them? */
static bool is_listed(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (; list; list = strchr(list, ',')) {
		list += *list == ',';
		if (strcspn(list, ",") == length && strncmp(list, word, length) == 0)
			return true;
	}
	return false;
}

int rarog_engine_allowed(const struct rarog_engine *engine)
{
	if (!is_listed(getenv(WITHOUT), rarog_engine_word(engine)))
		return 0;
	return rarog_fail(-ENOTSUP, "switched off for a test; unset " WITHOUT);
}

int rarog_engine_check(const struct rarog_engine *engine)
{
	int r = rarog_engine_allowed(engine);

	return r < 0 || !engine->check ? r : engine->check();
}

int rarog_engine_tell_counts(const struct rarog_engine *engine, struct rarog_engine_run *run,
			     const struct rarog_delay_account *account)
{
	if (!engine->steps->tell_counts)
		return rarog_fail(-ENOTSUP, "--engine=%s tells counts at the end only",
				  engine->name);
	engine->steps->tell_counts(run, account);
	return 0;
}

int rarog_engine_set_place(const struct rarog_engine *engine, struct rarog_engine_run *run,
			   const struct rarog_place_change *change)
{
	if (engine->abilities & RAROG_ENGINE_SWITCHES)
		return engine->steps->set_place(run, change);
	return rarog_fail(-ENOTSUP, "--engine=%s cannot switch probes while the program runs",
			  engine->name);
}
