/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values of calls. A record belongs to the innermost open call. The call's number is that of its
 * entry among those of its function and strand; of a value at the return it was noted at the entry,
 * because calls that began since have later ones: the engine makes a record at the entry, if an
 * empty one, of every call that has one at its return.
 *
 * Rows are gathered and given on by argument: columns of one kind compress, mixed ones do not.
 */
#include <stdlib.h>

#include "base/error.h"
#include "events/machine-call.h"
#include "plan/value-table.h"

#define ROWS 4096

/* Entries of @id so far: those that ended, and those open that did not begin before the strand. */
static uint64_t entries_of(const struct rarog_strand_machine *m, uint32_t id)
{
	uint64_t n = m->stats[id].count + m->functions[id].active;

	for (size_t i = 1; m->inherited && i <= m->depth; i++)
		if (m->frames[i].tag & RAROG_FRAME_INHERITED && frame_function(&m->frames[i]) == id)
			n--;
	return n;
}

static int note_open(struct rarog_strand_machine *m, uint64_t number)
{
	struct rarog_machine_values *values = &m->values;

	while (values->open.n > 0 && values->open.v[values->open.n - 1].depth >= m->depth)
		values->open.n--;
	return rarog_vec_push(&values->open, (struct rarog_machine_open_value){
						     .depth = m->depth,
						     .entry = m->frames[m->depth].entry,
						     .number = number,
					     });
}

/* The number of the innermost call, 0: unknown, its entry was lost. */
static uint64_t open_number(struct rarog_strand_machine *m)
{
	struct rarog_machine_values *values = &m->values;
	const struct rarog_machine_open_value *top;

	while (values->open.n > 0 && values->open.v[values->open.n - 1].depth > m->depth)
		values->open.n--;
	if (values->open.n == 0)
		return 0;
	top = &values->open.v[values->open.n - 1];
	return top->depth == m->depth && top->entry == m->frames[m->depth].entry ? top->number : 0;
}

static int compare_rows(const void *left, const void *right)
{
	const struct rarog_call_value *a = left, *b = right;

	if (a->argument != b->argument)
		return a->argument < b->argument ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

int rarog_strand_machine_flush_values(struct rarog_strand_machine *m)
{
	const struct rarog_assembler_sink *sink = m->batch.sink;
	size_t n = m->values.rows.n;

	if (n == 0)
		return 0;
	qsort(m->values.rows.v, n, sizeof(*m->values.rows.v), compare_rows);
	m->values.rows.n = 0;
	return sink->values ? sink->values(sink->context, n, m->values.rows.v) : 0;
}

static int keep(struct rarog_strand_machine *m, uint32_t column, uint64_t number, uint64_t value)
{
	if (!m->is_keeping || number == 0)
		return 0;
	if (m->values.rows.n >= ROWS) {
		int r = rarog_strand_machine_flush_values(m);

		if (r < 0)
			return r;
	}
	return rarog_vec_push(&m->values.rows,
			      (struct rarog_call_value){ column, m->batch.strand, number, value });
}

static int take(struct rarog_strand_machine *m, uint32_t first, unsigned n, uint16_t unknown,
		uint64_t number, const uint16_t *words)
{
	struct rarog_value_table *table = m->shared->values;
	int r = 0;

	for (unsigned i = 0; r == 0 && i < n; i++, words += 4) {
		uint32_t column = first + i;
		bool is_known = !(unknown >> i & 1);
		uint64_t value =
			rarog_value_decode(&table->paths.v[column], rarog_stream_u64(words));

		rarog_value_table_count(table, column, is_known, value);
		if (is_known)
			r = keep(m, column, number, value);
	}
	return r;
}

int rarog_strand_machine_values(struct rarog_strand_machine *m, const uint16_t *payload)
{
	unsigned n = payload[0] & RAROG_VALUES_COUNT;
	bool is_return = payload[0] & RAROG_VALUES_RETURN;
	const struct rarog_value_columns *columns;
	uint32_t id;
	uint64_t number;

	if (m->depth == 0)
		return rarog_fail(-EBADMSG, "values while no call is open");
	id = frame_function(&m->frames[m->depth]);
	columns = m->shared->values
			  ? rarog_value_table_columns(m->shared->values, m->functions[id].location)
			  : NULL;
	if (!columns || n != (is_return ? columns->n_leave : columns->n_enter))
		return rarog_fail(-EBADMSG, "%u values of function %u", n, id);
	if (m->frames[m->depth].tag & RAROG_FRAME_INHERITED)
		number = 0;
	else
		number = is_return ? open_number(m) : entries_of(m, id);
	if (!is_return && columns->n_leave && number && note_open(m, number) < 0)
		return rarog_oom();
	return take(m, columns->first + (is_return ? columns->n_enter : 0), n, payload[1], number,
		    payload + 2);
}
