/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instead of the engine, where rarog was built without libbpf or clang. */
#include <errno.h>

#include "base/error.h"
#include "engine/ebpf/cost.h"
#include "engine/ebpf/ebpf.h"
#include "engine/ebpf/kernel.h"

static int refuse(void)
{
	return rarog_fail(-ENOSYS, "--engine=ebpf: this rarog was built without libbpf; install "
				   "libbpf-dev and clang and build it again");
}

static int prepare(struct rarog_engine_run *run)
{
	(void)run;
	return refuse();
}

static void release(struct rarog_engine_run *run)
{
	(void)run;
}

const struct rarog_engine_steps rarog_ebpf_steps = {
	.size = sizeof(struct rarog_engine_run),
	.prepare = prepare,
	.release = release,
};

int rarog_ebpf_check_libraries(const struct rarog_plan *plan,
			       const struct rarog_attachment *attachment)
{
	(void)plan;
	(void)attachment;
	return 0; /* check() has refused before */
}

int rarog_ebpf_cost_measure(struct rarog_ebpf_cost *ret_cost)
{
	(void)ret_cost;
	return refuse();
}

int rarog_ebpf_kernel_new(const struct rarog_ebpf_kernel_options *options,
			  struct rarog_ebpf_kernel **ret_kernel)
{
	(void)options;
	(void)ret_kernel;
	return refuse();
}

void rarog_ebpf_kernel_free(struct rarog_ebpf_kernel *kernel)
{
	(void)kernel;
}

enum rarog_ebpf_links rarog_ebpf_kernel_links(const struct rarog_ebpf_kernel *kernel)
{
	(void)kernel;
	return RAROG_EBPF_LINKS;
}

const char *rarog_ebpf_links_name(enum rarog_ebpf_links links)
{
	(void)links;
	return "none";
}
