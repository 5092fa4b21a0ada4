/* SPDX-License-Identifier: MIT */
/* Libraries loaded later: ask rarog, and make the system calls that it needs. */
#include "internal.h"

static struct rarog_request *claim_request(struct rarog_control *c)
{
	for (int i = 0; i < RAROG_REQUESTS; i++) {
		uint32_t expected = RAROG_REQUEST_FREE;

		if (__atomic_compare_exchange_n(&c->requests[i].state, &expected,
						RAROG_REQUEST_CLAIMED, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return &c->requests[i];
	}
	return 0;
}

#define AWAIT_MOST (600 * WAIT_SETTLE_SIZE) /* turns: a minute */

/* Many processes may open libraries at once: one that is not looked at would be measured in none of
 * its calls, and exceptions could not pass through it. Nothing wakes threads that wait here; but a
 * place that is never given back must not hold the program up for ever. */
static struct rarog_request *await_request(struct rarog_control *c)
{
	struct rarog_request *r = 0;
	struct pulse pulse = { 0 };
	int turns = may_be_filtered() ? 1 : WAIT_SETTLE_SIZE;

	for (int waited = 0; waited < AWAIT_MOST && !is_gone(c) && !(r = claim_request(c));
	     waited += turns)
		if (!wait_to_settle(&c->beat, __atomic_load_n(&c->beat, __ATOMIC_RELAXED), &pulse))
			give_up(c);
	return r;
}

static void say(struct rarog_request *r, uint32_t state)
{
	__atomic_store_n(&r->state, state, __ATOMIC_SEQ_CST);
	wake(&r->state);
}

/* Wait while the state is @state; -1: rarog is gone. */
static int wait_while(struct rarog_request *r, uint32_t state)
{
	struct pulse pulse = { 0 };

	while (__atomic_load_n(&r->state, __ATOMIC_SEQ_CST) == state)
		if (is_gone(control()) || !wait_to_settle(&r->state, state, &pulse))
			return -1;
	return 0;
}

/* Every entry takes the slow path from here on, which records nothing. */
static void switch_off(void)
{
	uint32_t used = strands_used();

	for (uint32_t i = 1; i < used; i++) {
		struct rarog_strand_private *p = private(i);

		p->limit = 0;
	}
}

/* Strand of the running thread, or the one that is kept for it; 0: none. A program that is being
 * started has no thread pointer yet. */
static uint32_t own_strand(void)
{
	uint32_t from = current_index();

	if (wiped(from)->owner)
		return wiped(from)->owner == thread_pointer() ? from : 0;
	return wiped(from)->kept & ~RAROG_STRAND_TAKEN;
}

/* The kernel is asked only if it must be. */
static uint32_t own_pid(void)
{
	uint32_t index = own_strand();

	return index ? shared(index)->pid : (uint32_t)system_call(SYS_GETPID, 0, 0, 0, 0);
}

/* The dynamic linker calls its _dl_debug_state() when libraries came or went: let rarog look, and
 * make the system calls it asks for. */
HIDDEN void rarog_agent_loaded(void)
{
	struct rarog_control *c = control();
	/* before a place is taken: no other thread knows whose that is */
	uint32_t pid = is_gone(c) ? 0 : own_pid();
	struct rarog_request *r = await_request(c);

	if (!r)
		return;
	r->pid = pid;
	__atomic_store_n(&r->state, RAROG_REQUEST_POSTED, __ATOMIC_SEQ_CST);
	wake_rarog();
	int gone = wait_while(r, RAROG_REQUEST_POSTED);
	while (!gone && __atomic_load_n(&r->state, __ATOMIC_SEQ_CST) == RAROG_REQUEST_CALL) {
		r->result = system_call6(r->number, r->arguments);
		say(r, RAROG_REQUEST_RETURNED);
		gone = wait_while(r, RAROG_REQUEST_RETURNED);
	}
	if (gone)
		give_up(c);
	if (c->off)
		switch_off();
	__atomic_store_n(&r->state, RAROG_REQUEST_FREE, __ATOMIC_SEQ_CST);
}
