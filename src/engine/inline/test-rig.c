/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inline/test-rig.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "binary/patch-site.h"
#include "engine/inline/code/fsgsbase.h"
#include "process/maps.h"

/* Offsets in the memory; the shadow stacks come last. */
#define AT_CONTROL (3ul * RAROG_STRAND_ARRAY)
#define AT_CHUNKS  (AT_CONTROL + ((sizeof(struct rarog_control) + 4095) & ~4095ul))
#define STRIDE     (RAROG_TEST_RIG_COUNTERS * sizeof(uint64_t))
#define SHADOWS    (RAROG_SHADOW_SIZE_MAIN + (size_t)RAROG_TEST_RIG_STRANDS * RAROG_SHADOW_SIZE)

struct rarog_strand_shared *rarog_test_rig_strand(const struct rarog_test_rig *w, uint32_t index)
{
	return (void *)(w->memory + RAROG_SHARED + (size_t)index * RAROG_STRAND_STRIDE);
}

struct rarog_strand_private *rarog_test_rig_private(const struct rarog_test_rig *w, uint32_t index)
{
	return (void *)(w->memory + RAROG_PRIVATE + (size_t)index * RAROG_STRAND_STRIDE);
}

void rarog_test_rig_close(struct rarog_test_rig *w)
{
	if (w->code)
		munmap(w->code, w->code_size);
	if (w->memory)
		munmap(w->memory, w->memory_size);
	*w = (struct rarog_test_rig){ 0 };
}

#define STEP 16 /* bytes from one to the next */

static void *map(void *at, size_t size)
{
	int fixed = at ? MAP_FIXED_NOREPLACE : 0;
	void *memory = mmap(at, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static int map_memory(struct rarog_test_rig *w, uint32_t chunks)
{
	size_t at_counters = AT_CHUNKS + (size_t)chunks * RAROG_CHUNK_SIZE;

	w->memory_size =
		at_counters + RAROG_TEST_RIG_STRANDS * STRIDE + RAROG_SAVED_RETURNS_SIZE + SHADOWS;
	w->memory = map(NULL, w->memory_size);
	if (!w->memory)
		return rarog_oom();
	w->control = (void *)(w->memory + AT_CONTROL);
	w->chunks = w->memory + AT_CHUNKS;
	w->counters = (void *)(w->memory + at_counters);
	w->control->noise_until = UINT64_MAX; /* it ends with us */
	w->control->strands_free[0] = (1u << RAROG_TEST_RIG_STRANDS) - 2;
	for (uint32_t i = 0; i < chunks; i++)
		w->control->chunks_free[i / 64] |= 1ull << i % 64;
	return 0;
}

static size_t steps_size(size_t stubs)
{
	return ((stubs + 1) * STEP + 4095) & ~(size_t)4095;
}

static int map_code(struct rarog_test_rig *w, size_t stubs, const void *near)
{
	uint64_t at = 0, low = (uint64_t)near;

	w->code_size = rarog_emit_size(stubs) + rarog_emit_gates_size(stubs) + steps_size(stubs) +
		       RAROG_TEST_RIG_FUNCTIONS;
	if (near)
		at = rarog_maps_gap_near(getpid(), low, low + 4096, w->code_size);
	if (near && at == 0)
		return rarog_fail(-ENOMEM, "no free address space near rarog's code");
	w->code = map((void *)(uintptr_t)at, w->code_size);
	w->functions = w->code + w->code_size - RAROG_TEST_RIG_FUNCTIONS;
	w->steps = w->functions - steps_size(stubs);
	return w->code ? 0 : rarog_oom();
}

static void make_gates(struct rarog_test_rig *w, const struct rarog_test_rig_options *options)
{
	rarog_emit_gates(&w->emitter, (uint32_t)options->stubs);
	w->gates = (uint32_t *)(void *)(w->code + w->emitter.gates);
	w->emitter.is_gated = true;
	w->emitter.word = options->word;
	w->emitter.has_chance = options->has_chance;
	w->emitter.delays = !options->has_chance;
}

int rarog_test_rig_open(const struct rarog_test_rig_options *options,
			struct rarog_test_rig *ret_test_rig)
{
	rarog_cleanup(rarog_test_rig_close) struct rarog_test_rig w = { 0 };
	struct rarog_area header = { .counters_stride = STRIDE,
				     .flags = options->flags |
					      (rarog_fsgsbase() ? 0 : RAROG_AREA_CALLS_FOR_GS) };
	int r;

	if (rarog_gs_base() != 0)
		return rarog_fail(-EBUSY,
				  "%%gs is in use in rarog itself: something that rarog runs "
				  "under (another tracer?) has set it");
	r = rarog_gs_set_base(0); /* may it be set at all? */
	if (r == 0)
		r = map_memory(&w, options->chunks);
	if (r == 0)
		r = map_code(&w, options->stubs, options->near);
	if (r < 0)
		return r;
	header.strands = (uint64_t)w.memory;
	header.control = (uint64_t)w.control;
	header.chunks = (uint64_t)w.chunks;
	header.chunks_open = header.chunks_max = options->chunks;
	header.counters = (uint64_t)w.counters;
	header.saved_returns = header.counters + RAROG_TEST_RIG_STRANDS * STRIDE;
	header.shadow = header.saved_returns + RAROG_SAVED_RETURNS_SIZE;
	rarog_emit_start(&w.emitter, w.code, (uint64_t)w.code, (size_t)(w.steps - w.code), &header);
	if (options->has_gates)
		make_gates(&w, options);
	*ret_test_rig = w;
	w = (struct rarog_test_rig){ 0 };
	return 0;
}

static int put_jump(uint8_t *from, uint64_t to)
{
	const int64_t distance = (int64_t)(to - (uint64_t)(from + RAROG_PATCH_SIZE));
	const int32_t near = (int32_t)distance;

	if (near != distance)
		return -ERANGE;
	from[0] = 0xe9;
	memcpy(from + 1, &near, sizeof(near));
	return 0;
}

int rarog_test_rig_probe(struct rarog_test_rig *w, enum rarog_stub_kind kind, uint32_t id,
			 uint8_t *function)
{
	int r;

	w->emitter.gate = id;
	r = rarog_emit_stub(&w->emitter, kind, id, (uint64_t)function, RAROG_PATCH_SIZE, function,
			    (uint64_t)w->steps, w->steps);

	if (r == 0)
		r = put_jump(function, (uint64_t)w->steps);
	w->steps += r == 0 ? STEP : 0;
	return r;
}

int rarog_test_rig_mark(struct rarog_test_rig *w, const struct rarog_mark_stub *mark, uint8_t *code)
{
	uint64_t stub = 0;
	int r = rarog_emit_mark(&w->emitter, mark, (uint64_t)code, RAROG_PATCH_SIZE, code, 0,
				&stub);

	if (r == 0)
		r = put_jump(w->steps, stub);
	if (r == 0)
		r = put_jump(code, (uint64_t)w->steps);
	w->steps += r == 0 ? STEP : 0;
	return r;
}

int rarog_test_rig_set_up(struct rarog_test_rig *w)
{
	size_t words = rarog_emit_gates_size(w->emitter.n_gates) - 4096;

	if (mprotect(w->code, w->code_size, PROT_READ | PROT_EXEC) < 0)
		return rarog_fail_errno("cannot make code executable");
	/* in a program rarog has another mapping of them */
	if (w->gates && mprotect(w->gates, words, PROT_READ | PROT_WRITE) < 0)
		return rarog_fail_errno("cannot make gates writable");
	return 0;
}

int rarog_test_rig_enter(const struct rarog_test_rig *w)
{
	return rarog_gs_set_base((uint64_t)w->memory);
}

void rarog_test_rig_leave(void)
{
	rarog_gs_set_base(0);
}
