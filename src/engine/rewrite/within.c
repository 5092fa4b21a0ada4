/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The outermost root is known by where its return address is on the stack. Roots inside of it are
 * nothing special. Exceptions and longjmp() may leave it and land in functions that are not
 * rewritten: so wherever control comes to a function the stack pointer says whether it is there
 * still.
 */
#include "engine/rewrite/within.h"

#include <errno.h>
#include <sys/auxv.h>

#include "base/error.h"
#include "engine/rewrite/emit.h"
#include "engine/rewrite/row.h"

#define HAS_FSGSBASE 2 /* in AT_HWCAP2 */

int rarog_within_works(void)
{
	return getauxval(AT_HWCAP2) & HAS_FSGSBASE
		       ? 0
		       : rarog_fail(-ENOTSUP, "--within and --not-below need FSGSBASE, which this "
					      "processor or its kernel has not");
}

static uint8_t *put_begin(uint8_t *at)
{
	return RAROG_EMIT(at, 0x48, 0x8d, 0x64, 0x24, 0x80,
			  0x50); /* lea -128(%rsp),%rsp; push %rax */
}

/* The stack pointer as it was. */
static uint8_t *put_stack(uint8_t *at)
{
	return RAROG_EMIT(at, 0x48, 0x8d, 0x84, 0x24, 0x88, 0, 0, 0); /* lea 136(%rsp),%rax */
}

static uint8_t *put_load(uint8_t *at, uint32_t word)
{
	return rarog_emit_word(RAROG_EMIT(at, 0x65, 0x48, 0x8b, 0x04, 0x25),
			       word); /* mov %gs:word,%rax */
}

static uint8_t *put_switch(uint8_t *at)
{
	at = RAROG_EMIT(at, 0xf3, 0x48, 0x0f, 0xae, 0xd8); /* wrgsbase %rax */
	at = rarog_emit_word(RAROG_EMIT(at, 0x65, 0x48, 0xc7, 0x04, 0x25),
			     RAROG_ROW_CELL); /* movq $0,%gs:CELL */
	return RAROG_EMIT(at, 0, 0, 0, 0);
}

static size_t finish(uint8_t *at, const uint8_t *code, uint8_t *to_end)
{
	to_end[-1] = (uint8_t)(at - to_end);
	at = RAROG_EMIT(at, 0x58, 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0,
			0); /* pop %rax; lea 128(%rsp) */
	return (size_t)(at - code);
}

size_t rarog_within_enter_code(uint8_t ret_code[RAROG_WITHIN_MOST])
{
	uint8_t *at = put_load(put_begin(ret_code), RAROG_ROW_PEER), *to_end;

	at = RAROG_EMIT(at, 0x48, 0x85, 0xc0, 0x74, 0); /* test %rax,%rax; je */
	to_end = at;
	at = put_stack(put_switch(at));
	at = rarog_emit_word(RAROG_EMIT(at, 0x65, 0x48, 0x89, 0x04, 0x25),
			     RAROG_ROW_ROOT); /* mov %rax,%gs:… */
	return finish(at, ret_code, to_end);
}

/* @jump: past the switch, after the comparison with where the root is */
static size_t put_back(uint8_t jump, uint8_t ret_code[RAROG_WITHIN_MOST])
{
	uint8_t *at = put_stack(put_begin(ret_code)), *to_end;

	at = rarog_emit_word(RAROG_EMIT(at, 0x65, 0x48, 0x3b, 0x04, 0x25),
			     RAROG_ROW_ROOT); /* cmp %gs:…,%rax */
	at = RAROG_EMIT(at, jump, 0);
	to_end = at;
	at = put_switch(put_load(at, RAROG_ROW_BACK));
	return finish(at, ret_code, to_end);
}

size_t rarog_within_leave_code(uint8_t ret_code[RAROG_WITHIN_MOST])
{
	return put_back(0x75, ret_code); /* jne */
}

size_t rarog_within_check_code(bool is_entry, uint8_t ret_code[RAROG_WITHIN_MOST])
{
	return put_back(is_entry ? 0x72 : 0x76, ret_code); /* jb, jbe */
}
