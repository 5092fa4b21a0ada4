/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stacks from a copy of their bytes and registers, against another unwinder that sees the real one:
 * libgcc's, which backtrace(3) asks, too.
 */

#include "unit.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "engine/sample/unwind.h"

#define MOST 4096

struct copy {
	uint64_t registers[RAROG_SAMPLE_REGISTERS];
	size_t size;
	uint8_t *bytes;
	int n_expected;
	uint64_t expected[MOST];
};

/* As the kernel has them. */
static void copy_registers(const ucontext_t *context, uint64_t registers[RAROG_SAMPLE_REGISTERS])
{
	static const int order[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
				     REG_RBP, REG_RSP, REG_RIP, REG_R8,  REG_R9,  REG_R10,
				     REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

	for (size_t i = 0; i < RAROG_SAMPLE_REGISTERS; i++)
		registers[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
}

/* Where the stack of this thread, the first, ends. */
__attribute__((noinline)) static uint64_t end_of_stack(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	uint64_t start, end = 0;
	char line[4096];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (strstr(line, "[stack]"))
			assert_int_equal(sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end), 2);
	fclose(f);
	return end;
}

/* As another process would: to sanitizers most of a stack is out of bounds. */
static void copy_stack(struct copy *copy)
{
	const struct iovec to = { copy->bytes, copy->size };
	const struct iovec from = { (void *)copy->registers[7], copy->size };

	assert_int_equal(process_vm_readv(getpid(), &to, 1, &from, 1, 0), copy->size);
}

/* backtrace() does no more, but sanitizers have one of their own. */
static _Unwind_Reason_Code add_frame(struct _Unwind_Context *frame, void *of)
{
	struct copy *copy = of;

	if (copy->n_expected == MOST)
		return _URC_END_OF_STACK;
	copy->expected[copy->n_expected++] = _Unwind_GetIP(frame);
	return _URC_NO_REASON;
}

__attribute__((noinline)) static int take_copy(struct copy *copy, size_t size)
{
	ucontext_t context;

	assert_int_equal(getcontext(&context), 0);
	copy_registers(&context, copy->registers);
	copy->size = end_of_stack() - copy->registers[7];
	if (copy->size > size)
		copy->size = size;
	copy->bytes = malloc(copy->size);
	assert_non_null(copy->bytes);
	copy_stack(copy);
	copy->n_expected = 0;
	_Unwind_Backtrace(add_frame, copy);
	return copy->n_expected;
}

/* Frames of changing sizes. */
__attribute__((noinline)) static int descend(struct copy *copy, int depth, size_t size)
{
	volatile char room[64];
	int n;

	room[depth % 64] = (char)depth;
	if (depth == 0)
		n = take_copy(copy, size);
	else if (depth % 3 == 0)
		n = descend(copy, depth - 1, size) + 0 * room[0];
	else
		n = descend(copy, depth - 1, size);
	return n + (room[depth % 64] != (char)depth);
}

static void read_own_spaces(struct rarog_spaces *spaces)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[4096], permissions[8], path[4096];
	uint64_t start, end, offset;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		*path = '\0';
		assert_true(sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4095s",
				   &start, &end, permissions, &offset, path) >= 4);
		if (strchr(permissions, 'x'))
			assert_true(rarog_spaces_map(spaces, 1, start, end - start, offset,
						     *path ? path : "//anon",
						     (struct rarog_file_id){ 0 }) >= 0);
	}
	fclose(f);
}

struct bench {
	struct rarog_spaces spaces;
	struct rarog_images images;
	struct rarog_unwinder *unwinder;
};

static void setup(struct bench *b)
{
	*b = (struct bench){ 0 };
	read_own_spaces(&b->spaces);
	rarog_images_init(&b->images, &b->spaces);
	assert_int_equal(rarog_unwinder_new(&b->spaces, &b->images, &b->unwinder), 0);
}

static void teardown(struct bench *b)
{
	rarog_unwinder_free(b->unwinder);
	rarog_images_release(&b->images);
	rarog_spaces_release(&b->spaces);
}

static size_t unwind(struct bench *b, const struct copy *copy, uint64_t addresses[MOST],
		     int *is_cut)
{
	const struct rarog_sample_stack stack = { copy->registers, copy->size, copy->bytes };

	return rarog_unwind(b->unwinder, rarog_spaces_find(&b->spaces, 1), &stack, MOST, addresses,
			    is_cut);
}

/* The innermost frame is at another instruction in each; the others are return addresses, ours in
 * the call before. It has one more at the bottom than the unwind tables say, or not. */
static void compare(const struct copy *copy, size_t n, const uint64_t addresses[])
{
	assert_true(n + 1 >= (size_t)copy->n_expected && n <= (size_t)copy->n_expected);
	for (size_t i = 1; i < n; i++)
		assert_int_equal(addresses[i] + 1, copy->expected[i]);
}

TEST(stacks_are_those_that_another_unwinder_sees)
{
	static const int depths[] = { 0, 1, 2, 7, 50, 300 };
	static uint64_t addresses[MOST];
	static struct copy copy;
	struct bench b;
	int is_cut;

	setup(&b);
	for (size_t i = 0; i < sizeof(depths) / sizeof(*depths); i++) {
		char *stack_end = __builtin_frame_address(0);

		/* to the outermost frame, as far as the kernel would copy it */
		descend(&copy, depths[i], (size_t)depths[i] * 512 + 16384);
		assert_true(stack_end > (char *)copy.registers[7]);
		compare(&copy, unwind(&b, &copy, addresses, &is_cut), addresses);
		assert_false(is_cut);
		free(copy.bytes);
	}
	teardown(&b);
}

TEST(a_part_of_a_stack_gives_its_frames)
{
	static uint64_t addresses[MOST];
	static struct copy copy;
	struct bench b;
	size_t n, before = 0;
	int is_cut;

	setup(&b);
	descend(&copy, 200, 65536);
	for (copy.size = 2048; copy.size <= 8192; copy.size *= 2) {
		n = unwind(&b, &copy, addresses, &is_cut);
		assert_true(is_cut);
		assert_true(n > before && n < (size_t)copy.n_expected);
		for (size_t i = 1; i < n; i++)
			assert_int_equal(addresses[i] + 1, copy.expected[i]);
		before = n;
	}
	copy.size = 0;
	assert_int_equal(unwind(&b, &copy, addresses, &is_cut), 1);
	assert_int_equal(addresses[0], copy.registers[RAROG_SAMPLE_IP]);
	free(copy.bytes);
	teardown(&b);
}

TEST(nonsense_in_registers_and_stacks_is_survived)
{
	static uint64_t addresses[MOST];
	static struct copy copy;
	struct bench b;
	int is_cut;

	setup(&b);
	srand(5);
	descend(&copy, 20, 16384);
	for (int i = 0; i < 2000; i++) {
		uint64_t kept = copy.registers[i % RAROG_SAMPLE_REGISTERS];
		size_t at = (size_t)rand() % (copy.size - 8);

		if (i % 2)
			copy.registers[i % RAROG_SAMPLE_REGISTERS] =
				(uint64_t)rand() << 33 ^ (uint64_t)rand();
		else
			memset(copy.bytes + at, rand(), 8);
		assert_true(unwind(&b, &copy, addresses, &is_cut) >= 1);
		copy.registers[i % RAROG_SAMPLE_REGISTERS] = kept;
	}
	free(copy.bytes);
	teardown(&b);
}
