/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine runs: the loop as far as it goes, then the record that it stopped at.
 *
 * Room for frames and operations is made before each run of the loop, which is short enough that
 * neither can overflow inside it.
 */
#include "events/machine-call.h"

#define RUN_WORDS 8192 /* words taken between two looks at the room left */

/* How many words can be taken without running out of room; makes room first. */
static int make_room(struct rarog_strand_machine *m, size_t *ret_words)
{
	size_t words = RUN_WORDS;
	int r = rarog_strand_machine_reserve(m, m->depth + 2 + RUN_WORDS / 2);

	if (r < 0)
		return r;
	if (m->is_keeping && m->batch.n == m->batch.capacity) {
		r = rarog_strand_machine_next_block(m);
		if (r < 0)
			return r;
	}
	if (m->is_keeping && m->batch.capacity - m->batch.n < words)
		words = m->batch.capacity - m->batch.n;
	*ret_words = words;
	return 0;
}

/* Did an event after an off-CPU span's beginning stop the loop? Sets when it is. */
static bool is_after_off_cpu(const struct rarog_strand_machine *m, const uint16_t *words,
			     uint64_t *ret_now)
{
	if (words[0] == RAROG_WORD_ESCAPE)
		return false;
	*ret_now = m->now + (words[0] & ~RAROG_WORD_ENTRY);
	return *ret_now > m->off_cpu_from;
}

static int run_some(struct rarog_strand_machine *m, const uint16_t **words, const uint16_t *end)
{
	rarog_strand_machine_loop *run =
		rarog_strand_machine_loops[m->is_keeping][m->is_compensating];
	uint64_t event;
	size_t room;
	int r = make_room(m, &room);

	if (r < 0)
		return r;
	if (room < (size_t)(end - *words))
		end = *words + room;
	*words = run(m, *words, end);
	if (*words >= end)
		return 0;
	if (is_after_off_cpu(m, *words, &event))
		return rarog_strand_machine_absorb(m, event, true);
	r = rarog_strand_machine_escape(m, *words);
	if (r < 0)
		return r;
	*words += r;
	return 0;
}

int rarog_strand_machine_run(struct rarog_strand_machine *machine, size_t n, const uint16_t *words,
			     size_t *ret_used)
{
	const uint16_t *at = words, *end = words + n;
	int r = 0;

	if (!machine->is_started && n > 0) {
		r = rarog_strand_machine_escape(machine, at);
		if (r > 0)
			at += r;
	}
	while (r >= 0 && at < end)
		r = run_some(machine, &at, end);
	*ret_used = (size_t)(at - words);
	return r < 0 ? r : 0;
}
