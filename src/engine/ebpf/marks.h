/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The marks of a program under the kernel's probes. */
#ifndef RAROG_ENGINE_EBPF_MARKS_H
#define RAROG_ENGINE_EBPF_MARKS_H

#include "engine/ebpf/kernel.h"
#include "engine/probed/module.h"

/** rarog_ebpf_marks_tell() - what the programs in the kernel are to know of them, into
 * ret_marks[marks.v.n]. Return: how many of them tell values. */
size_t rarog_ebpf_marks_tell(const struct rarog_probed_module *module,
			     struct rarog_ebpf_mark ret_marks[]);

/** rarog_ebpf_marks_attach() - put their probes in. As rarog_ebpf_kernel_attach_marks(). */
int rarog_ebpf_marks_attach(const struct rarog_probed_module *module,
			    struct rarog_ebpf_kernel *kernel, pid_t pid);

#endif
