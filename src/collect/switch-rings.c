/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One event and one ring a processor, because an inherited event may not have a ring otherwise.
 * Times are CLOCK_MONOTONIC_RAW, which runs as evenly as the time-stamp counter and is there on
 * machines where the kernel does not tell users how its own clock is computed (virtual ones). A
 * pair of both clocks, read when records are, and one from long before make a straight line.
 */
#include "collect/switch-rings.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/error.h"
#include "base/file.h"
#include "base/vec.h"

#define READINGS   5
#define ANCHOR_NS  1000000000ull /* how old the other pair becomes */
#define RECORD_MAX 64            /* bytes; those that we ask for are smaller */

/* What sample_id_all puts behind every record. */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time; /* ns */
};

struct record_switch {
	struct perf_event_header header;
	struct sample_id id;
};

struct record_task {
	struct perf_event_header header;
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
	struct sample_id id;
};

struct record_lost {
	struct perf_event_header header;
	uint64_t event, lost;
	struct sample_id id;
};

union record {
	struct perf_event_header header;
	struct record_switch change;
	struct record_task task;
	struct record_lost lost;
	uint8_t bytes[RECORD_MAX];
};

struct pair {
	uint64_t ticks, ns;
};

struct ring {
	int fd;
	struct perf_event_mmap_page *page; /* its data follow */
	uint64_t size;                     /* of the data */
};

struct rarog_switch_rings {
	RAROG_VEC(struct ring) rings;
	size_t page_size;
	struct pair anchor, next_anchor, now;
};

static struct pair read_pair(void)
{
	struct pair best = { 0 };
	uint64_t best_gap = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		struct timespec time;
		uint64_t before = __rdtsc(), after;

		clock_gettime(CLOCK_MONOTONIC_RAW, &time);
		after = __rdtsc();
		if (after - before >= best_gap)
			continue;
		best_gap = after - before;
		best.ticks = before + best_gap / 2;
		best.ns = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
	}
	return best;
}

/* The anchor is one to two seconds old; in the beginning as old as we are. */
static void look_at_clocks(struct rarog_switch_rings *r)
{
	r->now = read_pair();
	if (r->now.ns - r->next_anchor.ns < ANCHOR_NS)
		return;
	r->anchor = r->next_anchor;
	r->next_anchor = r->now;
}

static uint64_t ticks_of(const struct rarog_switch_rings *r, uint64_t ns)
{
	double rate = (double)(r->now.ticks - r->anchor.ticks) / (double)(r->now.ns - r->anchor.ns);

	return r->now.ticks + (uint64_t)(int64_t)((double)(int64_t)(ns - r->now.ns) * rate);
}

/* --- opening --- */

static long open_event(pid_t pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.context_switch = 1,
		.task = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
		.watermark = 1, /* nobody waits for it */
		.wakeup_watermark = UINT32_MAX,
	};

	return syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int add_ring(struct rarog_switch_rings *r, int take_fd, unsigned pages)
{
	struct ring ring = { .fd = take_fd, .size = pages * r->page_size };

	ring.page = mmap(NULL, ring.size + r->page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			 take_fd, 0);
	if (ring.page == MAP_FAILED) {
		int error = errno;

		close(take_fd);
		return rarog_fail(-error, "no memory for records of the kernel: %s",
				  strerror(error));
	}
	if (rarog_vec_push(&r->rings, ring) < 0) {
		munmap(ring.page, ring.size + r->page_size);
		close(take_fd);
		return rarog_oom();
	}
	return 0;
}

static int refused(int error)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	long level = 0;

	if ((error == EACCES || error == EPERM) &&
	    rarog_file_read("/proc/sys/kernel/perf_event_paranoid", 64, &text, NULL) == 0)
		level = strtol(text, NULL, 10);
	if (level > 2)
		return rarog_fail(-error,
				  "context switches are not shown: "
				  "sysctl kernel.perf_event_paranoid=2 (it is %ld) allows it",
				  level);
	return rarog_fail(-error, "context switches are not shown: perf_event_open: %s",
			  strerror(error));
}

static int open_cpu(struct rarog_switch_rings *r, pid_t pid, int cpu, unsigned pages)
{
	long fd = open_event(pid, cpu);

	if (fd < 0 && errno == ENODEV) /* it is switched off */
		return 0;
	return fd < 0 ? refused(errno) : add_ring(r, (int)fd, pages);
}

int rarog_switch_rings_new(pid_t pid, unsigned pages, struct rarog_switch_rings **ret_rings)
{
	rarog_cleanup(rarog_switch_rings_freep) struct rarog_switch_rings *r =
		calloc(1, sizeof(*r));
	long n = sysconf(_SC_NPROCESSORS_CONF);
	int result = 0;

	if (!r)
		return rarog_oom();
	r->page_size = (size_t)sysconf(_SC_PAGESIZE);
	r->anchor = r->next_anchor = read_pair();
	for (int cpu = 0; result == 0 && cpu < n; cpu++)
		result = open_cpu(r, pid, cpu, pages);
	if (result < 0)
		return result;
	*ret_rings = rarog_take(r);
	return 0;
}

void rarog_switch_rings_free(struct rarog_switch_rings *rings)
{
	if (!rings)
		return;
	for (size_t i = 0; i < rings->rings.n; i++) {
		const struct ring *ring = &rings->rings.v[i];

		munmap(ring->page, ring->size + rings->page_size);
		close(ring->fd);
	}
	rarog_vec_release(&rings->rings);
	free(rings);
}

/* --- reading --- */

/* The record at @tail, which may reach over the end of the data. */
static void copy_record(const struct rarog_switch_rings *r, const struct ring *ring, uint64_t tail,
			union record *ret_record)
{
	const uint8_t *data = (const uint8_t *)ring->page + r->page_size;

	for (size_t i = 0; i < sizeof(*ret_record); i++)
		ret_record->bytes[i] = data[(tail + i) % ring->size];
}

static enum rarog_switch_kind kind_of(uint16_t misc)
{
	if (!(misc & PERF_RECORD_MISC_SWITCH_OUT))
		return RAROG_SWITCH_IN;
	return misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? RAROG_SWITCH_PREEMPTED
							  : RAROG_SWITCH_WAITS;
}

static int visit_record(const struct rarog_switch_rings *r, const union record *record,
			rarog_switch_visit *visit, void *context)
{
	struct rarog_switch found = { 0 };
	uint64_t ns;

	switch (record->header.type) {
	case PERF_RECORD_SWITCH:
		found.kind = kind_of(record->header.misc);
		found.tid = record->change.id.tid;
		ns = record->change.id.time;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		found.kind = record->header.type == PERF_RECORD_FORK ? RAROG_SWITCH_BORN
								     : RAROG_SWITCH_GONE;
		found.tid = record->task.tid;
		ns = record->task.time;
		break;
	case PERF_RECORD_LOST:
		found.kind = RAROG_SWITCH_LOST;
		ns = record->lost.id.time;
		break;
	default:
		return 0;
	}
	found.ticks = ticks_of(r, ns);
	return visit(context, &found);
}

/* The kernel tells of a loss with the next record that has room, which may never come. */
static int visit_full(const struct rarog_switch_rings *r, rarog_switch_visit *visit, void *context)
{
	const struct rarog_switch lost = { .ticks = r->now.ticks, .kind = RAROG_SWITCH_LOST };

	return visit(context, &lost);
}

static int read_ring(struct rarog_switch_rings *r, struct ring *ring, rarog_switch_visit *visit,
		     void *context)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	int result = 0;

	if (head == tail)
		return 0;
	look_at_clocks(r);
	if (head - tail + RECORD_MAX > ring->size)
		result = visit_full(r, visit, context);
	while (result == 0 && tail < head) {
		union record record;

		copy_record(r, ring, tail, &record);
		if (record.header.size < sizeof(record.header))
			return rarog_fail(-EIO, "records of context switches cannot be read");
		result = visit_record(r, &record, visit, context);
		tail += record.header.size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	return result;
}

int rarog_switch_rings_read(struct rarog_switch_rings *rings, rarog_switch_visit *visit,
			    void *context)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < rings->rings.n; i++)
		result = read_ring(rings, &rings->rings.v[i], visit, context);
	return result;
}
