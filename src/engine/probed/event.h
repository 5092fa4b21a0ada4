/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What probes of the kernel tell, by whatever engine. Also for the program in the kernel: plain
 * numbers only. */
#ifndef RAROG_ENGINE_PROBED_EVENT_H
#define RAROG_ENGINE_PROBED_EVENT_H

#include "agent/value-set.h"

enum rarog_probed_kind {
	RAROG_PROBED_ENTRY,   /* number: function; place: address of the return address */
	RAROG_PROBED_RETURN,  /* as ENTRY */
	RAROG_PROBED_FORK,    /* number: of the new process; place: as JOIN */
	RAROG_PROBED_EXEC,    /* of a process that is measured */
	RAROG_PROBED_END,     /* of the thread */
	RAROG_PROBED_END_ALL, /* … and of its process */
	/* At marks. number: of its name; place: of its function's return address; kind: the mark's
	 * address above RAROG_PROBED_KIND */
	RAROG_PROBED_POINT,
	RAROG_PROBED_BEGIN,
	RAROG_PROBED_STOP,
	RAROG_PROBED_LEFT,   /* as STOP, where the region has been left before */
	RAROG_PROBED_THREAD, /* number: of the thread, from 1 on, for what is counted of each */
	RAROG_PROBED_JOIN,   /* of the process: it is measured from here on; place: when it was
				started, which tells it from others of its number; 0: not known */
	/* A fault of the program's own. number: where in the file it was, or with
	 * RAROG_PROBED_FROM_END how far before the end of its code; place: stack pointer;
	 * RAROG_PROBED_FATAL: no handler gets to know of it; RAROG_PROBED_BY_KERNEL: no address is
	 * the reason; above RAROG_PROBED_INODE: of the file */
	RAROG_PROBED_FAULT,
};

struct rarog_probed_event {
	unsigned long long ns; /* CLOCK_MONOTONIC */
	unsigned long long place;
	unsigned int tid, process;
	unsigned int number;
	unsigned int kind; /* enum rarog_probed_kind */
};

#define RAROG_PROBED_KIND      8 /* bits of the kind itself, with … */
#define RAROG_PROBED_FATAL     0x100
#define RAROG_PROBED_FROM_END  0x200
#define RAROG_PROBED_BY_KERNEL 0x400
#define RAROG_PROBED_INODE     11
#define RAROG_PROBED_VALUES    0x80 /* … that: it is the beginning of a record, of a call or mark */

/* A call's beginning or end, or a mark, with what was captured there. */
struct rarog_probed_record {
	struct rarog_probed_event event;
	unsigned short n, unknown; /* values; bits of those that could not be read */
	unsigned int pad;
	unsigned long long values[RAROG_VALUES_MOST]; /* [n] of them */
};

#define RAROG_PROBED_RECORD_BYTES(n)                                                               \
	(sizeof(struct rarog_probed_record) -                                                      \
	 sizeof(unsigned long long) * (RAROG_VALUES_MOST - (n)))

#ifndef __bpf__
/** rarog_probed_take() - takes an event. 0; a negative return ends the reading. */
typedef int rarog_probed_take(void *context, const struct rarog_probed_event *event);
#endif

#endif
