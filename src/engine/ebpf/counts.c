/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/ebpf/counts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* A value of a map per processor. -errno. */
static int sum(const struct rarog_ebpf_kernel *k, const char *map, size_t n, uint64_t sums[])
{
	int processors = libbpf_num_possible_cpus(), fd = rarog_ebpf_kernel_map(k, map);
	rarog_cleanup(rarog_freep) uint64_t *each = NULL;
	int r = processors < 0 ? processors : 0;

	if (r == 0 && !(each = calloc((size_t)processors, sizeof(*each))))
		r = -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < n; i++) {
		r = bpf_map_lookup_elem(fd, &i, each);
		sums[i] = 0;
		for (int c = 0; r == 0 && c < processors; c++)
			sums[i] += each[c];
	}
	return r;
}

int rarog_ebpf_counts(const struct rarog_ebpf_kernel *k, size_t n, uint64_t counts[n])
{
	int r = sum(k, "counts", n, counts);

	return r < 0 ? rarog_fail(r, "--engine=ebpf: cannot read the counts: %s", strerror(-r)) : 0;
}

uint64_t rarog_ebpf_lost(const struct rarog_ebpf_kernel *k, uint32_t what)
{
	uint64_t all[RAROG_EBPF_LOST_KINDS] = { 0 };

	return sum(k, "lost", RAROG_EBPF_LOST_KINDS, all) < 0 ? 0 : all[what];
}
