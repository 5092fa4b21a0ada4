/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: bench-alike PROFILE PROFILE
 * Of two programs that have nothing in common: how many pairs of functions there are, and how many
 * of them are taken as alike, whatever file they are in.
 */
#include <stdio.h>

#include "base/error.h"
#include "check/alike.h"
#include "profile/reader.h"

static size_t count(const struct rarog_alike *alike, long n, long m)
{
	size_t taken = 0;

	for (long i = 0; i < n; i++)
		for (long k = 0; k < m; k++) {
			struct rarog_likeness likeness = rarog_alike_compare(
				alike, (const uint32_t[]){ (uint32_t)i, (uint32_t)k });

			taken += rarog_alike_is(&likeness);
		}
	return taken;
}

int main(int argc, char **argv)
{
	struct rarog_profile *profiles[2] = { NULL, NULL };
	struct rarog_alike *alike = NULL;
	const struct rarog_location *locations;
	long n[2] = { 0 };
	int r = argc == 3 ? 0 : -1;

	for (int side = 0; r == 0 && side < 2; side++) {
		r = rarog_profile_open(argv[1 + side], &profiles[side]);
		if (r == 0)
			n[side] = rarog_profile_locations(profiles[side], &locations);
	}
	if (r == 0)
		r = rarog_alike_new(profiles, &alike);
	if (r == 0)
		printf("%ld pairs, taken as alike: %zu\n", n[0] * n[1], count(alike, n[0], n[1]));
	else
		fprintf(stderr, "bench-alike: %s\n",
			argc == 3 ? rarog_error_message() : "two profiles, please");
	rarog_alike_free(alike);
	rarog_profile_free(profiles[0]);
	rarog_profile_free(profiles[1]);
	return r == 0 ? 0 : 1;
}
