/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands before each of these is emit-delay.c's with two instructions in the other order, and
 * the kind: so a tracer knows where a thread stands. %ecx is the amount, on the stack it is once
 * more; after it %rcx is what is left of it, which may be below 0. What is noted is time that has
 * passed, also of sleep, which takes as long as the kernel wants.
 *
 * A system call may be forbidden to the program by a filter, which ends it: that is how it is told.
 * The lock's owner may be a handler's thread itself, or have left by longjmp, or be a child that
 * was killed. So a thread that has waited 64 times the amount takes the lock over: then it is free
 * again.
 */
#include "engine/inline/code/emit-noise.h"

#include "agent/layout.h"
#include "engine/inline/code/emit-bytes.h"
#include "engine/inline/code/emit-delay.h"

#define START 0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0x48, 0x89, 0xc6
#define SINCE                                                                                      \
	0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0x48, 0x89, 0xc2, 0x48, 0x29, 0xf0,  \
		0x48, 0x89, 0xd6
#define LFENCE      0x0f, 0xae, 0xe8
#define SAVE        0x57, 0x41, 0x53
#define RESTORE     0x41, 0x5b, 0x5f
#define BASE        0x49, 0xbb
#define BASE_AT     5                 /* SAVE and these two: then follows an address */
#define BASED_BYTES (BASE_AT + 8 + 2) /* … and what each does with %edi */
/* cmp noise_until,%rax; ja over as many bytes: rarog is gone, or does not run */
#define UNTIL       0x48, 0xba, 0, 0, 0, 0, 0, 0, 0, 0, 0x48, 0x3b, 0x02, 0x77
#define UNTIL_AT    (12 + 2) /* START and these two: then follows an address */
/* rdtsc; sub %rsi; mov %rax,(%rsp); xor %ecx,%ecx: all of what has passed is what was spent */
#define ALL_SPENT                                                                                  \
	0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0x48, 0x29, 0xf0, 0x48, 0x89, 0x04,  \
		0x24, 0x31, 0xc9
#define GAP 0x48, 0x3d, 0x00, 0x20, 0x00, 0x00 /* cmp $RAROG_DELAY_GAP_TICKS,%rax */

_Static_assert(RAROG_DELAY_GAP_TICKS == 0x2000, "GAP");

/* nanosleep(&(struct timespec){ 0, amount }, NULL) */
static const uint8_t sleep_code[] = {
	START,   UNTIL, 45,                    /* … the end */
	0x56,    SAVE,  0x51,      0x6a, 0x00, /* push %rcx; push $0 */
	0x48,    0x89,  0xe7,      0x31, 0xf6, /* mov %rsp,%rdi; xor %esi,%esi */
	0xb8,    0x23,  0,         0,    0,    /* mov $35,%eax */
	0x0f,    0x05,                         /* syscall */
	0x48,    0x83,  0xc4,      0x10,       /* add $16,%rsp */
	RESTORE, 0x5e,  ALL_SPENT,
};

/* sched_yield(), amount times */
static const uint8_t yield_code[] = {
	START,   UNTIL, 39,                 /* … the end */
	0x56,    SAVE,  0x89,      0xcf,    /* mov %ecx,%edi */
	0xb8,    0x18,  0,         0,    0, /* 1: mov $24,%eax */
	0x0f,    0x05,                      /* syscall */
	0xff,    0xcf,                      /* dec %edi */
	0x75,    0xf5,                      /* jnz 1b */
	RESTORE, 0x5e,  ALL_SPENT,
};

/* For amount ticks, the lines of control.noise_lines in turn. The clock is read without waiting for
 * memory, if nothing makes it. */
static const uint8_t memory_code[] = {
	SAVE,    BASE,  0,     0,    0,    0,    0, 0, 0, 0, 0x31, 0xff, /* xor %edi,%edi */
	LFENCE,  START, UNTIL, 53,                                       /* … RESTORE */
	0x83,    0xc7,  0x40,                                            /* 2: add $64,%edi */
	0x81,    0xe7,  0xc0,  0x0f, 0x00, 0x00,                         /* and $0xfc0,%edi */
	0x41,    0x0f,  0xae,  0x3c, 0x3b,                               /* clflush (%r11,%rdi) */
	0xf0,    0x41,  0xff,  0x04, 0x3b,                               /* lock incl (%r11,%rdi) */
	LFENCE,  SINCE, GAP,   0x77, 0xd0,                               /* ja 2b */
	0x48,    0x29,  0xc1,                                            /* sub %rax,%rcx */
	0x77,    0xcb,                                                   /* ja 2b */
	RESTORE,
};

/* For amount ticks with control.noise_lock. What it waited for that is as if it had been asked. */
static const uint8_t lock_code[] = {
	SAVE,    BASE,  0,    0,    0,    0, 0, 0, 0, 0, 0x89, 0xcf, /* mov %ecx,%edi */
	0x48,    0xc1,  0xe7, 0x06,                                  /* shl $6,%rdi */
	START,   UNTIL, 88,                                          /* … RESTORE */
	0xb8,    0x01,  0,    0,    0,                               /* 3: mov $1,%eax */
	0x41,    0x87,  0x03,                                        /* xchg %eax,(%r11) */
	0x85,    0xc0,                                               /* test %eax,%eax */
	0x74,    0x26,                                               /* jz 4f */
	0xf3,    0x90,                                               /* pause */
	SINCE,   GAP,   0x77, 0xd8,                                  /* ja 3b */
	0x48,    0x01,  0x44, 0x24, 0x10,                            /* add %rax,16(%rsp) */
	0x48,    0x29,  0xc7,                                        /* sub %rax,%rdi */
	0x77,    0xce,                                               /* ja 3b */
	SINCE,   GAP,                                                /* 4: */
	0x77,    0xe6,                                               /* ja 4b */
	0x48,    0x29,  0xc1,                                        /* sub %rax,%rcx */
	0x77,    0xe1,                                               /* ja 4b */
	0x41,    0xc7,  0x03, 0,    0,    0, 0,                      /* movl $0,(%r11) */
	RESTORE,
};

static const struct {
	const uint8_t *code;
	size_t size;
	size_t base;  /* offset in struct rarog_control of what it works on; 0: nothing */
	size_t until; /* where the address of noise_until is */
} noises[RAROG_NOISES] = {
	[RAROG_NOISE_SLEEP] = { sleep_code, sizeof(sleep_code), 0, UNTIL_AT },
	[RAROG_NOISE_YIELD] = { yield_code, sizeof(yield_code), 0, UNTIL_AT },
	[RAROG_NOISE_MEMORY] = { memory_code, sizeof(memory_code),
				 offsetof(struct rarog_control, noise_lines),
				 BASED_BYTES + 3 + UNTIL_AT },
	[RAROG_NOISE_LOCK] = { lock_code, sizeof(lock_code),
			       offsetof(struct rarog_control, noise_lock),
			       BASED_BYTES + 4 + UNTIL_AT },
};

/* Nothing else in an area begins so; the kind follows, as mov $KIND,%al. */
static const uint8_t beginning[] = { 0x51, 0x52, 0x56, 0x89, 0xc1, 0x0f, 0xba,
				     0xf1, 30,   0x0f, 0xba, 0xf1, 31,   0x51 };
#define KIND_BYTES 2
#define MOST       (KIND_BYTES + sizeof(lock_code))

_Static_assert(sizeof(sleep_code) <= sizeof(lock_code), "MOST");
_Static_assert(sizeof(yield_code) <= sizeof(lock_code), "MOST");
_Static_assert(sizeof(memory_code) <= sizeof(lock_code), "MOST");
_Static_assert(MOST + sizeof(beginning) <= RAROG_EMIT_DELAY_SIZE, "what a tracer reads");

void rarog_emit_noise(struct rarog_emitter *e, uint32_t total, size_t body)
{
	uint64_t base = e->control + noises[e->noise].base;
	size_t at;

	put(e, sizeof(beginning), beginning);
	put(e, KIND_BYTES, (const uint8_t[]){ 0xb0, e->noise });
	at = e->used;
	put(e, noises[e->noise].size, noises[e->noise].code);
	memcpy(e->memory + at + noises[e->noise].until, &e->until, sizeof(e->until));
	if (noises[e->noise].base)
		memcpy(e->memory + at + BASE_AT, &base, sizeof(base));
	rarog_emit_delay_account(e, total, body);
}

void rarog_emit_late(struct rarog_emitter *e, uint32_t total, size_t body)
{
	if (e->noise == RAROG_NOISE_BUSY)
		rarog_emit_delay(e, total, body);
	else
		rarog_emit_noise(e, total, body);
}

/* @from: what follows the beginning; @n: bytes up to where the thread stands */
static bool is_within(size_t n, const uint8_t from[])
{
	if (n < KIND_BYTES)
		return true;
	return from[1] < RAROG_NOISES && n < KIND_BYTES + noises[from[1]].size;
}

bool rarog_emit_is_noise(size_t n, const uint8_t code[], size_t at)
{
	size_t most = MOST + sizeof(beginning);
	size_t first = at > most ? at - most : 0;

	for (size_t i = first; i + sizeof(beginning) <= at && i + sizeof(beginning) <= n; i++)
		if (memcmp(code + i, beginning, sizeof(beginning)) == 0)
			return is_within(at - i - sizeof(beginning), code + i + sizeof(beginning));
	return false;
}
