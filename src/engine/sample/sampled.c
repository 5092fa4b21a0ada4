/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Of a thread that leaves its processor the kernel gives a sample with its stack, and after it
 * whether it could have run on; when it has a processor again, when that was. The time between
 * belongs to the context of the sample.
 */
#include "engine/sample/sampled.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "process/process.h"
#include "process/thread.h"

#define MAX_NODES   ((size_t)1 << 26)
#define MAX_OPEN    32   /* regions at one address */
#define MAX_FRAMES  4096 /* of user mode; 64 KiB of stack have no more */
#define MAX_KERNEL  1024
#define CHAIN_LIMIT 127 /* addresses the kernel gives at most (kernel.perf_event_max_stack) */

int rarog_sampled_init(const struct rarog_sample_options *options,
		       struct rarog_sampled *ret_sampled)
{
	struct rarog_sampled *s = ret_sampled;
	int r;

	*s = (struct rarog_sampled){ .options = options };
	rarog_images_init(&s->images, &s->spaces);
	s->places.images = &s->images;
	s->places.kernel = &s->kernel;
	s->addresses = calloc(MAX_FRAMES, sizeof(*s->addresses));
	s->frames = calloc(MAX_FRAMES + MAX_KERNEL + 1, sizeof(*s->frames));
	if (!s->addresses || !s->frames)
		return rarog_oom();
	r = rarog_tree_init(&s->tree, MAX_NODES);
	if (r == 0)
		r = rarog_unwinder_new(&s->spaces, &s->images, &s->unwinder);
	if (r == 0 && options->kernel)
		r = rarog_kernel_read("/proc/kallsyms", &s->kernel);
	return r;
}

void rarog_sampled_release(struct rarog_sampled *s)
{
	rarog_unwinder_free(s->unwinder);
	rarog_tree_release(&s->tree);
	rarog_sample_places_release(&s->places);
	rarog_images_release(&s->images);
	rarog_spaces_release(&s->spaces);
	rarog_kernel_release(&s->kernel);
	for (size_t i = 0; i < s->processes.n; i++)
		free(s->processes.v[i].command);
	for (size_t i = 0; i < s->commands.n; i++)
		free(s->commands.v[i].command);
	rarog_vec_release(&s->processes);
	rarog_vec_release(&s->commands);
	rarog_vec_release(&s->threads);
	free(s->addresses);
	free(s->frames);
}

/* --- processes and threads --- */

/* The youngest first: numbers are used again. */
static uint32_t find_process(const struct rarog_sampled *s, uint32_t pid)
{
	for (size_t i = s->processes.n; i-- > 0;)
		if (s->processes.v[i].pid == pid)
			return (uint32_t)i;
	return RAROG_NONE;
}

static long find_thread(const struct rarog_sampled *s, uint32_t tid)
{
	for (size_t i = s->threads.n; i-- > 0;)
		if (s->threads.v[i].tid == tid)
			return (long)i;
	return -1;
}

static long add_process(struct rarog_sampled *s, uint32_t pid, uint32_t parent, uint64_t ns)
{
	struct rarog_sample_process process = { .pid = pid, .parent = parent, .start_ns = ns };

	if (parent != RAROG_NONE && s->processes.v[parent].command)
		process.command = strdup(s->processes.v[parent].command);
	if (rarog_vec_push(&s->processes, process) < 0) {
		free(process.command);
		return rarog_oom();
	}
	return (long)s->processes.n - 1;
}

static long add_thread(struct rarog_sampled *s, uint32_t process, uint32_t tid, uint64_t ns)
{
	const struct rarog_sample_thread thread = { .process = process,
						    .tid = tid,
						    .start_ns = ns };

	if (rarog_vec_push(&s->threads, thread) < 0)
		return rarog_oom();
	s->processes.v[process].living++;
	return (long)s->threads.n - 1;
}

long rarog_sampled_thread(struct rarog_sampled *s, uint32_t pid, uint32_t tid, uint64_t ns)
{
	long found = find_thread(s, tid), process;

	if (found >= 0)
		return found;
	process = find_process(s, pid);
	if (process == RAROG_NONE)
		process = add_process(s, pid, RAROG_NONE, ns);
	return process < 0 ? process : add_thread(s, (uint32_t)process, tid, ns);
}

static int begin_task(struct rarog_sampled *s, const struct rarog_sample_record *record)
{
	long process = find_process(s, record->pid), r = 0;

	if (record->pid != record->parent) {
		r = rarog_spaces_fork(&s->spaces, record->parent, record->pid);
		process = r < 0 ? r
				: add_process(s, record->pid, find_process(s, record->parent),
					      record->ns);
	} else if (process == RAROG_NONE) {
		process = add_process(s, record->pid, RAROG_NONE, record->ns);
	}
	r = process < 0 ? process : add_thread(s, (uint32_t)process, record->tid, record->ns);
	return r < 0 ? (int)r : 0;
}

static void end_task(struct rarog_sampled *s, const struct rarog_sample_record *record)
{
	long thread = find_thread(s, record->tid);
	struct rarog_sample_process *process;

	if (thread < 0)
		return;
	process = &s->processes.v[s->threads.v[thread].process];
	process->living -= s->threads.v[thread].end_ns == 0;
	process->end_ns = record->ns;
	s->threads.v[thread].end_ns = record->ns;
	s->threads.v[thread].out_ns = 0;
}

/* What was taken is gone: only those are in the list whose record is yet to come, which are few. */
static char *take_command(struct rarog_sampled *s, const struct rarog_sample_record *record)
{
	for (size_t i = 0; i < s->commands.n; i++) {
		struct rarog_sample_command *at = &s->commands.v[i];
		char *command = at->command;

		if (at->pid != record->pid || at->ns != record->ns)
			continue;
		*at = s->commands.v[--s->commands.n];
		return command;
	}
	return rarog_process_command((pid_t)record->pid);
}

/* Its short name has to do if it was not seen to run. */
static int become(struct rarog_sampled *s, const struct rarog_sample_record *record)
{
	long thread = rarog_sampled_thread(s, record->pid, record->tid, record->ns);
	struct rarog_sample_process *process;

	if (thread < 0)
		return (int)thread;
	rarog_spaces_exec(&s->spaces, record->pid);
	process = &s->processes.v[find_process(s, record->pid)];
	free(process->command);
	process->command = take_command(s, record);
	if (!process->command)
		process->command = strdup(record->name);
	return process->command ? 0 : rarog_oom();
}

/* --- stacks --- */

/* After PERF_CONTEXT_KERNEL until PERF_CONTEXT_USER; the same of user mode. */
static size_t part_of_chain(const struct rarog_sample_record *record, uint64_t context, size_t max,
			    uint64_t addresses[max])
{
	uint64_t now = PERF_CONTEXT_MAX;
	size_t n = 0;

	for (size_t i = 0; i < record->n_chain && n < max; i++) {
		if (record->chain[i] >= (uint64_t)PERF_CONTEXT_MAX)
			now = record->chain[i];
		else if (now == context)
			addresses[n++] = record->chain[i];
	}
	for (size_t i = 1; i < n; i++)
		addresses[i]--; /* into the call */
	return n;
}

static size_t user_stack(struct rarog_sampled *s, const struct rarog_sample_record *record,
			 int *ret_is_cut)
{
	const struct rarog_sample_stack stack = { .registers = record->registers,
						  .size = record->n_stack,
						  .bytes = record->stack };
	size_t n;

	*ret_is_cut = 0;
	if (s->options->stacks == RAROG_STACKS_FP) {
		n = part_of_chain(record, PERF_CONTEXT_USER, MAX_FRAMES, s->addresses);
		*ret_is_cut = record->n_chain >= CHAIN_LIMIT;
		return n;
	}
	if (!record->registers)
		return 0;
	if (s->options->stacks == RAROG_STACKS_DWARF && record->is_64_bit)
		return rarog_unwind(s->unwinder, rarog_spaces_find(&s->spaces, record->pid), &stack,
				    MAX_FRAMES, s->addresses, ret_is_cut);
	s->addresses[0] = record->registers[RAROG_SAMPLE_IP];
	return 1;
}

static size_t add_user(struct rarog_sampled *s, const struct rarog_sample_record *record, size_t at)
{
	const struct rarog_space *space = rarog_spaces_find(&s->spaces, record->pid);
	int is_cut;
	size_t n = user_stack(s, record, &is_cut);

	for (size_t i = 0; i < n; i++)
		s->frames[at++] = rarog_sample_place_at(&s->places, space, record->pid,
							s->addresses[i], record->ns);
	if (is_cut)
		s->frames[at++] = rarog_sample_place_cut(&s->places);
	s->cut += is_cut ? 1 : 0;
	return at;
}

static bool has_frame(const struct rarog_sampled *s, size_t n, uint32_t place)
{
	for (size_t i = 0; i < n; i++)
		if (s->frames[i] == place)
			return true;
	return false;
}

/* Regions instead of functions, from outside to inside, each once: what is entered again from
 * itself goes on. A caller's address is after its call. */
static size_t add_regions(struct rarog_sampled *s, const struct rarog_sample_record *record)
{
	const struct rarog_space *space = rarog_spaces_find(&s->spaces, record->pid);
	uint32_t found[MAX_OPEN];
	size_t n = 0, n_frames;
	int is_cut;

	n_frames = user_stack(s, record, &is_cut);
	s->cut += is_cut ? 1 : 0;
	for (size_t i = n_frames; i-- > 0;) {
		size_t n_found = rarog_sample_place_regions(
			&s->places, space, s->addresses[i] - (i > 0), MAX_OPEN, found);

		for (size_t k = 0; k < n_found && n < MAX_FRAMES; k++)
			if (!has_frame(s, n, found[k]))
				s->frames[n++] = found[k];
	}
	if (n == 0)
		s->frames[n++] = rarog_sample_place_no_region(&s->places);
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t other = s->frames[i];

		s->frames[i] = s->frames[n - 1 - i];
		s->frames[n - 1 - i] = other;
	}
	return n;
}

static size_t add_kernel(struct rarog_sampled *s, const struct rarog_sample_record *record)
{
	size_t n = 0;

	if (s->options->kernel)
		n = part_of_chain(record, PERF_CONTEXT_KERNEL, MAX_KERNEL, s->addresses);
	for (size_t i = 0; i < n; i++)
		s->frames[i] = rarog_sample_place_kernel(&s->places, s->addresses[i]);
	return n;
}

/* The node of the stack of @record; negative with message. */
static long node_of(struct rarog_sampled *s, const struct rarog_sample_record *record)
{
	long thread = rarog_sampled_thread(s, record->pid, record->tid, record->ns);
	size_t n = 0;
	uint64_t node;

	if (thread < 0)
		return thread;
	n = s->places.regions ? add_regions(s, record) : add_user(s, record, add_kernel(s, record));
	if (n == 0)
		s->frames[n++] = rarog_sample_place_kernel(&s->places, 0);
	node = rarog_tree_child(&s->tree, 0, (uint32_t)thread, false) & ~RAROG_TREE_FOREIGN;
	while (n-- > 0) {
		if (s->frames[n] == RAROG_NONE)
			return -ENOMEM;
		node = rarog_tree_child(&s->tree, (uint32_t)node, s->frames[n], false) &
		       ~RAROG_TREE_FOREIGN;
	}
	return (long)node;
}

static int add_sample(struct rarog_sampled *s, const struct rarog_sample_record *record)
{
	long node = node_of(s, record);

	if (node < 0)
		return (int)node;
	s->tree.amounts[node].count++;
	s->tree.amounts[node].exclusive += record->period;
	s->samples++;
	s->period += record->period;
	return 0;
}

static int map(struct rarog_sampled *s, const struct rarog_sample_record *record)
{
	long file = rarog_spaces_map(&s->spaces, record->pid, record->start, record->size,
				     record->offset, record->name, record->file);

	return file < 0 ? (int)file : 0;
}

static int look_for_file(struct rarog_sampled *s, const struct rarog_sample_record *record)
{
	long file = rarog_spaces_file(&s->spaces, record->pid, record->name, record->file);

	if (file < 0)
		return (int)file;
	rarog_images_look(&s->images, (uint32_t)file);
	return 0;
}

static int look_for_command(struct rarog_sampled *s, const struct rarog_sample_record *record)
{
	struct rarog_sample_command one = { record->pid, record->ns,
					    rarog_process_command((pid_t)record->pid) };

	if (!one.command || rarog_vec_push(&s->commands, one) == 0)
		return 0;
	free(one.command);
	return rarog_oom();
}

int rarog_sampled_look(struct rarog_sampled *s, const struct rarog_sample_record *record)
{
	if (record->kind == RAROG_SAMPLE_MAP)
		return look_for_file(s, record);
	return record->kind == RAROG_SAMPLE_EXEC ? look_for_command(s, record) : 0;
}

int rarog_sampled_add(struct rarog_sampled *s, const struct rarog_sample_record *record)
{
	switch (record->kind) {
	case RAROG_SAMPLE_SAMPLE:
		return add_sample(s, record);
	case RAROG_SAMPLE_MAP:
		return map(s, record);
	case RAROG_SAMPLE_EXEC:
		return become(s, record);
	case RAROG_SAMPLE_FORK:
		return begin_task(s, record);
	case RAROG_SAMPLE_EXIT:
		end_task(s, record);
		return 0;
	case RAROG_SAMPLE_LOST:
		s->losses.samples += record->lost;
		return 0;
	default:
		return 0;
	}
}

/* --- time on no processor --- */

static int leave(struct rarog_sampled *s, const struct rarog_sample_record *record)
{
	uint64_t cut = s->cut;
	long node = node_of(s, record);
	long thread = find_thread(s, record->tid);

	s->cut = cut; /* that is of samples */
	if (node < 0)
		return (int)node;
	s->threads.v[thread].out_ns = record->ns;
	s->threads.v[thread].out_node = (uint32_t)node;
	s->threads.v[thread].is_preempted = false;
	return 0;
}

static int come_back(struct rarog_sampled *s, struct rarog_sample_thread *thread, uint64_t ns)
{
	uint64_t out = thread->out_ns;
	struct rarog_off_cpu_time off_cpu = { 0 };

	thread->out_ns = 0;
	if (out == 0 || ns <= out)
		return 0;
	if (thread->is_preempted)
		off_cpu.preempted = ns - out;
	else
		off_cpu.waited = ns - out;
	return rarog_tree_off_cpu(&s->tree, thread->out_node, &off_cpu) < 0 ? rarog_oom() : 0;
}

int rarog_sampled_add_switch(struct rarog_sampled *s, const struct rarog_sample_record *record)
{
	long thread;

	if (record->kind == RAROG_SAMPLE_SAMPLE)
		return leave(s, record);
	if (record->kind == RAROG_SAMPLE_LOST)
		s->losses.switches += record->lost;
	thread = find_thread(s, record->tid);
	if (thread < 0)
		return 0;
	if (record->kind == RAROG_SAMPLE_OUT)
		s->threads.v[thread].is_preempted = record->is_preempted;
	if (record->kind == RAROG_SAMPLE_IN)
		return come_back(s, &s->threads.v[thread], record->ns);
	return 0;
}

int rarog_sampled_finish(struct rarog_sampled *s, uint64_t ns)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->threads.n; i++)
		if (s->threads.v[i].end_ns == 0)
			r = come_back(s, &s->threads.v[i], ns);
	return r;
}

size_t rarog_sampled_outliving(const struct rarog_sampled *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->processes.n; i++) {
		const struct rarog_sample_process *process = &s->processes.v[i];

		n += process->living > 0 && find_process(s, process->pid) == i &&
		     !rarog_thread_is_dead((pid_t)process->pid);
	}
	return n;
}
