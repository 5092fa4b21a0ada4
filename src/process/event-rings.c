/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process/event-rings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/vec.h"

#define RECORD_MAX 65536 /* bytes: the size is 16 bits */

struct ring {
	int fd, cpu;
	struct perf_event_mmap_page *page; /* its data follow */
	uint64_t size;                     /* of the data */
};

struct rarog_event_rings {
	struct perf_event_attr attr;
	RAROG_VEC(struct ring) rings;
	RAROG_VEC(int) others; /* of further threads, that write to the same rings */
	size_t page_size;
	const char *what;
	uint8_t record[RECORD_MAX]; /* one that reaches over the end of the data */
};

/* --- opening --- */

struct perf_event_attr rarog_event_rings_notes(clockid_t clock)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.task = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = clock,
		.watermark = 1,
		.wakeup_watermark = UINT32_MAX,
	};
}

static int add_ring(struct rarog_event_rings *r, int take_fd, int cpu, unsigned pages)
{
	struct ring ring = { .fd = take_fd, .cpu = cpu, .size = pages * r->page_size };

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

static int refused(const struct rarog_event_rings *r, int error)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	long level = 0;

	if ((error == EACCES || error == EPERM) &&
	    rarog_file_read("/proc/sys/kernel/perf_event_paranoid", 64, &text, NULL) == 0)
		level = strtol(text, NULL, 10);
	if (level > 2)
		return rarog_fail(-error,
				  "%s are not shown: "
				  "sysctl kernel.perf_event_paranoid=2 (it is %ld) allows it",
				  r->what, level);
	return rarog_fail(-error, "%s are not shown: perf_event_open: %s", r->what,
			  strerror(error));
}

static int open_event(const struct rarog_event_rings *r, pid_t pid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, &r->attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_cpu(struct rarog_event_rings *r, pid_t pid, int cpu, unsigned pages)
{
	int fd = open_event(r, pid, cpu);

	if (fd < 0 && errno == ENODEV) /* it is switched off */
		return 0;
	return fd < 0 ? refused(r, errno) : add_ring(r, fd, cpu, pages);
}

int rarog_event_rings_new(const struct perf_event_attr *attr, pid_t pid, unsigned pages,
			  const char *what, struct rarog_event_rings **ret_rings)
{
	rarog_cleanup(rarog_event_rings_freep) struct rarog_event_rings *r = calloc(1, sizeof(*r));
	long n = sysconf(_SC_NPROCESSORS_CONF);
	int result = 0;

	if (!r)
		return rarog_oom();
	r->page_size = (size_t)sysconf(_SC_PAGESIZE);
	r->attr = *attr;
	r->attr.inherit = 1;
	r->what = what;
	for (int cpu = 0; result == 0 && cpu < n; cpu++)
		result = open_cpu(r, pid, cpu, pages);
	if (result < 0)
		return result;
	*ret_rings = rarog_take(r);
	return 0;
}

static int join_ring(struct rarog_event_rings *r, pid_t pid, const struct ring *ring)
{
	int fd = open_event(r, pid, ring->cpu);

	if (fd < 0 && (errno == ESRCH || errno == ENODEV))
		return -errno;
	if (fd < 0)
		return refused(r, errno);
	if (rarog_vec_push(&r->others, fd) < 0) {
		close(fd);
		return rarog_oom();
	}
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0 ? refused(r, errno) : 0;
}

int rarog_event_rings_add(struct rarog_event_rings *rings, pid_t pid)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < rings->rings.n; i++)
		result = join_ring(rings, pid, &rings->rings.v[i]);
	return result == -ENODEV ? 0 : result;
}

void rarog_event_rings_stop(struct rarog_event_rings *rings)
{
	for (size_t i = 0; i < rings->rings.n; i++)
		ioctl(rings->rings.v[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	for (size_t i = 0; i < rings->others.n; i++)
		ioctl(rings->others.v[i], PERF_EVENT_IOC_DISABLE, 0);
}

static void add_value(int fd, struct rarog_event_sum *sum)
{
	struct rarog_event_sum one;

	if (read(fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
		return;
	sum->value += one.value;
	sum->running_ns += one.running_ns;
}

struct rarog_event_sum rarog_event_rings_sum(const struct rarog_event_rings *rings)
{
	struct rarog_event_sum sum = { 0 };

	for (size_t i = 0; i < rings->rings.n; i++)
		add_value(rings->rings.v[i].fd, &sum);
	for (size_t i = 0; i < rings->others.n; i++)
		add_value(rings->others.v[i], &sum);
	return sum;
}

void rarog_event_rings_free(struct rarog_event_rings *rings)
{
	if (!rings)
		return;
	for (size_t i = 0; i < rings->rings.n; i++) {
		const struct ring *ring = &rings->rings.v[i];

		munmap(ring->page, ring->size + rings->page_size);
		close(ring->fd);
	}
	for (size_t i = 0; i < rings->others.n; i++)
		close(rings->others.v[i]);
	rarog_vec_release(&rings->rings);
	rarog_vec_release(&rings->others);
	free(rings);
}

/* --- reading --- */

static uint64_t head_of(const struct ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

int rarog_event_rings_has(const struct rarog_event_rings *rings)
{
	bool has = false;

	for (size_t i = 0; i < rings->rings.n; i++)
		has |= head_of(&rings->rings.v[i]) != rings->rings.v[i].page->data_tail;
	return has;
}

static void copy_out(const uint8_t *data, uint64_t size, uint64_t at, size_t n, uint8_t *to)
{
	uint64_t first = size - at % size;

	first = first < n ? first : n;
	memcpy(to, data + at % size, first);
	memcpy(to + first, data, n - first);
}

/* The record at @tail, in one piece; NULL: it is none. */
static const struct perf_event_header *record_at(struct rarog_event_rings *r,
						 const struct ring *ring, uint64_t tail)
{
	const uint8_t *data = (const uint8_t *)ring->page + r->page_size;
	struct perf_event_header header;

	copy_out(data, ring->size, tail, sizeof(header), (uint8_t *)&header);
	if (header.size < sizeof(header))
		return NULL;
	if (tail % ring->size + header.size <= ring->size)
		return (const void *)(data + tail % ring->size);
	copy_out(data, ring->size, tail, header.size, r->record);
	return (const void *)r->record;
}

#define FULL 64 /* bytes: less room than this, and a small record may have been left out */

static int read_ring(struct rarog_event_rings *r, const struct ring *ring, rarog_event_visit *visit,
		     void *context)
{
	uint64_t head = head_of(ring), tail = ring->page->data_tail;
	int result = 0;

	if (head == tail)
		return 0;
	if (head - tail + FULL > ring->size)
		result = visit(context, NULL);
	while (result == 0 && tail < head) {
		const struct perf_event_header *record = record_at(r, ring, tail);

		if (!record)
			return rarog_fail(-EIO, "records of %s cannot be read", r->what);
		result = visit(context, record);
		tail += record->size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	return result;
}

int rarog_event_rings_read(struct rarog_event_rings *rings, rarog_event_visit *visit, void *context)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < rings->rings.n; i++)
		result = read_ring(rings, &rings->rings.v[i], visit, context);
	return result;
}
