/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What probes of the kernel tell, whoever put them in. Also for the program in the kernel: plain
 * numbers only. */
#ifndef RAROG_COLLECT_PROBED_EVENT_H
#define RAROG_COLLECT_PROBED_EVENT_H

enum rarog_probed_kind {
	RAROG_PROBED_ENTRY,  /* number: function; place: address of the return address */
	RAROG_PROBED_RETURN, /* as ENTRY */
	RAROG_PROBED_FORK,   /* number: of the new process */
	RAROG_PROBED_EXEC,
	RAROG_PROBED_END,     /* of the thread */
	RAROG_PROBED_END_ALL, /* … and of its process */
	/* At marks. number: of its name; place: of its function's return address; kind: the mark's
	 * address above RAROG_PROBED_KIND */
	RAROG_PROBED_POINT,
	RAROG_PROBED_BEGIN,
	RAROG_PROBED_STOP,
};

struct rarog_probed_event {
	unsigned long long ns; /* CLOCK_MONOTONIC */
	unsigned long long place;
	unsigned int tid, process;
	unsigned int number;
	unsigned int kind; /* enum rarog_probed_kind */
};

#define RAROG_PROBED_KIND 8 /* bits of the kind itself */

#ifndef __bpf__
/** rarog_probed_take() - somebody takes an event. 0; a negative return ends the reading. */
typedef int rarog_probed_take(void *context, const struct rarog_probed_event *event);
#endif

#endif
