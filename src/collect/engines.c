/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/engine.h"

const struct rarog_engine *const rarog_trace_engines[] = {
	&rarog_engine_inline, &rarog_engine_ebpf, &rarog_engine_stap, &rarog_engine_vex, NULL,
};
