/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the program's threads are, looked at by the kernel's timer: as many samples as a block has
 * of all, as large is its part of the time. */
#ifndef RAROG_ENGINE_REWRITE_SAMPLES_H
#define RAROG_ENGINE_REWRITE_SAMPLES_H

#include <stdint.h>
#include <sys/types.h>

struct rarog_event_rings;

#define RAROG_REWRITE_SAMPLE_NS 500761 /* keeps no step with what the system does each 4 ms */

struct rarog_rewrite_samples {
	struct rarog_event_rings *rings; /* NULL: none are taken */
	uint64_t n, n_lost;
};

/** rarog_rewrite_samples_open() - of @pid from its execve() on, and what it starts. 0; -errno with
 * message. */
int rarog_rewrite_samples_open(struct rarog_rewrite_samples *samples, pid_t pid);

typedef void rarog_rewrite_sample_visit(void *context, pid_t tid, uint64_t address);

/** rarog_rewrite_samples_read() - those that have come. */
void rarog_rewrite_samples_read(struct rarog_rewrite_samples *samples,
				rarog_rewrite_sample_visit *visit, void *context);
void rarog_rewrite_samples_release(struct rarog_rewrite_samples *samples);

#endif
