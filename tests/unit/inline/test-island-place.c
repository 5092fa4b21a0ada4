/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Jumps whose bytes another tool changes. Oracle: the processor. Each mixture of bytes is run,
 * int3 is done for as the kernel does it, a trap as rarog does it, and the function's result must
 * be what it is without all that.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "engine/inline/code/island-place.h"

#define PAGE 4096u

static uint8_t *map(void *at, size_t size)
{
	int fixed = at ? MAP_FIXED_NOREPLACE : 0;
	void *p = mmap(at, size, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* --- bytes that are no instructions --- */

static sigjmp_buf after;
static volatile uintptr_t fault_at;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)context;
	fault_at = (uintptr_t)info->si_addr;
	siglongjmp(after, signal);
}

static void handle(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(SIGILL, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGTRAP, &action, NULL);
}

static int signal_of(uint8_t *code)
{
	int signal = sigsetjmp(after, 1);

	if (signal == 0)
		((void (*)(void))(uintptr_t)code)();
	return signal;
}

TEST(every_trap_is_refused_with_and_without_prefixes)
{
	static const uint8_t prefixes[][2] = { { 0 },    { 0x48 }, { 0x41 },       { 0x4f },
					       { 0x66 }, { 0xf2 }, { 0xf3 },       { 0x2e },
					       { 0xf0 }, { 0x67 }, { 0x66, 0x48 }, { 0xf3, 0x41 } };
	uint8_t *code = map(NULL, PAGE);
	int n = 0;

	handle(on_fault);
	for (int byte = 0; byte < 256; byte++)
		for (size_t i = 0; rarog_is_trap((uint8_t)byte) && i < sizeof(prefixes) / 2; i++) {
			size_t at = strnlen((const char *)prefixes[i], 2);

			memset(code, 0xc3, PAGE);
			memcpy(code, prefixes[i], at);
			code[at] = (uint8_t)byte;
			if (signal_of(code) != SIGILL || fault_at != (uintptr_t)code)
				fail_msg("%02x behind %02x is no trap", byte, prefixes[i][0]);
			n++;
		}
	assert_true(n > 12 * 12);
	assert_true(rarog_is_trap(RAROG_TRAP));
	munmap(code, PAGE);
}

/* --- every mixture --- */

/* Functions that return their argument and 7, by their bytes. */
static const struct {
	uint8_t n, starts;
	uint8_t code[24];
} functions[] = {
	{ 9, 0x13, { 0x55, 0x48, 0x89, 0xe5, 0x8d, 0x47, 0x07, 0x5d, 0xc3 } },
	{ 12, 0x15, { 0x41, 0x57, 0x41, 0x56, 0x8d, 0x47, 0x07, 0x41, 0x5e, 0x41, 0x5f, 0xc3 } },
	{ 12, 0x11, { 0x48, 0x83, 0xec, 0x08, 0x8d, 0x47, 0x07, 0x48, 0x83, 0xc4, 0x08, 0xc3 } },
	{ 8, 0x11, { 0xf3, 0x0f, 0x1e, 0xfa, 0x8d, 0x47, 0x07, 0xc3 } },
	{ 12, 0x1f, { 0x53, 0x50, 0x51, 0x52, 0x8d, 0x47, 0x07, 0x5a, 0x59, 0x5e, 0x5b, 0xc3 } },
	{ 8, 0x15, { 0x31, 0xc0, 0x89, 0xfa, 0x8d, 0x42, 0x07, 0xc3 } },
	{ 6, 0x05, { 0x89, 0xf8, 0x83, 0xc0, 0x07, 0xc3 } },
	{ 8, 0x11, { 0x40, 0x0f, 0xb6, 0xc7, 0x83, 0xc0, 0x07, 0xc3 } },
	{ 8, 0x19, { 0x0f, 0x1f, 0x00, 0x90, 0x8d, 0x47, 0x07, 0xc3 } },
	{ 9, 0x1f, { 0x90, 0x90, 0x90, 0x90, 0x90, 0x8d, 0x47, 0x07, 0xc3 } },
	{ 8, 0x15, { 0x66, 0x90, 0x66, 0x90, 0x8d, 0x47, 0x07, 0xc3 } },
	{ 6, 0x05, { 0x85, 0xff, 0x8d, 0x47, 0x07, 0xc3 } },
	{ 12, 0x1d, { 0x41, 0x54, 0x55, 0x53, 0x8d, 0x47, 0x07, 0x5b, 0x5d, 0x41, 0x5c, 0xc3 } },
	{ 8, 0x11, { 0x48, 0x8d, 0x47, 0x07, 0x90, 0x90, 0x90, 0xc3 } },
};

#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/* What the handler needs to know of the function that runs. */
static struct {
	struct rarog_jump_window window;
	uint8_t *code, *elsewhere, *stub;
	size_t n;
	uint64_t place;
	int traps, others;
} now;

static void jump(uint8_t *from, const uint8_t *to)
{
	int32_t distance = (int32_t)(to - from - 5);

	from[0] = 0xe9;
	memcpy(from + 1, &distance, sizeof(distance));
}

/* As the kernel: the file's instruction, elsewhere, and on after it. */
static uint8_t *step_over(int at)
{
	static const uint8_t jump_far[] = { 0xff, 0x25, 0, 0, 0, 0 };
	int end = at + 1;
	uint8_t *next;

	while (end < 5 && !(now.window.starts >> end & 1))
		end++;
	if (end == 5) /* to where it ends after the window: the whole function ran elsewhere */
		return now.stub + at;
	next = now.code + end;
	memcpy(now.elsewhere, now.window.original + at, (size_t)(end - at));
	memcpy(now.elsewhere + end - at, jump_far, sizeof(jump_far));
	memcpy(now.elsewhere + end - at + sizeof(jump_far), &next, sizeof(next));
	return now.elsewhere;
}

static void take_out(void)
{
	memcpy(now.code, now.window.original, 5);
	now.traps++;
}

static bool leads(const struct rarog_jump_window *window, uint64_t place, uint64_t address)
{
	const struct rarog_island_range there = { address, address + 1 };

	return rarog_jump_window_meets(window, place, 1, &there);
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *rip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	uint64_t at = (uint64_t)*rip - (signal == SIGTRAP);
	uint64_t inside = at - now.window.address;

	(void)info;
	if (signal == SIGTRAP && inside < 5) {
		*rip = (greg_t)(uintptr_t)step_over((int)inside);
	} else if (inside < 5 && signal == SIGILL && now.window.starts >> inside & 1) {
		take_out();
	} else if (leads(&now.window, now.place, at)) {
		take_out();
		*rip = (greg_t)now.window.address;
	} else {
		now.others++;
		siglongjmp(after, signal);
	}
}

enum { OURS, SET, GONE };

/* Nothing is if control comes to an instruction of which the file's first byte is there again, and
 * ours after it, unless it is all of the instruction or a prefix at the entry. */
static bool is_promised(const uint8_t has[5])
{
	int at = 0, next;

	while (at < 5 && has[at] != OURS) {
		uint8_t byte = now.window.original[at];

		for (next = at + 1; next < 5 && !(now.window.starts >> next & 1); next++)
			;
		if (has[at] == GONE && next > at + 1)
			return at == 0 && ((byte & 0xf0) == 0x40 || byte == 0x66 || byte == 0xf3);
		at = next;
	}
	return true;
}

static void run_mixture(size_t function, const uint8_t ours[5], unsigned mixture)
{
	const struct rarog_jump_window *w = &now.window;
	unsigned rest = mixture;
	uint8_t has[5];
	volatile int result = 0;

	memcpy(now.code, functions[function].code, functions[function].n);
	for (int i = 0; i < 5; i++) {
		const uint8_t bytes[] = { ours[i], RAROG_INT3, w->original[i] };
		bool starts = w->starts >> i & 1;

		now.code[i] = bytes[starts ? rest % 3 : 0];
		has[i] = (uint8_t)(starts ? rest % 3 : OURS);
		rest /= starts ? 3 : 1;
	}
	if (!is_promised(has))
		return;
	now.traps = now.others = 0;
	if (sigsetjmp(after, 1) == 0)
		result = ((int (*)(int))(uintptr_t)now.code)(35);
	if (result != 42 || now.others || now.traps > 1)
		fail_msg("function %zu, mixture %u (%02x %02x %02x %02x %02x): %d, %d traps",
			 function, mixture, now.code[0], now.code[1], now.code[2], now.code[3],
			 now.code[4], result, now.traps);
}

/* The whole code range is one page; steps lie where the first free distance has them. */
static uint8_t *open_places(struct rarog_island_places *places, const uint8_t *code)
{
	uint64_t at = (uint64_t)code, base;
	size_t span = rarog_island_places_span(FUNCTIONS, PAGE);
	uint8_t *memory = NULL;

	for (unsigned i = 0; !memory && rarog_island_places_base(at, at + PAGE, span, i, &base);
	     i++)
		memory = map((void *)base, span);
	assert_non_null(memory);
	memset(memory, RAROG_TRAP, span);
	assert_int_equal(rarog_island_places_init(places, base, span), 0);
	return memory;
}

static void run_function(size_t function, struct rarog_island_places *places, uint8_t *at)
{
	unsigned mixtures = 1;
	uint8_t ours[5];

	now.code = at;
	now.n = functions[function].n;
	now.window = (struct rarog_jump_window){ .address = (uint64_t)at };
	memcpy(now.window.original, functions[function].code, 5);
	now.window.starts = rarog_jump_window_starts(now.n, functions[function].code, (uint64_t)at);
	assert_int_equal(now.window.starts, functions[function].starts);
	memcpy(now.stub, functions[function].code, now.n);
	assert_int_equal(rarog_island_place(places, &now.window, &now.place), 0);
	jump((uint8_t *)now.place, now.stub);
	jump(at, (uint8_t *)now.place);
	memcpy(ours, at, 5);
	for (int i = 0; i < 5; i++)
		mixtures *= now.window.starts >> i & 1 ? 3 : 1;
	for (unsigned m = 0; m < mixtures; m++)
		run_mixture(function, ours, m);
}

TEST(every_mixture_of_bytes_does_what_the_function_does)
{
	struct rarog_island_places places = { 0 };
	uint8_t *code = map(NULL, PAGE), *memory = open_places(&places, code);
	size_t span = places.size;

	handle(on_trap);
	now.elsewhere = map(NULL, PAGE);
	now.stub = map(memory + span, PAGE);
	assert_true(now.elsewhere && now.stub);
	for (size_t i = 0; i < FUNCTIONS; i++)
		run_function(i, &places, code + 64 * i);
	rarog_island_places_release(&places);
	munmap(memory, span + PAGE);
	munmap(now.elsewhere, PAGE);
	munmap(code, PAGE);
}

/* --- many --- */

#define MANY 3000

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Where changed jumps lead, by trying all addresses that differ in the bytes that may. */
static size_t add_wrong(const struct rarog_jump_window *w, uint64_t place, uint64_t *to)
{
	uint32_t distance = (uint32_t)(place - w->address - 5);
	size_t n = 0;

	for (unsigned m = 1; m < 81; m++) {
		uint32_t changed = distance;
		unsigned rest = m;
		bool is_one = true;

		for (int i = 1; i < 5; i++, rest /= 3) {
			uint8_t byte = rest % 3 == 1 ? RAROG_INT3 : w->original[i];

			is_one &= rest % 3 == 0 || w->starts >> i & 1;
			if (rest % 3)
				changed = (changed & ~(0xffu << 8 * (i - 1))) |
					  (uint32_t)byte << 8 * (i - 1);
		}
		if (is_one)
			to[n++] = w->address + 5 + (uint64_t)(int64_t)(int32_t)changed;
	}
	return n;
}

/* Four instructions of a byte each are rare; there is not room for thousands. */
static size_t choose_function(void)
{
	size_t which = (size_t)rand() % FUNCTIONS;

	return functions[which].starts == 0x1f && rand() % 32 ? 0 : which;
}

/* No jump's wrong way is a step of another's, or leads into what runs. */
TEST(no_wrong_way_leads_to_a_step)
{
	static uint64_t all[MANY * 80];
	static uint64_t steps[MANY * 5];
	const uint64_t low = 0x555555554000, high = low + MANY * 24;
	const struct rarog_island_range code = { low, high };
	struct rarog_island_places places;
	uint64_t base, place;
	size_t n = 0, span = rarog_island_places_span(MANY, high - low);

	srand(1);
	assert_true(rarog_island_places_base(low, high, span, 0, &base));
	assert_int_equal(rarog_island_places_init(&places, base, span), 0);
	places.n_code = 1;
	places.code = &code;
	for (uint64_t i = 0; i < MANY; i++) {
		size_t which = choose_function();
		struct rarog_jump_window w = { .address = low + 24 * i,
					       .starts = functions[which].starts };
		size_t before = n;

		memcpy(w.original, functions[which].code, 5);
		assert_int_equal(rarog_island_place(&places, &w, &place), 0);
		assert_false(rarog_jump_window_meets(&w, place, 1, &code));
		n += add_wrong(&w, place, all + n);
		for (size_t k = before; k < n; k++) {
			assert_true(leads(&w, place, all[k]));
			assert_false(all[k] >= low && all[k] < high);
		}
		for (uint64_t k = 0; k < 5; k++)
			steps[5 * i + k] = place + k;
		assert_true(place >= base && place + 5 <= base + places.used);
	}
	qsort(steps, MANY * 5, sizeof(*steps), compare);
	for (size_t i = 1; i < MANY * 5; i++)
		assert_true(steps[i - 1] < steps[i]);
	for (size_t i = 0; i < n; i++)
		assert_null(bsearch(&all[i], steps, MANY * 5, sizeof(*steps), compare));
	assert_true(places.used < 1024 * 1024);
	rarog_island_places_release(&places);
}

TEST(where_there_is_no_place_it_says_so)
{
	struct rarog_jump_window w = { 0x400000, { 0x55, 0x48, 0x89, 0xe5, 0x53 }, 0x13 };
	struct rarog_island_places places;
	uint64_t place;
	int r = 0;

	/* there is no distance of which byte 4 is a trap */
	assert_int_equal(rarog_island_places_init(&places, 0x42000000, 64), 0);
	assert_int_equal(rarog_island_place(&places, &w, &place), 1);
	for (int i = 0; i < 12; i++)
		r = rarog_island_place(&places, &w, &place);
	assert_int_equal(r, -ENOSPC);
	rarog_island_places_release(&places);
}
