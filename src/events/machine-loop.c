/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hot loop: entries and exits only, no call in it (a new context or a special frame aside),
 * everything it needs of the machine in registers. It leaves at every escape, and before an event
 * that comes after off-CPU time. Four versions are
 * made of one text, so that what is constant for a strand is not tested for every event.
 */
#include "events/machine-call.h"

always_inline const uint16_t *run_words(struct rarog_strand_machine *m, const uint16_t *words,
					const uint16_t *end, bool keeping, bool compensating)
{
	struct rarog_open_call *frame = m->frames + m->depth;
	uint64_t now = m->now, last = m->last, off_cpu_from = m->off_cpu_from;
	uint32_t *op = m->batch.op + m->batch.n;
	uint64_t *delta = m->batch.delta + m->batch.n;

	while (words < end) {
		unsigned word = words[0];

		if (!(word & RAROG_WORD_ENTRY)) {
			now += word;
			if (unlikely(now > off_cpu_from)) {
				now -= word;
				break;
			}
			if (unlikely(frame->tag & FLAGS)) {
				if (frame == m->frames) {
					now -= word;
					break;
				}
				settle_any(m, frame, now);
			} else {
				settle_plain(m, frame, now, compensating);
			}
			frame--;
			words++;
			if (keeping)
				*op++ = RAROG_OP_RETURN;
		} else {
			uint32_t id = words[1];

			if (unlikely(word == RAROG_WORD_ESCAPE))
				break;
			if (unlikely(id == RAROG_ID_WIDE))
				id = rarog_stream_u32(words + 2);
			if (unlikely(id >= m->n_functions))
				break;
			if (unlikely(now + (word & ~RAROG_WORD_ENTRY) > off_cpu_from))
				break;
			words += words[1] == RAROG_ID_WIDE ? 4 : 2;
			now += word & ~RAROG_WORD_ENTRY;
			m->calls++;
			push(m, ++frame, id, now);
			if (keeping)
				*op++ = m->functions[id].location + RAROG_OP_ENTRY;
		}
		if (keeping)
			*delta++ = now - last;
		last = now;
	}
	m->depth = (size_t)(frame - m->frames);
	m->now = now;
	m->last = last;
	if (keeping)
		m->batch.n = (size_t)(op - m->batch.op);
	return words;
}

static const uint16_t *run_summary(struct rarog_strand_machine *m, const uint16_t *words,
				   const uint16_t *end)
{
	return run_words(m, words, end, false, false);
}

static const uint16_t *run_summary_less_probes(struct rarog_strand_machine *m,
					       const uint16_t *words, const uint16_t *end)
{
	return run_words(m, words, end, false, true);
}

static const uint16_t *run_calls(struct rarog_strand_machine *m, const uint16_t *words,
				 const uint16_t *end)
{
	return run_words(m, words, end, true, false);
}

static const uint16_t *run_calls_less_probes(struct rarog_strand_machine *m, const uint16_t *words,
					     const uint16_t *end)
{
	return run_words(m, words, end, true, true);
}

rarog_strand_machine_loop *const rarog_strand_machine_loops[2][2] = {
	{ run_summary, run_summary_less_probes },
	{ run_calls, run_calls_less_probes },
};
