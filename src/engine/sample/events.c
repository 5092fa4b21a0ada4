/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cycles where the machine counts them for us, else the timer of the kernel's clock. A user that
 * may not see the kernel (perf_event_paranoid 2) gets user mode only, unless it asked for more.
 */
#include "engine/sample/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "engine/sample/records.h"

#define RING_PARTS   4     /* the samples of a quarter of a second find room */
#define RING_LEAST   16    /* pages */
#define RINGS_MOST   16384 /* pages of all processors */
#define RECORD_SMALL 1024  /* bytes, a sample without its stack */
#define SWITCHES     20000 /* records a second that find room as long */

const char *const rarog_stacks_names[] = { "dwarf", "fp", "none", NULL };

/* A number in /proc; -1: not there. */
static long setting(const char *path)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	long value = -1;

	if (rarog_file_read(path, 64, &text, NULL) == 0)
		value = strtol(text, NULL, 10);
	else
		rarog_error_clear();
	return value;
}

long rarog_sample_rate(long wanted)
{
	long most = setting("/proc/sys/kernel/perf_event_max_sample_rate");

	return most < 1 || wanted <= most ? wanted : most;
}

static int check_rate(const struct rarog_sample_options *options)
{
	long most = rarog_sample_rate(options->rate);

	if (most == options->rate)
		return 0;
	return rarog_fail(-EINVAL,
			  "--rate=%ld: the kernel allows %ld; "
			  "sysctl kernel.perf_event_max_sample_rate=%ld raises it",
			  options->rate, most, options->rate);
}

static uint64_t type_of(const struct rarog_sample_options *options)
{
	uint64_t type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;

	if (options->stacks == RAROG_STACKS_FP || options->kernel)
		type |= PERF_SAMPLE_CALLCHAIN;
	if (options->stacks != RAROG_STACKS_FP)
		type |= PERF_SAMPLE_REGS_USER;
	if (options->stacks == RAROG_STACKS_DWARF)
		type |= PERF_SAMPLE_STACK_USER;
	return type;
}

static void set_common(const struct rarog_sample_options *options, bool is_running,
		       struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.sample_type = type_of(options),
		.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING,
		.sample_id_all = 1,
		.disabled = !is_running,
		.enable_on_exec = !is_running,
		.exclude_hv = 1,
		.inherit_thread = !options->follow,
		.exclude_callchain_kernel = !options->kernel,
		.exclude_callchain_user = options->stacks != RAROG_STACKS_FP,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1, /* no thread waits for it */
		.wakeup_watermark = UINT32_MAX,
	};
	if (attr->sample_type & PERF_SAMPLE_REGS_USER)
		attr->sample_regs_user = RAROG_SAMPLE_REGISTER_MASK;
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		attr->sample_stack_user = (uint32_t)options->stack_size & ~7u;
}

static void set_time(const struct rarog_sample_options *options, bool is_cycles,
		     struct perf_event_attr *attr)
{
	attr->type = is_cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	attr->config =
		is_cycles ? (uint64_t)PERF_COUNT_HW_CPU_CYCLES : (uint64_t)PERF_COUNT_SW_CPU_CLOCK;
	attr->freq = is_cycles;
	attr->sample_period =
		is_cycles ? (uint64_t)options->rate : 1000000000 / (uint64_t)options->rate;
	attr->mmap = attr->mmap2 = 1;
	attr->comm = attr->comm_exec = 1;
	attr->task = 1;
}

static void set_switches(struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	attr->sample_period = 1;
	attr->context_switch = 1;
}

static unsigned pages_for(uint64_t rate, uint64_t record)
{
	unsigned pages = RING_LEAST, most = RINGS_MOST / (unsigned)sysconf(_SC_NPROCESSORS_CONF);

	while (pages < most && pages * UINT64_C(4096) < rate * record / RING_PARTS)
		pages *= 2;
	return pages;
}

/* Memory for rings is limited for users: less of it will do, too, mostly. */
static int open_rings(const struct perf_event_attr *attr, pid_t pid, unsigned pages,
		      struct rarog_event_rings **ret_rings)
{
	int r = rarog_event_rings_new(attr, pid, pages, "samples", ret_rings);

	while ((r == -EPERM || r == -ENOMEM) && pages > RING_LEAST) {
		pages /= 2;
		r = rarog_event_rings_new(attr, pid, pages, "samples", ret_rings);
	}
	return r;
}

static int fail_kernel(int r, const char *option)
{
	return rarog_fail(r,
			  "%s: the kernel is not shown to you: root, or "
			  "sysctl kernel.perf_event_paranoid=1 (it is %ld), allows it",
			  option, setting("/proc/sys/kernel/perf_event_paranoid"));
}

/* The other ways to refuse are the ring's to tell. */
static int open_time(const struct rarog_sample_options *options, pid_t pid,
		     struct rarog_sample_events *events)
{
	unsigned pages = pages_for((uint64_t)options->rate,
				   RECORD_SMALL + (options->stacks == RAROG_STACKS_DWARF
							   ? (uint64_t)options->stack_size
							   : 0));
	struct rarog_event_rings **rings = &events->rings[RAROG_SOURCE_TIME];
	struct perf_event_attr attr;
	int r = -ENOENT;

	set_common(options, events->is_running, &attr);
	attr.exclude_kernel = events->is_user;
	for (int way = 1; way >= 0 && (r == -ENOENT || r == -EOPNOTSUPP || r == -EINVAL); way--) {
		events->is_cycles = way == 1;
		set_time(options, events->is_cycles, &attr);
		r = open_rings(&attr, pid, pages, rings);
	}
	if (r != -EACCES || events->is_user)
		return r;
	if (options->kernel)
		return fail_kernel(r, "--kernel");
	events->is_user = true;
	return open_time(options, pid, events);
}

/* A thread leaves its processor in the kernel: a user that may not see that sees none of it. */
static int open_switches(const struct rarog_sample_options *options, pid_t pid,
			 struct rarog_sample_events *events)
{
	struct perf_event_attr attr;

	if (events->is_user)
		return fail_kernel(-EACCES, "--off-cpu");
	set_common(options, events->is_running, &attr);
	set_switches(&attr);
	return open_rings(&attr, pid, pages_for(SWITCHES, RECORD_SMALL),
			  &events->rings[RAROG_SOURCE_SWITCHES]);
}

int rarog_sample_events_open(const struct rarog_sample_options *options, pid_t pid, bool is_running,
			     struct rarog_sample_events *ret_events)
{
	struct rarog_sample_events events = { .sample_type = type_of(options),
					      .is_running = is_running };
	int r = check_rate(options);

	if (r == 0)
		r = open_time(options, pid, &events);
	if (r == 0 && options->off_cpu)
		r = open_switches(options, pid, &events);
	if (r < 0)
		rarog_sample_events_release(&events);
	else
		*ret_events = events;
	return r;
}

void rarog_sample_events_release(struct rarog_sample_events *events)
{
	for (size_t i = 0; i < RAROG_SOURCES; i++)
		rarog_event_rings_free(events->rings[i]);
	*events = (struct rarog_sample_events){ 0 };
}

int rarog_sample_events_add(struct rarog_sample_events *events, pid_t tid)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_SOURCES; i++)
		if (events->rings[i])
			r = rarog_event_rings_add(events->rings[i], tid);
	return r;
}

const char *rarog_sample_events_name(const struct rarog_sample_events *events)
{
	return events->is_cycles ? "cpu-cycles" : "cpu-clock";
}
