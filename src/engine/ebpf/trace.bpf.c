/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What runs in the kernel: a program at each probe, and three that follow the tree of processes.
 *
 * A probe belongs to a file, so all processes that run the same file come here: only processes that
 * are in the map "processes" are recorded. The program's first process is put there by rarog,
 * before its execve(), or those that run a file join (everybody.bpf.h); children come in by fork,
 * all go out at the end.
 *
 * Whatever cannot be recorded is counted in "lost". A call whose beginning is lost has no end here
 * either: at a session probe the kernel is told not to look at its return.
 */
#include <linux/bpf.h>
#include <stdbool.h>

#include <asm/ptrace.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "engine/ebpf/abi.h"
#include "profile/histogram.h"

#define NOT_THERE (-2)  /* -ENOENT */
#define IS_THERE  (-17) /* -EEXIST */

#include "kernel.bpf.h"

/* Not in every kernel: the session programs are loaded only where it is tried, and texts are copied
 * so where the configuration says that it is there. */
extern bool bpf_session_is_return(void) __ksym __weak;
extern int bpf_copy_from_user_str(void *to, __u32 size, const void *from,
				  __u64 flags) __ksym __weak;

/* Written before it is loaded, so that what is not needed is not even looked at. */
const volatile struct rarog_ebpf_config config SEC(".rodata.config");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* set when loaded: as many as there are probes */
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RAROG_EBPF_LOST_KINDS);
	__type(key, __u32);
	__type(value, __u64);
} lost SEC(".maps");

/* Of each probe; there if config says that any has some. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rarog_ebpf_function);
} functions SEC(".maps");

/* The number of a thread, for what is counted of each. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u32);
} strands SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RAROG_EBPF_NUMBERS);
	__type(key, __u32);
	__type(value, __u32);
} numbers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, RAROG_EBPF_SUMS_MAX);
	__type(key, struct rarog_ebpf_pair); /* strand, function */
	__type(value, struct rarog_ebpf_skip);
} skips SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RAROG_EBPF_PROCESSES_MAX);
	__type(key, __u32);
	__type(value, __u32);
} processes SEC(".maps");

/* Those that found no room there: a bit for each number, so that a process is one lost process, as
 * often as it comes by. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RAROG_EBPF_PIDS_MAX / 64);
	__type(key, __u32);
	__type(value, __u64);
} turned_away SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RAROG_EBPF_RING_BYTES);
} events SEC(".maps");

/* A program may be interrupted by another on the same processor, so even there it takes an atomic
 * addition. */
static __always_inline void add(void *map, __u32 index)
{
	__u64 *value = bpf_map_lookup_elem(map, &index);

	if (value)
		__sync_fetch_and_add(value, 1);
}

/* Its last thread is at its end; on_exit is asked after that. */
static __always_inline bool has_ended(struct task_struct *task)
{
	return BPF_CORE_READ(task, signal, live.counter) == 0;
}

/* Of two processes of one number, another. */
static __always_inline __u64 start_of(struct task_struct *task)
{
	return BPF_CORE_READ(task, group_leader, start_time);
}

static __always_inline bool is_followed(__u32 process)
{
	__u32 *state = bpf_map_lookup_elem(&processes, &process);

	return state && *state == RAROG_EBPF_FOLLOWED;
}

static __always_inline void turn_away(__u32 process)
{
	__u32 index = process / 64;
	__u64 bit = 1ull << process % 64, *word = bpf_map_lookup_elem(&turned_away, &index);

	if (word && !(__sync_fetch_and_or(word, bit) & bit))
		add(&lost, RAROG_EBPF_LOST_PROCESSES);
}

/* It has ended: its number may be another one's from here on. */
static __always_inline void forget_turned_away(__u32 process)
{
	__u32 index = process / 64;
	__u64 bit = 1ull << process % 64, *word = bpf_map_lookup_elem(&turned_away, &index);

	if (word && *word & bit)
		__sync_fetch_and_and(word, ~bit);
}

/* From 1 on. */
static __always_inline __u32 next_number(__u32 of)
{
	__u32 *last = bpf_map_lookup_elem(&numbers, &of);

	return last ? __sync_fetch_and_add(last, 1) + 1 : 0;
}

static __always_inline bool send_as(__u32 kind, __u32 number, __u64 place, __u32 tid, __u32 process)
{
	struct rarog_probed_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);

	if (!event)
		return false;
	event->ns = bpf_ktime_get_ns();
	event->place = place;
	event->tid = tid;
	event->process = process;
	event->number = number;
	event->kind = kind;
	/* the reader looks by itself: waking it up costs more than all the rest */
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return true;
}

static __always_inline bool send(__u32 kind, __u32 number, __u64 place)
{
	__u64 id = bpf_get_current_pid_tgid();

	return send_as(kind, number, place, (__u32)id, id >> 32);
}

static __always_inline void note(__u32 kind, __u32 number)
{
	if (!send(kind, number, 0))
		add(&lost, RAROG_EBPF_LOST_NOTES);
}

#include "everybody.bpf.h"

/* --- every N-th call --- */

/* 0: there is no memory for it. */
static __always_inline __u32 own_strand(void)
{
	__u32 *strand = bpf_task_storage_get(&strands, bpf_get_current_task_btf(), NULL,
					     BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!strand)
		return 0;
	if (!*strand) {
		*strand = next_number(RAROG_EBPF_NUMBER_STRANDS);
		note(RAROG_PROBED_THREAD, *strand);
	}
	return *strand;
}

/* Word of the function's gate. */
static __always_inline __u32 gate_of(__u32 function)
{
	struct rarog_ebpf_function *f = NULL;

	if (config.skips)
		f = bpf_map_lookup_elem(&functions, &function);
	return f ? f->every : RAROG_GATE_EVERY;
}

/* Of a thread's function; made when it is first wanted. */
static __always_inline struct rarog_ebpf_skip *skip_of(__u32 strand, __u32 function)
{
	const struct rarog_ebpf_pair key = { strand, function };
	const struct rarog_ebpf_skip none = { 0 };
	struct rarog_ebpf_skip *skip = bpf_map_lookup_elem(&skips, &key);

	if (skip || !strand)
		return skip;
	bpf_map_update_elem(&skips, &key, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&skips, &key);
}

/* Of every N-th call the first is not, and then every N-th. What cannot be counted is lost. */
static __noinline bool is_left_out(__u32 strand, __u32 function)
{
	__u32 gate = gate_of(function);
	struct rarog_ebpf_skip *skip;

	if (gate <= RAROG_GATE_EVERY)
		return gate == RAROG_GATE_OFF;
	skip = skip_of(strand, function);
	if (!skip) {
		add(&lost, RAROG_EBPF_LOST_SUMS);
		return true;
	}
	if (gate != RAROG_GATE_COUNTED && skip->left == 0) {
		skip->left = gate - 1;
		return false;
	}
	if (gate != RAROG_GATE_COUNTED)
		skip->left--;
	skip->skipped++;
	return true;
}

/* It could not be recorded: the next one is. */
static __always_inline void try_next(__u32 strand, __u32 function)
{
	const struct rarog_ebpf_pair key = { strand, function };
	struct rarog_ebpf_skip *skip = config.skips ? bpf_map_lookup_elem(&skips, &key) : NULL;

	if (skip)
		skip->left = 0;
}

/* --- probes --- */

SEC("uprobe")
int count_call(struct pt_regs *context)
{
	__u32 function = bpf_get_attach_cookie(context);

	if (is_measured() && gate_of(function) != RAROG_GATE_OFF)
		add(&counts, function);
	return 0;
}

/* Return: was it recorded? */
static __always_inline bool enter(struct pt_regs *context)
{
	__u32 function = bpf_get_attach_cookie(context), strand;

	if (!is_measured())
		return false;
	strand = config.skips ? own_strand() : 0;
	if (is_left_out(strand, function))
		return false;
	if (send(RAROG_PROBED_ENTRY, function, context->rsp))
		return true;
	try_next(strand, function);
	add(&lost, RAROG_EBPF_LOST_CALLS);
	return false;
}

/* The return has taken the address from the stack already. */
static __always_inline void leave(struct pt_regs *context)
{
	if (is_followed(bpf_get_current_pid_tgid() >> 32) &&
	    !send(RAROG_PROBED_RETURN, bpf_get_attach_cookie(context), context->rsp - 8))
		add(&lost, RAROG_EBPF_LOST_ENDS);
}

SEC("uprobe")
int enter_call(struct pt_regs *context)
{
	enter(context);
	return 0;
}

SEC("uprobe")
int leave_call(struct pt_regs *context)
{
	leave(context);
	return 0;
}

/* Both in one: 1 means that the return is of no interest. */
SEC("uprobe")
int session_call(struct pt_regs *context)
{
	if (!bpf_session_is_return())
		return !enter(context);
	leave(context);
	return 0;
}

/* --- marks --- */

/* Of the return address of the function that it is in. */
static __always_inline __u64 place_of_mark(struct pt_regs *context, __u64 cookie)
{
	/* both are read: the kernel takes no program that works out where to look */
	__u64 rsp = ((volatile struct pt_regs *)context)->rsp;
	__u64 rbp = ((volatile struct pt_regs *)context)->rbp;

	return (cookie & RAROG_EBPF_COOKIE_RBP ? rbp : rsp) +
	       (__u64)((__s64)cookie >> RAROG_EBPF_COOKIE_DISTANCE);
}

static __always_inline __u32 kind_of_mark(struct pt_regs *context, __u64 cookie)
{
	return (RAROG_PROBED_POINT + (cookie >> RAROG_EBPF_COOKIE_KIND & 3)) |
	       (__u32)context->rip << RAROG_PROBED_KIND;
}

/* An end always comes: rarog knows whether its beginning did. */
static __always_inline bool is_mark_left_out(__u64 cookie, __u32 number)
{
	if (!config.skips ||
	    (cookie >> RAROG_EBPF_COOKIE_KIND & 3) >= RAROG_PROBED_STOP - RAROG_PROBED_POINT)
		return false;
	return is_left_out(own_strand(), number);
}

static __always_inline void pass(struct pt_regs *context, __u64 cookie)
{
	if (is_measured() && !is_mark_left_out(cookie, (__u32)cookie) &&
	    !send(kind_of_mark(context, cookie), (__u32)cookie, place_of_mark(context, cookie)))
		add(&lost, RAROG_EBPF_LOST_MARKS);
}

SEC("uprobe")
int pass_mark(struct pt_regs *context)
{
	pass(context, bpf_get_attach_cookie(context));
	return 0;
}

/* --- processes --- */

/* Is the new process of the run? A walk through all memory may have seen it before us: what is
 * put into the map is told once, by a fork or by a join. */
static __always_inline bool begin_process(struct task_struct *parent, struct task_struct *child)
{
	__u32 from = BPF_CORE_READ(parent, tgid), to = BPF_CORE_READ(child, tgid);
	__u32 state = RAROG_EBPF_FOLLOWED;
	long r;

	if (from == to || !config.follow || !is_followed(from))
		return false;
	r = bpf_map_update_elem(&processes, &to, &state, BPF_NOEXIST);
	if (r < 0) {
		if (r != IS_THERE)
			turn_away(to);
		return false;
	}
	if (!send(RAROG_PROBED_FORK, to, start_of(child)))
		add(&lost, RAROG_EBPF_LOST_NOTES);
	return true;
}

/* It is another one's process from here on. */
static __always_inline int leave_program(__u32 process)
{
	note(RAROG_PROBED_END_ALL, 0);
	bpf_map_delete_elem(&processes, &process);
	return 0;
}

static __always_inline int begin_program(void)
{
	__u32 process = bpf_get_current_pid_tgid() >> 32;
	struct task_struct *task = (void *)bpf_get_current_task();
	__u32 *state = bpf_map_lookup_elem(&processes, &process);

	if (config.everybody && !runs_file(task))
		return state ? leave_program(process) : 0;
	if (config.everybody && !state)
		return join(task, process);
	if (!state)
		return 0;
	if (is_anothers(task)) {
		bpf_map_delete_elem(&processes, &process);
		add(&lost, RAROG_EBPF_LOST_FOREIGN);
		return 0;
	}
	*state = RAROG_EBPF_FOLLOWED;
	note(RAROG_PROBED_EXEC, 0);
	return 0;
}

static __always_inline int end_task(struct task_struct *task)
{
	__u32 process = BPF_CORE_READ(task, tgid);
	bool is_last = has_ended(task);

	if (is_last)
		forget_turned_away(process);
	if (!bpf_map_lookup_elem(&processes, &process))
		return 0;
	note(is_last ? RAROG_PROBED_END_ALL : RAROG_PROBED_END, 0);
	if (is_last)
		bpf_map_delete_elem(&processes, &process);
	return 0;
}

SEC("raw_tp/sched_process_fork")
int on_fork(struct bpf_raw_tracepoint_args *context)
{
	begin_process((void *)context->args[0], (void *)context->args[1]);
	return 0;
}

SEC("raw_tp/sched_process_exec")
int on_exec(struct bpf_raw_tracepoint_args *context)
{
	if (config.skips)
		bpf_task_storage_delete(&strands, bpf_get_current_task_btf());
	return begin_program();
}

SEC("raw_tp/sched_process_exit")
int on_exit(struct bpf_raw_tracepoint_args *context)
{
	return end_task((void *)context->args[0]);
}

#include "faults.bpf.h"
#include "sums.bpf.h"
#include "values.bpf.h"

#include "marks.bpf.h"

char LICENSE[] SEC("license") = "GPL";
