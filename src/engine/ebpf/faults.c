/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/ebpf/faults.h"

#include <elf.h>

#define KIND_MASK (((1u << RAROG_PROBED_KIND) - 1) & ~RAROG_PROBED_VALUES)

bool rarog_ebpf_is_fault(const struct rarog_probed_event *event)
{
	return (event->kind & KIND_MASK) == RAROG_PROBED_FAULT;
}

/* As far as the event has it. */
static bool is_file(const struct rarog_probed_module *m, const struct rarog_probed_event *event)
{
	return (uint32_t)m->inode << RAROG_PROBED_INODE ==
	       (event->kind & ~0u << RAROG_PROBED_INODE);
}

/* As the kernel's end_code has it. */
static uint64_t code_end(size_t n, const struct rarog_segment segments[n])
{
	uint64_t end = 0;

	for (size_t i = 0; i < n; i++)
		if (segments[i].flags & PF_X && segments[i].vaddr + segments[i].file_size > end)
			end = segments[i].vaddr + segments[i].file_size;
	return end;
}

/* Of the instruction. 0: it is not in the file's code */
static uint64_t address_of(const struct rarog_probed_module *m,
			   const struct rarog_probed_event *event)
{
	const struct rarog_segment *segments;
	size_t n = rarog_binary_segments(m->binary, &segments);

	if (event->kind & RAROG_PROBED_FROM_END)
		return code_end(n, segments) - event->number;
	for (size_t i = 0; i < n; i++)
		if (segments[i].flags & PF_X && event->number >= segments[i].file_offset &&
		    event->number - segments[i].file_offset < segments[i].file_size)
			return event->number - segments[i].file_offset + segments[i].vaddr;
	return 0;
}

bool rarog_ebpf_is_delivered_again(const struct rarog_probed_event *handled,
				   const struct rarog_probed_event *fatal)
{
	return fatal->kind & RAROG_PROBED_BY_KERNEL && !(handled->kind & RAROG_PROBED_BY_KERNEL) &&
	       rarog_ebpf_is_fault(handled) && handled->tid == fatal->tid &&
	       handled->number == fatal->number && handled->place == fatal->place;
}

const struct rarog_probed_probe *rarog_ebpf_fault_in(const struct rarog_probed *run,
						     const struct rarog_probed_event *event,
						     uint32_t *ret_number)
{
	for (size_t i = 0; i < run->modules.n; i++) {
		const struct rarog_probed_module *m = &run->modules.v[i];
		uint64_t distance;
		size_t k;

		if (!m->tells_faults || !is_file(m, event))
			continue;
		k = rarog_probed_module_at(m, address_of(m, event), &distance);
		if (k == m->n || distance >= m->probes[k].stepped)
			continue;
		*ret_number = m->first + (uint32_t)k;
		return &m->probes[k];
	}
	return NULL;
}
