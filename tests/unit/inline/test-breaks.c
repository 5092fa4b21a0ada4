/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jumps in memory of our own, with foreign breakpoints set and removed; no tracer is on
 * us. */

#include "unit.h"
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "engine/inline/code/island-place.h"
#include "engine/inline/code/jumps.h"
#include "engine/inline/code/known-areas.h"
#include "engine/inline/coexist/breaks.h"

static const uint8_t as_file[RAROG_PATCH_SIZE] = { 0x55, 0x53, 0x48, 0x89, 0xe5 };
static const uint8_t as_nop[RAROG_PATCH_SIZE] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
static const uint8_t as_ours[RAROG_PATCH_SIZE] = { 0xe9, 0x06, 0x02, 0x03, 0xcf };

struct lab {
	struct rarog_area area;
	uint8_t code[RAROG_PATCH_SIZE];
	uint16_t counter;
	uint64_t addresses[1];
	struct rarog_module module;
	struct rarog_patch patch;
	struct rarog_installed installed;
	struct rarog_image image;
};

static void begin(struct lab *lab, const uint8_t original[RAROG_PATCH_SIZE])
{
	*lab = (struct lab){
		.area = { .serial = 1 },
		.addresses = { (uintptr_t)&lab->counter },
		.patch = { .address = (uintptr_t)lab->code,
			   .n = RAROG_PATCH_SIZE,
			   .length = RAROG_PATCH_SIZE,
			   .starts = 7,
			   .is_marks = true,
			   .n_semaphores = 1 },
		.installed = { .module = &lab->module,
			       .address = (uintptr_t)&lab->area,
			       .serial = 1,
			       .n_patches = 1,
			       .patches = &lab->patch,
			       .semaphores = lab->addresses },
	};
	memcpy(lab->patch.original, original, RAROG_PATCH_SIZE);
	memcpy(lab->patch.bytes, as_ours, RAROG_PATCH_SIZE);
	assert_int_equal(rarog_known_add(&lab->image, &lab->installed), 0);
}

static void end(struct lab *lab)
{
	rarog_vec_release(&lab->image.installed);
}

/* Our file begins with what the jump replaces; @first is what another tool wrote there. */
static void put(struct lab *lab, uint8_t first, const uint8_t rest[RAROG_PATCH_SIZE])
{
	memcpy(lab->code, rest, RAROG_PATCH_SIZE);
	*(volatile uint8_t *)lab->code = first;
}

/* --- counters of a probe's observers --- */

/* A library that is just being loaded, with a breakpoint and its owner's counter. */
TEST(a_counter_that_was_not_raised_is_not_lowered)
{
	struct lab lab;

	begin(&lab, as_file);
	put(&lab, RAROG_INT3, as_file);
	lab.counter = 1;
	rarog_breaks_look(&lab.image, getpid());
	assert_int_equal(*(volatile uint16_t *)&lab.counter, 1);
	end(&lab);
}

/* The kernel makes a call of a breakpoint at a nop, where ours was. */
TEST(a_counter_is_lowered_for_a_jump_that_became_a_call)
{
	struct lab lab;

	begin(&lab, as_nop);
	put(&lab, 0xe8, as_nop);
	lab.counter = 2;
	rarog_breaks_look(&lab.image, getpid());
	assert_int_equal(*(volatile uint16_t *)&lab.counter, 1);
	end(&lab);
}

/* --- a breakpoint that goes while we take out its jump --- */

#define READS_MOST 20 /* of memory, until the jump is out */

static struct lab *removed_from; /* … */
static int reads_left;           /* … after so many reads, as the kernel does it */

ssize_t __real_pread64(int fd, void *bytes, size_t n, off_t at);
ssize_t __wrap_pread64(int fd, void *bytes, size_t n, off_t at);

static void remove_breakpoint(void)
{
	*(volatile uint8_t *)removed_from->code = as_file[0];
	removed_from = NULL;
}

ssize_t __wrap_pread64(int fd, void *bytes, size_t n, off_t at)
{
	ssize_t done = __real_pread64(fd, bytes, n, at);

	if (removed_from && --reads_left == 0)
		remove_breakpoint();
	return done;
}

/* Ours must not bring back a breakpoint that was removed. */
TEST(a_breakpoint_that_is_removed_meanwhile_does_not_come_back)
{
	struct rarog_remote remote = { .memory = -1 };
	struct lab lab;

	assert_int_equal(rarog_remote_open_memory(getpid(), &remote), 0);
	for (int reads = 1; reads <= READS_MOST; reads++) {
		begin(&lab, as_file);
		put(&lab, RAROG_INT3, as_ours);
		removed_from = &lab;
		reads_left = reads;
		assert_int_equal(rarog_jumps_restore(&remote, &lab.installed, false), 0);
		if (removed_from)
			remove_breakpoint();
		assert_memory_equal(lab.code, as_file, sizeof(as_file));
		end(&lab);
	}
	rarog_remote_close(&remote);
}
