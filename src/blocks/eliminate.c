/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows are sparse and each begins with its pivot, the smallest column that no row before begins
 * with. Then, from the last pivot to the first, each row is rid of all other pivots. A row that has
 * only its pivot left says what that is; others depend on columns that nothing determines.
 *
 * Modulo a prime an equation could be lost only if a determinant were a multiple of it; factors are
 * 1 and -1 nearly everywhere, and what comes out has to fit its range.
 */
#include "blocks/eliminate.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"

#define PRIME ((1ull << 61) - 1)
#define NONE  UINT32_MAX

struct cell {
	uint32_t column;
	uint64_t factor; /* modulo PRIME */
};

struct row {
	struct cell *cells; /* by column; the first is the pivot, its factor is 1 */
	size_t n;
	uint64_t sum;
};

struct matrix {
	const struct rarog_equations *e;
	struct rarog_bounds *ranges;
	uint32_t *column_of; /* by unknown, NONE: it is known */
	uint32_t *unknown_of;
	uint32_t n;       /* columns */
	struct row *rows; /* by pivot */
	uint64_t *dense;  /* a row while it is worked on */
};

static uint64_t times(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;
	uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);

	return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a >= b ? a - b : a + PRIME - b;
}

static uint64_t signed_residue(int32_t factor)
{
	return factor >= 0 ? (uint64_t)factor : PRIME - (uint64_t)(-(int64_t)factor);
}

/* Fermat: a^(p - 2). */
static uint64_t inverse(uint64_t a)
{
	uint64_t result = 1;

	for (uint64_t exponent = PRIME - 2; exponent; exponent >>= 1) {
		if (exponent & 1)
			result = times(result, a);
		a = times(a, a);
	}
	return result;
}

static void subtract(struct matrix *m, const struct row *row, uint64_t factor, uint64_t *sum)
{
	for (size_t i = 0; i < row->n; i++) {
		uint64_t *at = &m->dense[row->cells[i].column];

		*at = less(*at, times(factor, row->cells[i].factor));
	}
	*sum = less(*sum, times(factor, row->sum));
}

/* Rids the dense row of the pivots from @from on; returns how many columns it has left. */
static size_t reduce(struct matrix *m, uint32_t from, uint64_t *sum)
{
	size_t n = 0;

	for (uint32_t i = from; i < m->n; i++) {
		if (m->dense[i] && m->rows[i].n > 0)
			subtract(m, &m->rows[i], m->dense[i], sum);
		n += m->dense[i] != 0;
	}
	return n;
}

/* The dense row, with the pivot's factor 1; it is empty afterwards. */
static int keep(struct matrix *m, uint32_t pivot, size_t n, uint64_t sum)
{
	struct row row = { .cells = calloc(n, sizeof(*row.cells)) };
	uint64_t factor = inverse(m->dense[pivot]);

	if (!row.cells)
		return rarog_oom();
	for (uint32_t i = pivot; i < m->n; i++) {
		if (m->dense[i])
			row.cells[row.n++] = (struct cell){ i, times(m->dense[i], factor) };
		m->dense[i] = 0;
	}
	row.sum = times(sum, factor);
	free(m->rows[pivot].cells);
	m->rows[pivot] = row;
	return 0;
}

/* An equation without its known terms; returns its first column, NONE: there is none. */
static uint32_t load(struct matrix *m, size_t equation, uint64_t *ret_sum)
{
	const struct rarog_equations *e = m->e;
	size_t end = equation + 1 < e->list.n ? e->list.v[equation + 1].first : e->terms.n;
	uint64_t sum = e->list.v[equation].sum % PRIME;
	uint32_t first = NONE;

	for (size_t i = e->list.v[equation].first; i < end; i++) {
		const struct rarog_equation_term *term = &e->terms.v[i];
		uint32_t column = m->column_of[term->unknown];
		uint64_t factor = signed_residue(term->factor);

		if (column == NONE) {
			sum = less(sum, times(factor, m->ranges[term->unknown].least));
			continue;
		}
		m->dense[column] = less(m->dense[column], PRIME - factor);
		first = column < first ? column : first;
	}
	*ret_sum = sum;
	return first;
}

static int add_equation(struct matrix *m, size_t equation)
{
	uint64_t sum;
	uint32_t first = load(m, equation, &sum);
	size_t n = first == NONE ? 0 : reduce(m, first, &sum);

	if (n == 0)
		return sum == 0 ? 0 : -EDOM;
	while (m->dense[first] == 0)
		first++;
	return keep(m, first, n, sum);
}

/* Pivots after it have been rid of others already. */
static int finish_row(struct matrix *m, uint32_t pivot)
{
	struct row *row = &m->rows[pivot];
	uint64_t sum = row->sum;
	size_t n;

	if (row->n <= 1)
		return 0;
	for (size_t i = 0; i < row->n; i++)
		m->dense[row->cells[i].column] = row->cells[i].factor;
	n = reduce(m, pivot + 1, &sum);
	return keep(m, pivot, n + 1, sum);
}

static int read_off(const struct matrix *m)
{
	int n = 0;

	for (uint32_t i = 0; i < m->n; i++) {
		struct rarog_bounds *range = &m->ranges[m->unknown_of[i]];

		if (m->rows[i].n != 1)
			continue;
		if (m->rows[i].sum < range->least || m->rows[i].sum > range->most)
			return -EDOM;
		*range = (struct rarog_bounds){ m->rows[i].sum, m->rows[i].sum };
		n++;
	}
	return n;
}

static int eliminate(struct matrix *m)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->e->list.n; i++)
		r = add_equation(m, i);
	for (uint32_t i = m->n; r == 0 && i-- > 0;)
		r = finish_row(m, i);
	return r < 0 ? r : read_off(m);
}

int rarog_eliminate(const struct rarog_equations *equations, struct rarog_bounds *ranges)
{
	size_t n = equations->n_unknowns + 1;
	rarog_cleanup(rarog_freep) uint32_t *column_of = calloc(n, sizeof(*column_of));
	rarog_cleanup(rarog_freep) uint32_t *unknown_of = calloc(n, sizeof(*unknown_of));
	rarog_cleanup(rarog_freep) struct row *rows = calloc(n, sizeof(*rows));
	rarog_cleanup(rarog_freep) uint64_t *dense = calloc(n, sizeof(*dense));
	struct matrix m = { equations, ranges, column_of, unknown_of, 0, rows, dense };
	int r;

	if (!column_of || !unknown_of || !rows || !dense)
		return rarog_oom();
	for (uint32_t i = 0; i < equations->n_unknowns; i++) {
		bool is_known = ranges[i].least == ranges[i].most;

		column_of[i] = is_known ? NONE : m.n;
		if (!is_known)
			unknown_of[m.n++] = i;
	}
	r = eliminate(&m);
	for (uint32_t i = 0; i < m.n; i++)
		free(rows[i].cells);
	return r;
}
