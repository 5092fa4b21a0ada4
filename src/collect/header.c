/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/header.h"

#include "base/cleanup.h"

int rarog_surroundings_read(struct rarog_vcs *vcs, const char *given_class,
			    struct rarog_surroundings *ret_surroundings)
{
	struct rarog_surroundings now = { 0 };
	int r = vcs ? rarog_vcs_state(vcs, true, &now.state) : 0;

	if (r == 0)
		r = rarog_machine_read(given_class, &now.machine);
	if (r < 0) {
		rarog_surroundings_release(&now);
		return r;
	}
	now.is_git = vcs && rarog_vcs_kind(vcs) == RAROG_VCS_GIT;
	rarog_conditions_read(&now.before);
	*ret_surroundings = now;
	return 0;
}

void rarog_surroundings_release(struct rarog_surroundings *surroundings)
{
	rarog_vcs_state_release(&surroundings->state);
	rarog_machine_release(&surroundings->machine);
	*surroundings = (struct rarog_surroundings){ 0 };
}

static void write_version(struct rarog_json *json, const struct rarog_surroundings *s)
{
	if (s->state.head)
		rarog_json_string(json, s->is_git ? "commit" : "version", s->state.head);
	if (s->state.tree)
		rarog_json_string(json, "tree", s->state.tree);
	if (s->is_git)
		rarog_json_bool(json, "dirty", s->state.is_dirty);
	if (s->state.diff)
		rarog_json_string(json, "diff", s->state.diff);
}

void rarog_surroundings_write(struct rarog_json *json,
			      const struct rarog_surroundings *surroundings)
{
	struct rarog_conditions after;

	rarog_conditions_read(&after);
	write_version(json, surroundings);
	if (surroundings->label)
		rarog_json_string(json, "label", surroundings->label);
	if (surroundings->job)
		rarog_job_write(json, surroundings->job);
	rarog_machine_write(json, "machine", &surroundings->machine);
	rarog_conditions_write(json, "conditions", &surroundings->before, &after);
}

void rarog_surroundings_describe(struct rarog_json *json, void *surroundings)
{
	rarog_surroundings_write(json, surroundings);
}

static uint64_t nanoseconds(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

void rarog_run_write_times(struct rarog_json *json, const struct rarog_run_result *run)
{
	rarog_json_uint(json, "wall_ns", run->wall_ns);
	rarog_json_uint(json, "user_ns", nanoseconds(run->usage.ru_utime));
	rarog_json_uint(json, "system_ns", nanoseconds(run->usage.ru_stime));
}
