/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "events/sink.h"

static int write_calls(void *context, const struct rarog_calls *calls)
{
	return rarog_profile_add_calls(context, calls);
}

static int write_nodes(void *context, size_t n, const struct rarog_node *v)
{
	return rarog_profile_add_nodes(context, n, v);
}

static int write_summaries(void *context, size_t n, const struct rarog_summary *v)
{
	return rarog_profile_add_summaries(context, n, v);
}

static int write_losses(void *context, size_t n, const struct rarog_loss *v)
{
	return rarog_profile_add_losses(context, n, v);
}

static int write_off_cpu(void *context, size_t n, const struct rarog_off_cpu *v)
{
	return rarog_profile_add_off_cpu(context, n, v);
}

static int write_nodes_off_cpu(void *context, size_t n, const struct rarog_node_off_cpu *v)
{
	return rarog_profile_add_nodes_off_cpu(context, n, v);
}

static int write_absences(void *context, size_t n, const struct rarog_absence *v)
{
	return rarog_profile_add_absences(context, n, v);
}

static int write_values(void *context, size_t n, const struct rarog_call_value *v)
{
	return rarog_profile_add_values(context, n, v);
}

struct rarog_assembler_sink rarog_assembler_to_writer(struct rarog_profile_writer *writer)
{
	return (struct rarog_assembler_sink){
		.context = writer,
		.calls = write_calls,
		.nodes = write_nodes,
		.summaries = write_summaries,
		.losses = write_losses,
		.off_cpu = write_off_cpu,
		.absences = write_absences,
		.values = write_values,
		.nodes_off_cpu = write_nodes_off_cpu,
	};
}
