/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process that runs already: what the kernel's records would have told. */
#ifndef RAROG_ENGINE_SAMPLE_ATTACH_H
#define RAROG_ENGINE_SAMPLE_ATTACH_H

#include "engine/sample/events.h"
#include "engine/sample/sampled.h"

/** rarog_sample_attach() - open the events of all threads of @pid, and learn what is mapped there.
 * 0; -ESRCH it has ended; as rarog_sample_events_open(). */
int rarog_sample_attach(const struct rarog_sample_options *options, pid_t pid,
			struct rarog_sampled *sampled, struct rarog_sample_events *ret_events);

#endif
