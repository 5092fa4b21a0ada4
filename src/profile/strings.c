/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/strings.h"

#include <string.h>
#include <xxhash.h>

#include "base/error.h"

static bool is_text(const void *list, size_t number, const void *key)
{
	const struct rarog_string_table *table = list;

	return strcmp((const char *)table->text.v + table->offset.v[number], key) == 0;
}

long rarog_string_add(struct rarog_string_table *table, const char *text)
{
	size_t start = table->text.n, length = text ? strlen(text) : 0;
	struct rarog_index_slot *slot;
	int r;

	if (!text)
		return 0;
	slot = rarog_index_at(&table->index, XXH3_64bits(text, length), is_text, table, text);
	if (!slot)
		return rarog_oom();
	if (slot->entry)
		return slot->entry;
	r = rarog_bytes_add(&table->text, length + 1, text);
	if (r == 0)
		r = rarog_vec_push(&table->offset, start);
	if (r < 0) {
		table->text.n = start;
		return r;
	}
	slot->entry = (uint32_t)table->offset.n;
	return slot->entry;
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
	rarog_index_release(&table->index);
	*table = (struct rarog_string_table){ 0 };
}
