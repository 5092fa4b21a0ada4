/* SPDX-License-Identifier: MIT */
/*
 * Values captured with a call. What registers hold is taken from where the probe has saved them;
 * what pointers lead to is read only where the kernel says that it can be: a futex operation that
 * wakes and moves nobody (FUTEX_CMP_REQUEUE of none) answers EFAULT where a read would end the
 * program. It is the one kind of system call that the agent makes anyway. In a process that has
 * forbidden itself system calls nothing behind a pointer is read.
 *
 * The time that reading takes is not the program's: it is told as waiting.
 */
#include "internal.h"
#include "value-set.h"

#define PAGE              4096ull
#define ADDRESSES_END     0x7ffffffff000ull /* of user space */
#define FUTEX_CMP_REQUEUE 4
#define FUTEX_PRIVATE     128
#define EFAULT            14

typedef uint64_t __attribute__((may_alias, aligned(1))) word64;
typedef uint32_t __attribute__((may_alias, aligned(1))) word32;
typedef uint16_t __attribute__((may_alias, aligned(1))) word16;

struct values_probe { /* what entry.S pushed, lowest address first */
	uint64_t rbp, r11, r10, r9, r8, rdi, rsi, rcx, rdx;
	uint64_t capture; /* its address */
	uint64_t resume;
	uint64_t rax;
	uint64_t ret; /* the slot */
};

/* What a value is read with. */
struct reading {
	uint64_t general[6], vector[8];
	uint64_t stack; /* the stack pointer at the entry */
	struct memory memory;
};

/* --- memory --- */

static int kernel_reads(uint64_t page)
{
	const int64_t arguments[6] = {
		(int64_t)page, FUTEX_CMP_REQUEUE | FUTEX_PRIVATE, 0, 0, (int64_t)page, 0
	};

	return system_call6(SYS_FUTEX, arguments) != -EFAULT;
}

/* A process with a filter may be ended by a question. */
static int may_ask(void)
{
	return !is_filtered() && !control()->filtered;
}

static int is_page_readable(struct memory *m, uint64_t page)
{
	if (page == m->page)
		return 1;
	if (page == 0 || page >= ADDRESSES_END || !m->is_allowed || !kernel_reads(page))
		return 0;
	m->page = page;
	return 1;
}

static int is_readable(struct memory *m, uint64_t at, uint64_t n)
{
	uint64_t first = at & ~(PAGE - 1), last = (at + n - 1) & ~(PAGE - 1);

	if (at + n - 1 < at)
		return 0;
	return is_page_readable(m, first) && (first == last || is_page_readable(m, last));
}

static uint64_t load(uint64_t at, unsigned n)
{
	const uint8_t *bytes = (const uint8_t *)at;
	uint64_t value = 0;

	switch (n) {
	case 8:
		return *(const word64 *)at;
	case 4:
		return *(const word32 *)at;
	case 2:
		return *(const word16 *)at;
	default:
		for (unsigned i = 0; i < n; i++)
			value |= (uint64_t)bytes[i] << 8 * i;
		return value;
	}
}

void memory_begin(struct memory *m, uint64_t stack)
{
	m->page = stack & ~(PAGE - 1);
	m->is_allowed = may_ask();
}

int memory_load(struct memory *m, uint64_t at, unsigned n, uint64_t *ret_value)
{
	if (!is_readable(m, at, n))
		return -1;
	*ret_value = load(at, n);
	return 0;
}

static uint64_t has_zero(uint64_t word)
{
	return (word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull;
}

/* Bytes of [@at, @end) before the first NUL, @end - @at if there is none; a page at most. */
static uint64_t scan(uint64_t at, uint64_t end)
{
	uint64_t p = at;

	while (p < end && p % 8)
		if (!*(const volatile uint8_t *)p++)
			return p - 1 - at;
	while (p + 8 <= end && !has_zero(*(const word64 *)p))
		p += 8;
	while (p < end)
		if (!*(const volatile uint8_t *)p++)
			return p - 1 - at;
	return end - at;
}

static int text_length(struct memory *m, uint64_t at, uint64_t *ret_length)
{
	uint64_t length = 0;

	while (length <= RAROG_TEXT_MAX) {
		uint64_t from = at + length, end = (from & ~(PAGE - 1)) + PAGE, n;

		if (!is_readable(m, from, 1))
			return -1;
		n = scan(from, end);
		length += n;
		if (n < end - from) {
			*ret_length = length;
			return length > RAROG_TEXT_MAX ? -1 : 0;
		}
	}
	return -1;
}

/* --- values --- */

static uint64_t source(const struct reading *r, const struct rarog_value_way *v)
{
	if (v->source == RAROG_WAY_STACK)
		return *(const word64 *)(r->stack + (uint64_t)(int64_t)v->stack);
	return v->source == RAROG_WAY_VECTOR ? r->vector[v->number & 7] : r->general[v->number % 6];
}

static int follow(struct reading *r, const struct rarog_value_way *v, uint64_t *value)
{
	for (unsigned i = 0; i < v->n_steps; i++) {
		int is_last = i + 1 == v->n_steps;
		unsigned n = is_last ? v->bytes : 8;
		uint64_t at = *value + (uint64_t)(int64_t)v->steps[i];
		uint64_t other = at + (uint64_t)(int64_t)v->other;

		if (memory_load(&r->memory, at, n, value) < 0)
			return -1;
		if (!is_last || v->finish != RAROG_WAY_DIFFERENCE)
			continue;
		if (!is_readable(&r->memory, other, 8))
			return -1;
		*value = load(other, 8) - *value;
	}
	return v->finish == RAROG_WAY_LENGTH ? text_length(&r->memory, *value, value) : 0;
}

/* 0: @ret_value is known. */
static int value_of(struct reading *r, const struct rarog_value_way *v, uint64_t *ret_value)
{
	*ret_value = source(r, v);
	if (v->n_steps == 0 && v->finish == RAROG_WAY_PLAIN)
		return 0;
	return follow(r, v, ret_value);
}

static void put16(uint64_t at, uint16_t value)
{
	*(uint16_t *)at = value;
}

void put64(uint64_t at, uint64_t value)
{
	*(word64 *)at = value;
}

void put_values_head(struct rarog_strand_shared *s, unsigned n_and_flags, uint16_t unknown,
		     uint64_t end)
{
	put16(s->cursor, RAROG_WORD_ESCAPE);
	put16(s->cursor + 2, RAROG_ESCAPE_VALUES);
	put16(s->cursor + 4, (uint16_t)n_and_flags);
	put16(s->cursor + 6, unknown);
	__atomic_store_n(&s->cursor, end, __ATOMIC_RELEASE);
}

/* The record, the cursor last; there is room. */
static void put_values(struct rarog_strand_shared *s, struct reading *r, unsigned n,
		       const struct rarog_value_way values[], unsigned flags)
{
	uint64_t at = s->cursor + 8;
	uint16_t unknown = 0;

	for (unsigned i = 0; i < n; i++, at += 8) {
		uint64_t value;

		if (value_of(r, &values[i], &value) < 0) {
			unknown |= (uint16_t)(1u << i);
			value = 0;
		}
		put64(at, value);
	}
	put_values_head(s, n | flags, unknown, at);
}

void put_reading(struct rarog_strand_private *p, struct rarog_strand_shared *s, uint64_t begun)
{
	put_clock(p, s, ticks());
	if (p->last > begun)
		put_escape(s, RAROG_ESCAPE_WAIT, p->last - begun, 4);
}

/* --- at the entry --- */

static void take_registers(struct reading *r, const struct values_probe *probe,
			   const uint64_t vector[8])
{
	r->general[0] = probe->rdi;
	r->general[1] = probe->rsi;
	r->general[2] = probe->rdx;
	r->general[3] = probe->rcx;
	r->general[4] = probe->r8;
	r->general[5] = probe->r9;
	for (int i = 0; i < 8; i++)
		r->vector[i] = vector[i];
	r->stack = (uint64_t)&probe->ret;
}

static void enter_values(uint32_t index, struct reading *r, const struct rarog_value_set *c)
{
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);
	uint64_t begun = c->reads_enter ? ticks() : 0;

	if (c->n_leave)
		top_frame(p)->slot |= RAROG_SLOT_SLOW;
	if (make_room(index) < 0) {
		s->lost++;
		return;
	}
	put_values(s, r, c->n_enter, c->values, 0);
	if (begun && make_room(index) == 0)
		put_reading(p, s, begun);
}

/* Of a call that was just recorded, on the strand that it is on. */
HIDDEN void rarog_agent_values(struct values_probe *probe, const uint64_t vector[8])
{
	const struct rarog_value_set *c = (const struct rarog_value_set *)probe->capture;
	uint64_t slot = (uint64_t)&probe->ret;
	struct reading r; /* zeroing it would take a function that is not there */
	uint32_t index = ensure_strand();
	struct rarog_strand_private *p = private(index);

	if (!index || depth(p) == 0 || slot_of(top_frame(p)) != slot)
		return; /* a handler has come between and gone on in another process */
	mark_busy(index, slot);
	memory_begin(&r.memory, slot);
	take_registers(&r, probe, vector);
	enter_values(index, &r, c);
	p->busy = 0;
}

/* --- at the return --- */

static uint64_t result_vector(int number)
{
	uint64_t value;

	if (number == 0)
		__asm__ volatile("movq %%xmm0, %0" : "=r"(value));
	else
		__asm__ volatile("movq %%xmm1, %0" : "=r"(value));
	return value;
}

static const struct rarog_value_set *capture_of(const struct frame *f)
{
	uint64_t at = f->stub + (uint64_t)(rarog_stub_value_set - rarog_stub_resume);
	int32_t distance = *(const int32_t *)at;

	return distance ? (const struct rarog_value_set *)(at + (uint64_t)(int64_t)distance) : 0;
}

int leave_values(uint32_t index, const struct frame *f, uint64_t rax, uint64_t rdx)
{
	const struct rarog_value_set *c = capture_of(f);
	struct rarog_strand_shared *s = shared(index);
	struct reading r; /* zeroing it would take a function that is not there */

	if (!c || !c->n_leave || !s->chunk || make_room(index) < 0)
		return 0;
	memory_begin(&r.memory, slot_of(f));
	for (int i = 2; i < 6; i++)
		r.general[i] = 0;
	for (int i = 2; i < 8; i++)
		r.vector[i] = 0;
	r.stack = slot_of(f);
	r.general[0] = rax;
	r.general[1] = rdx;
	r.vector[0] = result_vector(0);
	r.vector[1] = result_vector(1);
	put_values(s, &r, c->n_leave, c->values + c->n_enter, RAROG_VALUES_RETURN);
	make_room(index);
	return c->reads_leave;
}
