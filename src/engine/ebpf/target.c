/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/ebpf/target.h"

#include <link.h>
#include <stddef.h>

__asm__(".pushsection .text\n"
	".p2align 4\n"
	".globl rarog_ebpf_target_quick\n"
	".type rarog_ebpf_target_quick, @function\n"
	"rarog_ebpf_target_quick:\n"
	"	push %rbx\n"
	"	pop %rbx\n"
	"	ret\n"
	".size rarog_ebpf_target_quick, . - rarog_ebpf_target_quick\n"
	".p2align 4\n"
	".globl rarog_ebpf_target_slow\n"
	".type rarog_ebpf_target_slow, @function\n"
	"rarog_ebpf_target_slow:\n"
	"	xor %eax, %eax\n"
	"	ret\n"
	".size rarog_ebpf_target_slow, . - rarog_ebpf_target_slow\n"
	".popsection\n");

struct search {
	uintptr_t address;
	uint64_t offset;
};

/* The first object is the program itself. */
static int look(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && search->address >= start &&
		    search->address - start < segment->p_filesz)
			search->offset = search->address - start + segment->p_offset;
	}
	return 1;
}

static uint64_t offset_of(uintptr_t address)
{
	struct search search = { .address = address };

	dl_iterate_phdr(look, &search);
	return search.offset;
}

uint64_t rarog_ebpf_target_offset(void)
{
	return offset_of((uintptr_t)rarog_ebpf_target_quick);
}

uint64_t rarog_ebpf_target_slow_offset(void)
{
	return offset_of((uintptr_t)rarog_ebpf_target_slow);
}
