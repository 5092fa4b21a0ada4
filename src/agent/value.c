/* SPDX-License-Identifier: MIT */
/*
 * Values captured with a call. What registers hold is taken from where the probe has saved them;
 * what pointers lead to is read only where the kernel says that it can be: a futex operation that
 * wakes and moves no thread (FUTEX_CMP_REQUEUE of none) answers EFAULT where a read would end the
 * program. It is the one kind of system call that the agent makes anyway. In a process that has
 * forbidden itself system calls nothing after a pointer is read.
 *
 * The time that reading takes is not the program's: it is told as waiting.
 */
#include "internal.h"
#include "value-read.h"

#define FUTEX_CMP_REQUEUE 4
#define FUTEX_PRIVATE     128
#define EFAULT            14

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
	return !may_be_filtered();
}

void memory_begin(struct memory *m, uint64_t stack)
{
	m->page = stack & ~(PAGE - 1);
	m->is_allowed = may_ask();
}

int memory_load(struct memory *m, uint64_t at, unsigned n, uint64_t *ret_value)
{
	return load_memory(m, at, n, ret_value);
}

/* --- values --- */

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

void enter_values(uint32_t index, const struct values_probe *probe, const uint64_t vector[8])
{
	const struct rarog_value_set *c = (const struct rarog_value_set *)probe->capture;
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);
	uint64_t begun = c->reads_enter ? ticks() : 0;
	struct reading r; /* zeroing it would take a function that is not there */

	memory_begin(&r.memory, (uint64_t)&probe->ret);
	take_registers(&r, probe, vector);
	if (c->n_leave)
		top_frame(p)->slot |= RAROG_SLOT_SLOW;
	if (make_room(index) < 0) {
		s->lost++;
		return;
	}
	put_values(s, &r, c->n_enter, c->values, 0);
	if (begun && make_room(index) == 0)
		put_reading(p, s, begun);
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
