/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of perf_event_open(2) as the sample collector asks for them, checked and taken apart.
 */
#ifndef RAROG_ENGINE_SAMPLE_RECORDS_H
#define RAROG_ENGINE_SAMPLE_RECORDS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/sample/spaces.h"

/* Registers of a sample, in the kernel's order: PERF_REG_X86_AX … IP, R8 … R15. */
#define RAROG_SAMPLE_REGISTERS     17
#define RAROG_SAMPLE_REGISTER_MASK UINT64_C(0xff01ff)
#define RAROG_SAMPLE_IP            8 /* which of them is the instruction pointer */

enum rarog_sample_record_kind {
	RAROG_SAMPLE_SAMPLE,
	RAROG_SAMPLE_MAP,  /* executable memory */
	RAROG_SAMPLE_EXEC, /* the process became another program */
	RAROG_SAMPLE_NAME, /* a thread has another name */
	RAROG_SAMPLE_FORK, /* a process, or a thread if parent == pid */
	RAROG_SAMPLE_EXIT, /* of a thread */
	RAROG_SAMPLE_OUT,  /* the thread left its processor … */
	RAROG_SAMPLE_IN,   /* … and has one again */
	RAROG_SAMPLE_LOST,
};

/* Pointers are into the record. */
struct rarog_sample_record {
	enum rarog_sample_record_kind kind;
	uint64_t ns; /* CLOCK_MONOTONIC */
	uint32_t pid, tid, parent;
	bool is_preempted;            /* out: could have run on */
	uint64_t start, size, offset; /* map */
	struct rarog_file_id file;    /* map … */
	size_t n_build_id;            /* … or this, where it was asked for and is known */
	const uint8_t *build_id;
	const char *name; /* map: path; exec: the program's short name; name */
	uint64_t lost;    /* records */
	/* sample */
	uint64_t period;
	bool is_64_bit;            /* .registers are there; else n_chain says all that is known */
	const uint64_t *registers; /* [RAROG_SAMPLE_REGISTERS], of user mode; NULL */
	size_t n_chain;            /* addresses, and PERF_CONTEXT_KERNEL, PERF_CONTEXT_USER */
	const uint64_t *chain;
	size_t n_stack; /* bytes that were copied, from the stack pointer on */
	const uint8_t *stack;
};

/** rarog_sample_record_time() - of a record with sample_id_all and PERF_SAMPLE_TID |
 * PERF_SAMPLE_TIME; 0: it is too short. */
uint64_t rarog_sample_record_time(const struct perf_event_header *header);

/**
 * rarog_sample_record_read() - take @header apart
 * @sample_type: PERF_SAMPLE_TID | TIME | PERIOD, and of CALLCHAIN, REGS_USER, STACK_USER
 *
 * Return: 1; 0: it is nothing that matters here; -EBADMSG without message: its sizes are wrong.
 */
int rarog_sample_record_read(uint64_t sample_type, const struct perf_event_header *header,
			     struct rarog_sample_record *ret_record);

#endif
