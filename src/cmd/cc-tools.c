/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cc-tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/installed.h"
#include "base/str.h"
#include "process/running.h"

const char *const rarog_cc_versions[] = { "14", "19", NULL };

static const char *version_in(const char *text, char mark)
{
	for (size_t i = 0; rarog_cc_versions[i]; i++) {
		const char *at = strrchr(text, '-');
		size_t n = strlen(rarog_cc_versions[i]);

		for (; at && at > text; at = memrchr(text, '-', (size_t)(at - text)))
			if (strncmp(at + 1, rarog_cc_versions[i], n) == 0 && at[n + 1] == mark)
				return rarog_cc_versions[i];
	}
	return NULL;
}

const char *rarog_cc_version_of(const char *compiler)
{
	const char *slash = strrchr(compiler, '/'), *name = slash ? slash + 1 : compiler;
	const char *version = version_in(name, '\0');
	char path[PATH_MAX], whole[PATH_MAX];

	if (version || strncmp(name, "clang", 5) != 0 || rarog_program_find(compiler, path) < 0 ||
	    !realpath(path, whole))
		return version;
	version = version_in(whole, '\0');
	return version ? version : version_in(whole, '/');
}

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
