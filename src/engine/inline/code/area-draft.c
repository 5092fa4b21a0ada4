/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a code area lies, and how it is mapped: within reach of the module's jumps, writable here,
 * executable there. */
#include "engine/inline/code/area-draft.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "engine/inline/code/island-place.h"
#include "engine/inline/code/values.h"
#include "process/maps.h"

#define PAGE       4096ull
#define NOWHERE    UINT64_MAX
#define JUMP_REACH UINT64_C(0x80000000)

static int is_error(int64_t result)
{
	return result < 0 && result > -4096;
}

void rarog_area_draft_release(struct rarog_area_draft *area)
{
	if (area->memory)
		munmap(area->memory, area->code_size + area->steps_size);
	rarog_vec_release(&area->patches);
	rarog_vec_release(&area->semaphores);
	rarog_blocks_release(&area->blocks);
}

static void code_range(const struct rarog_module *m, uint64_t *ret_low, uint64_t *ret_high)
{
	const struct rarog_segment *segments;
	size_t n = rarog_binary_segments(m->binary, &segments);

	*ret_low = NOWHERE;
	*ret_high = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t end = segments[i].vaddr + segments[i].memory_size;

		*ret_low = segments[i].vaddr < *ret_low ? segments[i].vaddr : *ret_low;
		*ret_high = end > *ret_high ? end : *ret_high;
	}
}

/* Where the module's jumps are. */
static void jumps_range(const struct rarog_module *m, uint64_t *ret_low, uint64_t *ret_high)
{
	*ret_low = NOWHERE;
	*ret_high = 0;
	for (size_t i = 0; i < m->hooks.n + m->probes.n; i++) {
		uint64_t at = rarog_module_place(m, rarog_islands_probe(m, i));

		*ret_low = at < *ret_low ? at : *ret_low;
		*ret_high = at > *ret_high ? at : *ret_high;
	}
	for (size_t i = 0; i < m->marks.v.n; i++) {
		uint64_t at = m->marks.v.v[i].address - m->marks.v.v[i].site.before;

		*ret_low = at < *ret_low ? at : *ret_low;
		*ret_high = at > *ret_high ? at : *ret_high;
	}
}

/* Of the places where breakpoints do no harm, one that is free; else one that is. */
static uint64_t choose_address(pid_t pid, const struct rarog_module *m, uint64_t bias, size_t code,
			       size_t span)
{
	uint64_t low, high, first, last, base;

	code_range(m, &low, &high);
	jumps_range(m, &first, &last);
	for (unsigned i = 0; rarog_island_places_base(bias + first, bias + last, span, i, &base);
	     i++)
		if (rarog_maps_has_gap(pid, base - code, code + span, bias + low, bias + high))
			return base - code;
	return rarog_maps_gap_near(pid, bias + low, bias + high, code + span);
}

struct ranges {
	RAROG_VEC(struct rarog_island_range) v;
};

static void ranges_release(struct ranges *ranges)
{
	rarog_vec_release(&ranges->v);
}

/* What runs there, as far as a jump reaches, in addresses of the file. */
static int find_running(pid_t pid, uint64_t bias, struct ranges *ranges)
{
	rarog_cleanup(rarog_freep) struct rarog_mapping *mappings = NULL;
	long n = rarog_maps_read(pid, &mappings);
	int r = n < 0 ? (int)n : 0;

	for (long i = 0; r == 0 && i < n; i++)
		if (mappings[i].permissions[2] == 'x' &&
		    mappings[i].start - bias + JUMP_REACH < 2 * JUMP_REACH)
			r = rarog_vec_push(&ranges->v,
					   (struct rarog_island_range){ mappings[i].start - bias,
									mappings[i].end - bias });
	return r;
}

static int choose_steps(struct rarog_area_draft *area, pid_t pid, struct rarog_module *m,
			uint64_t address, size_t span)
{
	rarog_cleanup(ranges_release) struct ranges ranges = { 0 };
	uint64_t start = address - area->bias;
	struct rarog_islands_room room = { .base = start + area->code_size + RAROG_AREA_ASIDE,
					   .span = span };
	int r = find_running(pid, area->bias, &ranges);

	if (r == 0)
		r = rarog_vec_push(&ranges.v,
				   (struct rarog_island_range){ start, start + area->code_size });
	room.n_code = ranges.v.n;
	room.code = ranges.v.v;
	if (r == 0)
		r = rarog_islands_choose(m, &area->blocks, &room, &area->steps);
	if (r < 0)
		return rarog_oom();
	area->steps_size = (area->steps->places.used + PAGE - 1) & ~(PAGE - 1);
	area->size = area->code_size + RAROG_AREA_ASIDE + area->steps_size;
	return 0;
}

static void unmap_theirs(const struct rarog_area_draft *area, struct rarog_remote *remote,
			 uint64_t address)
{
	remote->call(remote, SYS_munmap, (int64_t[6]){ (int64_t)address, (int64_t)area->size });
}

/* One reservation, since it is taken away as one. All or nothing. */
static int64_t map_theirs(const struct rarog_area_draft *area, struct rarog_remote *remote,
			  uint64_t address, int their_fd)
{
	const int executable = PROT_READ | PROT_EXEC, fixed = MAP_SHARED | MAP_FIXED;
	int64_t r = rarog_remote_map(
		remote, address, area->size, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (is_error(r))
		return r;
	r = rarog_remote_map(remote, address, area->code_size, executable, fixed, their_fd, 0);
	if (!is_error(r) && area->steps_size > 0)
		r = rarog_remote_map(remote, address + area->code_size + RAROG_AREA_ASIDE,
				     area->steps_size, executable, fixed, their_fd,
				     area->code_size);
	if (is_error(r))
		unmap_theirs(area, remote, address);
	return r;
}

/* Return: 0; -EEXIST: another thread of the process was quicker to map something there. */
static int map_both(struct rarog_area_draft *area, struct rarog_remote *remote, uint64_t address)
{
	size_t size = area->code_size + area->steps_size;
	int their_fd, fd = rarog_remote_memfd(remote, size, &their_fd);
	int64_t theirs;

	if (fd < 0)
		return fd;
	area->memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	theirs = map_theirs(area, remote, address, their_fd);
	rarog_remote_close_fd(remote, their_fd);
	if (area->memory == MAP_FAILED) {
		area->memory = NULL;
		if (!is_error(theirs))
			unmap_theirs(area, remote, address);
		return rarog_oom();
	}
	if (theirs == -EEXIST)
		return -EEXIST;
	if (is_error(theirs))
		return rarog_fail(-ENOMEM, "process %d: cannot map code near its program",
				  (int)remote->pid);
	memset(area->memory + area->code_size, RAROG_TRAP, area->steps_size);
	return 0;
}

int rarog_area_draft_map(struct rarog_area_draft *area, struct rarog_remote *remote,
			 struct rarog_module *m, uint64_t *ret_address)
{
	size_t span;
	uint64_t low, high;
	int r = m->marks.v.n > 0 ? rarog_module_blocks(m, &area->blocks) : 0;

	if (r < 0)
		return r;
	jumps_range(m, &low, &high);
	span = rarog_island_places_span(m->probes.n + m->hooks.n + area->blocks.n, high - low);
	area->code_size = rarog_emit_size(rarog_module_size(m) + m->n_told) + rarog_values_size(m) +
			  (m->has_gates ? rarog_emit_gates_size(rarog_module_n_locations(m)) : 0);
	*ret_address = choose_address(remote->pid, m, area->bias,
				      area->code_size + RAROG_AREA_ASIDE, span);
	if (*ret_address == 0)
		return rarog_fail(-ENOMEM,
				  "process %d: no room for code within 2 GiB of its program, which "
				  "has much data; --engine=ebpf, or vex, needs none",
				  (int)remote->pid);
	r = choose_steps(area, remote->pid, m, *ret_address, span);
	return r < 0 ? r : map_both(area, remote, *ret_address);
}
