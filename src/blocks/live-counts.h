/* SPDX-License-Identifier: MIT */
/*
 * The counters of a program that runs, from outside and without Rarog: for fuzzers, which ask after
 * each input what it reached. A file counter-file.h beside this one is all that it needs.
 *
 *	RAROG_BLOCKS_DIR=/dev/shm/x ./target …      makes /dev/shm/x/….counts while it runs
 *
 *	rarog_live_counts_open(path, &live);
 *	for each input:
 *		rarog_live_counts_reset(&live);     the target has stopped
 *		…                                   it takes the input, and stops again
 *		rarog_live_counts_sum(&live, sums);
 *
 * Counters are features as they are: the same path gives the same counters, another path others.
 * How often each block ran follows from them by blocks/vector.h: exactly, if the program was reset
 * and is read at the same place, so that what entered each block has left it. A message from the
 * program does not say that it is there; that it has stopped itself (SIGSTOP) does.
 */
#ifndef RAROG_LIVE_COUNTS_H
#define RAROG_LIVE_COUNTS_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counter-file.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rarog_live_counts {
	struct rarog_counter_file *file;
	size_t mapped; /* bytes, more than the file has: it grows with the program's threads */
	int fd;
};

static inline void rarog_live_counts_close(struct rarog_live_counts *live)
{
	munmap(live->file, live->mapped);
	close(live->fd);
}

/** rarog_live_counts_open() - 0; -EINVAL no file of counters, or of another version; -errno. */
static inline int rarog_live_counts_open(const char *path, struct rarog_live_counts *ret_live)
{
	struct rarog_live_counts live;
	struct rarog_counter_file head;
	struct stat status;
	void *at;
	int is_wrong;

	live.fd = open(path, O_RDWR | O_CLOEXEC);
	if (live.fd < 0)
		return -errno;
	is_wrong = pread(live.fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
		   memcmp(head.magic, RAROG_COUNTER_MAGIC, sizeof(head.magic)) != 0 ||
		   head.version != RAROG_COUNTER_VERSION || fstat(live.fd, &status) < 0 ||
		   head.size == 0 || head.size % 8 != 0 ||
		   (uint64_t)status.st_size < RAROG_COUNTER_BODY + head.size;
	live.mapped = RAROG_COUNTER_BODY + RAROG_COUNTER_AREAS * (size_t)head.size;
	at = is_wrong ? MAP_FAILED
		      : mmap(NULL, live.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, live.fd, 0);
	if (at == MAP_FAILED) {
		int error = is_wrong ? EINVAL : errno;

		close(live.fd);
		return -error;
	}
	live.file = (struct rarog_counter_file *)at;
	*ret_live = live;
	return 0;
}

/** rarog_live_counts_number() - of counters: what an area has, and what is summed. */
static inline size_t rarog_live_counts_number(const struct rarog_live_counts *live)
{
	return (size_t)live->file->size / 8;
}

/** rarog_live_counts_areas() - one for each of the most threads at a time; the first is the main
 * thread's.
 */
static inline size_t rarog_live_counts_areas(const struct rarog_live_counts *live)
{
	size_t n = __atomic_load_n(&live->file->n_areas, __ATOMIC_ACQUIRE);
	struct stat status;

	if (n == 1 || fstat(live->fd, &status) < 0)
		return 1;
	size_t room = ((size_t)status.st_size - RAROG_COUNTER_BODY) / (size_t)live->file->size;

	return n < room ? n : room;
}

/** rarog_live_counts_area() - the counters of area @i. */
static inline uint64_t *rarog_live_counts_area(const struct rarog_live_counts *live, size_t i)
{
	return (uint64_t *)(void *)((char *)live->file + RAROG_COUNTER_BODY +
				    i * (size_t)live->file->size);
}

/** rarog_live_counts_reset() - all to zero; what is counted meanwhile may be lost. */
static inline void rarog_live_counts_reset(const struct rarog_live_counts *live)
{
	size_t n = rarog_live_counts_areas(live);

	memset(rarog_live_counts_area(live, 0), 0, n * (size_t)live->file->size);
}

/** rarog_live_counts_sum() - over all threads, into @sums[rarog_live_counts_number()]. */
static inline void rarog_live_counts_sum(const struct rarog_live_counts *live, uint64_t sums[])
{
	size_t n = rarog_live_counts_number(live), n_areas = rarog_live_counts_areas(live);

	memcpy(sums, rarog_live_counts_area(live, 0), n * sizeof(*sums));
	for (size_t i = 1; i < n_areas; i++)
		for (size_t k = 0; k < n; k++) {
			uint64_t one = sums[k], other = rarog_live_counts_area(live, i)[k];

			if (!((one | other) & RAROG_COUNTER_EXTREME))
				sums[k] += other;
			else if (other > one)
				sums[k] = other;
		}
}

#ifdef __cplusplus
}
#endif
#endif
