/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/engine.h"
#include "base/error.h"
#include "engine/ebpf/cost.h"
#include "engine/ebpf/ebpf.h"
#include "engine/ebpf/kernel.h"
#include "plan/parameters.h"

static int check(void)
{
	const struct rarog_ebpf_kernel_options options = { .n_probes = 1 };
	rarog_cleanup(rarog_ebpf_kernel_freep) struct rarog_ebpf_kernel *kernel = NULL;

	return rarog_ebpf_kernel_new(&options, &kernel);
}

static int allows(const struct rarog_plan *plan, const char *program,
		  const struct rarog_attachment *attachment)
{
	int r = rarog_ebpf_check_libraries(plan, attachment);

	return r < 0 ? r : rarog_probed_allows("ebpf", plan, program, attachment);
}

static int examine(struct rarog_str *found)
{
	const struct rarog_ebpf_kernel_options options = { .n_probes = 1 };
	rarog_cleanup(rarog_ebpf_kernel_freep) struct rarog_ebpf_kernel *kernel = NULL;
	struct rarog_ebpf_cost cost = { 0 };
	int r = rarog_ebpf_kernel_new(&options, &kernel);

	if (r == 0)
		r = rarog_ebpf_cost_measure(&cost);
	if (r < 0)
		return r;
	return rarog_str_addf(
		found,
		"%s; a call counted %.2f us, recorded %.2f us, summed up %.2f us, single-stepped "
		"%.1f us",
		rarog_ebpf_links_name(rarog_ebpf_kernel_links(kernel)), cost.counted_ns / 1000,
		cost.recorded_ns / 1000, cost.summed_ns / 1000, cost.slow_ns / 1000);
}

static void write_parameters(struct rarog_json *json, const struct rarog_plan *plan)
{
	rarog_plan_write(json, "ebpf", plan);
}

const struct rarog_engine rarog_engine_ebpf = {
	.name = "ebpf",
	.abilities = RAROG_ENGINE_BREAKPOINTS | RAROG_ENGINE_CHOOSES | RAROG_ENGINE_DETAILS |
		     RAROG_ENGINE_PROGRAMS | RAROG_ENGINE_ALONE | RAROG_ENGINE_BOUNDED |
		     RAROG_ENGINE_ATTACHES | RAROG_ENGINE_MARKS | RAROG_ENGINE_SKIPS |
		     RAROG_ENGINE_VALUES | RAROG_ENGINE_LIBRARIES | RAROG_ENGINE_EVERYBODY |
		     RAROG_ENGINE_WINDOWS | RAROG_ENGINE_SWITCHES | RAROG_ENGINE_TURNS_OFF,
	.gives = "at about a microsecond a call",
	.doctor = "ebpf engine",
	.needed_for = "collect --engine ebpf",
	.remedy = "run as root, or give rarog-ebpf-helper its capabilities (sudo setcap "
		  "cap_bpf,cap_perfmon+ep FILE), on a kernel with CONFIG_BPF_SYSCALL, "
		  "CONFIG_UPROBES and "
		  "CONFIG_DEBUG_INFO_BTF (Linux 6.6 or later for many functions), with a rarog "
		  "that was built with libbpf-dev and clang",
	.check = check,
	.allows = allows,
	.examine = examine,
	.write_parameters = write_parameters,
	.steps = &rarog_ebpf_steps,
};
