/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/header.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

static void cpu_model(char *text, size_t size)
{
	rarog_cleanup(rarog_fclosep) FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256];

	text[0] = '\0';
	while (f && fgets(line, sizeof(line), f)) {
		char *colon = strchr(line, ':');

		if (!colon || !rarog_starts_with(line, "model name"))
			continue;
		snprintf(text, size, "%s", colon + 2);
		text[strcspn(text, "\n")] = '\0';
		return;
	}
}

static bool is_virtual(void)
{
	rarog_cleanup(rarog_fclosep) FILE *f = fopen("/proc/cpuinfo", "re");
	char line[8192];

	while (f && fgets(line, sizeof(line), f))
		if (rarog_starts_with(line, "flags") && strstr(line, " hypervisor"))
			return true;
	return false;
}

void rarog_header_machine(struct rarog_json *json)
{
	struct utsname system = { 0 };
	struct sysinfo memory = { 0 };
	char cpu[256];

	uname(&system);
	sysinfo(&memory);
	cpu_model(cpu, sizeof(cpu));
	rarog_json_object(json, "machine");
	rarog_json_string(json, "host", system.nodename);
	rarog_json_string(json, "cpu", cpu);
	rarog_json_int(json, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	rarog_json_string(json, "kernel", system.release);
	rarog_json_string(json, "architecture", system.machine);
	rarog_json_uint(json, "memory_bytes", (uint64_t)memory.totalram * memory.mem_unit);
	rarog_json_bool(json, "virtual", is_virtual());
	rarog_json_end_object(json);
}

/* First line of what git says; false: no git, no repository. The user's GIT_* variables are for
 * another purpose than ours. */
static bool ask_git(const char *question, char *answer, size_t size)
{
	rarog_cleanup(rarog_freep) char *command = rarog_asprintf(
		"unset $(env | sed -n 's/^\\(GIT_[A-Z_]*\\)=.*/\\1/p'); "
		"exec git -c core.fsmonitor=false --no-optional-locks %s 2>/dev/null </dev/null",
		question);
	FILE *f = command ? popen(command, "re") : NULL;
	bool got = f && fgets(answer, (int)size, f);

	if (got)
		answer[strcspn(answer, "\n")] = '\0';
	return f && pclose(f) == 0 && got;
}

void rarog_header_version(struct rarog_json *json)
{
	char commit[128], change[16];

	if (!ask_git("rev-parse --verify HEAD", commit, sizeof(commit)))
		return;
	rarog_json_string(json, "commit", commit);
	rarog_json_bool(json, "dirty",
			ask_git("status --porcelain --untracked-files=no", change, sizeof(change)));
}
