/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/ebpf/split.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/installed.h"
#include "base/log.h"

#define HELPER "rarog-ebpf-helper"

struct rarog_ebpf_split {
	int socket;
	pid_t helper; /* or sudo, which waits for it */
};

/* --- requests --- */

static int fail_gone(void)
{
	return rarog_fail(-EPIPE, "--engine=ebpf: " HELPER " has ended by itself, and its probes "
				  "are gone");
}

struct exchange {
	struct rarog_split_request request;
	struct rarog_split_part more, more_back; /* after the request, after the answer */
	size_t n_files, n_files_back;
	int files[1], files_back[RAROG_SPLIT_FILES];
	struct rarog_split_answer answer;
};

static int take_answer(const struct rarog_ebpf_split *s, struct exchange *x)
{
	struct rarog_split_part parts[2] = { { &x->answer, sizeof(x->answer) }, x->more_back };
	size_t wanted = x->n_files_back;
	int r = rarog_split_receive(s->socket, parts, &x->n_files_back, x->files_back);

	if (r < 0)
		return r;
	x->answer.message[RAROG_SPLIT_MESSAGE - 1] = '\0';
	if (x->answer.magic != RAROG_SPLIT_MAGIC ||
	    (x->answer.result == 0 &&
	     (x->n_files_back != wanted || parts[1].size != x->more_back.size)))
		r = -EBADMSG;
	for (size_t i = 0; (r < 0 || x->answer.result < 0) && i < x->n_files_back; i++)
		close(x->files_back[i]);
	return r;
}

static int ask(const struct rarog_ebpf_split *s, struct exchange *x)
{
	struct rarog_split_part parts[2] = { { &x->request, sizeof(x->request) }, x->more };
	int r;

	x->request.magic = RAROG_SPLIT_MAGIC;
	r = rarog_split_send(s->socket, parts, x->n_files, x->files);
	if (r == 0)
		r = take_answer(s, x);
	if (r == -EPIPE || r == -ECONNRESET)
		return fail_gone();
	if (r < 0)
		return rarog_fail(r, "--engine=ebpf: " HELPER " is of another version than rarog; "
				     "install both again");
	return x->answer.result < 0 ? rarog_fail(x->answer.result, "%s", x->answer.message) : 0;
}

/* --- start and end --- */

/* Signals from the terminal are for the program and for us. */
static void become_helper(int socket, const char *path, bool by_sudo)
{
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	if (dup2(socket, STDIN_FILENO) < 0 || nowhere < 0)
		_exit(127);
	dup2(nowhere, STDOUT_FILENO);
	dup2(nowhere, STDERR_FILENO);
	if (by_sudo)
		execlp("sudo", "sudo", "-n", "--", path, (char *)NULL);
	else
		execl(path, path, (char *)NULL);
	_exit(127);
}

static int start(struct rarog_ebpf_split *s, const char *path, bool by_sudo)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return rarog_fail_errno("--engine=ebpf: cannot talk to " HELPER);
	s->helper = fork();
	if (s->helper == 0)
		become_helper(pair[1], path, by_sudo);
	close(pair[1]);
	s->socket = pair[0];
	return s->helper < 0 ? rarog_fail_errno("--engine=ebpf: cannot start " HELPER) : 0;
}

static void finish(struct rarog_ebpf_split *s)
{
	if (s->socket >= 0)
		close(s->socket);
	while (s->helper > 0 && waitpid(s->helper, NULL, 0) < 0 && errno == EINTR)
		;
	*s = (struct rarog_ebpf_split){ .socket = -1 };
}

static int load(struct rarog_ebpf_split *s, const struct rarog_ebpf_kernel_options *options,
		enum rarog_ebpf_links *ret_links, int ret_maps[RAROG_SPLIT_MAPS])
{
	struct exchange x = {
		.request = { .kind = RAROG_SPLIT_LOAD,
			     .n = options->n_probes,
			     .n_sets = options->n_sets,
			     .n_marks = options->n_marks,
			     .mode = options->mode,
			     .follow = options->follow,
			     .skips = options->skips,
			     .links = options->links,
			     .everybody = options->everybody,
			     .device = options->device,
			     .inode = options->inode },
		.n_files_back = RAROG_SPLIT_MAPS,
	};
	int r = ask(s, &x);

	if (r < 0)
		return r;
	*ret_links = (enum rarog_ebpf_links)x.answer.links;
	memcpy(ret_maps, x.files_back, RAROG_SPLIT_MAPS * sizeof(int));
	return 0;
}

/* It may be allowed in either of two ways, and says itself whether it is. */
static int start_any(struct rarog_ebpf_split *s, const char *path,
		     const struct rarog_ebpf_kernel_options *options,
		     enum rarog_ebpf_links *ret_links, int ret_maps[RAROG_SPLIT_MAPS])
{
	int r = -EPERM;

	for (int by_sudo = 0; (r == -EPERM || r == -EPIPE) && by_sudo < 2; by_sudo++) {
		r = start(s, path, by_sudo);
		if (r == 0)
			r = load(s, options, ret_links, ret_maps);
		if (r < 0)
			finish(s);
		rarog_debug(RAROG_LOG_INSTALL, "%s%s: %s", by_sudo ? "sudo -n " : "", path,
			    r < 0 ? rarog_error_message() : "loaded");
	}
	if (r == -EPERM || r == -EPIPE)
		return rarog_fail(-EPERM,
				  "--engine=ebpf: the kernel lets this user load no programs; run "
				  "as root, or let the helper do it: sudo setcap "
				  "cap_bpf,cap_perfmon+ep %s",
				  path);
	return r;
}

int rarog_ebpf_split_new(const struct rarog_ebpf_kernel_options *options,
			 struct rarog_ebpf_split **ret_split, enum rarog_ebpf_links *ret_links,
			 int ret_maps[RAROG_SPLIT_MAPS])
{
	rarog_cleanup(rarog_freep) struct rarog_ebpf_split *s = calloc(1, sizeof(*s));
	char path[PATH_MAX];
	int r;

	if (!s)
		return rarog_oom();
	s->socket = -1;
	r = rarog_installed_find(".", HELPER, X_OK, path);
	if (r < 0)
		return rarog_fail(r, "--engine=ebpf: " HELPER " is not where rarog was installed; "
				     "run as root, or install rarog again");
	r = start_any(s, path, options, ret_links, ret_maps);
	if (r < 0)
		return r;
	*ret_split = rarog_take(s);
	return 0;
}

void rarog_ebpf_split_free(struct rarog_ebpf_split *s)
{
	if (!s)
		return;
	finish(s);
	free(s);
}

/* --- what it is asked for --- */

int rarog_ebpf_split_watch(struct rarog_ebpf_split *s, pid_t pid, uint32_t state)
{
	struct exchange x = {
		.request = { .kind = RAROG_SPLIT_WATCH, .pid = pid, .state = state },
	};

	return ask(s, &x);
}

int rarog_ebpf_split_seal(struct rarog_ebpf_split *s)
{
	struct exchange x = { .request.kind = RAROG_SPLIT_SEAL };

	return ask(s, &x);
}

int rarog_ebpf_split_stop(struct rarog_ebpf_split *s)
{
	struct exchange x = { .request.kind = RAROG_SPLIT_STOP };

	return ask(s, &x);
}

/* The helper opens no files: that this user may read one is shown by its being open. */
static int open_file(const char *path, struct exchange *x)
{
	x->files[0] = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	x->n_files = 1;
	return x->files[0] < 0 ? rarog_fail_errno("--engine=ebpf: %s", path) : 0;
}

static int attach_some(struct rarog_ebpf_split *s, const char *path, struct exchange *x)
{
	int r = open_file(path, x);

	if (r < 0)
		return r;
	r = ask(s, x);
	close(x->files[0]);
	return r;
}

int rarog_ebpf_split_attach(struct rarog_ebpf_split *s, const char *path, size_t n,
			    const uint64_t offsets[n], uint32_t first, pid_t pid,
			    bool ret_refused[n])
{
	uint8_t refused[RAROG_SPLIT_PLACES] = { 0 };
	uint64_t places[RAROG_SPLIT_PLACES];
	int r = 0;

	for (size_t at = 0, some; r == 0 && at < n; at += some) {
		struct exchange x = { .more.bytes = places, .more_back.bytes = refused };

		some = n - at < RAROG_SPLIT_PLACES ? n - at : RAROG_SPLIT_PLACES;
		memcpy(places, offsets + at, some * sizeof(*places));
		x.more.size = some * sizeof(*places);
		x.more_back.size = some;
		x.request = (struct rarog_split_request){ .kind = RAROG_SPLIT_ATTACH,
							  .n = (uint32_t)some,
							  .first = first + (uint32_t)at,
							  .pid = pid };
		r = attach_some(s, path, &x);
		for (size_t i = 0; r == 0 && i < some; i++)
			ret_refused[at + i] = refused[i] != 0;
	}
	return r;
}

int rarog_ebpf_split_attach_marks(struct rarog_ebpf_split *s, const char *path, size_t n,
				  const struct rarog_ebpf_place places[n], pid_t pid)
{
	struct rarog_ebpf_place copy[RAROG_SPLIT_PLACES];
	int r = 0;

	for (size_t at = 0, some; r == 0 && at < n; at += some) {
		struct exchange x = { .more.bytes = copy };

		some = n - at < RAROG_SPLIT_PLACES ? n - at : RAROG_SPLIT_PLACES;
		memcpy(copy, places + at, some * sizeof(*copy));
		x.more.size = some * sizeof(*copy);
		x.request = (struct rarog_split_request){ .kind = RAROG_SPLIT_MARKS,
							  .n = (uint32_t)some,
							  .pid = pid };
		r = attach_some(s, path, &x);
	}
	return r;
}
