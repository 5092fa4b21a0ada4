/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each counter is an event of its own (perf_event_open(2)), no group: a group that is larger than
 * the processor's registers would never count, single ones take turns, and the kernel says for how
 * long each of them did.
 *
 * Where the kernel's part may not be seen (perf_event_paranoid), the processor's events are counted
 * for user code alone, which is said. Switches and migrations happen in the kernel: they would be
 * 0 then, so they are refused.
 */
#include "process/event-counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/nearest.h"

struct rarog_counter_event {
	const char *name, *alias;
	uint32_t type;
	uint64_t config;
	bool is_time;   /* ns */
	bool is_kernel; /* happens in the kernel alone */
};

#define HARDWARE(event) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event
#define SOFTWARE(event) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event
#define CACHE(cache, operation, result)                                                            \
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache |                                          \
				    PERF_COUNT_HW_CACHE_OP_##operation << 8 |                      \
				    PERF_COUNT_HW_CACHE_RESULT_##result << 16

/* Names are perf's. */
static const struct rarog_counter_event events[] = {
	{ "instructions", NULL, HARDWARE(INSTRUCTIONS), false, false },
	{ "cycles", "cpu-cycles", HARDWARE(CPU_CYCLES), false, false },
	{ "ref-cycles", NULL, HARDWARE(REF_CPU_CYCLES), false, false },
	{ "bus-cycles", NULL, HARDWARE(BUS_CYCLES), false, false },
	{ "branches", "branch-instructions", HARDWARE(BRANCH_INSTRUCTIONS), false, false },
	{ "branch-misses", NULL, HARDWARE(BRANCH_MISSES), false, false },
	{ "cache-references", NULL, HARDWARE(CACHE_REFERENCES), false, false },
	{ "cache-misses", NULL, HARDWARE(CACHE_MISSES), false, false },
	{ "stalled-cycles-frontend", NULL, HARDWARE(STALLED_CYCLES_FRONTEND), false, false },
	{ "stalled-cycles-backend", NULL, HARDWARE(STALLED_CYCLES_BACKEND), false, false },
	{ "L1-dcache-loads", NULL, CACHE(L1D, READ, ACCESS), false, false },
	{ "L1-dcache-load-misses", NULL, CACHE(L1D, READ, MISS), false, false },
	{ "L1-dcache-stores", NULL, CACHE(L1D, WRITE, ACCESS), false, false },
	{ "L1-icache-load-misses", NULL, CACHE(L1I, READ, MISS), false, false },
	{ "LLC-loads", NULL, CACHE(LL, READ, ACCESS), false, false },
	{ "LLC-load-misses", NULL, CACHE(LL, READ, MISS), false, false },
	{ "dTLB-loads", NULL, CACHE(DTLB, READ, ACCESS), false, false },
	{ "dTLB-load-misses", NULL, CACHE(DTLB, READ, MISS), false, false },
	{ "iTLB-load-misses", NULL, CACHE(ITLB, READ, MISS), false, false },
	{ "task-clock", NULL, SOFTWARE(TASK_CLOCK), true, false },
	{ "cpu-clock", NULL, SOFTWARE(CPU_CLOCK), true, false },
	{ "page-faults", "faults", SOFTWARE(PAGE_FAULTS), false, false },
	{ "minor-faults", NULL, SOFTWARE(PAGE_FAULTS_MIN), false, false },
	{ "major-faults", NULL, SOFTWARE(PAGE_FAULTS_MAJ), false, false },
	{ "context-switches", "cs", SOFTWARE(CONTEXT_SWITCHES), false, true },
	{ "cpu-migrations", "migrations", SOFTWARE(CPU_MIGRATIONS), false, true },
	{ "alignment-faults", NULL, SOFTWARE(ALIGNMENT_FAULTS), false, false },
	{ "emulation-faults", NULL, SOFTWARE(EMULATION_FAULTS), false, false },
};

/* --- names --- */

static const struct rarog_counter_event *find(const char *name)
{
	for (size_t i = 0; i < RAROG_COUNT(events); i++)
		if (strcmp(name, events[i].name) == 0 ||
		    (events[i].alias && strcmp(name, events[i].alias) == 0))
			return &events[i];
	return NULL;
}

static int fail_unknown(const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str near = { 0 };
	struct rarog_nearest nearest = { .wanted = name };

	for (size_t i = 0; i < RAROG_COUNT(events); i++) {
		rarog_nearest_offer(&nearest, events[i].name);
		rarog_nearest_offer(&nearest, events[i].alias);
	}
	if (rarog_nearest_add(&nearest, "", &near) < 0)
		return rarog_oom();
	if (nearest.n == 0)
		rarog_str_add(&near, "; there are, among others, instructions, cycles, "
				     "cache-misses, task-clock, page-faults, context-switches");
	return rarog_fail(-EINVAL, "--counters: '%s' is not a counter%s", name,
			  rarog_str_text(&near));
}

static int add_request(struct rarog_counter_requests *requests, const char *name)
{
	const struct rarog_counter_event *event = find(name);

	if (!*name)
		return rarog_fail(-EINVAL, "--counters: names with commas between them are "
					   "expected, as in page-faults,task-clock");
	if (!event)
		return fail_unknown(name);
	for (size_t i = 0; i < requests->n; i++)
		if (requests->v[i] == event)
			return rarog_fail(-EINVAL, "--counters: %s is named twice", event->name);
	requests->v[requests->n++] = event; /* there is room: each is there once */
	return 0;
}

_Static_assert(RAROG_COUNT(events) <= RAROG_EVENT_COUNTERS_MOST, "each may be wanted");

int rarog_event_counters_parse(const char *text, struct rarog_counter_requests *ret_requests)
{
	struct rarog_counter_requests requests = { 0 };
	const char *at = text;
	int r = 0;

	while (r == 0 && at) {
		size_t n = strcspn(at, ",");
		rarog_cleanup(rarog_freep) char *name = strndup(at, n);

		r = name ? add_request(&requests, name) : rarog_oom();
		at = at[n] ? at + n + 1 : NULL;
	}
	if (r == 0)
		*ret_requests = requests;
	return r;
}

const char *rarog_counter_name(const struct rarog_counter_event *event)
{
	return event->name;
}

/* --- opening --- */

static int open_event(const struct rarog_counter_event *event, pid_t pid, bool user_only)
{
	struct perf_event_attr attr = {
		.type = event->type,
		.size = sizeof(attr),
		.config = event->config,
		.disabled = 1,
		.enable_on_exec = 1,
		.inherit = 1,
		.exclude_kernel = user_only,
		.exclude_hv = user_only,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool has_pmu(void)
{
	int fd = open_event(find("cycles"), 0, true);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || (errno != ENOENT && errno != EOPNOTSUPP && errno != ENODEV);
}

static int fail_refused(const struct rarog_counter_event *event)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	long level = 2;

	if (rarog_file_read("/proc/sys/kernel/perf_event_paranoid", 64, &text, NULL) == 0)
		level = strtol(text, NULL, 10);
	return rarog_fail(-EACCES,
			  "--counters: %s may not be counted here: sysctl "
			  "kernel.perf_event_paranoid=%d (it is %ld) allows it",
			  event->name, event->is_kernel ? 1 : 2, level);
}

static int fail_open(const struct rarog_counter_event *event, int error)
{
	if (error == EACCES || error == EPERM)
		return fail_refused(event);
	if (error != ENOENT && error != EOPNOTSUPP && error != ENODEV && error != EINVAL)
		return rarog_fail(-error, "--counters: %s: perf_event_open: %s", event->name,
				  strerror(error));
	if (event->type != PERF_TYPE_SOFTWARE && !has_pmu())
		return rarog_fail(-ENOTSUP,
				  "--counters: %s: this machine shows no counters of its processor "
				  "(no PMU, as on most virtual machines); leave it out",
				  event->name);
	return rarog_fail(
		-ENOTSUP,
		"--counters: %s: this processor or kernel does not count it; leave it out",
		event->name);
}

/* Where the whole is not shown, user code is. Return: the descriptor. */
static int open_shown(const struct rarog_counter_event *event, pid_t pid, bool *ret_user_only)
{
	int fd = open_event(event, pid, false);

	*ret_user_only = fd < 0 && (errno == EACCES || errno == EPERM) && !event->is_kernel;
	if (*ret_user_only)
		fd = open_event(event, pid, true);
	return fd < 0 ? fail_open(event, errno) : fd;
}

int rarog_event_counters_open(const struct rarog_counter_requests *requests, pid_t pid,
			      struct rarog_event_counters *ret_counters)
{
	struct rarog_event_counters counters = { 0 };

	for (size_t i = 0; i < requests->n; i++) {
		bool user_only;
		int fd = open_shown(requests->v[i], pid, &user_only);

		if (fd < 0) {
			rarog_event_counters_release(&counters);
			return fd;
		}
		counters.v[counters.n].fd = fd;
		counters.v[counters.n].event = requests->v[i];
		counters.v[counters.n++].user_only = user_only;
	}
	*ret_counters = counters;
	return 0;
}

int rarog_event_counters_check(const struct rarog_counter_requests *requests)
{
	struct rarog_event_counters counters = { 0 };
	int r = rarog_event_counters_open(requests, 0, &counters);

	rarog_event_counters_release(&counters);
	return r;
}

void rarog_event_counters_release(struct rarog_event_counters *counters)
{
	for (size_t i = 0; i < counters->n; i++)
		close(counters->v[i].fd);
	counters->n = 0;
}

/* --- reading --- */

uint64_t rarog_counter_scale(uint64_t value, uint64_t enabled, uint64_t running)
{
	if (running == 0 || running >= enabled)
		return value;
	return (uint64_t)((double)value * ((double)enabled / (double)running) + 0.5);
}

int rarog_event_counters_read(const struct rarog_event_counters *counters,
			      struct rarog_counts *ret_counts)
{
	struct rarog_counts counts = { .n = counters->n };

	for (size_t i = 0; i < counters->n; i++) {
		const struct rarog_counter_event *event = counters->v[i].event;
		uint64_t got[3]; /* value, enabled, running */

		if (read(counters->v[i].fd, got, sizeof(got)) != (ssize_t)sizeof(got))
			return rarog_fail(-EIO, "%s: the kernel does not say how much it counted",
					  event->name);
		counts.v[i] = (struct rarog_count){
			.name = event->name,
			.value = rarog_counter_scale(got[0], got[1], got[2]),
			.enabled_ns = got[1],
			.running_ns = got[2],
			.is_time = event->is_time,
			.user_only = counters->v[i].user_only,
		};
	}
	*ret_counts = counts;
	return 0;
}

/* --- what there is --- */

static size_t count_open(bool is_software, size_t *ret_all)
{
	size_t n = 0;

	*ret_all = 0;
	for (size_t i = 0; i < RAROG_COUNT(events); i++) {
		bool user_only;
		int fd;

		if ((events[i].type == PERF_TYPE_SOFTWARE) != is_software)
			continue;
		++*ret_all;
		fd = open_shown(&events[i], 0, &user_only);
		n += fd >= 0;
		if (fd >= 0)
			close(fd);
	}
	return n;
}

/* May a program read one of the processor's counters by an instruction of its own (rdpmc), which
 * counting by functions would need: twice a call a system call is no way. The kernel says so in a
 * page that goes with an event of one thread. */
static bool can_be_read_by_programs(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	rarog_cleanup(rarog_closep) int fd =
		(int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	const struct perf_event_mmap_page *page =
		fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	bool can = page != MAP_FAILED && page->cap_user_rdpmc;

	if (page != MAP_FAILED)
		munmap((void *)(uintptr_t)page, size);
	return can;
}

bool rarog_event_counters_examine(struct rarog_str *found)
{
	size_t all, hardware = count_open(false, &all), software;

	if (hardware > 0)
		rarog_str_addf(found, "%zu of %zu of the processor's (%s), ", hardware, all,
			       can_be_read_by_programs() ? "programs may read them: rdpmc"
							 : "programs may not read them");
	else
		rarog_str_add(found, has_pmu() ? "none of the processor's, "
					       : "none of the processor's (no PMU), ");
	software = count_open(true, &all);
	rarog_str_addf(found, "%zu of %zu of the kernel's", software, all);
	return hardware > 0;
}
