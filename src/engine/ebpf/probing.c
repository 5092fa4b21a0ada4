/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The thread that reads events counts the calls of each function; the one that waits for the
 * program looks at these numbers, and writes the word of a function's gate into the map that the
 * programs in the kernel read.
 */
#include "engine/ebpf/probing.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

#define LOOK_NS 20000000

int rarog_ebpf_probing_begin(struct rarog_ebpf_probing *p, const struct rarog_probed *run)
{
	int r = 0;

	*p = (struct rarog_ebpf_probing){ .how = run->base.options->plan->probing };
	if (p->how.threshold == 0)
		return 0;
	p->calls = calloc(run->n_probes + (size_t)1, sizeof(*p->calls));
	p->begin_ns = rarog_now_ns();
	if (!p->calls)
		return rarog_oom();
	for (size_t i = 0; r == 0 && i < run->modules.n; i++) {
		const struct rarog_probed_module *m = &run->modules.v[i];

		for (uint32_t k = 0; r == 0 && k < m->n; k++) {
			uint32_t every = m->probes[k].every;

			r = rarog_budget_place(&p->budget, m->first + k, every);
			if (r == 0)
				p->budget.places.v[m->first + k].stays =
					m->probes[k].stays || every != RAROG_GATE_EVERY;
		}
	}
	return r;
}

void rarog_ebpf_probing_release(struct rarog_ebpf_probing *p)
{
	rarog_budget_release(&p->budget);
	free(p->calls);
}

void rarog_ebpf_probing_call(struct rarog_ebpf_probing *p, const struct rarog_probed_event *event)
{
	if (p->calls && event->kind == RAROG_PROBED_ENTRY)
		atomic_fetch_add_explicit(&p->calls[event->number], 1, memory_order_relaxed);
}

struct looking {
	const struct rarog_probed *run;
	struct rarog_ebpf_kernel *kernel;
	struct rarog_ebpf_function *functions;
};

static void change(void *user, uint32_t number, uint32_t word)
{
	const struct looking *l = user;
	uint32_t before = l->functions[number].every;
	int r = rarog_recorder_epoch(l->run->recorder, l->run->map->locations[number],
				     rarog_now_ns(), word, 0);

	if (r == 0) {
		l->functions[number].every = word;
		r = rarog_ebpf_kernel_tell(l->kernel, number, 1, &l->functions[number]);
	}
	if (r == 0)
		return;
	l->functions[number].every = before;
	rarog_warn("dynamic-probing: %s", rarog_error_message());
	rarog_error_clear();
}

long rarog_ebpf_probing_look(struct rarog_ebpf_probing *p, const struct rarog_probed *run,
			     struct rarog_ebpf_kernel *kernel,
			     struct rarog_ebpf_function functions[])
{
	struct looking l = { run, kernel, functions };

	if (!p->calls)
		return 0;
	for (size_t i = 0; i < p->budget.places.n; i++)
		p->budget.places.v[i].recorded =
			atomic_load_explicit(&p->calls[i], memory_order_relaxed);
	rarog_probing_step(&p->budget, &p->how, (double)(rarog_now_ns() - p->begin_ns), change, &l);
	return LOOK_NS;
}
