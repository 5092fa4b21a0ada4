/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which flags an instruction reads and writes is Zydis' knowledge. A flag that is written on some
 * condition only (a shift by 0) counts as written, as does one left undefined: code that reads it
 * afterwards does not mean the one from before.
 */
#include "binary/live-flags.h"

#include <Zydis/Zydis.h>

#define STATUS                                                                                     \
	((ZydisAccessedFlagsMask)(ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF |         \
				  ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF))

static bool ends(const ZydisDecodedInstruction *in)
{
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_INTERRUPT:
		return true;
	default:
		return false;
	}
}

bool rarog_flags_live(size_t n, const uint8_t code[n])
{
	ZydisAccessedFlagsMask unwritten = STATUS;
	ZydisDecoder decoder;
	ZydisDecodedInstruction in;

	if (n > RAROG_FLAGS_REACH)
		n = RAROG_FLAGS_REACH;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t at = 0; at < n && unwritten; at += in.length) {
		if (!ZYAN_SUCCESS(
			    ZydisDecoderDecodeInstruction(&decoder, NULL, code + at, n - at, &in)))
			return false;
		bool is_end = ends(&in);

		if ((!is_end || in.meta.category == ZYDIS_CATEGORY_COND_BR) && in.cpu_flags &&
		    in.cpu_flags->tested & unwritten)
			return true;
		if (is_end)
			return false;
		if (in.cpu_flags)
			unwritten &= ~(in.cpu_flags->modified | in.cpu_flags->set_0 |
				       in.cpu_flags->set_1 | in.cpu_flags->undefined);
	}
	return false;
}
