/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run has lost, a count for each kind of it. */
#ifndef RAROG_EVENTS_LOSSES_H
#define RAROG_EVENTS_LOSSES_H

#include "base/vec.h"
#include "profile/writer.h"

/* Zeroed: nothing was lost. */
struct rarog_losses {
	RAROG_VEC(struct rarog_loss) v;
};

void rarog_losses_release(struct rarog_losses *losses);

/** rarog_losses_add() - @what: a text that lives on. */
void rarog_losses_add(struct rarog_losses *losses, const char *what, uint64_t count);

/** rarog_losses_write() - @total: the sum of all is added. 0, -errno with message. */
int rarog_losses_write(const struct rarog_losses *losses, struct rarog_profile_writer *writer,
		       uint64_t *total);

#endif
