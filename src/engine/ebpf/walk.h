/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program of the kernel's that is called for each of its tasks, once, when it is time. */
#ifndef RAROG_ENGINE_EBPF_WALK_H
#define RAROG_ENGINE_EBPF_WALK_H

struct bpf_link;
struct bpf_program;

struct rarog_ebpf_walk {
	struct bpf_link *link; /* NULL: there is none, or it is over */
	int file;              /* reading it makes the kernel go through all */
};

/** rarog_ebpf_walk_prepare() - after this it takes no rights any more; @program NULL: nothing is to
 * be called. 0; -errno. */
int rarog_ebpf_walk_prepare(const struct bpf_program *program, struct rarog_ebpf_walk *walk);

/** rarog_ebpf_walk() - do it, if it was prepared, and not again. */
void rarog_ebpf_walk(struct rarog_ebpf_walk *walk);

/** rarog_ebpf_walk_release() - it is not done. */
void rarog_ebpf_walk_release(struct rarog_ebpf_walk *walk);

#endif
