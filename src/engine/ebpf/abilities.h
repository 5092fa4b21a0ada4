/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this kernel has for programs in it, as its own types say. */
#ifndef RAROG_ENGINE_EBPF_ABILITIES_H
#define RAROG_ENGINE_EBPF_ABILITIES_H

#include <stdbool.h>

/** rarog_ebpf_copies_texts() - does it copy texts of user memory that is not there yet? */
bool rarog_ebpf_copies_texts(void);

/** rarog_ebpf_sees_faults() - does it tell of the program's faults, and where they are? */
bool rarog_ebpf_sees_faults(void);

#endif
