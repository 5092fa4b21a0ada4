/* SPDX-License-Identifier: MIT */
/*
 * What is linked into a program that counts. It prints nothing, holds no file open, takes no memory
 * from the program's allocator, and where anything fails the program runs on and counts where
 * nobody reads it.
 */
#ifndef RAROG_LLVM_RUNTIME_H
#define RAROG_LLVM_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blocks/counter-file.h"

/* Not for others: every binary has its own runtime. */
#define RAROG_HIDDEN __attribute__((visibility("hidden")))

extern char __start_rarog_counters[] RAROG_HIDDEN, __stop_rarog_counters[] RAROG_HIDDEN;

/* How far this thread's counters are from those of the linker, plus one; 0: not asked yet. The
 * compiled code has the same variable. */
extern __thread uint64_t __rarog_slot RAROG_HIDDEN __attribute__((tls_model("initial-exec")));

/* The word of this thread in the file; NULL: it has none. */
extern __thread uint32_t *rarog_runtime_owner RAROG_HIDDEN
	__attribute__((tls_model("initial-exec")));

/** __rarog_note() - a call follows, or has come back, see counter-file.h. */
RAROG_HIDDEN void __rarog_note(enum rarog_counter_note note);

/** __rarog_note_jump() - longjmp() to @buffer follows: what lies between is all that it leaves. */
RAROG_HIDDEN void __rarog_note_jump(const void *buffer);

/** __rarog_note_cancel() - pthread_cancel() of @id follows: where that one will end is unknown. */
RAROG_HIDDEN void __rarog_note_cancel(uint64_t id);

/** __rarog_note_filter() - system call @number follows, with these arguments, or a library sets a
 * filter (RAROG_COUNTER_SOME_FILTER). */
RAROG_HIDDEN void __rarog_note_filter(uint64_t number, uint64_t a, uint64_t b, uint64_t c);

/** rarog_runtime_may_call() - does no filter that is not rarog's own look at system calls? */
RAROG_HIDDEN bool rarog_runtime_may_call(void);

/** rarog_runtime_call_no_more() - one may. */
RAROG_HIDDEN void rarog_runtime_call_no_more(void);

/** rarog_runtime_may_begin() - may there be a file in @folder, as far as filters go that were there
 * before? If not, the reader there is told, and nothing is called any more. */
RAROG_HIDDEN bool rarog_runtime_may_begin(const char *folder);

/** rarog_runtime_has_handler() - has @signal one? */
RAROG_HIDDEN bool rarog_runtime_has_handler(int signal);

/** rarog_runtime_interruptions() - in how many signals' handlers does this thread run, as far as
 * the first @depth bytes of its stack can tell? */
RAROG_HIDDEN unsigned rarog_runtime_interruptions(size_t depth);

/** rarog_runtime_fsgsbase() - may the program set the base of GS by an instruction? The kernel's
 * own call takes no distances below 0. RAROG_TEST_WITHOUT=fsgsbase denies it, for tests. */
RAROG_HIDDEN bool rarog_runtime_fsgsbase(void);

struct rarog_runtime_state {
	struct rarog_counter_file *head; /* NULL: what is counted is not read */
	uint32_t *owners;                /* after it */
	struct rarog_runtime_thread *threads;
	uint32_t first_flags; /* noted before there was a file; a child's file has them, too */
	bool knows_ends;      /* threads say when they end */
	bool sees_threads;    /* a program's */
};

extern RAROG_HIDDEN struct rarog_runtime_state rarog_runtime;

/** rarog_runtime_head() - of the file; NULL: what is counted is not read. */
RAROG_HIDDEN struct rarog_counter_file *rarog_runtime_head(void);

/** rarog_runtime_may_be_read() - will anybody read what is counted? */
RAROG_HIDDEN bool rarog_runtime_may_be_read(void);

/** rarog_runtime_enter() - fill the slot of this thread, which a library's code found empty. */
RAROG_HIDDEN void rarog_runtime_enter(void);

/* A thread about to begin, or running. */
struct rarog_runtime_thread {
	void *(*function)(void *);
	int (*c11_function)(void *);
	void *argument;
	uint64_t distance; /* of its counters from those of the linker */
	bool is_watched;   /* it says when its clean-ups end */
};

/** rarog_runtime_claim() - an area for a new thread; NULL: it shares that of its creator.
 * @says_its_end: by __rarog_note(), as all will for which this is called so. */
RAROG_HIDDEN struct rarog_runtime_thread *rarog_runtime_claim(bool says_its_end);

/** rarog_runtime_see_threads() - this is a program's runtime, which gives each thread that it sees
 * begin an area: others share their maker's, and say so where they can. */
RAROG_HIDDEN void rarog_runtime_see_threads(void);

/** rarog_runtime_miss_threads() - say it if there are, or were, others. */
RAROG_HIDDEN void rarog_runtime_miss_threads(void);

/** rarog_runtime_miss_this() - say it if the calling thread, which has no area, is one. */
RAROG_HIDDEN void rarog_runtime_miss_this(void);

/** rarog_runtime_begin() - the calling thread counts in the area of @thread from now on. */
RAROG_HIDDEN void rarog_runtime_begin(struct rarog_runtime_thread *thread);

/** rarog_runtime_this() - the area of the calling thread, which has one. */
RAROG_HIDDEN struct rarog_runtime_thread *rarog_runtime_this(void);

/** rarog_runtime_give_up() - there will be no such thread. */
RAROG_HIDDEN void rarog_runtime_give_up(const struct rarog_runtime_thread *thread);

/** rarog_runtime_note() - set a flag in the file; before there is one, in that which comes. */
RAROG_HIDDEN void rarog_runtime_note(uint32_t flag);

/** rarog_runtime_register() - this binary of this process has no file in @folder; see struct
 * rarog_counter_registry. */
RAROG_HIDDEN void rarog_runtime_register(const char *folder);

/** rarog_runtime_identify() - path, build-id and bias of this binary, for the head of its file. */
RAROG_HIDDEN void rarog_runtime_identify(struct rarog_counter_file *head);

#endif
