/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The child of test-probe-settle.c: calls probed functions, marks each round by a breakpoint, and
 * judges at the end what was recorded.
 */
#ifndef RAROG_TESTS_SETTLED_CHILD_H
#define RAROG_TESTS_SETTLED_CHILD_H

#include "emit-lab.h"

#include <signal.h>

#define MARK() __asm__ volatile("int3" ::: "memory")

static size_t rounds; /* one for each byte of the code: most of them are never reached */

#define AGE (UINT64_C(1) << 20)
static uint64_t aged; /* the strand's last event in all, so that the agent is called */

static volatile sig_atomic_t handled;
static int changed; /* registers, by calls */

static void on_signal(int number)
{
	(void)number;
	leaf();
	handled++;
}

static void fill_registers(uint64_t seed)
{
	registers_in.mxcsr = 0x1f80;
	registers_in.x87_control = 0x37f;
	for (int i = 0; i < 15; i++)
		registers_in.general[i] = seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)i;
}

static bool are_changed(void)
{
	const size_t n = sizeof(registers_in.general);

	return memcmp(&registers_seen, &registers_in, n) ||
	       memcmp(&registers_out, &registers_in, n);
}

static size_t count_of(const char *text, const char *part)
{
	size_t n = 0;

	while ((text = strstr(text, part))) {
		n++;
		text += strlen(part);
	}
	return n;
}

/* What the stream's clock says after all of it. */
static uint64_t clock_of(const struct words *words)
{
	uint64_t now = 0;

	for (size_t at = 0; at < words->w.n;) {
		const uint16_t *w = words->w.v + at;

		if (w[0] != RAROG_WORD_ESCAPE)
			now += w[0] & 0x7fff;
		else if (w[1] == RAROG_ESCAPE_START)
			now = rarog_stream_u64(w + 2);
		else if (w[1] == RAROG_ESCAPE_TIME16)
			now += (uint64_t)w[2] << 15;
		else if (w[1] == RAROG_ESCAPE_TIME64)
			now += rarog_stream_u64(w + 2);
		at += (size_t)rarog_stream_record(words->w.n - at, w);
	}
	return now;
}

/* Where the handler came is not known here: so sums are compared, and that all is in
 * order is the assembler's to say. */
static int judge(const struct lab *lab)
{
	struct rarog_assembler_totals totals;
	struct words words = { 0 };
	char *text;
	bool is_right;

	take_words(&words, lab, 1);
	text = text_of(&words);
	assembles(&words, &totals);
	is_right = changed == 0 &&
		   clock_of(&words) == rarog_test_rig_private(&lab->shop, 1)->last + aged &&
		   count_of(text, "+7") == rounds &&
		   count_of(text, "+0") == rounds + (size_t)handled &&
		   count_of(text, "-") == 2 * rounds + (size_t)handled &&
		   count_of(text, "D") == 0 && count_of(text, "S") == 1 &&
		   rarog_test_rig_strand(&lab->shop, 2)->state == RAROG_STRAND_FREE;
	if (!is_right)
		fprintf(stderr, "%d handled, %d changed: %s\n", (int)handled, changed, text);
	free(text);
	rarog_vec_release(&words.w);
	return is_right ? 0 : 1;
}

static void be_traced(const struct lab *lab, int go)
{
	char word;

	signal(SIGUSR1, on_signal);
	rarog_test_rig_strand(&lab->shop, 1)->tid = (uint32_t)getpid();
	if (read(go, &word, 1) != 1)
		_exit(2);
	for (size_t i = 0; i < rounds; i++) {
		MARK();
		leaf(); /* so that not much time has passed */
		fill_registers(i);
		keeps_registers();
		changed += are_changed();
	}
	MARK();
	rarog_test_rig_leave();
	_exit(judge(lab));
}

#endif
