/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cc-tools.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/installed.h"
#include "base/str.h"
#include "process/running.h"

const char *const rarog_cc_versions[] = { "14", "19", NULL };

/* The runtime lies beside the plug-in; in a build in a folder of its own. */
static void find_runtime(struct rarog_cc_tools *tools)
{
	static const char in_build[] = "/runtime";
	size_t n = (size_t)(strrchr(tools->plugin, '/') - tools->plugin);

	memcpy(tools->runtime, tools->plugin, n);
	tools->runtime[n] = '\0';
	if (n + sizeof(in_build) > sizeof(tools->runtime))
		return;
	memcpy(tools->runtime + n, in_build, sizeof(in_build));
	if (access(tools->runtime, X_OK) < 0)
		tools->runtime[n] = '\0';
}

bool rarog_cc_tools_find(const char *version, struct rarog_cc_tools *ret_tools)
{
	char name[64];

	snprintf(name, sizeof(name), "rarog-llvm-%s.so", version);
	ret_tools->version = version;
	if (rarog_installed_find("llvm", name, R_OK, ret_tools->plugin) < 0)
		return false;
	find_runtime(ret_tools);
	return true;
}

bool rarog_cc_tools_has_runtime(const struct rarog_cc_tools *tools)
{
	rarog_cleanup(rarog_freep) char *name =
		rarog_asprintf("%s/librarog-blocks.a", tools->runtime);

	return !name || access(name, R_OK) == 0;
}

bool rarog_cc_tools_has_compiler(const char *version)
{
	char name[32], path[PATH_MAX];

	snprintf(name, sizeof(name), "clang-%s", version);
	return rarog_program_find(name, path) == 0;
}
