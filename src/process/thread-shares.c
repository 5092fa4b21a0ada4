/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process/thread-shares.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "process/task.h"

/* A thread that has ended meanwhile has no such file. */
static bool read_one(pid_t pid, pid_t tid, struct rarog_thread_share *ret_share)
{
	char path[64], line[128], *end;
	rarog_cleanup(rarog_fclosep) FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)pid, (int)tid);
	f = fopen(path, "re");
	if (!f || !fgets(line, sizeof(line), f))
		return false;
	ret_share->tid = tid;
	ret_share->cpu_ns = strtoull(line, &end, 10);
	ret_share->delay_ns = strtoull(end, NULL, 10);
	ret_share->sleeps = rarog_process_status(tid, "voluntary_ctxt_switches:");
	return true;
}

int rarog_thread_shares_read(pid_t pid, struct rarog_thread_shares *shares)
{
	struct rarog_thread_share one;
	char path[64];
	DIR *tasks;
	pid_t tid;
	int r = 0;

	shares->v.n = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && r == 0 && (tid = rarog_task_next(tasks)))
		if (read_one(pid, tid, &one))
			r = rarog_vec_push(&shares->v, one);
	if (tasks)
		closedir(tasks);
	return r < 0 ? rarog_oom() : 0;
}

static const struct rarog_thread_share *find(const struct rarog_thread_shares *shares, pid_t tid)
{
	for (size_t i = 0; i < shares->v.n; i++)
		if (shares->v.v[i].tid == tid)
			return &shares->v.v[i];
	return NULL;
}

/* A thread that was not there before has had nothing. */
static struct rarog_thread_share had(const struct rarog_thread_shares *before,
				     const struct rarog_thread_share *now)
{
	const struct rarog_thread_share none = { 0 }, *then = find(before, now->tid);

	then = then ? then : &none;
	return (struct rarog_thread_share){
		.tid = now->tid,
		.cpu_ns = now->cpu_ns > then->cpu_ns ? now->cpu_ns - then->cpu_ns : 0,
		.delay_ns = now->delay_ns > then->delay_ns ? now->delay_ns - then->delay_ns : 0,
		.sleeps = now->sleeps - then->sleeps,
	};
}

pid_t rarog_thread_shares_worker(const struct rarog_thread_shares *before,
				 const struct rarog_thread_shares *after)
{
	struct rarog_thread_share most = { 0 };
	uint64_t all_ns = 0;

	for (size_t i = 0; i < after->v.n; i++) {
		struct rarog_thread_share one = had(before, &after->v.v[i]);

		all_ns += one.cpu_ns;
		if (one.cpu_ns > most.cpu_ns)
			most = one;
	}
	return most.cpu_ns >= all_ns - all_ns / 10 ? most.tid : 0;
}

/* What it waits just now the kernel adds when it runs again. If it did nothing but work and wait,
 * its CPU time says the same, and has no such gap. */
uint64_t rarog_thread_shares_own_ns(const struct rarog_thread_shares *before,
				    const struct rarog_thread_shares *after, pid_t worker,
				    uint64_t wall_ns)
{
	const struct rarog_thread_share *now = find(after, worker);
	struct rarog_thread_share one;
	uint64_t most_ns, own_ns;

	if (!now || !find(before, worker))
		return wall_ns;
	one = had(before, now);
	if (one.cpu_ns == 0 || one.delay_ns == 0)
		return wall_ns;
	most_ns = one.cpu_ns < wall_ns ? one.cpu_ns : wall_ns;
	own_ns = one.delay_ns < wall_ns && one.sleeps != 0 ? wall_ns - one.delay_ns : 0;
	return own_ns > most_ns ? own_ns : most_ns;
}

double rarog_thread_shares_delay(const struct rarog_thread_shares *before,
				 const struct rarog_thread_shares *after)
{
	uint64_t cpu_ns = 0, delay_ns = 0;

	for (size_t i = 0; i < after->v.n; i++) {
		struct rarog_thread_share one = had(before, &after->v.v[i]);

		cpu_ns += one.cpu_ns;
		delay_ns += one.delay_ns;
	}
	return delay_ns > 0 ? (double)delay_ns / (double)(delay_ns + cpu_ns) : 0;
}
