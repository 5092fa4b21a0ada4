/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sample/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

int rarog_order_add(struct rarog_order *order, uint64_t ns, unsigned source, size_t n,
		    const void *bytes)
{
	struct rarog_ordered entry = { ns, order->number++, source, n, malloc(n) };

	if (!entry.bytes || rarog_vec_push(&order->pending, entry) < 0) {
		free(entry.bytes);
		return rarog_oom();
	}
	memcpy(entry.bytes, bytes, n);
	order->size += n;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct rarog_ordered *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* What was given away makes room. */
static void close_up(struct rarog_order *order)
{
	size_t n = order->ready.n - order->next;

	if (order->next == 0)
		return;
	memmove(order->ready.v, order->ready.v + order->next, n * sizeof(*order->ready.v));
	order->ready.n = n;
	order->next = 0;
}

/* All before @ns become ready. */
static int settle(struct rarog_order *order, uint64_t ns)
{
	size_t n = 0;

	if (order->pending.n == 0)
		return 0;
	qsort(order->pending.v, order->pending.n, sizeof(*order->pending.v), by_time);
	while (n < order->pending.n && order->pending.v[n].ns < ns)
		n++;
	close_up(order);
	if (rarog_vec_reserve(&order->ready, order->ready.n + n) < 0)
		return rarog_oom();
	for (size_t i = 0; i < n; i++) {
		order->late += order->pending.v[i].ns < order->last_ns;
		order->ready.v[order->ready.n++] = order->pending.v[i];
	}
	if (n > 0)
		order->last_ns = order->pending.v[n - 1].ns;
	order->pending.n -= n;
	memmove(order->pending.v, order->pending.v + n,
		order->pending.n * sizeof(*order->pending.v));
	return 0;
}

int rarog_order_round(struct rarog_order *order, uint64_t now_ns)
{
	uint64_t before = order->round_ns;

	order->round_ns = now_ns;
	return settle(order, before);
}

int rarog_order_finish(struct rarog_order *order)
{
	return settle(order, UINT64_MAX);
}

const struct rarog_ordered *rarog_order_next(struct rarog_order *order)
{
	const struct rarog_ordered *entry;

	free(order->given);
	order->given = NULL;
	if (order->next == order->ready.n)
		return NULL;
	entry = &order->ready.v[order->next++];
	order->given = entry->bytes;
	order->size -= entry->n;
	return entry;
}

static void free_entries(size_t first, size_t n, const struct rarog_ordered entries[])
{
	for (size_t i = first; i < n; i++)
		free(entries[i].bytes);
}

void rarog_order_release(struct rarog_order *order)
{
	free_entries(0, order->pending.n, order->pending.v);
	free_entries(order->next, order->ready.n, order->ready.v);
	free(order->given);
	rarog_vec_release(&order->pending);
	rarog_vec_release(&order->ready);
	*order = (struct rarog_order){ 0 };
}
