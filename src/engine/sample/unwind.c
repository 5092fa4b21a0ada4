/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sample/unwind.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* One address space's modules as libdw has them. Kept for the next sample of the same. */
struct prepared {
	uint32_t pid;
	uint64_t version;
	Dwfl *dwfl;
};

#define PREPARED_AT_MOST 64

struct rarog_unwinder {
	const struct rarog_spaces *spaces;
	struct rarog_images *images;
	RAROG_VEC(struct prepared) prepared;
	/* Of the sample at hand: */
	const struct rarog_space *space;
	const struct rarog_sample_stack *stack;
	bool is_given, is_cut;
	size_t n, max;
	uint64_t *addresses;
};

enum { AX, BX, CX, DX, SI, DI, BP, SP, IP, R8 };

/* --- what libdw asks for --- */

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
	struct rarog_unwinder *u = context;

	(void)dwfl;
	if (u->is_given)
		return 0;
	u->is_given = true;
	*thread = context;
	return (pid_t)u->space->pid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *context, void **thread)
{
	(void)dwfl;
	(void)tid;
	*thread = context;
	return true;
}

static const uint8_t *bytes_of_file(const struct rarog_unwinder *u, uint64_t address, size_t n)
{
	const struct rarog_space_mapping *mapping = rarog_space_at(u->space, address);
	uint64_t bias;

	if (!mapping || rarog_images_bias(u->images, mapping, &bias) < 0)
		return NULL;
	return rarog_binary_bytes(rarog_images_binary(u->images, mapping->file), address - bias, n);
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret_word, void *context)
{
	struct rarog_unwinder *u = context;
	uint64_t start = u->stack->registers[SP], at = address - start;
	const uint8_t *bytes = NULL;

	(void)dwfl;
	if (address >= start && u->stack->size >= 8 && at <= u->stack->size - 8)
		bytes = u->stack->bytes + at;
	else if (address >= start && at < (UINT64_C(1) << 20))
		u->is_cut = true;
	else
		bytes = bytes_of_file(u, address, 8);
	if (bytes)
		memcpy(ret_word, bytes, 8);
	return bytes;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	/* DWARF's order: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 … r15 */
	static const uint8_t order[] = { AX, DX, CX, BX, SI, DI, BP, SP };
	const struct rarog_unwinder *u = context;
	Dwarf_Word words[16];

	for (size_t i = 0; i < 16; i++)
		words[i] = u->stack->registers[i < 8 ? order[i] : R8 + i - 8];
	dwfl_thread_state_register_pc(thread, u->stack->registers[IP]);
	return dwfl_thread_state_registers(thread, 0, 16, words);
}

static const Dwfl_Thread_Callbacks threads = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

/* Tables are in the files themselves; debug files are not looked for, here or elsewhere. */
static int no_debug_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word checksum, char **ret_name)
{
	(void)module;
	(void)user;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)checksum;
	(void)ret_name;
	return -1;
}

static const Dwfl_Callbacks files = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = no_debug_file,
	.section_address = dwfl_offline_section_address,
};

/* --- modules --- */

static void report(struct rarog_unwinder *u, Dwfl *dwfl, const struct rarog_space_mapping *mapping)
{
	const struct rarog_segment *segments;
	const char *path;
	uint64_t bias;

	if (rarog_images_bias(u->images, mapping, &bias) < 0)
		return;
	path = rarog_images_path(u->images, mapping->file);
	rarog_binary_segments(rarog_images_binary(u->images, mapping->file), &segments);
	dwfl_report_elf(dwfl, path, path, -1, bias + (segments[0].vaddr & ~UINT64_C(4095)), false);
}

static Dwfl *make(struct rarog_unwinder *u, const struct rarog_space *space)
{
	Dwfl *dwfl = dwfl_begin(&files);

	if (!dwfl)
		return NULL;
	dwfl_report_begin(dwfl);
	for (size_t i = 0; i < space->mappings.n; i++) {
		const struct rarog_space_mapping *m = &space->mappings.v[i];

		if (i == 0 || m[-1].file != m->file)
			report(u, dwfl, m);
	}
	if (dwfl_report_end(dwfl, NULL, NULL) == 0 &&
	    dwfl_attach_state(dwfl, NULL, (pid_t)space->pid, &threads, u))
		return dwfl;
	dwfl_end(dwfl);
	return NULL;
}

static Dwfl *prepare(struct rarog_unwinder *u, const struct rarog_space *space)
{
	struct prepared *slot = NULL;

	for (size_t i = 0; !slot && i < u->prepared.n; i++)
		if (u->prepared.v[i].pid == space->pid)
			slot = &u->prepared.v[i];
	if (slot && slot->version == space->version)
		return slot->dwfl;
	if (!slot && u->prepared.n >= PREPARED_AT_MOST)
		slot = &u->prepared.v[space->version % PREPARED_AT_MOST];
	if (!slot) {
		if (rarog_vec_push(&u->prepared, (struct prepared){ 0 }) < 0)
			return NULL;
		slot = &u->prepared.v[u->prepared.n - 1];
	}
	if (slot->dwfl)
		dwfl_end(slot->dwfl);
	*slot = (struct prepared){ space->pid, space->version, make(u, space) };
	return slot->dwfl;
}

/* --- unwinding --- */

static int take_frame(Dwfl_Frame *frame, void *context)
{
	struct rarog_unwinder *u = context;
	Dwarf_Addr pc;
	bool is_exact;

	if (u->n >= u->max || !dwfl_frame_pc(frame, &pc, &is_exact))
		return DWARF_CB_ABORT;
	if (pc == 0)
		return DWARF_CB_OK;
	u->addresses[u->n++] = pc - !is_exact;
	return DWARF_CB_OK;
}

size_t rarog_unwind(struct rarog_unwinder *unwinder, const struct rarog_space *space,
		    const struct rarog_sample_stack *stack, size_t max, uint64_t ret_addresses[max],
		    int *ret_is_cut)
{
	Dwfl *dwfl = space ? prepare(unwinder, space) : NULL;

	unwinder->space = space;
	unwinder->stack = stack;
	unwinder->is_given = unwinder->is_cut = false;
	unwinder->n = 0;
	unwinder->max = max;
	unwinder->addresses = ret_addresses;
	if (dwfl)
		dwfl_getthread_frames(dwfl, (pid_t)space->pid, take_frame, unwinder);
	if (unwinder->n == 0)
		ret_addresses[unwinder->n++] = stack->registers[IP];
	*ret_is_cut = unwinder->is_cut || unwinder->n == max;
	return unwinder->n;
}

int rarog_unwinder_new(const struct rarog_spaces *spaces, struct rarog_images *images,
		       struct rarog_unwinder **ret_unwinder)
{
	struct rarog_unwinder *u = calloc(1, sizeof(*u));

	if (!u)
		return rarog_oom();
	u->spaces = spaces;
	u->images = images;
	*ret_unwinder = u;
	return 0;
}

void rarog_unwinder_free(struct rarog_unwinder *unwinder)
{
	for (size_t i = 0; unwinder && i < unwinder->prepared.n; i++)
		if (unwinder->prepared.v[i].dwfl)
			dwfl_end(unwinder->prepared.v[i].dwfl);
	if (unwinder)
		rarog_vec_release(&unwinder->prepared);
	free(unwinder);
}
