/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was sampled, as tables of a profile. */
#ifndef RAROG_ENGINE_SAMPLE_PROFILE_H
#define RAROG_ENGINE_SAMPLE_PROFILE_H

#include "engine/sample/sampled.h"
#include "process/software.h"
#include "profile/writer.h"

/**
 * rarog_sampled_write() - add processes, threads, functions, contexts and sums
 * @ns_per_period: a sample stands for its period times this
 * @has_off_cpu: time on no processor was watched
 * @wait_status: of the first process
 * @end_ns: of the run
 *
 * Return: 0; negative with message.
 */
int rarog_sampled_write(struct rarog_sampled *sampled, double ns_per_period, bool has_off_cpu,
			int wait_status, uint64_t end_ns, struct rarog_profile_writer *writer,
			struct rarog_software *software);

#endif
