/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rarog-ebpf-helper: the one part of rarog that has privileges (CAP_BPF and CAP_PERFMON, by file
 * capabilities or sudo). It loads its own programs into the kernel, never others, and attaches them
 * where it is told over its standard input, a socket, if the caller may look there. It opens no
 * file and uses no environment. Its links go with it: when the caller ends, however it does, the
 * socket says so.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/ended.h"
#include "base/error.h"
#include "engine/ebpf/helper-rights.h"
#include "engine/ebpf/kernel.h"
#include "engine/ebpf/split-wire.h"

#define SOCKET STDIN_FILENO

/* The largest thing after a request. */
union places {
	uint64_t offsets[RAROG_SPLIT_PLACES];
	struct rarog_ebpf_place marks[RAROG_SPLIT_PLACES];
};

struct helper {
	struct rarog_helper_caller caller;
	struct rarog_ebpf_kernel *kernel;
	uint32_t n_probes, n_marks; /* that it was told of; marks: with values */
	bool joins;                 /* it was loaded for every process of a file */
	bool is_sealed;
	/* the request that is served */
	struct rarog_split_request request;
	union places places;
	size_t n_bytes; /* of .places */
	int file;       /* -1: none came */
	/* its answer */
	struct rarog_split_answer answer;
	bool refused[RAROG_SPLIT_PLACES];
	size_t n_files;
	int files[RAROG_SPLIT_FILES];
};

static int fail_form(const char *what)
{
	return rarog_fail(-EINVAL, "--engine=ebpf: rarog-ebpf-helper was asked %s", what);
}

/* --- what can be asked --- */

static int load(struct helper *h)
{
	const struct rarog_ebpf_kernel_options options = {
		.n_probes = h->request.n,
		.n_sets = h->request.n_sets,
		.n_marks = h->request.n_marks,
		.mode = (enum rarog_ebpf_mode)h->request.mode,
		.follow = h->request.follow,
		.skips = h->request.skips,
		.links = (enum rarog_ebpf_links)h->request.links,
		.everybody = h->request.everybody,
		.device = h->request.device,
		.inode = h->request.inode,
		.is_helper = true,
		.is_owned = h->caller.uid != 0,
		.uid = h->caller.uid,
		.gid = h->caller.gid,
	};
	int r;

	if (h->kernel)
		return fail_form("to load twice");
	if (h->request.n > RAROG_SPLIT_PROBES)
		return rarog_fail(-E2BIG,
				  "--engine=ebpf: %u probes are too many for the helper (%u at "
				  "most); choose functions with --func",
				  h->request.n, RAROG_SPLIT_PROBES);
	if (h->request.links >= RAROG_EBPF_LINKS || h->request.mode >= RAROG_EBPF_MODES)
		return fail_form("for links, or a mode, that there are not");
	if (h->request.n_marks > RAROG_SPLIT_PROBES)
		return rarog_fail(-E2BIG,
				  "--engine=ebpf: %u marks are too many for the helper (%u at "
				  "most); choose them with --usdt",
				  h->request.n_marks, RAROG_SPLIT_PROBES);
	if (h->request.n_sets > h->request.n)
		return fail_form("for more values than it was told of functions");
	r = rarog_ebpf_kernel_new(&options, &h->kernel);
	if (r < 0)
		return r;
	h->n_probes = h->request.n;
	h->n_marks = h->request.n_marks;
	h->joins = h->request.everybody;
	h->answer.links = rarog_ebpf_kernel_links(h->kernel);
	for (size_t i = 0; i < RAROG_SPLIT_MAPS; i++)
		h->files[i] = rarog_ebpf_kernel_map(h->kernel, rarog_split_maps[i]);
	h->n_files = RAROG_SPLIT_MAPS;
	return 0;
}

/* The number may become another process's while we look: it is the same as long as the first one
 * has not ended. */
static int watch_held(struct helper *h, int process)
{
	int r = rarog_helper_may_watch(&h->caller, h->request.pid);

	if (r == 0 && rarog_ended(process))
		r = rarog_fail(-ESRCH, "--engine=ebpf: there is no process %d", h->request.pid);
	if (r == 0)
		r = rarog_ebpf_kernel_watch(h->kernel, h->request.pid, h->request.state);
	return r;
}

/* Which of them may be seen is decided when they join, by the programs in the kernel. */
static int watch_everybody(struct helper *h)
{
	if (h->request.pid != 0 || !h->joins)
		return fail_form("to watch everybody, for one process");
	return rarog_ebpf_kernel_watch(h->kernel, 0, RAROG_EBPF_EVERYBODY);
}

static int watch(struct helper *h)
{
	int process, r;

	if (h->request.state == RAROG_EBPF_EVERYBODY)
		return watch_everybody(h);
	if (h->request.state != RAROG_EBPF_WAITING && h->request.state != RAROG_EBPF_FOLLOWED)
		return fail_form("for a state that there is not");
	if (h->request.pid <= 0)
		return fail_form("to watch no process");
	process = rarog_ended_open(h->request.pid);
	if (process < 0)
		return rarog_fail(process, "--engine=ebpf: there is no process %d", h->request.pid);
	r = watch_held(h, process);
	close(process);
	return r;
}

/* May the file be probed there, in these processes? */
static int check_file(struct helper *h, uint64_t *ret_size)
{
	int r;

	if (h->is_sealed)
		return fail_form("to attach after it was sealed");
	if (h->file < 0 || h->request.n == 0 || h->request.n > RAROG_SPLIT_PLACES)
		return fail_form("to attach nothing, or too much");
	r = rarog_helper_may_probe(&h->caller, h->file, h->request.pid == 0, ret_size);
	if (r == 0 && h->request.pid != 0)
		r = rarog_helper_may_watch(&h->caller, h->request.pid);
	return r;
}

static void name_file(const struct helper *h, char ret_path[32])
{
	snprintf(ret_path, 32, "/proc/self/fd/%d", h->file);
}

static int attach(struct helper *h)
{
	uint32_t n = h->request.n;
	uint64_t size;
	char path[32];
	int r = check_file(h, &size);

	if (r < 0)
		return r;
	if (h->n_bytes != n * sizeof(*h->places.offsets) || n > h->n_probes ||
	    h->request.first > h->n_probes - n)
		return fail_form("for more probes than it was told of");
	for (uint32_t i = 0; i < n; i++)
		if (h->places.offsets[i] >= size)
			return fail_form("to probe what is not in the file");
	name_file(h, path);
	h->answer.n = n;
	return rarog_ebpf_kernel_attach(h->kernel, path, n, h->places.offsets, h->request.first,
					h->request.pid, h->refused);
}

/* Is its number one that was told of? */
static bool is_known(const struct helper *h, uint64_t cookie)
{
	return (uint32_t)cookie < (cookie & RAROG_EBPF_COOKIE_VALUES ? h->n_marks : h->n_probes);
}

static int attach_marks(struct helper *h)
{
	uint64_t size;
	char path[32];
	int r = check_file(h, &size);

	if (r < 0)
		return r;
	if (h->n_bytes != h->request.n * sizeof(*h->places.marks))
		return fail_form("for another number of marks than it was told of");
	for (uint32_t i = 0; i < h->request.n; i++)
		if (h->places.marks[i].offset >= size || h->places.marks[i].semaphore >= size ||
		    !is_known(h, h->places.marks[i].cookie))
			return fail_form("to probe what is not in the file");
	name_file(h, path);
	return rarog_ebpf_kernel_attach_marks(h->kernel, path, h->request.n, h->places.marks,
					      h->request.pid);
}

static int seal(struct helper *h)
{
	h->is_sealed = true;
	return rarog_helper_drop_all();
}

static int stop(struct helper *h)
{
	rarog_ebpf_kernel_stop(h->kernel);
	return 0;
}

static const struct {
	int (*serve)(struct helper *h);
	bool before_load;
} kinds[RAROG_SPLIT_KINDS] = {
	[RAROG_SPLIT_LOAD] = { load, true }, [RAROG_SPLIT_WATCH] = { watch },
	[RAROG_SPLIT_ATTACH] = { attach },   [RAROG_SPLIT_MARKS] = { attach_marks },
	[RAROG_SPLIT_SEAL] = { seal },       [RAROG_SPLIT_STOP] = { stop },
};

/* --- one request after the other --- */

static int serve(struct helper *h)
{
	uint32_t kind = h->request.kind;

	h->answer = (struct rarog_split_answer){ .magic = RAROG_SPLIT_MAGIC };
	h->n_files = 0;
	memset(h->refused, 0, sizeof(h->refused));
	if (h->request.magic != RAROG_SPLIT_MAGIC)
		return rarog_fail(-EPROTO, "--engine=ebpf: rarog-ebpf-helper is of another "
					   "version than rarog; install both again");
	if (kind >= RAROG_SPLIT_KINDS || !kinds[kind].serve)
		return fail_form("for something that it does not know");
	if (!h->kernel && !kinds[kind].before_load)
		return fail_form("for something before it had loaded anything");
	return kinds[kind].serve(h);
}

static int receive(struct helper *h)
{
	struct rarog_split_part parts[2] = { { &h->request, sizeof(h->request) },
					     { &h->places, sizeof(h->places) } };
	size_t n_files = 1;
	int r;

	h->file = -1;
	r = rarog_split_receive(SOCKET, parts, &n_files, &h->file);
	h->n_bytes = parts[1].size;
	if (r == -EBADMSG) { /* it is answered, as one of an unknown form */
		h->request = (struct rarog_split_request){ .magic = RAROG_SPLIT_MAGIC };
		h->n_bytes = 0;
		r = 0;
	}
	return r;
}

static int answer(struct helper *h, int result)
{
	struct rarog_split_part parts[2] = { { &h->answer, sizeof(h->answer) },
					     { h->refused, result < 0 ? 0 : h->answer.n } };

	h->answer.result = result < 0 ? result : 0;
	if (result < 0)
		snprintf(h->answer.message, sizeof(h->answer.message), "%s", rarog_error_message());
	return rarog_split_send(SOCKET, parts, result < 0 ? 0 : h->n_files, h->files);
}

static int answer_one(struct helper *h)
{
	int r = receive(h), result;

	if (r < 0)
		return r;
	result = serve(h);
	if (h->file >= 0)
		close(h->file);
	return answer(h, result);
}

static bool is_socket(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

int main(void)
{
	static struct helper h;

	if (!is_socket(SOCKET)) {
		fputs("rarog-ebpf-helper: is started by rarog collect --engine ebpf\n", stderr);
		return 2;
	}
	if (rarog_helper_confine(SOCKET, &h.caller) < 0)
		return 3;
	while (answer_one(&h) == 0)
		;
	rarog_ebpf_kernel_free(h.kernel);
	_exit(0); /* a leak check would have to trace this process, which is not allowed */
}
