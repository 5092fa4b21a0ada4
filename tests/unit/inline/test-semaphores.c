/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of a probe's observers, in memory of our own. */

#include "unit.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "engine/inline/code/semaphores.h"

static const uint8_t as_file[RAROG_PATCH_SIZE] = { 0x90, 0x55, 0x48, 0x89, 0xe5 };
static const uint8_t as_ours[RAROG_PATCH_SIZE] = { 0xe9, 0x01, 0x02, 0x03, 0x04 };

struct lab {
	struct rarog_remote remote;
	uint8_t code[RAROG_PATCH_SIZE];
	uint16_t counter;
	uint64_t addresses[1];
	struct rarog_patch patch;
	struct rarog_installed installed;
};

static void begin(struct lab *lab, uint16_t counter)
{
	*lab = (struct lab){
		.remote = { .memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC) },
		.counter = counter,
		.addresses = { (uintptr_t)&lab->counter },
		.patch = { .address = (uintptr_t)lab->code,
			   .n = RAROG_PATCH_SIZE,
			   .starts = 1,
			   .n_semaphores = 1 },
		.installed = { .n_patches = 1,
			       .patches = &lab->patch,
			       .semaphores = lab->addresses },
	};
	assert_true(lab->remote.memory >= 0);
	memcpy(lab->code, as_file, sizeof(lab->code));
	memcpy(lab->patch.original, as_file, sizeof(as_file));
	memcpy(lab->patch.bytes, as_ours, sizeof(as_ours));
}

static uint16_t counter_of(const struct lab *lab)
{
	return *(const volatile uint16_t *)&lab->counter;
}

static void change_to(struct lab *lab, const uint8_t code[RAROG_PATCH_SIZE])
{
	struct rarog_semaphores semaphores;

	assert_int_equal(rarog_semaphores_look(&lab->remote, &lab->installed, &semaphores), 0);
	memcpy(lab->code, code, sizeof(lab->code));
	assert_int_equal(rarog_semaphores_settle(&lab->remote, &semaphores), 0);
	rarog_semaphores_release(&semaphores);
}

TEST(a_counter_goes_with_its_patch)
{
	struct lab lab;

	begin(&lab, 7);
	change_to(&lab, as_ours);
	assert_int_equal(counter_of(&lab), 8);
	change_to(&lab, as_ours);
	assert_int_equal(counter_of(&lab), 8);
	change_to(&lab, as_file);
	assert_int_equal(counter_of(&lab), 7);
	close(lab.remote.memory);
}

TEST(a_counter_is_not_lowered_below_0)
{
	struct lab lab;

	begin(&lab, 1);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(rarog_semaphores_lower(&lab.remote, &lab.installed, &lab.patch),
				 0);
		assert_int_equal(counter_of(&lab), 0);
	}
	change_to(&lab, as_ours);
	assert_int_equal(counter_of(&lab), 1);
	close(lab.remote.memory);
}
