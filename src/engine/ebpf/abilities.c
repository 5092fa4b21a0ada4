/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/ebpf/abilities.h"

#include <bpf/btf.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "engine/ebpf/messages.h"

struct kernel_name {
	const char *name;
	uint32_t kind;
};

/* As the kernel's types say. */
static bool has_names(size_t n, const struct kernel_name names[n])
{
	struct btf *btf;
	bool has;

	rarog_ebpf_messages_catch();
	btf = btf__load_vmlinux_btf();
	has = btf != NULL;
	for (size_t i = 0; has && i < n; i++)
		has = btf__find_by_name_kind(btf, names[i].name, names[i].kind) > 0;
	btf__free(btf);
	return has;
}

bool rarog_ebpf_copies_texts(void)
{
	static const struct kernel_name copier = { "bpf_copy_from_user_str", BTF_KIND_FUNC };

	return has_names(1, &copier);
}

bool rarog_ebpf_sees_faults(void)
{
	static const struct kernel_name names[] = {
		{ "bpf_find_vma", BTF_KIND_FUNC },
		{ "btf_trace_signal_deliver", BTF_KIND_TYPEDEF },
	};

	return has_names(RAROG_COUNT(names), names);
}
