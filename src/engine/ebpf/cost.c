/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/ebpf/cost.h"

#include <unistd.h>

#include "base/clock.h"
#include "engine/ebpf/kernel.h"
#include "engine/ebpf/target.h"

#define CALLS  4000
#define ROUNDS 5 /* the quickest is the least disturbed */

static double time_calls(void (*function)(void))
{
	double least = 0;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t start = rarog_now_ns();
		double ns;

		for (int i = 0; i < CALLS; i++)
			function();
		ns = (double)(rarog_now_ns() - start) / CALLS;
		if (round == 0 || ns < least)
			least = ns;
	}
	return least;
}

static int measure(enum rarog_ebpf_mode mode, uint64_t offset, void (*function)(void),
		   double *ret_ns)
{
	const struct rarog_ebpf_kernel_options options = { .n_probes = 1, .mode = mode };
	rarog_cleanup(rarog_ebpf_kernel_freep) struct rarog_ebpf_kernel *kernel = NULL;
	int r = rarog_ebpf_kernel_new(&options, &kernel);
	bool refused;

	if (r == 0)
		r = rarog_ebpf_kernel_attach(kernel, "/proc/self/exe", 1, &offset, 0, getpid(),
					     &refused);
	if (r == 0)
		r = rarog_ebpf_kernel_watch(kernel, getpid(), RAROG_EBPF_FOLLOWED);
	if (r == 0)
		*ret_ns = time_calls(function);
	return r;
}

int rarog_ebpf_cost_measure(struct rarog_ebpf_cost *ret_cost)
{
	struct rarog_ebpf_cost cost;
	int r = measure(RAROG_EBPF_COUNTS, rarog_ebpf_target_offset(), rarog_ebpf_target_quick,
			&cost.counted_ns);

	if (r == 0)
		r = measure(RAROG_EBPF_EVENTS, rarog_ebpf_target_offset(), rarog_ebpf_target_quick,
			    &cost.recorded_ns);
	if (r == 0)
		r = measure(RAROG_EBPF_SUMS, rarog_ebpf_target_offset(), rarog_ebpf_target_quick,
			    &cost.summed_ns);
	if (r == 0)
		r = measure(RAROG_EBPF_COUNTS, rarog_ebpf_target_slow_offset(),
			    rarog_ebpf_target_slow, &cost.slow_ns);
	if (r == 0)
		*ret_cost = cost;
	return r;
}
