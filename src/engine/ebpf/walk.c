/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/ebpf/walk.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

int rarog_ebpf_walk_prepare(const struct bpf_program *program, struct rarog_ebpf_walk *walk)
{
	if (!program)
		return 0;
	walk->link = bpf_program__attach_iter(program, NULL);
	if (!walk->link)
		return -errno;
	walk->file = bpf_iter_create(bpf_link__fd(walk->link));
	return walk->file < 0 ? -errno : 0;
}

void rarog_ebpf_walk(struct rarog_ebpf_walk *walk)
{
	char nothing[16];
	ssize_t n;

	if (!walk->link)
		return;
	do
		n = read(walk->file, nothing, sizeof(nothing));
	while (n > 0 || (n < 0 && errno == EAGAIN));
	rarog_ebpf_walk_release(walk);
}

void rarog_ebpf_walk_release(struct rarog_ebpf_walk *walk)
{
	if (!walk->link)
		return;
	if (walk->file >= 0)
		close(walk->file);
	bpf_link__destroy(walk->link);
	*walk = (struct rarog_ebpf_walk){ 0 };
}
