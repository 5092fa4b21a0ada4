/* SPDX-License-Identifier: MIT */
/*
 * The agent: what the probes (entry.S) do when a call is not ordinary. It runs inside the measured
 * program, wherever that happens to be: in a signal handler, between fork and exec, with any lock
 * held. So it links nothing, allocates nothing, uses only general registers (the build says
 * -mgeneral-regs-only, so no vector or x87 state needs saving), little stack, and few system
 * calls: futex (a ring that is nearly full), sigaltstack (which stack is this, when the stack
 * pointer jumped), and gettid, getpid and mprotect for a thread that rarog has not seen begin
 * (kept.c). In a process that has forbidden itself system calls it makes none any more, but where
 * it must: for libraries.
 *
 * Invariants, per strand:
 *   - frames' slots decrease from base to top (the machine stack grows down);
 *   - the stream's open calls are exactly the frames, in order; RAROG_ESCAPE_DEPTH says so again
 *     whenever a probe may have been abandoned half-way (siglongjmp out of a handler);
 *   - a frame's return address is never forgotten while its slot may still be returned through:
 *     popped frames stay readable above top until overwritten.
 */
#ifndef RAROG_AGENT_INTERNAL_H
#define RAROG_AGENT_INTERNAL_H

#include "abi.h"
#include "layout.h"

#define HIDDEN __attribute__((visibility("hidden")))

extern struct rarog_area rarog_area HIDDEN;
extern const char rarog_agent_landing[] HIDDEN;

/* Places in the stub, of which every patched function has a copy: only distances between them
 * count. */
extern const char rarog_stub_event[] HIDDEN;  /* the event word, 0x8000 | id << 16 */
extern const char rarog_stub_resume[] HIDDEN; /* where the entry probe returns to … */
extern const char rarog_stub_pass[] HIDDEN;   /* … and where, when the call is not recorded */
extern const char rarog_stub_return[] HIDDEN; /* where the called body returns to */
/* Distance from itself to the function's struct rarog_value_set, 0: there is none. */
extern const char rarog_stub_value_set[] HIDDEN;
/* Distance from itself to the word of the gate (gate.h), 0: each call is recorded. */
extern const char rarog_stub_gate[] HIDDEN;

struct frame {
	uint64_t ret; /* true return address; of a region: 0 */
	/* Where it stood: the stack pointer at the entry. Low bits: RAROG_SLOT_SLOW, …_REGION */
	uint64_t slot;
	uint64_t stub; /* resume address in the stub */
	uint64_t spare;
};

struct enter_probe { /* what entry.S pushed, lowest address first */
	uint64_t rbp, r11, r10, r9, r8, rdi, rsi, rcx, rdx;
	uint64_t resume; /* into the stub */
	uint64_t rax;
	uint64_t ret; /* the slot */
};

struct values_probe { /* what entry.S pushed, lowest address first */
	uint64_t rbp, r11, r10, r9, r8, rdi, rsi, rcx, rdx;
	uint64_t capture; /* its address */
	uint64_t resume;
	uint64_t rax;
	uint64_t ret; /* the slot */
};

struct leave_probe {
	uint64_t rbp, r11, r10, r9, r8, rdi, rsi, rcx, rdx, rax;
	uint64_t ret; /* the slot: to be filled */
};

struct hook_probe {
	uint64_t rbp, r11, r10, r9, r8, rdi, rsi, rcx, rdx, rax;
	uint64_t resume;
	uint64_t ret;
};

enum kind {
	KIND_PLAIN = 0,
	KIND_WITHIN,
	KIND_BELOW,
	KIND_ROOT,
	KIND_WITHIN_GATED,
	KIND_BELOW_GATED
};

#define NEVER    (~(uint64_t)0)
#define BUSY_NEW 1 /* busy mark of a strand being made */

/* --- the machine --- */

static inline uint64_t ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static inline uint64_t thread_pointer(void)
{
	uint64_t value;

	__asm__ volatile("mov %%fs:0, %0" : "=r"(value));
	return value;
}

/* Number of the strand that %gs leads to: kept in its record, since not every kernel lets a program
 * read the base itself. */
static inline uint32_t current_index(void)
{
	uint32_t index;

	__asm__ volatile("mov %%gs:%c1, %0" : "=r"(index) : "i"(RAROG_GS_INDEX) : "memory");
	return index;
}

static inline long system_call6(long number, const int64_t a[6])
{
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static inline long system_call(long number, long a, long b, long c, long d)
{
	const int64_t arguments[6] = { a, b, c, d, 0, 0 };

	return system_call6(number, arguments);
}

#define SYS_MPROTECT    10
#define SYS_GETPID      39
#define SYS_SIGALTSTACK 131
#define SYS_ARCH_PRCTL  158
#define ARCH_SET_GS     0x1001
#define SYS_GETTID      186
#define SYS_FUTEX       202
#define FUTEX_WAIT      0
#define FUTEX_WAKE      1
#define PROT_READ_WRITE 3
#define ETIMEDOUT       110

/* --- records --- */

static inline struct rarog_control *control(void)
{
	return (struct rarog_control *)rarog_area.control;
}

static inline struct rarog_strand_wiped *wiped(uint32_t index)
{
	return (void *)(rarog_area.strands + RAROG_WIPED + (uint64_t)index * RAROG_STRAND_STRIDE);
}

static inline struct rarog_strand_private *private(uint32_t index)
{
	return (void *)(rarog_area.strands + RAROG_PRIVATE + (uint64_t)index * RAROG_STRAND_STRIDE);
}

static inline struct rarog_strand_shared *shared(uint32_t index)
{
	return (void *)(rarog_area.strands + RAROG_SHARED + (uint64_t)index * RAROG_STRAND_STRIDE);
}

/* A system call may end this process. */
static inline int is_filtered(void)
{
	return __atomic_load_n(&private(0)->filtered, __ATOMIC_RELAXED) == RAROG_FILTERED;
}

/* … or may soon do so; one that is seen somewhere is reason enough for all. */
static inline int may_be_filtered(void)
{
	return control()->filtered ||
	       __atomic_load_n(&private(0)->filtered, __ATOMIC_RELAXED) != RAROG_FILTERED_NOT;
}

static inline struct frame *top_frame(const struct rarog_strand_private *p)
{
	return (struct frame *)p->top - 1;
}

static inline uint64_t slot_of(const struct frame *f)
{
	return f->slot & ~(uint64_t)RAROG_SLOT_SLOW;
}

/* Of a region: it has no return address. */
static inline int is_region(const struct frame *f)
{
	return (f->slot & RAROG_SLOT_REGION) != 0;
}

static inline uint32_t depth(const struct rarog_strand_private *p)
{
	return (uint32_t)((p->top - p->base) / RAROG_FRAME_SIZE);
}

/* What stands in a frame's slot while its call runs: the stub's address after the call. */
static inline uint64_t hooked_return(const struct frame *f)
{
	return f->stub + (uint64_t)(rarog_stub_return - rarog_stub_resume);
}

static inline uint32_t stub_id(uint64_t resume)
{
	const uint8_t *p = (const uint8_t *)resume + (rarog_stub_event - rarog_stub_resume);

	return (uint32_t)(p[2] | p[3] << 8);
}

/* A tenth of a second of waiting at a time; rarog silent for ten seconds is taken for dead. Where
 * futex may be forbidden, waiting is turning round for about a millisecond. */
#define WAIT_SETTLE_NS   100000000
#define WAIT_TURN_TICKS  (1 << 21)
#define WAIT_SETTLE_SIZE 128 /* turns that a settle time is worth */
#define WAIT_SILENT      (100 * WAIT_SETTLE_SIZE)

struct pulse { /* of rarog's heartbeat, as a waiting thread sees it */
	uint32_t beat;
	int silent; /* turns */
};

/* What is recorded from here on will not be taken. */
static inline int is_gone(const struct rarog_control *c)
{
	return c->gone || __atomic_load_n(&c->owner, __ATOMIC_RELAXED) & RAROG_OWNER_DIED;
}

/* Silence is waited for once. */
static inline void give_up(struct rarog_control *c)
{
	if (!is_gone(c))
		c->gone = RAROG_GONE_SILENT;
}

/* --- what entry.S calls: probe.c, unwind.c, library.c, switch.c, tell.c --- */

void rarog_agent_values(struct values_probe *probe, const uint64_t vector[8]) HIDDEN;

void rarog_agent_enter(struct enter_probe *probe, enum kind kind, uint32_t event) HIDDEN;
void rarog_agent_leave(struct leave_probe *probe, uint64_t now) HIDDEN;
void rarog_agent_count(void) HIDDEN;
void rarog_agent_unhook(struct hook_probe *probe) HIDDEN;
void rarog_agent_walked(struct hook_probe *probe) HIDDEN;
void rarog_agent_set_ip(struct hook_probe *probe) HIDDEN;
void rarog_agent_landed(struct leave_probe *probe) HIDDEN;
void rarog_agent_loaded(void) HIDDEN;
void rarog_agent_born(void) HIDDEN;
int rarog_agent_swap_context(struct hook_probe *probe) HIDDEN; /* 1: tell when it comes back */
void rarog_agent_swapped(struct leave_probe *probe) HIDDEN;
void rarog_agent_set_context(struct hook_probe *probe) HIDDEN;
void rarog_agent_jump_stack(struct hook_probe *probe) HIDDEN;
void rarog_agent_tell_first(struct hook_probe *probe) HIDDEN;
void rarog_agent_tell_second(struct hook_probe *probe) HIDDEN;
void rarog_agent_prctl(struct hook_probe *probe) HIDDEN;

/* --- what entry.S calls: mark.c --- */

struct mark_probe { /* what entry.S and the stub pushed, lowest address first */
	uint64_t rbp, r11, r10, r9, r8, rdi, rsi, rcx, rdx;
	uint64_t place;  /* of the function's return address */
	uint64_t resume; /* into the stub: mov $event,%eax */
	uint64_t rax, flags;
	uint8_t red_zone[128];
	uint64_t sp[]; /* the stack as the program has it */
};

void rarog_agent_mark_point(struct mark_probe *probe) HIDDEN;
void rarog_agent_mark_begin(struct mark_probe *probe) HIDDEN;
void rarog_agent_mark_end(struct mark_probe *probe) HIDDEN;

struct mark_more {           /* … and of marks with values also this, lowest address first */
	uint64_t vector[16]; /* low halves */
	uint64_t rbx, r12, r13, r14, r15;
};

void rarog_agent_mark_point_values(struct mark_probe *probe, const struct mark_more *more) HIDDEN;
void rarog_agent_mark_begin_values(struct mark_probe *probe, const struct mark_more *more) HIDDEN;
void rarog_agent_mark_end_values(struct mark_probe *probe, const struct mark_more *more) HIDDEN;

/* --- value.c: memory that may not be there --- */

struct memory {
	uint64_t page; /* known to be readable */
	int is_allowed;
};

void memory_begin(struct memory *memory, uint64_t stack) HIDDEN;
int memory_load(struct memory *memory, uint64_t at, unsigned n, uint64_t *ret_value) HIDDEN;
void put64(uint64_t at, uint64_t value) HIDDEN; /* at any address */
/* What stands before the values that were put after it, up to @end, which becomes the cursor. */
void put_values_head(struct rarog_strand_shared *s, unsigned n_and_flags, uint16_t unknown,
		     uint64_t end) HIDDEN;

/* --- mark-value.c --- */

struct rarog_mark_set;

struct mark_values {
	const struct rarog_mark_set *set;
	const struct mark_more *more;
	uint64_t general[16]; /* as instructions number them */
	struct memory memory;
};

void mark_values_begin(struct mark_values *values, const struct mark_probe *probe,
		       const struct mark_more *more) HIDDEN;
int put_mark_values(uint32_t index, struct mark_values *values) HIDDEN; /* 0: they are there */

/* --- ring.c --- */

long claim_bit(uint64_t *mask, unsigned words) HIDDEN; /* a set bit, cleared; -1: none */
void put_escape(struct rarog_strand_shared *s, uint16_t kind, uint64_t payload, int n) HIDDEN;
void put_clock(struct rarog_strand_private *p, struct rarog_strand_shared *s, uint64_t now) HIDDEN;
void put_enter(struct rarog_strand_private *p, struct rarog_strand_shared *s, uint32_t event,
	       uint64_t now) HIDDEN;
void put_leave(struct rarog_strand_private *p, struct rarog_strand_shared *s, uint64_t now) HIDDEN;
void wake(uint32_t *word) HIDDEN;
void wake_rarog(void) HIDDEN;
/* Address space that was only reserved becomes memory; negative: it does not. */
long open_memory(uint64_t at, uint64_t size) HIDDEN;
/* Wait while *@word is @value, shortly; 0: rarog has been silent for too long */
int wait_to_settle(uint32_t *word, uint32_t value, struct pulse *pulse) HIDDEN;
long open_chunks(uint64_t to) HIDDEN; /* those below @to, as many as there are */
int first_chunk(uint32_t index) HIDDEN;
void settle_chunks(uint32_t index) HIDDEN; /* after a probe was abandoned */
int make_room_or(uint32_t index, int drop) HIDDEN;
int make_room(uint32_t index) HIDDEN;

/* --- strand.c --- */

uint64_t shadow_end(const struct rarog_strand_private *p) HIDDEN;
int can_lead(void) HIDDEN;          /* may this thread's %gs be sent elsewhere? */
int lead_to(uint32_t index) HIDDEN; /* 0: %gs leads there; -1: it cannot be sent */
void own(uint32_t index) HIDDEN;    /* by a thread that can_lead() */
uint32_t pass_over(void) HIDDEN;    /* 0: no strand. Counts the call */
uint32_t side_strand(uint32_t outer) HIDDEN;

uint32_t strands_used(void) HIDDEN; /* strands of this process have lower numbers */
long open_strand(uint32_t index) HIDDEN;
long open_strands(uint32_t from, uint32_t to) HIDDEN; /* those below @to */
void ask_for_stack(uint32_t index) HIDDEN;            /* for signals */
void set_signal_stack(uint32_t index, uint32_t like) HIDDEN;
void begin_strand(uint32_t index, uint32_t parent) HIDDEN; /* @parent: strand that forked, or 0 */
long new_strand(uint32_t parent, uint32_t outer) HIDDEN;
void start_stream(uint32_t index) HIDDEN;
void inherit_frames(uint32_t from, uint32_t to) HIDDEN;
void inherit_outer(uint32_t from, uint32_t to) HIDDEN;
void set_limit(struct rarog_strand_private *p) HIDDEN;
/* A strand for what a handler calls is inside of the root if @outer is. */
void inherit_root(uint32_t outer, uint32_t index) HIDDEN;

/* --- kept.c --- */

uint32_t ensure_strand(void) HIDDEN;

/* --- switch.c --- */

/* The strand of a probe at @slot, when the thread has left the stack of @index meanwhile. */
uint32_t arrive(uint32_t index, uint64_t slot) HIDDEN;
/* The same, but a thread that cannot be led there stays where it is. 0: that stack has no strand */
uint32_t arrive_or_look(uint32_t index, uint64_t slot) HIDDEN;

/* --- saved-return table.c --- */

void saved_returns_put(const struct frame *f, uint64_t now) HIDDEN;
/* Where the call at @slot returns to, that now returns into a stub at @seen; 0: not known. */
uint64_t saved_returns_take(uint64_t slot, uint64_t seen) HIDDEN;

/* --- frame.c --- */

void forget_root(struct rarog_strand_private *p) HIDDEN;
void drop_frames(uint32_t index, uint64_t slot) HIDDEN;
void drop_unseen(uint32_t index, uint64_t slot) HIDDEN; /* … at a time that is not known */
/* Is @f's call a tail call of the call whose frame is the next outer one, and which stayed?
 */
int is_twin(const struct rarog_strand_private *p, const struct frame *f) HIDDEN;
void set_slots(const struct rarog_strand_private *p, int hooked) HIDDEN;
void rehook(uint32_t index) HIDDEN;

/* --- value.c --- */

/* What is captured at the entry of the innermost call; @vector: the vector registers' low halves */
void enter_values(uint32_t index, const struct values_probe *probe,
		  const uint64_t vector[8]) HIDDEN;
/* What is captured of the return of @f's call, before its EXIT. 1: memory was read for it. */
int leave_values(uint32_t index, const struct frame *f, uint64_t rax, uint64_t rdx) HIDDEN;
/* What the program's time since @begun was not spent by itself. */
void put_reading(struct rarog_strand_private *p, struct rarog_strand_shared *s,
		 uint64_t begun) HIDDEN;

/* --- place.c --- */

void mark_busy(uint32_t index, uint64_t slot) HIDDEN;
uint32_t strand_for(uint32_t index, uint64_t slot) HIDDEN;
/* The probe on @index is over: another strand that it was on only for a while is left. */
void probe_done(uint32_t index) HIDDEN;

#endif
