/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "optimize/technique.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nearest.h"

#define ROW(number, name, decide, traits, summary) { name, summary, rarog_decide_##decide, traits },
#define WHEN(number, name, traits, summary)        { name, summary, NULL, traits },

const struct rarog_technique rarog_techniques[RAROG_TECHNIQUES] = { RAROG_TECHNIQUE_ROWS(ROW,
											 WHEN) };

/* The name that later versions of the documents' program use. */
static const struct {
	const char *name;
	int technique;
} others[] = {
	{ "baseline-static", RAROG_TECHNIQUE_STATIC_BASELINE },
	{ "baseline-dynamic", RAROG_TECHNIQUE_DYNAMIC_BASELINE },
};

static int unknown(const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str near = { 0 };
	struct rarog_nearest nearest = { .wanted = name };
	int r = 0;

	for (int i = 0; i < RAROG_TECHNIQUES; i++)
		rarog_nearest_offer(&nearest, rarog_techniques[i].name);
	r = rarog_nearest_add(&nearest, "", &near);
	for (int i = 0; r == 0 && nearest.n == 0 && i < RAROG_TECHNIQUES; i++)
		r = rarog_str_addf(&near, "%s%s", i ? ", " : "; there are ",
				   rarog_techniques[i].name);
	return r < 0 ? rarog_oom()
		     : rarog_fail(-ENOENT, "there is no technique '%s'%s", name,
				  rarog_str_text(&near));
}

int rarog_technique_find(const char *name)
{
	for (int i = 0; i < RAROG_TECHNIQUES; i++)
		if (strcmp(rarog_techniques[i].name, name) == 0)
			return i;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(others[i].name, name) == 0)
			return others[i].technique;
	return unknown(name);
}
