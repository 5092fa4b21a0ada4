/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel has counted and summed up by itself, delivered to the recorder. */
#ifndef RAROG_ENGINE_EBPF_SUMS_H
#define RAROG_ENGINE_EBPF_SUMS_H

#include "engine/ebpf/kernel.h"
#include "engine/probed/streams.h"
#include "events/sums.h"

/* All borrowed. */
struct rarog_ebpf_delivery {
	const struct rarog_ebpf_kernel *kernel; /* stopped */
	const struct rarog_probed_streams *streams;
	const struct rarog_id_map *map;
	struct rarog_recorder *recorder;
};

/** rarog_ebpf_deliver_skipped() - of functions of which not every call was recorded: how many were
 * not, by each thread. 0, -ENOMEM. */
int rarog_ebpf_deliver_skipped(const struct rarog_ebpf_delivery *delivery);

/** rarog_ebpf_deliver_sums() - of RAROG_EBPF_SUMS; after that. 0, -errno with message. */
int rarog_ebpf_deliver_sums(const struct rarog_ebpf_delivery *delivery);

#endif
