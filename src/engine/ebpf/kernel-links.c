/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Links are made by the system call itself, because libbpf learnt of uprobe_multi and of sessions
 * later than the kernels that have them. Numbers are the kernel's (include/uapi/linux/bpf.h), which
 * older headers do not have.
 */
#include "engine/ebpf/kernel-state.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "engine/ebpf/split.h"

#define ENOTSUPP     524 /* the kernel's own: it does not step through that */
#define MULTI_RETURN 1   /* flag: at returns instead of entries */

/* Arguments of BPF_LINK_CREATE for many probes at once. */
struct link_request {
	uint32_t program, target, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t n, multi_flags, pid, rest;
};

static int link_multi(struct rarog_ebpf_kernel *k, enum rarog_ebpf_role role,
		      const struct link_request *what)
{
	struct link_request request = *what;
	int fd;

	request.program = (uint32_t)bpf_program__fd(rarog_ebpf_find_program(k, role));
	request.attach_type = (uint32_t)rarog_ebpf_attach_type(k->links, role);
	request.multi_flags = role == RAROG_EBPF_AT_RETURN ? MULTI_RETURN : 0;
	fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &request, sizeof(request));
	if (fd < 0)
		return -errno;
	if (rarog_vec_push(&k->multi, fd) == 0)
		return 0;
	close(fd);
	return -ENOMEM;
}

int rarog_ebpf_keep_link(struct rarog_ebpf_kernel *k, struct bpf_link *take_link)
{
	if (!take_link)
		return -errno;
	if (rarog_vec_push(&k->more, take_link) == 0)
		return 0;
	bpf_link__destroy(take_link);
	return -ENOMEM;
}

static int link_single(struct rarog_ebpf_kernel *k, enum rarog_ebpf_role role,
		       const struct link_request *what)
{
	const struct bpf_program *found = rarog_ebpf_find_program(k, role);
	const uint64_t *offsets = (const uint64_t *)(uintptr_t)what->offsets;
	const uint64_t *cookies = (const uint64_t *)(uintptr_t)what->cookies;
	const uint64_t *counters = (const uint64_t *)(uintptr_t)what->ref_ctr_offsets;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < what->n; i++) {
		LIBBPF_OPTS(bpf_uprobe_opts, options, .retprobe = role == RAROG_EBPF_AT_RETURN,
			    .bpf_cookie = cookies[i], .ref_ctr_offset = counters ? counters[i] : 0);

		r = rarog_ebpf_keep_link(
			k, bpf_program__attach_uprobe_opts(found, what->pid ? (pid_t)what->pid : -1,
							   (const char *)(uintptr_t)what->path,
							   offsets[i], &options));
	}
	return r;
}

static int link_some(struct rarog_ebpf_kernel *k, enum rarog_ebpf_role role,
		     const struct link_request *what)
{
	return k->links == RAROG_EBPF_SINGLE ? link_single(k, role, what)
					     : link_multi(k, role, what);
}

/* Returns first: a call whose entry is seen then has its end seen, too. */
static int link_all(struct rarog_ebpf_kernel *k, const struct link_request *what)
{
	int r;

	if (k->links == RAROG_EBPF_SESSIONS)
		return link_multi(k, RAROG_EBPF_AT_SESSION, what);
	r = k->options.mode == RAROG_EBPF_COUNTS ? 0 : link_some(k, RAROG_EBPF_AT_RETURN, what);
	return r < 0 ? r : link_some(k, RAROG_EBPF_AT_ENTRY, what);
}

/* One place that the kernel refuses is refused for all. */
static bool is_refusal(int r)
{
	return r == -ENOTSUPP || r == -EINVAL || r == -EOPNOTSUPP || r == -EIO;
}

static int link_range(struct rarog_ebpf_kernel *k, const struct link_request *what, bool refused[])
{
	struct link_request left = *what, right = *what;
	uint32_t half = what->n / 2;
	int r = what->n > 0 ? link_all(k, what) : 0;

	if (!is_refusal(r) || !refused)
		return r;
	if (what->n == 1) {
		*refused = true;
		return 0;
	}
	left.n = half;
	right.n = what->n - half;
	right.offsets += half * sizeof(uint64_t);
	right.cookies += half * sizeof(uint64_t);
	r = link_range(k, &left, refused);
	return r < 0 ? r : link_range(k, &right, refused + half);
}

int rarog_ebpf_attach(struct rarog_ebpf_kernel *k, const char *path, size_t n,
		      const uint64_t offsets[n], uint32_t first, pid_t pid, bool refused[])
{
	rarog_cleanup(rarog_freep) uint64_t *cookies = calloc(n + 1, sizeof(*cookies));
	const struct link_request what = {
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)offsets,
		.cookies = (uintptr_t)cookies,
		.n = (uint32_t)n,
		.pid = (uint32_t)pid,
	};

	if (!cookies)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		cookies[i] = first + i;
	return link_range(k, &what, refused);
}

/* What a link of /proc leads to is what people call it. */
static const char *name_of(const char *path, char real[PATH_MAX])
{
	return realpath(path, real) ? real : path;
}

int rarog_ebpf_kernel_attach(struct rarog_ebpf_kernel *k, const char *path, size_t n,
			     const uint64_t offsets[n], uint32_t first, pid_t pid,
			     bool ret_refused[n])
{
	char real[PATH_MAX];
	int r;

	if (k->split)
		return rarog_ebpf_split_attach(k->split, path, n, offsets, first, pid, ret_refused);
	if (k->links == RAROG_EBPF_SINGLE && n > RAROG_EBPF_SINGLE_MAX)
		return rarog_fail(-E2BIG,
				  "--engine=ebpf: this kernel probes functions one by one only, "
				  "and %zu are too many (%d at most); choose some with --func",
				  n, RAROG_EBPF_SINGLE_MAX);
	memset(ret_refused, 0, n * sizeof(*ret_refused));
	r = rarog_ebpf_attach(k, path, n, offsets, first, pid, ret_refused);
	if (r < 0)
		return rarog_fail(r, "--engine=ebpf: %s cannot be probed: %s", name_of(path, real),
				  strerror(-r));
	return 0;
}

static int attach_marks(struct rarog_ebpf_kernel *k, const char *path, size_t n,
			const struct rarog_ebpf_place places[n], pid_t pid)
{
	rarog_cleanup(rarog_freep) uint64_t *columns = calloc(3 * n, sizeof(*columns));
	const struct link_request what = {
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)columns,
		.ref_ctr_offsets = (uintptr_t)(columns + n),
		.cookies = (uintptr_t)(columns + 2 * n),
		.n = (uint32_t)n,
		.pid = (uint32_t)pid,
	};

	if (!columns)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		columns[i] = places[i].offset;
		columns[n + i] = places[i].semaphore;
		columns[2 * n + i] = places[i].cookie;
	}
	return link_some(
		k, k->options.mode == RAROG_EBPF_COUNTS ? RAROG_EBPF_AT_ENTRY : RAROG_EBPF_AT_MARK,
		&what);
}

int rarog_ebpf_kernel_attach_marks(struct rarog_ebpf_kernel *k, const char *path, size_t n,
				   const struct rarog_ebpf_place places[n], pid_t pid)
{
	char real[PATH_MAX];
	int r;

	if (k->split)
		return rarog_ebpf_split_attach_marks(k->split, path, n, places, pid);
	r = n > 0 ? attach_marks(k, path, n, places, pid) : 0;
	return r < 0 ? rarog_fail(
			       r,
			       "--engine=ebpf: marks of %s cannot be probed: %s; leave out --at, "
			       "or USDT probes by --no-usdt",
			       name_of(path, real), strerror(-r))
		     : 0;
}
