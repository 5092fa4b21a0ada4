/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A kernel that is locked down against reading its memory refuses the helper functions that our
 * programs call (bpf_probe_read_kernel) as if there were none: -EINVAL, or -EPERM. One that is only
 * locked down against changes lets us in; what vendors have made of that may differ, so it is told
 * beside the usual reason (kernel_lockdown(7)).
 */
#include "engine/ebpf/explain.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"

#define MODE_SIZE 32

const struct rarog_ebpf_kernel_files rarog_ebpf_kernel_files = {
	.lockdown = "/sys/kernel/security/lockdown",
	.btf = "/sys/kernel/btf/vmlinux",
};

/* "none [integrity] confidentiality": the one in brackets; "": it is not said, or none. */
static void read_lockdown(const char *path, char mode[MODE_SIZE])
{
	rarog_cleanup(rarog_fclosep) FILE *f = fopen(path, "re");
	char line[128];
	const char *open;

	*mode = '\0';
	if (!f || !fgets(line, sizeof(line), f))
		return;
	open = strchr(line, '[');
	if (open && strncmp(open, "[none]", 6) != 0)
		snprintf(mode, MODE_SIZE, "%.*s", (int)strcspn(open + 1, "]\n"), open + 1);
}

static int fail_locked(int r, const char *mode)
{
	return rarog_fail(
		r,
		"--engine=ebpf: the kernel is locked down (%s), also for root: it lets no "
		"program read its memory; boot it without lockdown=%s (Secure Boot may "
		"set it), or use --engine=inline",
		mode, mode);
}

static int fail_right(const char *mode)
{
	return rarog_fail(-EPERM,
			  "--engine=ebpf: the kernel lets this user load no programs; run as root, "
			  "or with CAP_BPF and CAP_PERFMON%s%s%s",
			  *mode ? " (it is locked down, too: " : "", mode, *mode ? ")" : "");
}

/* Our own. */
static int fail_files(void)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	return rarog_fail(-ENOTSUP,
			  "--engine=ebpf: rarog may have %llu files open at most, which is too few "
			  "for the programs in the kernel; raise it with ulimit -n",
			  (unsigned long long)limit.rlim_cur);
}

int rarog_ebpf_explain(int r, const struct rarog_ebpf_kernel_files *files)
{
	bool is_forbidden = r == -EPERM || r == -EACCES;
	char mode[MODE_SIZE];

	read_lockdown(files->lockdown, mode);
	if (strcmp(mode, "confidentiality") == 0 && (is_forbidden || r == -EINVAL))
		return fail_locked(is_forbidden ? -EPERM : -ENOTSUP, mode);
	if (is_forbidden)
		return fail_right(mode);
	if (r == -EMFILE)
		return fail_files();
	if (access(files->btf, R_OK) < 0)
		return rarog_fail(
			-ENOTSUP,
			"--engine=ebpf: the kernel does not tell its types (%s); it needs "
			"CONFIG_DEBUG_INFO_BTF",
			files->btf);
	return rarog_fail(-ENOTSUP, "--engine=ebpf: the kernel does not take the probes: %s",
			  strerror(-r));
}
