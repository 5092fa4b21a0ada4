/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Oracle: what kernel_lockdown(7) says that the file looks like. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "base/error.h"
#include "engine/ebpf/explain.h"

static int explain(int r, const char *lockdown, const char *btf)
{
	char path[] = "/tmp/rarog-lockdown-XXXXXX";
	const struct rarog_ebpf_kernel_files files = { .lockdown = path, .btf = btf };
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, lockdown, strlen(lockdown)), strlen(lockdown));
	close(fd);
	r = rarog_ebpf_explain(r, &files);
	unlink(path);
	return r;
}

static void says(const char *part)
{
	if (!strstr(rarog_error_message(), part))
		fail_msg("'%s' is not in '%s'", part, rarog_error_message());
}

static void says_not(const char *part)
{
	if (strstr(rarog_error_message(), part))
		fail_msg("'%s' is in '%s'", part, rarog_error_message());
}

TEST(lockdown_is_said)
{
	assert_int_equal(explain(-EPERM, "none integrity [confidentiality]\n", "/dev/null"),
			 -EPERM);
	says("the kernel is locked down (confidentiality), also for root");
	says_not("run as root");
	assert_int_equal(explain(-EINVAL, "none integrity [confidentiality]\n", "/dev/null"),
			 -ENOTSUP);
	says("locked down (confidentiality)");
	assert_int_equal(explain(-EACCES, "none [integrity] confidentiality\n", "/dev/null"),
			 -EPERM);
	says("run as root, or with CAP_BPF and CAP_PERFMON (it is locked down, too: integrity)");
}

TEST(what_is_not_locked_is_not_said_to_be)
{
	static const char *const open[] = { "[none] integrity confidentiality\n", "", "nothing\n",
					    "[" };

	for (size_t i = 0; i < sizeof(open) / sizeof(*open); i++) {
		assert_int_equal(explain(-EPERM, open[i], "/dev/null"), -EPERM);
		says("run as root, or with CAP_BPF and CAP_PERFMON");
		says_not("locked");
	}
	assert_int_equal(explain(-EINVAL, open[0], "/dev/null"), -ENOTSUP);
	says("does not take the probes: Invalid argument");
	says_not("locked");
}

TEST(what_is_missing_is_named)
{
	assert_int_equal(explain(-ESRCH, "", "/nowhere/btf"), -ENOTSUP);
	says("does not tell its types (/nowhere/btf); it needs CONFIG_DEBUG_INFO_BTF");
	assert_int_equal(explain(-EMFILE, "", "/dev/null"), -ENOTSUP);
	says("files open at most");
	says("ulimit -n");
}
