/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Oracle: functions written by hand, whose names say where the probe goes (probe-places.S). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "binary/probe-place.h"

/* The number in "KIND_N__…", 0 in a name of another kind. */
static unsigned long number_in(const char *name, const char *kind)
{
	return rarog_starts_with(name, kind) ? strtoul(name + strlen(kind), NULL, 10) : 0;
}

static bool is_right(const char *name, const struct rarog_probe_place *place)
{
	if (rarog_starts_with(name, "none__"))
		return place->verdict != RAROG_SITE_OK;
	if (place->verdict != RAROG_SITE_OK || place->may_return == rarog_ends_with(name, "__asks"))
		return false;
	if (place->is_quick != rarog_starts_with(name, "quick_") ||
	    place->offset != number_in(name, "quick_"))
		return false;
	return place->if_told == number_in(name, "told_") &&
	       place->if_counted == number_in(name, "told_") + number_in(name, "counted_");
}

TEST(places_are_what_names_say)
{
	rarog_cleanup(rarog_freep) struct rarog_probe_place *places = NULL;
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;
	rarog_cleanup(rarog_freep) char *path =
		rarog_asprintf("%s/probe-places", getenv("RAROG_TEST_FILES"));
	const struct rarog_function *functions;
	int wrong = 0;
	size_t n;

	assert_int_equal(rarog_binary_open(path, &binary), 0);
	assert_int_equal(rarog_probe_places(binary, &places), 0);
	n = rarog_binary_functions(binary, &functions);
	assert_true(n > 20);
	for (size_t i = 0; i < n; i++) {
		if (functions[i].name[0] == '_' || is_right(functions[i].name, &places[i]))
			continue;
		print_error(
			"%s: verdict %d, offset %d, quick %d, told %d, counted %d, returns %d\n",
			functions[i].name, places[i].verdict, places[i].offset, places[i].is_quick,
			places[i].if_told, places[i].if_counted, places[i].may_return);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

TEST(startup_code_has_no_place)
{
	rarog_cleanup(rarog_freep) struct rarog_probe_place *places = NULL;
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;
	const struct rarog_function *functions;
	size_t n, seen = 0;

	assert_int_equal(rarog_binary_open("/proc/self/exe", &binary), 0);
	assert_int_equal(rarog_probe_places(binary, &places), 0);
	n = rarog_binary_functions(binary, &functions);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(functions[i].name, "_start") != 0 &&
		    !(functions[i].flags & RAROG_FUNCTION_COLD))
			continue;
		assert_int_not_equal(places[i].verdict, RAROG_SITE_OK);
		seen++;
	}
	assert_true(seen > 0);
}
