/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine's programs and maps in the kernel. Everything is held by file descriptors of this
 * process: when it ends, however it does, the kernel takes the probes out.
 */
#ifndef RAROG_ENGINE_EBPF_KERNEL_H
#define RAROG_ENGINE_EBPF_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "engine/ebpf/abi.h"

/* How probes are made, best first. What the kernel can do is found by trying. */
enum rarog_ebpf_links {
	RAROG_EBPF_SESSIONS, /* many at once, entry and return together */
	RAROG_EBPF_MULTI,    /* many at once */
	RAROG_EBPF_SINGLE,   /* one by one: RAROG_EBPF_SINGLE_MAX at most, closing takes long */
	RAROG_EBPF_LINKS,
};

#define RAROG_EBPF_SINGLE_MAX 32

/* What the programs in the kernel do with a call. */
enum rarog_ebpf_mode {
	RAROG_EBPF_EVENTS, /* tell its beginning and end … */
	RAROG_EBPF_VALUES, /* … with values of some functions */
	RAROG_EBPF_SUMS,   /* sum it up */
	RAROG_EBPF_COUNTS, /* count it */
	RAROG_EBPF_MODES,
};

struct rarog_ebpf_kernel;

struct rarog_ebpf_kernel_options {
	uint32_t n_probes; /* of all files */
	enum rarog_ebpf_mode mode;
	bool follow;     /* processes that are forked, too */
	bool skips;      /* not every call of some functions, or of any later */
	bool everybody;  /* all that run the file join: RAROG_EBPF_EVERYBODY … */
	uint32_t device; /* … and which that is: see abi.h */
	uint64_t inode;
	enum rarog_ebpf_links links; /* none better than this; 0 but for tests */
	/* Of each probe, if there are sets, or calls are skipped; borrowed for the loading. */
	const struct rarog_ebpf_function *functions;
	uint32_t n_sets;
	const struct rarog_value_set *sets;
	uint32_t n_marks;                    /* 0: none tells values; else of all, … */
	const struct rarog_ebpf_mark *marks; /* … borrowed as well */
	/* In the helper (split.h), which asks no other, and of a caller that is not root:
	 * programs that run with other rights than this user's are not recorded. */
	bool is_helper, is_owned;
	uid_t uid;
	gid_t gid;
};

/**
 * rarog_ebpf_kernel_new() - load what @options ask for
 *
 * Where this user may not, the helper does it (split.h); the functions below are the same then.
 *
 * Return: 0; -ENOSYS: this rarog was built without it; -EPERM: this user may not; -ENOTSUP: the
 * kernel cannot; all with a message that says what would help.
 */
int rarog_ebpf_kernel_new(const struct rarog_ebpf_kernel_options *options,
			  struct rarog_ebpf_kernel **ret_kernel);
void rarog_ebpf_kernel_free(struct rarog_ebpf_kernel *kernel);
RAROG_DEFINE_FREEP(rarog_ebpf_kernel);

enum rarog_ebpf_links rarog_ebpf_kernel_links(const struct rarog_ebpf_kernel *kernel);

/** rarog_ebpf_kernel_is_split() - does the helper do it, for this user's processes alone? */
bool rarog_ebpf_kernel_is_split(const struct rarog_ebpf_kernel *kernel);

/** rarog_ebpf_links_name() - a phrase for people; static. */
const char *rarog_ebpf_links_name(enum rarog_ebpf_links links);

/**
 * rarog_ebpf_kernel_attach() - probe @n places of the file @path
 * @offsets: in the file
 * @first: number of the first probe; the others follow it
 * @pid: only in this process, 0: wherever the file runs
 * @ret_refused: places that the kernel does not take, because of their instruction
 *
 * Return: 0; -E2BIG: too many for this kernel; -errno; with message.
 */
int rarog_ebpf_kernel_attach(struct rarog_ebpf_kernel *kernel, const char *path, size_t n,
			     const uint64_t offsets[n], uint32_t first, pid_t pid,
			     bool ret_refused[n]);

/* A mark: an instruction in a file. */
struct rarog_ebpf_place {
	uint64_t offset;    /* in the file */
	uint64_t semaphore; /* offset of its observers' counter, 0: none */
	uint64_t cookie;    /* abi.h */
};

/** rarog_ebpf_kernel_attach_marks() - probe @n places of the file @path; their counters are raised
 * for as long. @pid as above. 0; as above, with message. */
int rarog_ebpf_kernel_attach_marks(struct rarog_ebpf_kernel *kernel, const char *path, size_t n,
				   const struct rarog_ebpf_place places[n], pid_t pid);

/** rarog_ebpf_kernel_watch() - record process @pid: @state is RAROG_EBPF_WAITING or …_FOLLOWED; 0
 * and …_EVERYBODY: processes that run the file of the options now or from now on. 0; -errno
 * with message. */
int rarog_ebpf_kernel_watch(struct rarog_ebpf_kernel *kernel, pid_t pid, uint32_t state);

/** rarog_ebpf_kernel_tell() - while it runs: @n functions from number @first on are as @functions
 * says; needs .skips. 0; -errno with message. */
int rarog_ebpf_kernel_tell(struct rarog_ebpf_kernel *kernel, uint32_t first, uint32_t n,
			   const struct rarog_ebpf_function functions[n]);

/** rarog_ebpf_kernel_seal() - all probes are in: give up what it took. 0; -errno with message. */
int rarog_ebpf_kernel_seal(struct rarog_ebpf_kernel *kernel);

/** rarog_ebpf_kernel_stop() - take the probes out; what was counted stays. 0; -EPIPE with message:
 * they were gone before. */
int rarog_ebpf_kernel_stop(struct rarog_ebpf_kernel *kernel);

/** rarog_ebpf_kernel_map() - descriptor of the map @name; borrowed. */
int rarog_ebpf_kernel_map(const struct rarog_ebpf_kernel *kernel, const char *name);

/** rarog_ebpf_kernel_read() - give all events that are there to @take; a negative return of it ends
 * the reading. Return: how many there were; what @take returned. */
long rarog_ebpf_kernel_read(struct rarog_ebpf_kernel *kernel, rarog_probed_take *take,
			    void *context);

#endif
