/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of the programs are loaded, by what is measured and by which links the kernel has. */
#include "engine/ebpf/kernel-state.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

#define ATTACH_UPROBE_MULTI   48
#define ATTACH_UPROBE_SESSION 57

#define MARKS       "pass_mark"
#define MARK_VALUES "pass_mark_values"
#define FAULTS      "on_signal"

#define EVENTS (1u << RAROG_EBPF_EVENTS)
#define VALUES (1u << RAROG_EBPF_VALUES)
#define SUMS   (1u << RAROG_EBPF_SUMS)
#define COUNTS (1u << RAROG_EBPF_COUNTS)
#define ALL    (EVENTS | VALUES | SUMS | COUNTS)

static const struct {
	const char *name;
	unsigned modes;
	enum rarog_ebpf_role role;
} programs[] = {
	{ "count_call", COUNTS, RAROG_EBPF_AT_ENTRY },
	{ "session_call", EVENTS, RAROG_EBPF_AT_SESSION },
	{ "enter_call", EVENTS, RAROG_EBPF_AT_ENTRY },
	{ "leave_call", EVENTS, RAROG_EBPF_AT_RETURN },
	{ "session_call_values", VALUES, RAROG_EBPF_AT_SESSION },
	{ "enter_call_values", VALUES, RAROG_EBPF_AT_ENTRY },
	{ "leave_call_values", VALUES, RAROG_EBPF_AT_RETURN },
	{ "session_call_sums", SUMS, RAROG_EBPF_AT_SESSION },
	{ "enter_call_sums", SUMS, RAROG_EBPF_AT_ENTRY },
	{ "leave_call_sums", SUMS, RAROG_EBPF_AT_RETURN },
	{ MARKS, EVENTS | VALUES, RAROG_EBPF_AT_MARK },
	{ MARK_VALUES, EVENTS | VALUES, RAROG_EBPF_AT_MARK },
	{ "on_fork", EVENTS | VALUES | COUNTS, RAROG_EBPF_AT_TRACEPOINT },
	{ "on_exec", EVENTS | VALUES | COUNTS, RAROG_EBPF_AT_TRACEPOINT },
	{ "on_exit", EVENTS | VALUES | COUNTS, RAROG_EBPF_AT_TRACEPOINT },
	{ FAULTS, ALL, RAROG_EBPF_AT_TRACEPOINT },
	{ "on_fork_sums", SUMS, RAROG_EBPF_AT_TRACEPOINT },
	{ "on_exec_sums", SUMS, RAROG_EBPF_AT_TRACEPOINT },
	{ "on_exit_sums", SUMS, RAROG_EBPF_AT_TRACEPOINT },
	{ "join_running", ALL, RAROG_EBPF_AT_BEGIN },
	{ "close_stacks", SUMS, RAROG_EBPF_AT_END },
};

static bool is_wanted(const struct rarog_ebpf_kernel *k, size_t i)
{
	bool has_sessions = k->links == RAROG_EBPF_SESSIONS;

	if (!(programs[i].modes & 1u << k->options.mode))
		return false;
	if (!k->sees_faults && strcmp(programs[i].name, FAULTS) == 0)
		return false;
	/* one program for all: the order of marks at one address is that of one link */
	if (programs[i].role == RAROG_EBPF_AT_MARK)
		return (k->options.n_marks > 0) == (strcmp(programs[i].name, MARK_VALUES) == 0);
	if (programs[i].role == RAROG_EBPF_AT_SESSION)
		return has_sessions;
	if (programs[i].role == RAROG_EBPF_AT_BEGIN)
		return k->options.everybody;
	return programs[i].role > RAROG_EBPF_AT_SESSION || !has_sessions;
}

/* A mark has no return that a session would wait for. */
enum bpf_attach_type rarog_ebpf_attach_type(enum rarog_ebpf_links links, enum rarog_ebpf_role role)
{
	static const unsigned types[RAROG_EBPF_LINKS] = { ATTACH_UPROBE_SESSION,
							  ATTACH_UPROBE_MULTI, 0 };

	if (role == RAROG_EBPF_AT_MARK && links == RAROG_EBPF_SESSIONS)
		links = RAROG_EBPF_MULTI;
	return (enum bpf_attach_type)types[links];
}

int rarog_ebpf_choose_programs(struct rarog_ebpf_kernel *k)
{
	for (size_t i = 0; i < RAROG_COUNT(programs); i++) {
		struct bpf_program *program =
			bpf_object__find_program_by_name(k->object, programs[i].name);
		bool wanted = is_wanted(k, i);
		int r = program ? bpf_program__set_autoload(program, wanted) : -ENOENT;

		if (r == 0 && wanted && programs[i].role < RAROG_EBPF_AT_TRACEPOINT)
			r = bpf_program__set_expected_attach_type(
				program, rarog_ebpf_attach_type(k->links, programs[i].role));
		if (r < 0)
			return r;
	}
	return 0;
}

struct bpf_program *rarog_ebpf_next_program(const struct rarog_ebpf_kernel *k,
					    enum rarog_ebpf_role role, size_t *at)
{
	for (; *at < RAROG_COUNT(programs); ++*at)
		if (programs[*at].role == role && is_wanted(k, *at))
			return bpf_object__find_program_by_name(k->object, programs[(*at)++].name);
	return NULL;
}

struct bpf_program *rarog_ebpf_find_program(const struct rarog_ebpf_kernel *k,
					    enum rarog_ebpf_role role)
{
	size_t at = 0;

	return rarog_ebpf_next_program(k, role, &at);
}
