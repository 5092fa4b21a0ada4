/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes and threads are found by their numbers, which the kernel uses again: an end takes them
 * out of the tables. Should that note be lost, the next process with the number shows by when it
 * was started that it is another one, and a thread by whose it is; one of the same process goes on
 * in the strand of that number, where the order of return addresses closes what was open.
 */
#include "engine/probed/streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <uthash.h>

#include "base/error.h"
#include "engine/probed/strand.h"
#include "process/process.h"
#include "process/thread.h"

#define ENOUGH_WORDS 4096

struct thread {
	uint32_t tid, process; /* as the kernel numbers them */
	uint32_t index;        /* of the strand in the profile */
	uint32_t number;       /* RAROG_PROBED_THREAD; 0: was not told */
	struct rarog_probed_strand strand;
	UT_hash_handle hh;
};

struct process {
	uint32_t pid;
	uint32_t index;      /* in the profile */
	uint64_t started_ns; /* as its beginning told; 0: that did not */
	UT_hash_handle hh;
};

struct rarog_probed_streams {
	struct rarog_recorder *recorder;
	const struct rarog_id_map *map;
	const bool *has_results, *are_sampled;
	RAROG_VEC(uint32_t) numbers; /* of threads, less 1: index of the strand */
	struct thread *threads;
	struct process *processes;
	uint32_t program;       /* pid */
	bool is_started;        /* by us */
	uint32_t program_index; /* in the profile, the last of them */
	const char *file;       /* of all processes; NULL: they are those of the program */
	bool is_library;        /* that is no program */
	struct stat file_stat;
	size_t n_joined;
	uint64_t last_ns; /* of all events */
};

int rarog_probed_streams_new(struct rarog_recorder *recorder, const struct rarog_id_map *map,
			     const bool *has_results, struct rarog_probed_streams **ret_streams)
{
	struct rarog_probed_streams *streams = calloc(1, sizeof(*streams));

	if (!streams)
		return rarog_oom();
	streams->recorder = recorder;
	streams->map = map;
	streams->has_results = has_results;
	streams->program_index = RAROG_NONE;
	*ret_streams = streams;
	return 0;
}

static void forget_thread(struct rarog_probed_streams *s, struct thread *thread)
{
	HASH_DEL(s->threads, thread);
	rarog_probed_strand_release(&thread->strand);
	free(thread);
}

void rarog_probed_streams_sampled(struct rarog_probed_streams *streams, const bool are_sampled[])
{
	streams->are_sampled = are_sampled;
}

void rarog_probed_streams_free(struct rarog_probed_streams *s)
{
	struct thread *thread, *next_thread;
	struct process *process, *next;

	if (!s)
		return;
	HASH_ITER(hh, s->threads, thread, next_thread)
	forget_thread(s, thread);
	HASH_ITER(hh, s->processes, process, next)
	{
		HASH_DEL(s->processes, process);
		free(process);
	}
	rarog_vec_release(&s->numbers);
	free(s);
}

/* --- processes --- */

static struct process *find_process(struct rarog_probed_streams *s, uint32_t pid)
{
	struct process *process;

	HASH_FIND(hh, s->processes, &pid, sizeof(pid), process);
	return process;
}

/* By the time that we look it may have ended, or run something else, which is not what was
 * measured: then what it did run is all that is known. */
static char *command_of(const struct rarog_probed_streams *s, uint32_t pid)
{
	rarog_cleanup(rarog_freep) char *command = rarog_process_command((pid_t)pid);
	char exe[64];
	struct stat st;

	if (!s->file || (command && s->is_library))
		return rarog_take(command);
	snprintf(exe, sizeof(exe), "/proc/%u/exe", pid);
	if (command && stat(exe, &st) == 0 && st.st_dev == s->file_stat.st_dev &&
	    st.st_ino == s->file_stat.st_ino)
		return rarog_take(command);
	return strdup(s->file);
}

static long add_process(struct rarog_probed_streams *s, uint32_t pid, uint32_t parent, uint64_t ns)
{
	rarog_cleanup(rarog_freep) char *command = command_of(s, pid);
	const struct rarog_process row = {
		.pid = pid,
		.parent = parent,
		.start_ticks = ns,
		.end_ticks = ns,
		.wait_status = -1,
		.command = command,
	};
	struct process *process = find_process(s, pid);
	long index = rarog_recorder_add_process(s->recorder, &row);

	if (index < 0)
		return index;
	s->n_joined++;
	if (!process) {
		process = calloc(1, sizeof(*process));
		if (!process)
			return rarog_oom();
		process->pid = pid;
		HASH_ADD(hh, s->processes, pid, sizeof(process->pid), process);
	}
	process->index = (uint32_t)index;
	if (pid == s->program)
		s->program_index = process->index;
	return index;
}

int rarog_probed_streams_begin(struct rarog_probed_streams *s, pid_t pid, bool runs, uint64_t ns)
{
	long index;

	s->program = (uint32_t)pid;
	s->is_started = !runs;
	index = runs ? add_process(s, s->program, RAROG_NONE, ns) : 0;
	return index < 0 ? (int)index : 0;
}

int rarog_probed_streams_everybody(struct rarog_probed_streams *s, const char *path,
				   const char *name, bool is_library)
{
	s->file = name;
	s->is_library = is_library;
	return stat(path, &s->file_stat) < 0 ? rarog_fail_errno("%s", name) : 0;
}

size_t rarog_probed_streams_joined(const struct rarog_probed_streams *s)
{
	return s->n_joined;
}

uint32_t rarog_probed_streams_program(const struct rarog_probed_streams *s)
{
	return s->program_index;
}

static int end_process(struct rarog_probed_streams *s, uint32_t pid, uint64_t ns)
{
	struct process *process = find_process(s, pid);
	int r;

	if (!process)
		return 0;
	r = rarog_recorder_end_process(s->recorder, process->index, ns, -1);
	HASH_DEL(s->processes, process);
	free(process);
	return r;
}

/* --- threads --- */

static struct thread *find_thread(struct rarog_probed_streams *s, uint32_t tid)
{
	struct thread *thread;

	HASH_FIND(hh, s->threads, &tid, sizeof(tid), thread);
	return thread;
}

static int add_thread(struct rarog_probed_streams *s, const struct rarog_probed_event *event,
		      struct thread **ret_thread)
{
	const struct process *process = find_process(s, event->process);
	long owner = process ? (long)process->index
			     : add_process(s, event->process, RAROG_NONE, event->ns);
	const struct rarog_strand row = {
		.process = (uint32_t)owner,
		.tid = event->tid,
		.start_ticks = event->ns,
		.end_ticks = event->ns,
	};
	struct thread *thread;
	long index;

	if (owner < 0)
		return (int)owner;
	index = rarog_recorder_add_strand(s->recorder, &row, s->map);
	thread = index < 0 ? NULL : calloc(1, sizeof(*thread));
	if (!thread)
		return index < 0 ? (int)index : rarog_oom();
	thread->tid = event->tid;
	thread->process = event->process;
	thread->index = (uint32_t)index;
	thread->strand.has_results = s->has_results;
	thread->strand.are_sampled = s->are_sampled;
	HASH_ADD(hh, s->threads, tid, sizeof(thread->tid), thread);
	*ret_thread = thread;
	return 0;
}

static int hand_over(struct rarog_probed_streams *s, struct thread *thread)
{
	size_t n = thread->strand.words.n;

	thread->strand.words.n = 0;
	return n ? rarog_recorder_words(s->recorder, thread->index, n, thread->strand.words.v) : 0;
}

static int end_thread(struct rarog_probed_streams *s, struct thread *thread, uint64_t ns)
{
	int r = hand_over(s, thread);

	if (r == 0)
		r = rarog_recorder_end_strand(s->recorder, thread->index, ns);
	if (thread->strand.n_unseen > 0)
		rarog_recorder_lose(s->recorder, RAROG_PROBED_UNSEEN, thread->strand.n_unseen);
	if (thread->strand.n_unbegun > 0)
		rarog_recorder_doubt(s->recorder, RAROG_DOUBT_UNBEGUN, thread->strand.n_unbegun);
	forget_thread(s, thread);
	return r;
}

/* Others than the one that execs or ends last have their own notes; this is for lost ones. */
static int end_threads(struct rarog_probed_streams *s, uint32_t process, uint64_t ns)
{
	struct thread *thread, *next;
	int r = 0;

	HASH_ITER(hh, s->threads, thread, next)
	if (r == 0 && thread->process == process)
		r = end_thread(s, thread, ns);
	return r;
}

/* NULL: it is new. Not that of another process, whose end was lost. */
static int own_thread(struct rarog_probed_streams *s, const struct rarog_probed_event *event,
		      struct thread **ret_thread)
{
	struct thread *thread = find_thread(s, event->tid);
	int r = 0;

	if (thread && thread->process != event->process) {
		r = end_thread(s, thread, event->ns);
		thread = NULL;
	}
	if (r == 0)
		*ret_thread = thread;
	return r;
}

/* A process begins, @started_ns (0: not known): one of its number that is there still has ended
 * without our being told. */
static int begin_process(struct rarog_probed_streams *s, uint32_t pid, uint32_t parent,
			 uint64_t started_ns, uint64_t ns)
{
	int r = end_threads(s, pid, ns);
	long index;

	if (r == 0)
		r = end_process(s, pid, ns);
	if (r < 0)
		return r;
	index = add_process(s, pid, parent, ns);
	if (index < 0)
		return (int)index;
	find_process(s, pid)->started_ns = started_ns;
	return 0;
}

/* --- events --- */

static uint32_t kind_of(const struct rarog_probed_event *event)
{
	return event->kind & ((1u << RAROG_PROBED_KIND) - 1) & ~RAROG_PROBED_VALUES;
}

static int begin(struct rarog_probed_strand *strand, const struct rarog_probed_event *event)
{
	if (kind_of(event) == RAROG_PROBED_BEGIN)
		return rarog_probed_strand_begin(strand, event->ns, event->number, event->place,
						 event->kind >> RAROG_PROBED_KIND);
	return rarog_probed_strand_enter(strand, event->ns, event->number, event->place);
}

static int begin_with(struct rarog_probed_strand *strand, const struct rarog_probed_record *record)
{
	int r = begin(strand, &record->event);

	return r < 0 ? r : rarog_probed_strand_values(strand, record);
}

/* Nothing is captured there. */
static int leave_with(struct rarog_probed_strand *strand, const struct rarog_probed_record *record)
{
	const struct rarog_probed_event *event = &record->event;

	return rarog_probed_strand_left(strand, event->ns, event->number, event->place);
}

/* Calls and marks with what was captured of them. */
static int pass_record(struct rarog_probed_strand *strand, const struct rarog_probed_record *record)
{
	static int (*const passers[])(struct rarog_probed_strand * strand,
				      const struct rarog_probed_record *record) = {
		[RAROG_PROBED_ENTRY] = begin_with,
		[RAROG_PROBED_RETURN] = rarog_probed_strand_leave_with,
		[RAROG_PROBED_POINT] = rarog_probed_strand_point_with,
		[RAROG_PROBED_BEGIN] = begin_with,
		[RAROG_PROBED_STOP] = rarog_probed_strand_stop_with,
		[RAROG_PROBED_LEFT] = leave_with,
	};

	return passers[kind_of(&record->event)](strand, record);
}

static int pass(struct rarog_probed_strand *strand, const struct rarog_probed_event *event)
{
	static int (*const passers[])(struct rarog_probed_strand * strand, uint64_t ns,
				      uint32_t function, uint64_t place) = {
		[RAROG_PROBED_RETURN] = rarog_probed_strand_leave,
		[RAROG_PROBED_POINT] = rarog_probed_strand_point,
		[RAROG_PROBED_STOP] = rarog_probed_strand_stop,
		[RAROG_PROBED_LEFT] = rarog_probed_strand_left,
	};

	if (event->kind & RAROG_PROBED_VALUES)
		return pass_record(strand, (const struct rarog_probed_record *)event);
	if (kind_of(event) == RAROG_PROBED_ENTRY || kind_of(event) == RAROG_PROBED_BEGIN)
		return begin(strand, event);
	return passers[kind_of(event)](strand, event->ns, event->number, event->place);
}

static int on_call(struct rarog_probed_streams *s, const struct rarog_probed_event *event)
{
	struct thread *thread = NULL;
	int r = own_thread(s, event, &thread);

	if (r == 0 && !thread && kind_of(event) == RAROG_PROBED_RETURN)
		return 0;
	if (r == 0 && !thread)
		r = add_thread(s, event, &thread);
	if (r == 0)
		r = pass(&thread->strand, event);
	if (r == 0 && thread->strand.words.n >= ENOUGH_WORDS)
		r = hand_over(s, thread);
	return r;
}

/* Its end may have been lost, and its number in the kernel used again. */
static int on_thread(struct rarog_probed_streams *s, const struct rarog_probed_event *event)
{
	struct thread *thread = NULL;
	int r = own_thread(s, event, &thread);

	if (r == 0 && thread && thread->number) {
		r = end_thread(s, thread, event->ns);
		thread = NULL;
	}
	if (r == 0 && !thread)
		r = add_thread(s, event, &thread);
	while (r == 0 && s->numbers.n < event->number)
		if (rarog_vec_push(&s->numbers, RAROG_NONE) < 0)
			r = rarog_oom();
	if (r < 0)
		return r;
	thread->number = event->number;
	s->numbers.v[event->number - 1] = thread->index;
	return 0;
}

uint32_t rarog_probed_streams_strand(const struct rarog_probed_streams *s, uint32_t number)
{
	return number > 0 && number <= s->numbers.n ? s->numbers.v[number - 1] : RAROG_NONE;
}

int rarog_probed_streams_rest(const struct rarog_probed_streams *s, uint32_t number,
			      uint32_t function, uint64_t n)
{
	uint32_t strand = rarog_probed_streams_strand(s, number);

	if (strand == RAROG_NONE || function >= s->map->n)
		return 0;
	return rarog_recorder_rest(s->recorder, s->map->locations[function], strand, n);
}

int rarog_probed_streams_skipped(const struct rarog_probed_streams *s, uint32_t number,
				 uint32_t function, uint64_t n)
{
	uint32_t strand = rarog_probed_streams_strand(s, number);

	if (strand == RAROG_NONE || function >= s->map->n)
		return 0;
	return rarog_recorder_skipped(s->recorder, s->map->locations[function], strand, n);
}

static int on_fork(struct rarog_probed_streams *s, const struct rarog_probed_event *event)
{
	const struct rarog_probed_event born = { .ns = event->ns,
						 .tid = event->number,
						 .process = event->number };
	const struct process *parent = find_process(s, event->process);
	struct thread *from = find_thread(s, event->tid), *to = NULL;
	int r = begin_process(s, event->number, parent ? parent->index : RAROG_NONE, event->place,
			      event->ns);

	if (r < 0 || !from || from->strand.open.n == 0)
		return r;
	r = add_thread(s, &born, &to);
	return r < 0 ? r : rarog_probed_strand_fork(&from->strand, event->ns, &to->strand);
}

/* What another of its threads calls may have been told before. */
static int on_join(struct rarog_probed_streams *s, const struct rarog_probed_event *event)
{
	struct process *process = find_process(s, event->process);

	if (process && process->started_ns && process->started_ns != event->place)
		process = NULL;
	if (!process)
		return begin_process(s, event->process, RAROG_NONE, event->place, event->ns);
	process->started_ns = event->place;
	return 0;
}

static int on_exec(struct rarog_probed_streams *s, const struct rarog_probed_event *event)
{
	const struct process *process = find_process(s, event->process);
	uint32_t before = process ? process->index : RAROG_NONE;
	int r = end_threads(s, event->process, event->ns);
	long index;

	if (r == 0 && process)
		r = rarog_recorder_end_process(s->recorder, before, event->ns, -1);
	if (r < 0)
		return r;
	index = add_process(s, event->process, before, event->ns);
	return index < 0 ? (int)index : 0;
}

static int on_end(struct rarog_probed_streams *s, const struct rarog_probed_event *event)
{
	struct thread *thread = find_thread(s, event->tid);
	int r = thread ? end_thread(s, thread, event->ns) : 0;

	if (r < 0 || event->kind == RAROG_PROBED_END)
		return r;
	r = end_threads(s, event->process, event->ns);
	return r < 0 ? r : end_process(s, event->process, event->ns);
}

int rarog_probed_streams_take(void *streams, const struct rarog_probed_event *event)
{
	static int (*const takers[])(struct rarog_probed_streams * s,
				     const struct rarog_probed_event *event) = {
		[RAROG_PROBED_ENTRY] = on_call, [RAROG_PROBED_RETURN] = on_call,
		[RAROG_PROBED_FORK] = on_fork,  [RAROG_PROBED_EXEC] = on_exec,
		[RAROG_PROBED_END] = on_end,    [RAROG_PROBED_END_ALL] = on_end,
		[RAROG_PROBED_POINT] = on_call, [RAROG_PROBED_BEGIN] = on_call,
		[RAROG_PROBED_STOP] = on_call,  [RAROG_PROBED_LEFT] = on_call,
		[RAROG_PROBED_JOIN] = on_join,  [RAROG_PROBED_THREAD] = on_thread,
	};

	struct rarog_probed_streams *s = streams;

	if (event->ns > s->last_ns)
		s->last_ns = event->ns;
	return kind_of(event) < RAROG_COUNT(takers) ? takers[kind_of(event)](s, event) : 0;
}

/* Of a program that was started here: the processes that go on though it has ended. */
static void note_outliving(const struct rarog_probed_streams *s)
{
	uint64_t n = 0;

	for (const struct process *process = s->processes; process; process = process->hh.next)
		n += process->pid != s->program && !rarog_thread_is_dead((pid_t)process->pid);
	if (s->is_started)
		rarog_recorder_doubt(s->recorder, RAROG_DOUBT_OUTLIVING, n);
}

int rarog_probed_streams_finish(struct rarog_probed_streams *s, uint64_t ns)
{
	struct thread *thread, *next_thread;
	struct process *process, *next;
	int r = 0;

	note_outliving(s);
	if (s->last_ns > ns) /* it goes on until the probes are out */
		ns = s->last_ns;
	HASH_ITER(hh, s->threads, thread, next_thread)
	r = r < 0 ? r : end_thread(s, thread, ns);
	HASH_ITER(hh, s->processes, process, next)
	r = r < 0 ? r : end_process(s, process->pid, ns);
	return r;
}
