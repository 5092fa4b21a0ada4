/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "events/losses.h"

#include <string.h>

void rarog_losses_release(struct rarog_losses *losses)
{
	rarog_vec_release(&losses->v);
}

void rarog_losses_add(struct rarog_losses *losses, const char *what, uint64_t count)
{
	for (size_t i = 0; i < losses->v.n; i++)
		if (strcmp(losses->v.v[i].what, what) == 0) {
			losses->v.v[i].count += count;
			return;
		}
	rarog_vec_push(&losses->v, (struct rarog_loss){ what, count });
}

int rarog_losses_write(const struct rarog_losses *losses, struct rarog_profile_writer *writer,
		       uint64_t *total)
{
	for (size_t i = 0; i < losses->v.n; i++)
		*total += losses->v.v[i].count;
	return rarog_profile_add_losses(writer, losses->v.n, losses->v.v);
}
