/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/strings.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/error.h"

static size_t find_slot(const struct rarog_string_table *table, const char *text, size_t length)
{
	size_t at = XXH3_64bits(text, length) & (table->n_slots - 1);

	while (table->slots[at]) {
		size_t start = table->offset.v[table->slots[at] - 1];

		if (strcmp((const char *)table->text.v + start, text) == 0)
			break;
		at = (at + 1) & (table->n_slots - 1);
	}
	return at;
}

/* At most half full. */
static int grow_slots(struct rarog_string_table *table)
{
	if (table->n_slots > 2 * table->offset.n)
		return 0;
	size_t n = table->n_slots ? 2 * table->n_slots : 1024;
	uint32_t *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return rarog_oom();
	free(table->slots);
	table->slots = slots;
	table->n_slots = n;
	for (size_t i = 0; i < table->offset.n; i++) {
		const char *text = (const char *)table->text.v + table->offset.v[i];

		table->slots[find_slot(table, text, strlen(text))] = (uint32_t)i + 1;
	}
	return 0;
}

long rarog_string_add(struct rarog_string_table *table, const char *text)
{
	if (!text)
		return 0;
	size_t length = strlen(text);
	int r = grow_slots(table);

	if (r < 0)
		return r;
	size_t slot = find_slot(table, text, length);

	if (table->slots[slot])
		return table->slots[slot];
	size_t start = table->text.n;

	r = rarog_bytes_add(&table->text, length + 1, text);
	if (r == 0)
		r = rarog_vec_push(&table->offset, start);
	if (r < 0) {
		table->text.n = start;
		return r;
	}
	table->slots[slot] = (uint32_t)table->offset.n;
	return (long)table->offset.n;
}

int rarog_string_is_new(struct rarog_string_table *table, const char *text)
{
	size_t n = table->offset.n;
	long number = rarog_string_add(table, text);

	return number < 0 ? (int)number : table->offset.n > n;
}

size_t rarog_string_end(const struct rarog_string_table *table, size_t n)
{
	return n < table->offset.n ? table->offset.v[n] : table->text.n;
}

void rarog_string_table_release(struct rarog_string_table *table)
{
	rarog_bytes_release(&table->text);
	rarog_vec_release(&table->offset);
	free(table->slots);
	*table = (struct rarog_string_table){ 0 };
}
