/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that begins while the events are opened has inherited them, or not, which is unknown:
 * it would be counted twice or never. So all is tried again until none began; if that does not come
 * to an end, such threads are not looked at unless they have inherited the events.
 *
 * The first thread may have ended before the others: the kernel tells of the process by those only.
 */
#include "engine/sample/attach.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/ended.h"
#include "base/error.h"
#include "base/signals.h"
#include "process/process.h"
#include "process/task.h"

/* --- what is there --- */

/* "START-END PERMISSIONS OFFSET DEVICE INODE   PATH" */
static int add_mapping(struct rarog_sampled *s, pid_t pid, char *line)
{
	struct rarog_sample_record record = { .kind = RAROG_SAMPLE_MAP, .pid = (uint32_t)pid };
	char *at = line, *permissions;
	uint64_t end;
	int r;

	record.start = strtoull(at, &at, 16);
	end = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
	permissions = at + (*at == ' ');
	if (end <= record.start || strlen(permissions) < 5 || permissions[2] != 'x')
		return 0;
	record.size = end - record.start;
	record.offset = strtoull(permissions + 5, &at, 16);
	record.file.major = (uint32_t)strtoul(at, &at, 16);
	record.file.minor = (uint32_t)strtoul(at + (*at == ':'), &at, 16);
	record.file.inode = strtoull(at, &at, 10);
	at += strspn(at, " ");
	at[strcspn(at, "\n")] = '\0';
	record.name = *at ? at : "//anon";
	r = rarog_sampled_look(s, &record);
	return r < 0 ? r : rarog_sampled_add(s, &record);
}

static int read_mappings(struct rarog_sampled *s, pid_t pid)
{
	char path[64];
	rarog_cleanup(rarog_fclosep) FILE *f = NULL;
	rarog_cleanup(rarog_freep) char *line = NULL;
	size_t capacity = 0;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)rarog_task_living(pid));
	f = fopen(path, "re");
	if (!f)
		return rarog_fail_errno("%s", path);
	while (r == 0 && getline(&line, &capacity, f) > 0)
		r = add_mapping(s, pid, line);
	return r;
}

static int add_process(struct rarog_sampled *s, pid_t pid)
{
	long thread = rarog_sampled_thread(s, (uint32_t)pid, (uint32_t)pid, rarog_now_ns());

	if (thread < 0)
		return (int)thread;
	s->processes.v[0].command = rarog_process_command(rarog_task_living(pid));
	return read_mappings(s, pid);
}

/* --- its threads --- */

#define ATTEMPTS 20

struct threads {
	RAROG_VEC(pid_t) list;
};

static int list_threads(pid_t pid, struct threads *threads)
{
	char path[64];
	const struct dirent *entry;
	DIR *folder;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	folder = opendir(path);
	if (!folder)
		return rarog_fail(-ESRCH, "process %d has ended", (int)pid);
	while (r == 0 && (entry = readdir(folder))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && rarog_vec_push(&threads->list, tid) < 0)
			r = rarog_oom();
	}
	closedir(folder);
	return r;
}

static bool has(const struct threads *threads, pid_t tid)
{
	for (size_t i = 0; i < threads->list.n; i++)
		if (threads->list.v[i] == tid)
			return true;
	return false;
}

/* 1: there are threads that were not there when @before was listed; 0; negative. */
static int has_grown(pid_t pid, const struct threads *before)
{
	struct threads now = { 0 };
	int r = list_threads(pid, &now);

	for (size_t i = 0; r == 0 && i < now.list.n; i++)
		r = !has(before, now.list.v[i]);
	rarog_vec_release(&now.list);
	return r;
}

/* Of one thread that lives, usually the first. */
static int open_first(const struct rarog_sample_options *options, pid_t pid, pid_t *ret_first,
		      struct rarog_sample_events *events)
{
	pid_t first;
	int r;

	do {
		first = rarog_task_living(pid);
		r = rarog_sample_events_open(options, first, true, events);
	} while (r == -ESRCH && rarog_task_living(pid) != first);
	*ret_first = first;
	return r;
}

static int open_threads(const struct rarog_sample_options *options, pid_t pid,
			const struct threads *threads, struct rarog_sample_events *events)
{
	pid_t first;
	int r = open_first(options, pid, &first, events);

	if (r == -ESRCH)
		return rarog_fail(r, "process %d has ended", (int)pid);
	for (size_t i = 0; r == 0 && i < threads->list.n; i++) {
		pid_t tid = threads->list.v[i];

		r = tid == first ? 0 : rarog_sample_events_add(events, tid);
		r = r == -ESRCH ? 0 : r; /* it has ended meanwhile */
	}
	return r;
}

/* 1: threads began meanwhile. */
static int try_threads(const struct rarog_sample_options *options, pid_t pid,
		       struct rarog_sample_events *events)
{
	struct threads threads = { 0 };
	int r = list_threads(pid, &threads);

	if (r == 0)
		r = open_threads(options, pid, &threads, events);
	if (r == 0)
		r = has_grown(pid, &threads);
	rarog_vec_release(&threads.list);
	return r;
}

int rarog_sample_attach(const struct rarog_sample_options *options, pid_t pid,
			struct rarog_sampled *sampled, struct rarog_sample_events *ret_events)
{
	struct rarog_sample_events events = { 0 };
	int r = 1;

	for (int i = 0; r == 1 && i < ATTEMPTS; i++) {
		rarog_sample_events_release(&events);
		r = try_threads(options, pid, &events);
	}
	if (r >= 0)
		r = add_process(sampled, pid);
	if (r < 0)
		rarog_sample_events_release(&events);
	else
		*ret_events = events;
	return r;
}
