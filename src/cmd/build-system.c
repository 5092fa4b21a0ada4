/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/build-system.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"

/* The first that fits: what generates make files comes before make. */
static const struct rarog_build_system systems[] = {
	{ "meson",
	  "meson.build",
	  { "meson setup --buildtype=debugoptimized build", "meson compile -C build" } },
	{ "cmake",
	  "CMakeLists.txt",
	  { "cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo", "cmake --build build -j" } },
	{ "autotools", "configure", { "./configure", "make -j" } },
	{ "autotools",
	  "configure.ac configure.in",
	  { "autoreconf -fi", "./configure", "make -j" } },
	{ "make", "GNUmakefile makefile Makefile", { "make -j" } },
	{ "ninja", "build.ninja", { "ninja" } },
};

static bool is_there(const char *root, const char *name, size_t n)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/%.*s", root, (int)n, name);

	return path && access(path, F_OK) == 0;
}

const struct rarog_build_system *rarog_build_system_find(const char *root)
{
	for (size_t i = 0; i < RAROG_COUNT(systems); i++) {
		const char *name = systems[i].files;

		while (*name) {
			size_t n = strcspn(name, " ");

			if (is_there(root, name, n))
				return &systems[i];
			name += n + (name[n] == ' ');
		}
	}
	return NULL;
}

int rarog_settings_suggest(const struct rarog_build_system *system, struct rarog_str *text)
{
	int r = rarog_str_add(text, "# Settings of rarog for this project; rarog config list --all "
				    "names all.\n\n");

	if (r == 0)
		r = rarog_str_addf(text, "# How rarog run builds a version%s%s.\n",
				   system ? ": here is " : "", system ? system->name : "");
	if (r == 0)
		r = rarog_str_add(text, system ? "build:\n" : "# build:\n#   - make -j\n");
	for (size_t i = 0; r == 0 && system && system->commands[i]; i++)
		r = rarog_str_addf(text, "  - %s\n", system->commands[i]);
	if (r == 0)
		r = rarog_str_add(text, "\n# What it measures.\n# jobs:\n#   example:\n"
					"#     command: ./prog\n#     workload: input.txt\n");
	return r < 0 ? rarog_oom() : 0;
}
