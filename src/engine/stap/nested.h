/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of output that tells neither processes nor places: calls end as they are nested. */
#ifndef RAROG_ENGINE_STAP_NESTED_H
#define RAROG_ENGINE_STAP_NESTED_H

#include "engine/probed/event.h"

struct rarog_stap_thread;

/* Zeroed: nothing was heard. */
struct rarog_stap_nested {
	struct rarog_stap_thread *threads;
};

/** rarog_stap_nested_add() - the thread @tid of @process begins. 0 or -ENOMEM. */
int rarog_stap_nested_add(struct rarog_stap_nested *nested, uint32_t tid, uint32_t process);
void rarog_stap_nested_forget(struct rarog_stap_nested *nested, uint32_t tid);
void rarog_stap_nested_release(struct rarog_stap_nested *nested);

/** rarog_stap_nested_process() - the process of @tid; one that was never heard of is the first of
 * its own. */
uint32_t rarog_stap_nested_process(const struct rarog_stap_nested *nested, uint32_t tid);

/** rarog_stap_nested_open() - a call begins: gets a place that is its own. 1 or -ENOMEM. */
int rarog_stap_nested_open(struct rarog_stap_nested *nested, struct rarog_probed_event *event);

/** rarog_stap_nested_close() - it ends: gets its place. 1; 0: no such call is open. */
int rarog_stap_nested_close(struct rarog_stap_nested *nested, struct rarog_probed_event *event);

#endif
