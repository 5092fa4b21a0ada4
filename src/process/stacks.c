/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel tells the stack pointer and program counter of a thread in a system call; libdw
 * unwinds from there. A thread that waits for a mutex of glibc sleeps on its first word, and the
 * owner's id is eight bytes after it; one that waits for the end of a thread sleeps on a word that
 * is that thread's id.
 */
#include "process/stacks.h"

#include <dirent.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "process/memory.h"

#define OWNER_AT 8 /* of a pthread_mutex_t */

#define DWARF_BP 6
#define DWARF_SP 7

struct place {
	pid_t pid;
	uint64_t sp, pc;
	bool is_given;
	struct rarog_thread_stack *stack;
};

static bool read_word(pid_t pid, uint64_t address, size_t size, void *ret_word)
{
	const struct iovec ours = { ret_word, size };
	const struct iovec theirs = { (void *)(uintptr_t)address, size };

	return rarog_memory_readv(pid, &ours, 1, &theirs) == (ssize_t)size;
}

/* --- what libdw asks for --- */

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
	struct place *place = context;

	(void)dwfl;
	if (place->is_given)
		return 0;
	place->is_given = true;
	*thread = place;
	return place->pid;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret_word, void *context)
{
	const struct place *place = context;

	(void)dwfl;
	return read_word(place->pid, address, sizeof(*ret_word), ret_word);
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct place *place = context;
	const Dwarf_Word sp = place->sp;

	dwfl_thread_state_register_pc(thread, place->pc);
	return dwfl_thread_state_registers(thread, DWARF_SP, 1, &sp);
}

static const Dwfl_Thread_Callbacks threads = {
	.next_thread = next_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static const Dwfl_Callbacks files = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

static char *name_of(Dwfl *dwfl, uint64_t pc)
{
	Dwfl_Module *module = dwfl_addrmodule(dwfl, pc);
	const char *name = module ? dwfl_module_addrname(module, pc) : NULL;

	return name ? strdup(name) : rarog_asprintf("%#" PRIx64, pc);
}

static int take_frame(Dwfl_Frame *frame, void *context)
{
	struct place *place = context;
	struct rarog_thread_stack *stack = place->stack;
	Dwarf_Addr pc;
	bool is_exact;

	if (stack->n == RAROG_STACK_FRAMES || !dwfl_frame_pc(frame, &pc, &is_exact) || pc == 0)
		return DWARF_CB_ABORT;
	stack->frames[stack->n] =
		name_of(dwfl_thread_dwfl(dwfl_frame_thread(frame)), pc - !is_exact);
	stack->n += stack->frames[stack->n] ? 1 : 0;
	return DWARF_CB_OK;
}

/* What cannot be unwound has what was found until then. */
static void unwind(struct place *place)
{
	Dwfl *dwfl = dwfl_begin(&files);

	if (!dwfl)
		return;
	if (dwfl_linux_proc_report(dwfl, place->pid) == 0 &&
	    dwfl_report_end(dwfl, NULL, NULL) == 0 &&
	    dwfl_attach_state(dwfl, NULL, place->pid, &threads, place))
		dwfl_getthread_frames(dwfl, place->pid, take_frame, place);
	dwfl_end(dwfl);
}

/* --- threads --- */

static bool is_thread(pid_t pid, uint32_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%" PRIu32, (int)pid, tid);
	return tid > 0 && access(path, F_OK) == 0;
}

/* The other one's id is that of the name space that the program is in. */
static pid_t holder(pid_t pid, pid_t self, uint64_t futex)
{
	uint32_t word, owner;

	if (read_word(pid, futex, sizeof(word), &word) && word != (uint32_t)self &&
	    is_thread(pid, word))
		return (pid_t)word;
	if (read_word(pid, futex + OWNER_AT, sizeof(owner), &owner) && owner != (uint32_t)self &&
	    is_thread(pid, owner))
		return (pid_t)owner;
	return 0;
}

enum { FIRST_ARGUMENT, STACK_POINTER = 6, ADDRESS, CALL_NUMBERS };

/* "202 0x7f… six arguments … 0x7ffe… 0x7f…"; false: "running", or it is gone. */
static bool read_call(pid_t pid, pid_t tid, long *ret_call, uint64_t ret_numbers[CALL_NUMBERS])
{
	char path[64], line[256] = "", *at = line, *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	*ret_call = strtol(at, &end, 10);
	for (size_t i = 0; end > at && i < CALL_NUMBERS; i++) {
		at = end;
		ret_numbers[i] = strtoull(at, &end, 16);
	}
	return end > at;
}

static void look(pid_t pid, struct rarog_thread_stack *stack)
{
	uint64_t numbers[CALL_NUMBERS];
	struct place place = { .pid = pid, .stack = stack };

	stack->runs = !read_call(pid, stack->tid, &stack->call, numbers);
	if (stack->runs)
		return;
	place.sp = numbers[STACK_POINTER];
	place.pc = numbers[ADDRESS];
	if (stack->call == SYS_futex)
		stack->waits_for = holder(pid, stack->tid, numbers[FIRST_ARGUMENT]);
	unwind(&place);
}

int rarog_stacks_read(pid_t pid, struct rarog_thread_stacks *ret_stacks)
{
	const struct dirent *entry;
	char path[64];
	DIR *folder;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	folder = opendir(path);
	while (r == 0 && folder && (entry = readdir(folder))) {
		struct rarog_thread_stack stack = { .tid = (pid_t)strtol(entry->d_name, NULL, 10) };

		if (stack.tid <= 0)
			continue;
		look(pid, &stack);
		r = rarog_vec_push(&ret_stacks->v, stack) < 0 ? rarog_oom() : 0;
	}
	if (folder)
		closedir(folder);
	return r;
}

void rarog_stacks_release(struct rarog_thread_stacks *stacks)
{
	for (size_t i = 0; i < stacks->v.n; i++)
		for (size_t k = 0; k < stacks->v.v[i].n; k++)
			free(stacks->v.v[i].frames[k]);
	rarog_vec_release(&stacks->v);
}
