/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The clock is read when all instructions before have ended (LFENCE): else a stamp is taken while
 * long chains of instructions of the block before are still running. What follows begins when the
 * stamp has ended, so that its cost is always the same and can be subtracted. Registers are saved
 * on the stack below the red zone, not in the row: a signal handler may run in between, and stamps,
 * too.
 */
#include "engine/rewrite/stamp.h"

#include <asm/prctl.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "engine/rewrite/emit.h"
#include "engine/rewrite/row.h"

#define WORD  sizeof(uint64_t)
#define CHAIN 64  /* stamps in a row, where they are calibrated … */
#define TIMES 200 /* … and how often; the least counts, which nothing has disturbed */
#define ROOM  65536

/* %rdx: the ticks; %gs:(%rax): the cell of the block that has ended. */
static uint8_t *put_away(uint8_t *at)
{
	at = RAROG_EMIT(at, 0x65, 0x48, 0x01, 0x50, 0x18);   /* add %rdx,%gs:24(%rax) */
	return RAROG_EMIT(at, 0x65, 0x48, 0xff, 0x40, 0x20); /* incq %gs:32(%rax) */
}

static uint8_t *put_sum(uint8_t *at)
{
	at = RAROG_EMIT(at, 0x65, 0x48, 0x01, 0x10);       /* add %rdx,%gs:(%rax) */
	at = RAROG_EMIT(at, 0x48, 0x0f, 0xba, 0xea, 0x3f); /* bts $63,%rdx */
	at = RAROG_EMIT(at, 0x65, 0x48, 0x3b, 0x50, 0x08, 0x76,
			0x05);                             /* cmp %gs:8(%rax),%rdx; jbe */
	at = RAROG_EMIT(at, 0x65, 0x48, 0x89, 0x50, 0x08); /* mov %rdx,%gs:8(%rax) */
	at = RAROG_EMIT(at, 0x48, 0xf7, 0xd2);             /* not %rdx */
	at = RAROG_EMIT(at, 0x48, 0x0f, 0xba, 0xea, 0x3f); /* bts $63,%rdx */
	at = RAROG_EMIT(at, 0x65, 0x48, 0x3b, 0x50, 0x10, 0x76,
			0x05);                               /* cmp %gs:16(%rax),%rdx; jbe */
	return RAROG_EMIT(at, 0x65, 0x48, 0x89, 0x50, 0x10); /* mov %rdx,%gs:16(%rax) */
}

static uint8_t *put_change(uint8_t *at, uint32_t cell)
{
	at = RAROG_EMIT(at, 0x0f, 0xae, 0xe8, 0x0f, 0x31);       /* lfence; rdtsc */
	at = RAROG_EMIT(at, 0x48, 0xc1, 0xe2, 0x20);             /* shl $32,%rdx */
	at = RAROG_EMIT(at, 0x48, 0x09, 0xd0, 0x48, 0x89, 0xc2); /* or %rdx,%rax; mov %rax,%rdx */
	at = RAROG_EMIT(at, 0x65, 0x48, 0x2b, 0x14, 0x25);       /* sub %gs:LAST,%rdx */
	at = rarog_emit_word(at, RAROG_ROW_LAST);
	at = RAROG_EMIT(at, 0x65, 0x48, 0x89, 0x04, 0x25); /* mov %rax,%gs:LAST */
	at = rarog_emit_word(at, RAROG_ROW_LAST);
	at = RAROG_EMIT(at, 0x65, 0x48, 0x8b, 0x04, 0x25); /* mov %gs:CELL,%rax */
	at = rarog_emit_word(at, RAROG_ROW_CELL);
	at = RAROG_EMIT(at, 0x65, 0x48, 0xc7, 0x04, 0x25); /* movq $cell,%gs:CELL */
	at = rarog_emit_word(at, RAROG_ROW_CELL);
	return rarog_emit_word(at, cell);
}

static uint8_t *put_amount(uint8_t *at)
{
	static const uint32_t most = RAROG_CELL_LONG;
	uint8_t *to_sum, *to_end;

	at = RAROG_EMIT(at, 0x48, 0x81, 0xfa); /* cmp $LONG,%rdx */
	at = rarog_emit(at, sizeof(most), (const uint8_t *)&most);
	at = RAROG_EMIT(at, 0x76, 0); /* jbe */
	to_sum = at;
	at = put_away(at);
	at = RAROG_EMIT(at, 0xeb, 0); /* jmp */
	to_end = at;
	to_sum[-1] = (uint8_t)(at - to_sum);
	at = put_sum(at);
	to_end[-1] = (uint8_t)(at - to_end);
	return RAROG_EMIT(at, 0x0f, 0xae, 0xe8); /* lfence */
}

size_t rarog_stamp_code(uint32_t cell, bool keeps_flags, uint8_t ret_code[RAROG_STAMP_MOST])
{
	uint8_t *at = ret_code;

	at = RAROG_EMIT(at, 0x48, 0x8d, 0x64, 0x24, 0x80, 0x50,
			0x52); /* lea -128(%rsp),%rsp; push */
	if (keeps_flags)
		at = RAROG_EMIT(at, 0x9f, 0x0f, 0x90, 0xc0, 0x50); /* lahf; seto %al; push %rax */
	at = put_amount(put_change(at, cell));
	if (keeps_flags)
		at = RAROG_EMIT(at, 0x58, 0x04, 0x7f, 0x9e); /* pop %rax; add $127,%al; sahf */
	at = RAROG_EMIT(at, 0x5a, 0x58, 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0,
			0); /* pop; lea 128(%rsp) */
	return (size_t)(at - ret_code);
}

/* --- what they cost --- */

static void write_chain(bool keeps_flags, uint8_t *at)
{
	for (int i = 0; i < CHAIN; i++)
		at += rarog_stamp_code(RAROG_ROW_FIRST, keeps_flags, at);
	RAROG_EMIT(at, 0xc3);
}

/* Ticks of one, by the cell that all of them end and begin. */
static double run_chain(uint8_t *code, uint64_t *row)
{
	void (*chain)(void);
	double least = 0;

	memcpy(&chain, &code, sizeof(chain));
	for (int i = 0; i < TIMES; i++) {
		uint64_t before = row[RAROG_ROW_FIRST + RAROG_CELL_SUM];
		double each;

		row[RAROG_ROW_CELL] = 0; /* what was before the first */
		chain();
		each = (double)(row[RAROG_ROW_FIRST + RAROG_CELL_SUM] - before) / (CHAIN - 1);
		least = i == 0 || each < least ? each : least;
	}
	return least;
}

int rarog_stamp_calibrate(struct rarog_stamp_cost *ret_cost)
{
	uint64_t row[RAROG_ROW_FIRST + RAROG_CELL_WORDS] = { 0 }, was = 0;
	uint8_t *code =
		mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rarog_stamp_cost cost = { 0 };

	if (code == MAP_FAILED)
		return rarog_oom();
	write_chain(false, code);
	write_chain(true, code + ROOM / 2);
	if (mprotect(code, ROOM, PROT_READ | PROT_EXEC) < 0 ||
	    syscall(SYS_arch_prctl, ARCH_GET_GS, &was) < 0 ||
	    syscall(SYS_arch_prctl, ARCH_SET_GS, row) < 0) {
		int error = errno;

		munmap(code, ROOM);
		return rarog_fail(-error, "time stamps cannot be calibrated: %s", strerror(error));
	}
	cost.plain = run_chain(code, row);
	cost.keeping = run_chain(code + ROOM / 2, row);
	syscall(SYS_arch_prctl, ARCH_SET_GS, was);
	munmap(code, ROOM);
	*ret_cost = cost;
	return 0;
}
