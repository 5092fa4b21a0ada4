/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A function of one instruction is called in batches, plain and through a stub, and the batches'
 * medians are compared. The agent finds everything it expects, only smaller: one strand, one chunk
 * that is rewound after every batch.
 */
#include "collect/trace/inline/calibrate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <x86intrin.h>

#include "agent/abi.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "collect/trace/inline/emit.h"

#define BATCHES 65
#define CALLS   1000

/* Offsets in the workshop. */
#define AT_CONTROL (3 * RAROG_STRAND_ARRAY)
#define AT_CHUNK   (AT_CONTROL + ((sizeof(struct rarog_control) + 4095) & ~4095ul))
#define AT_SHADOW  (AT_CHUNK + RAROG_CHUNK_SIZE)
#define WORKSHOP   (AT_SHADOW + RAROG_SHADOW_SIZE_MAIN)

static const uint8_t leaf[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00, 0xc3 }; /* nopl 0(%rax,%rax); ret */

struct workshop {
	uint8_t *memory;
	uint8_t *code;
	size_t code_size;
	void (*plain)(void);
	void (*traced)(void);
};

static void close_workshop(struct workshop *w)
{
	if (w->code)
		munmap(w->code, w->code_size);
	if (w->memory)
		munmap(w->memory, WORKSHOP);
}

static void *map(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static struct rarog_strand_shared *strand(const struct workshop *w)
{
	return (void *)(w->memory + RAROG_SHARED + RAROG_STRAND_STRIDE);
}

static int make_code(struct workshop *w)
{
	uint64_t base = (uint64_t)w->memory;
	const struct rarog_area header = {
		.control = base + AT_CONTROL,
		.strands = base,
		.chunks = base + AT_CHUNK,
		.shadow = base + AT_SHADOW,
	};
	uint8_t *functions = w->code + w->code_size - 4096;
	struct rarog_emitter emitter;
	uint8_t patch[5];
	int r;

	memcpy(functions, leaf, sizeof(leaf));
	memcpy(functions + 64, leaf, sizeof(leaf));
	rarog_emit_start(&emitter, w->code, (uint64_t)w->code, w->code_size - 4096, &header);
	r = rarog_emit_stub(&emitter, RAROG_STUB_CALL, 0, (uint64_t)functions + 64, 5, leaf, patch);
	if (r < 0)
		return r;
	memcpy(functions + 64, patch, sizeof(patch));
	rarog_emit_finish(&emitter);
	w->plain = (void (*)(void))(uintptr_t)functions;
	w->traced = (void (*)(void))(uintptr_t)(functions + 64);
	return mprotect(w->code, w->code_size, PROT_READ | PROT_EXEC) < 0 ? -errno : 0;
}

static int open_workshop(struct workshop *w)
{
	struct rarog_control *control;

	w->code_size = rarog_emit_size(1) + 4096;
	w->memory = map(WORKSHOP);
	w->code = map(w->code_size);
	if (!w->memory || !w->code)
		return rarog_oom();
	control = (void *)(w->memory + AT_CONTROL);
	control->strands_free[0] = 2;
	control->chunks_free[0] = 1;
	return make_code(w);
}

static uint64_t time_calls(void (*function)(void))
{
	uint64_t start = __rdtsc();

	for (int i = 0; i < CALLS; i++)
		function();
	return __rdtsc() - start;
}

static uint64_t time_rdtsc(void)
{
	uint64_t start = __rdtsc();

	for (int i = 0; i < CALLS; i++)
		__asm__ volatile("rdtsc" : : : "rax", "rdx");
	return __rdtsc() - start;
}

/* Sum of the durations in the chunk, and make it empty again. */
static uint64_t take_durations(const struct workshop *w)
{
	const uint16_t *words = (const void *)(w->memory + AT_CHUNK);
	uint64_t sum = 0;

	for (const uint16_t *at = words; (uint64_t)(at + 3) <= strand(w)->cursor; at += 3)
		sum += at[2];
	strand(w)->cursor = (uint64_t)words;
	return sum;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static double median_per_call(uint64_t batches[BATCHES])
{
	qsort(batches, BATCHES, sizeof(*batches), compare);
	return (double)batches[BATCHES / 2] / CALLS;
}

static void measure(const struct workshop *w, struct rarog_probe_cost *cost)
{
	uint64_t plain[BATCHES], traced[BATCHES], durations[BATCHES], rdtsc[BATCHES];
	double base;

	_writegsbase_u64((uint64_t)w->memory);
	w->traced(); /* claims the strand; START takes six words */
	take_durations(w);
	for (int i = 0; i < BATCHES; i++) {
		plain[i] = time_calls(w->plain);
		traced[i] = time_calls(w->traced);
		durations[i] = take_durations(w);
		rdtsc[i] = time_rdtsc();
	}
	_writegsbase_u64(0);
	base = median_per_call(plain);
	cost->rdtsc = median_per_call(rdtsc);
	cost->call = median_per_call(traced) - base;
	cost->self = median_per_call(durations) - base;
	if (cost->self < 0)
		cost->self = 0;
}

int rarog_probe_cost_measure(struct rarog_probe_cost *ret_cost)
{
	rarog_cleanup(close_workshop) struct workshop w = { 0 };
	int r;

	*ret_cost = (struct rarog_probe_cost){ 0 };
	if (!(getauxval(AT_HWCAP2) & 2))
		return rarog_fail(-ENOTSUP, "the inline engine needs FSGSBASE (Linux 5.9 on a CPU "
					    "from 2012 or later)");
	r = open_workshop(&w);
	if (r < 0)
		return r;
	measure(&w, ret_cost);
	return 0;
}
