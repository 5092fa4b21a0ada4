/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For users that may not load programs into the kernel: rarog-ebpf-helper may. It loads, attaches
 * and takes out; the program and every file stay this user's. It is told what to do over a socket,
 * and ends when this process does.
 */
#ifndef RAROG_ENGINE_EBPF_SPLIT_H
#define RAROG_ENGINE_EBPF_SPLIT_H

#include "engine/ebpf/kernel.h"
#include "engine/ebpf/split-wire.h"

struct rarog_ebpf_split;

/**
 * rarog_ebpf_split_new() - start the helper: by itself, where its file has capabilities, else by
 * `sudo -n`; let it load what @options ask for
 * @ret_maps: descriptors of rarog_split_maps, the caller closes them
 *
 * Return: 0; -ENOENT: it is not installed; -EPERM: neither is allowed; what the helper answered;
 * with message.
 */
int rarog_ebpf_split_new(const struct rarog_ebpf_kernel_options *options,
			 struct rarog_ebpf_split **ret_split, enum rarog_ebpf_links *ret_links,
			 int ret_maps[RAROG_SPLIT_MAPS]);
/** rarog_ebpf_split_free() - its probes are out then. */
void rarog_ebpf_split_free(struct rarog_ebpf_split *split);
RAROG_DEFINE_FREEP(rarog_ebpf_split);

/* As the functions of kernel.h that are called so. */
int rarog_ebpf_split_attach(struct rarog_ebpf_split *split, const char *path, size_t n,
			    const uint64_t offsets[n], uint32_t first, pid_t pid,
			    bool ret_refused[n]);
int rarog_ebpf_split_attach_marks(struct rarog_ebpf_split *split, const char *path, size_t n,
				  const struct rarog_ebpf_place places[n], pid_t pid);
int rarog_ebpf_split_watch(struct rarog_ebpf_split *split, pid_t pid, uint32_t state);

/** rarog_ebpf_split_seal() - nothing is attached from here on: the helper needs no privileges any
 * more. */
int rarog_ebpf_split_seal(struct rarog_ebpf_split *split);

/** rarog_ebpf_split_stop() - take the probes out; -EPIPE: the helper was gone already, and they
 * with it. */
int rarog_ebpf_split_stop(struct rarog_ebpf_split *split);

#endif
