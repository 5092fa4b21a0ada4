/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/beside.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/signals.h"
#include "process/header.h"
#include "process/untraced.h"

int rarog_beside_run(const struct rarog_command_line *command, int64_t n,
		     bool (*is_allowed)(const struct rarog_run_result *run, void *user), void *user,
		     struct rarog_beside *beside)
{
	for (int64_t i = 0; i < n; i++) {
		struct rarog_run_result run;
		int r = rarog_run_untraced(command, &run);

		lseek(STDIN_FILENO, 0, SEEK_SET); /* a file, if the program reads its input */
		if (r < 0)
			return r;
		if (rarog_signals_release(&command->mask)) /* held since it was launched */
			return rarog_fail(-EINTR, "interrupted");
		if (rarog_vec_push(&beside->runs, run) < 0)
			return rarog_oom();
		if (!is_allowed(&run, user))
			return 0;
	}
	return 0;
}

void rarog_beside_release(struct rarog_beside *beside)
{
	rarog_vec_release(&beside->runs);
}

void rarog_beside_write(struct rarog_json *json, const struct rarog_beside *beside)
{
	if (beside->runs.n == 0)
		return;
	rarog_json_array(json, "untraced");
	for (size_t i = 0; i < beside->runs.n; i++) {
		struct rarog_run_result run = beside->runs.v[i];
		uint64_t elapsed_ns = run.wall_ns;

		run.wall_ns = rarog_untraced_wall(&run);
		rarog_json_object(json, NULL);
		rarog_run_write_times(json, &run);
		rarog_json_uint(json, "delay_ns", elapsed_ns - run.wall_ns);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}
