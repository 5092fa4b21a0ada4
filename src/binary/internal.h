/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * struct rarog_binary, shared by the files that implement binary.h; not for other folders.
 */
#ifndef RAROG_BINARY_INTERNAL_H
#define RAROG_BINARY_INTERNAL_H

#include "binary/debug-info.h"
#include "binary/functions.h"

struct rarog_binary {
	struct rarog_elf *elf;
	struct rarog_elf *debug_elf; /* separate debug file, NULL: none */
	struct rarog_elf *mini_elf;  /* MiniDebugInfo, NULL: none or not needed */
	struct rarog_text_pool texts;
	struct rarog_eh_frame frame;
	struct rarog_code_ranges code;
	struct rarog_sleds sleds;
	struct rarog_functions functions;
	struct rarog_segment *segments;
	size_t n_segments;
	bool is_stripped;
	struct rarog_debug *debug; /* opened when first asked for */
};

#endif
