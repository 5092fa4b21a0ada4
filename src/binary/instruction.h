/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One x86-64 instruction, reduced to what patching needs to know: how long it is, whether control
 * goes on after it, and everything in it that depends on where it stands.
 */
#ifndef RAROG_BINARY_INSTRUCTION_H
#define RAROG_BINARY_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAROG_INSTRUCTION_MAX 15 /* bytes, by definition of the architecture */
#define RAROG_LOCK_PREFIX     0xf0

enum rarog_control_flow {
	RAROG_FLOW_NEXT = 0,      /* nothing special: control goes on after it */
	RAROG_FLOW_NOP,           /* does nothing at all; what compilers pad with */
	RAROG_FLOW_JUMP,          /* jmp rel8, rel32 */
	RAROG_FLOW_BRANCH,        /* jcc rel8, rel32 */
	RAROG_FLOW_COUNT,         /* loop, loope, loopne, jrcxz, jecxz: rel8 only */
	RAROG_FLOW_CALL,          /* call rel32 */
	RAROG_FLOW_BEGIN,         /* xbegin rel32: goes on, or aborts to the target */
	RAROG_FLOW_INDIRECT_JUMP, /* jmp r/m */
	RAROG_FLOW_INDIRECT_CALL, /* call r/m */
	RAROG_FLOW_RETURN,        /* ret, iret, sysret */
	RAROG_FLOW_STOP,          /* ud0, ud1, ud2, hlt: never goes on */
	RAROG_FLOW_BREAK,         /* int3; padding too */
	RAROG_FLOW_SYSTEM,        /* syscall, int n, far calls and jumps: bound to their place */
};

/* What the opcode tells of the status flags; for a first look, live-flags.h knows exactly. */
enum rarog_flags_hint {
	RAROG_FLAGS_OTHER = 0, /* nothing, or something */
	RAROG_FLAGS_READ,      /* may read some */
	RAROG_FLAGS_WRITTEN,   /* writes all of them and reads none */
};

struct rarog_instruction {
	uint8_t length;
	uint8_t flow;          /* enum rarog_control_flow */
	uint8_t flags;         /* enum rarog_flags_hint */
	uint8_t opcode;        /* last opcode byte */
	uint8_t opcode_offset; /* where it is; prefixes (and 0F) come before */
	uint8_t relative_size; /* bytes of the branch displacement, which comes last; 0: none */
	uint8_t memory_offset; /* where disp32 of a [rip+disp32] operand is; 0: none */
	uint8_t absolute_size; /* bytes of an immediate that may be an address: 4, 8; 0: none */
	bool short_prefixes;   /* an operand or address size prefix changes branches or [rip] */
	bool is_lea;
	bool uses_stack_pointer; /* its r/m operand is rsp or based on it */
	uint64_t target;         /* relative_size: where the branch goes */
	uint64_t memory;         /* memory_offset: address of the operand */
	uint64_t absolute;       /* absolute_size: the immediate, sign-extended */
	uint64_t
		displacement; /* disp32 of a memory operand without [rip], sign-extended; 0: none */
};

/**
 * rarog_instruction_decode() - decode one instruction
 * @n: bytes available at @code; never reads past them
 * @address: where the instruction stands
 * @ret: set only on success
 *
 * Return: whether the bytes are an instruction of 64-bit mode.
 */
bool rarog_instruction_decode(size_t n, const uint8_t code[n], uint64_t address,
			      struct rarog_instruction *ret);

/** rarog_instruction_scan() - the same, but quicker: some undefined encodings are accepted. */
bool rarog_instruction_scan(size_t n, const uint8_t code[n], uint64_t address,
			    struct rarog_instruction *ret);

/** rarog_instruction_memory_size() - how many bytes of memory its operand has; 0: none, or not
 * known. Slower than a scan. */
size_t rarog_instruction_memory_size(size_t n, const uint8_t code[n]);

/** rarog_flow_goes_on() - can control reach the instruction after one of this kind? */
static inline bool rarog_flow_goes_on(uint8_t flow)
{
	return flow != RAROG_FLOW_JUMP && flow != RAROG_FLOW_INDIRECT_JUMP &&
	       flow != RAROG_FLOW_RETURN && flow != RAROG_FLOW_STOP;
}

#endif
