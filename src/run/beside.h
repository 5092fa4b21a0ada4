/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs without probes, made just before a measured one under the same conditions: what the program
 * itself takes. The header of the profile carries them.
 */
#ifndef RAROG_RUN_BESIDE_H
#define RAROG_RUN_BESIDE_H

#include "base/vec.h"
#include "process/running.h"

struct rarog_json;

/* Zeroed: none. */
struct rarog_beside {
	RAROG_VEC(struct rarog_run_result) runs;
};

/**
 * rarog_beside_run() - @n of them
 *
 * Ends early with one that @is_allowed does not accept: the last. Return: 0; negative with message:
 * the program could not be started.
 */
int rarog_beside_run(const struct rarog_command_line *command, int64_t n,
		     bool (*is_allowed)(const struct rarog_run_result *run, void *user), void *user,
		     struct rarog_beside *beside);
void rarog_beside_release(struct rarog_beside *beside);

/** rarog_beside_write() - "untraced": [{"wall_ns", "user_ns", "system_ns", "delay_ns"}]; nothing if
 * none. wall_ns: rarog_untraced_wall(), delay_ns: what that left out. */
void rarog_beside_write(struct rarog_json *json, const struct rarog_beside *beside);

#endif
