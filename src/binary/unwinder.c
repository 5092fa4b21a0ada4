/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/unwinder.h"

#include <string.h>

#include "binary/instruction.h"
#include "binary/internal.h"

bool rarog_unwinder_raises(const struct rarog_binary *binary, const struct rarog_function *f)
{
	const struct rarog_fde *fde = rarog_eh_frame_find(&binary->frame, f->address);

	return fde && fde->start == f->address &&
	       rarog_eh_frame_goes_to_handlers(&binary->frame, fde);
}

/* add $imm32,%rsp */
static const uint8_t add_frame[] = { 0x48, 0x81, 0xc4 };

#define ADD_FRAME 7

static bool is_add_frame(const struct rarog_instruction *i, const uint8_t *code)
{
	return i->length == ADD_FRAME && memcmp(code, add_frame, sizeof(add_frame)) == 0;
}

/* Decoded one after the other: what lies between a function's instructions is padding. */
size_t rarog_unwinder_ends(const struct rarog_binary *binary, const struct rarog_function *f,
			   struct rarog_unwinder_end ret_ends[RAROG_UNWINDER_ENDS])
{
	const uint8_t *code = rarog_binary_bytes(binary, f->address, f->size);
	size_t n_ends = 0, n_returns = 0;
	struct rarog_instruction i;

	for (uint64_t at = 0; code && at < f->size; at += i.length) {
		if (!rarog_instruction_decode(f->size - at, code + at, f->address + at, &i))
			return 0;
		n_returns += i.flow == RAROG_FLOW_RETURN;
		if (!is_add_frame(&i, code + at))
			continue;
		if (n_ends == RAROG_UNWINDER_ENDS)
			return 0;
		ret_ends[n_ends++] = (struct rarog_unwinder_end){ f->address + at, ADD_FRAME };
	}
	return n_returns == n_ends ? n_ends : 0;
}
