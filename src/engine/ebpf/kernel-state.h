/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is loaded into the kernel, for kernel.c, kernel-programs.c and kernel-links.c. */
#ifndef RAROG_ENGINE_EBPF_KERNEL_STATE_H
#define RAROG_ENGINE_EBPF_KERNEL_STATE_H

#include <bpf/libbpf.h>

#include "base/vec.h"
#include "engine/ebpf/kernel.h"
#include "engine/ebpf/walk.h"

enum rarog_ebpf_role {
	RAROG_EBPF_AT_ENTRY,
	RAROG_EBPF_AT_RETURN,
	RAROG_EBPF_AT_SESSION,
	RAROG_EBPF_AT_MARK,
	RAROG_EBPF_AT_TRACEPOINT,
	RAROG_EBPF_AT_BEGIN,
	RAROG_EBPF_AT_END
};

struct rarog_ebpf_kernel {
	struct rarog_ebpf_kernel_options options;
	struct rarog_ebpf_split *split; /* NULL: it is all done here */
	struct bpf_object *object;
	struct ring_buffer *ring;
	enum rarog_ebpf_links links;
	bool sees_faults;
	struct rarog_ebpf_walk begin;      /* all that run the file join */
	struct rarog_ebpf_walk end;        /* calls that are open end */
	RAROG_VEC(int) multi;              /* descriptors of links */
	RAROG_VEC(struct bpf_link *) more; /* single probes, tracepoints */
	rarog_probed_take *take;           /* while reading */
	void *context;
};

/** rarog_ebpf_choose_programs() - those that are wanted are loaded. 0, -errno. */
int rarog_ebpf_choose_programs(struct rarog_ebpf_kernel *k);

/** rarog_ebpf_find_program() - the wanted one of that role; NULL: there is none. */
struct bpf_program *rarog_ebpf_find_program(const struct rarog_ebpf_kernel *k,
					    enum rarog_ebpf_role role);

/** rarog_ebpf_next_program() - of several, one after the other; *@at is 0 at first. */
struct bpf_program *rarog_ebpf_next_program(const struct rarog_ebpf_kernel *k,
					    enum rarog_ebpf_role role, size_t *at);

enum bpf_attach_type rarog_ebpf_attach_type(enum rarog_ebpf_links links, enum rarog_ebpf_role role);

/** rarog_ebpf_attach() - as rarog_ebpf_kernel_attach(), of probes that are not too many; no
 * message;
 * @refused: NULL: a refusal is an error. */
int rarog_ebpf_attach(struct rarog_ebpf_kernel *k, const char *path, size_t n,
		      const uint64_t offsets[n], uint32_t first, pid_t pid, bool refused[]);

/** rarog_ebpf_keep_link() - until the run is over; NULL: errno says why there is none. 0, -errno.
 */
int rarog_ebpf_keep_link(struct rarog_ebpf_kernel *k, struct bpf_link *take_link);

#endif
