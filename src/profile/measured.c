/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/measured.h"

#include <stdlib.h>

#include "base/error.h"

static void take(struct rarog_measured_table *table, const struct rarog_measured *row)
{
	if (row->location < table->n)
		table->how[row->location] = (uint8_t)row->how;
	else if (row->location == RAROG_NONE && row->binary < table->n_binaries)
		table->others_off[row->binary] = !rarog_how_is_known((uint8_t)row->how);
}

int rarog_measured_table_load(struct rarog_profile *profile, struct rarog_measured_table *ret_table)
{
	const struct rarog_profile_binary *binaries;
	const struct rarog_location *locations;
	const struct rarog_measured *rows;
	long n = rarog_profile_locations(profile, &locations);
	long n_binaries = rarog_profile_binaries(profile, &binaries);
	long n_rows = rarog_profile_measured(profile, &rows);

	*ret_table = (struct rarog_measured_table){ 0 };
	if (n < 0 || n_binaries < 0 || n_rows < 0)
		return (int)(n < 0 ? n : n_binaries < 0 ? n_binaries : n_rows);
	ret_table->how = calloc((size_t)n + 1, sizeof(*ret_table->how));
	ret_table->others_off = calloc((size_t)n_binaries + 1, sizeof(*ret_table->others_off));
	if (!ret_table->how || !ret_table->others_off)
		return rarog_oom();
	ret_table->n = (size_t)n;
	ret_table->n_binaries = (size_t)n_binaries;
	for (long i = 0; i < n_rows; i++)
		take(ret_table, &rows[i]);
	return 0;
}

void rarog_measured_table_release(struct rarog_measured_table *table)
{
	free(table->how);
	free(table->others_off);
	*table = (struct rarog_measured_table){ 0 };
}
