/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/git-order.h"

#include <assert.h>
#include <string.h>

#include "base/cleanup.h"

static bool is_child(const struct rarog_commit *child, const struct rarog_commit *parent)
{
	for (size_t i = 0; i < child->n_parents; i++)
		if (strcmp(child->parents[i], parent->name) == 0)
			return true;
	return false;
}

bool rarog_order_is_full(const struct rarog_order *order)
{
	return order->n == RAROG_ORDER_AHEAD;
}

void rarog_order_add(struct rarog_order *order, struct rarog_commit *take_commit)
{
	size_t new = order->n++;

	assert(new < RAROG_ORDER_AHEAD);
	order->commits[new] = rarog_take_struct(*take_commit);
	order->children[new] = 0;
	for (size_t i = 0; i < new; i++) {
		order->children[i] += is_child(&order->commits[new], &order->commits[i]);
		order->children[new] += is_child(&order->commits[i], &order->commits[new]);
	}
}

struct rarog_commit rarog_order_take(struct rarog_order *order)
{
	struct rarog_commit taken;
	size_t at = 0;

	assert(order->n > 0);
	while (at < order->n && order->children[at] > 0)
		at++;
	if (at == order->n) /* a circle: no history has one */
		at = 0;
	taken = order->commits[at];
	order->n--;
	memmove(&order->commits[at], &order->commits[at + 1],
		(order->n - at) * sizeof(order->commits[0]));
	memmove(&order->children[at], &order->children[at + 1],
		(order->n - at) * sizeof(order->children[0]));
	for (size_t i = 0; i < order->n; i++)
		order->children[i] -= is_child(&taken, &order->commits[i]);
	return taken;
}

void rarog_order_release(struct rarog_order *order)
{
	for (size_t i = 0; i < order->n; i++)
		rarog_commit_release(&order->commits[i]);
	order->n = 0;
}
