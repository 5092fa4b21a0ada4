/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wrappers and not CFLAGS: makefiles that set CFLAGS themselves would not see ours. They also write
 * down how programs were linked (link-record.h). A build that
 * names its compiler by an absolute path goes past them; then only the paths in its debug
 * information differ from build to build.
 */
#include "run/toolchain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "process/running.h"
#include "run/link-record.h"

#define FIRST_VERSION 4
#define LAST_VERSION  30

void rarog_toolchain_release(struct rarog_toolchain *toolchain)
{
	rarog_str_release(&toolchain->identity);
	free(toolchain->wrappers);
	*toolchain = (struct rarog_toolchain){ 0 };
}

/* First line of what it says of itself; "" if it says nothing. */
static void ask_version(const char *path, char *line, size_t size)
{
	rarog_cleanup(rarog_freep) char *command =
		rarog_asprintf("'%s' --version 2>/dev/null </dev/null", path);
	FILE *f = command && !strchr(path, '\'') ? popen(command, "re") : NULL;

	line[0] = '\0';
	if (!f)
		return;
	if (!fgets(line, (int)size, f))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	while (fgetc(f) != EOF) /* or it would be killed by SIGPIPE */
		;
	pclose(f);
}

static int note(struct rarog_toolchain *toolchain, const char *name, const char *path)
{
	rarog_cleanup(rarog_freep) char *real = realpath(path, NULL);
	char line[256];

	ask_version(path, line, sizeof(line));
	return rarog_str_addf(&toolchain->identity, "%s %s %s\n", name, real ? real : path, line) <
			       0
		       ? rarog_oom()
		       : 0;
}

/* --- wrappers --- */

/*
 * A compiler that is ccache, distcc or the like looks for the next one of its name in PATH. It must
 * not come back to us: each would call the other for ever.
 */
static const char leave_path[] = "w=${0%/*}\n"
				 "case :$PATH: in *\":$w:\"*)\n"
				 "\tp=:$PATH:\n"
				 "\tp=${p%%\":$w:\"*}:${p#*\":$w:\"}\n"
				 "\tp=${p#:}\n"
				 "\tPATH=${p%:} ;;\n"
				 "esac\n";

static int write_wrapper(const char *file, const char *path)
{
	rarog_cleanup(rarog_new_file_release) struct rarog_new_file new = RAROG_NEW_FILE_NONE;
	rarog_cleanup(rarog_freep) char *text = rarog_asprintf(
		"#!/bin/sh\n"
		"if [ -n \"$RAROG_LINKS\" ]; then\n"
		"\tis_link=1\n"
		"\tfor word; do\n"
		"\t\tcase $word in -c|-S|-E|-M|-MM) is_link= ;; esac\n"
		"\tdone\n"
		"\t[ -z \"$is_link\" ] || printf '%%s\\0' \"$#\" \"$PWD\" '%s' \"$@\" "
		">>\"$RAROG_LINKS/$$\"\n"
		"fi\n"
		"%s"
		"exec '%s' ${RAROG_PREFIX_MAP:+\"$RAROG_PREFIX_MAP\"} \"$@\"\n",
		path, leave_path, path);
	rarog_cleanup(rarog_freep) char *old = NULL;
	size_t n = 0;
	int r;

	if (!text)
		return rarog_oom();
	if (rarog_file_read(file, 4096, &old, &n) == 0 && strcmp(old, text) == 0)
		return 0;
	r = rarog_new_file_open(file, &new);
	if (r == 0)
		r = rarog_write_all(new.fd, strlen(text), text);
	if (r == 0 && fchmod(new.fd, 0755) < 0)
		r = -errno;
	return r < 0 ? rarog_fail(r, "%s: cannot write: %s", file, strerror(-r))
		     : rarog_new_file_commit(&new);
}

static int wrap(struct rarog_toolchain *toolchain, const char *name)
{
	rarog_cleanup(rarog_freep) char *file = rarog_asprintf("%s/%s", toolchain->wrappers, name);
	char path[PATH_MAX];
	int r;

	if (!file)
		return rarog_oom();
	if (rarog_program_find(name, path) < 0 || strchr(path, '\'')) {
		unlink(file); /* of a compiler that is gone */
		return 0;
	}
	r = note(toolchain, name, path);
	return r < 0 ? r : write_wrapper(file, path);
}

static int wrap_all(struct rarog_toolchain *toolchain)
{
	static const char *const names[] = { "cc", "c++", "gcc", "g++", "clang", "clang++" };
	char name[64];
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(names); i++) {
		r = wrap(toolchain, names[i]);
		for (int v = FIRST_VERSION; r == 0 && i >= 2 && v <= LAST_VERSION; v++) {
			snprintf(name, sizeof(name), "%s-%d", names[i], v);
			r = wrap(toolchain, name);
		}
	}
	return r;
}

/* $CC and $CXX may be commands with arguments: they count as they are written. */
static int note_variables(struct rarog_toolchain *toolchain)
{
	static const char *const names[] = { "CC",       "CXX",      "CFLAGS",
					     "CXXFLAGS", "CPPFLAGS", "LDFLAGS" };
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			r = rarog_str_addf(&toolchain->identity, "%s=%s\n", names[i], value);
	}
	return r < 0 ? rarog_oom() : 0;
}

int rarog_toolchain_read(const char *directory, struct rarog_toolchain *ret_toolchain)
{
	rarog_cleanup(rarog_toolchain_release) struct rarog_toolchain toolchain = {
		.wrappers = strdup(directory),
	};
	char path[PATH_MAX];
	int r = toolchain.wrappers ? rarog_mkdirs(directory, 0777) : rarog_oom();

	if (r == 0)
		r = wrap_all(&toolchain);
	if (r == 0 && rarog_program_find("ld", path) == 0)
		r = note(&toolchain, "ld", path);
	if (r == 0)
		r = note_variables(&toolchain);
	if (r < 0)
		return r;
	*ret_toolchain = toolchain;
	toolchain = (struct rarog_toolchain){ 0 };
	return 0;
}

int rarog_toolchain_enter(const struct rarog_toolchain *toolchain, const char *directory)
{
	const char *search = getenv("PATH");
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf(
		"%s:%s", toolchain->wrappers, search ? search : "/usr/local/bin:/usr/bin:/bin");
	rarog_cleanup(rarog_freep) char *map = rarog_asprintf("-ffile-prefix-map=%s=.", directory);

	rarog_cleanup(rarog_freep) char *links =
		rarog_asprintf("%s/%s", directory, RAROG_LINK_RECORDS);

	if (!path || !map || !links || setenv("PATH", path, 1) < 0 ||
	    setenv("RAROG_PREFIX_MAP", map, 1) < 0 || setenv("RAROG_LINKS", links, 1) < 0)
		return rarog_oom();
	return rarog_mkdirs(links, 0777);
}
