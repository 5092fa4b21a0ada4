/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why the kernel does not take what the engine wants it to load. */
#ifndef RAROG_ENGINE_EBPF_EXPLAIN_H
#define RAROG_ENGINE_EBPF_EXPLAIN_H

/* Where the kernel tells of itself. */
struct rarog_ebpf_kernel_files {
	const char *lockdown; /* what it keeps even from root */
	const char *btf;      /* its types */
};

extern const struct rarog_ebpf_kernel_files rarog_ebpf_kernel_files;

/** rarog_ebpf_explain() - the message for @r, what loading or a first probe came to. Return: -EPERM
 * or -ENOTSUP. */
int rarog_ebpf_explain(int r, const struct rarog_ebpf_kernel_files *files);

#endif
