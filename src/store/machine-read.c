/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finding out where we are, from files of the kernel (proc(5), the kernel's
 * Documentation/ABI/testing/sysfs-devices-system-cpu) and os-release(5). A container is told by its
 * marks; what runs inside a virtual machine's container is called by the container.
 */
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "store/machine.h"

#define SYS_CPU "/sys/devices/system/cpu/"

/* First line of a small file, NULL: none. The caller frees. */
static char *line_of(const char *path)
{
	char *text = NULL;

	if (access(path, R_OK) < 0 || rarog_file_read(path, 1 << 20, &text, NULL) < 0) {
		rarog_error_clear();
		return NULL;
	}
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* --- /proc/cpuinfo --- */

struct cpu_info {
	char vendor[64], family[16], model[16], stepping[16], name[256], microcode[32];
	bool is_virtual;
	uint32_t cores; /* distinct (package, core) */
	char ids[4096]; /* " package:core " of those seen */
	char package[16];
};

static void take(const char *line, const char *key, size_t size, char value[])
{
	const char *colon = strchr(line, ':');
	size_t length = strlen(key);

	if (!colon || strncmp(line, key, length) != 0 ||
	    (line[length] != '\t' && line[length] != ' '))
		return;
	snprintf(value, size, "%s", colon[1] == ' ' ? colon + 2 : colon + 1);
	value[strcspn(value, "\n")] = '\0';
}

static void count_core(struct cpu_info *info, const char *core)
{
	char id[48];
	size_t length = strlen(info->ids);

	snprintf(id, sizeof(id), " %s:%s ", info->package, core);
	if (strstr(info->ids, id))
		return;
	info->cores++;
	if (length + strlen(id) < sizeof(info->ids))
		memcpy(info->ids + length, id, strlen(id) + 1);
}

static void read_cpu_line(struct cpu_info *info, const char *line)
{
	char core[16] = "";

	take(line, "vendor_id", sizeof(info->vendor), info->vendor);
	take(line, "cpu family", sizeof(info->family), info->family);
	take(line, "model name", sizeof(info->name), info->name);
	if (strncmp(line, "model name", 10) != 0)
		take(line, "model", sizeof(info->model), info->model);
	take(line, "stepping", sizeof(info->stepping), info->stepping);
	take(line, "microcode", sizeof(info->microcode), info->microcode);
	take(line, "physical id", sizeof(info->package), info->package);
	take(line, "core id", sizeof(core), core);
	if (*core)
		count_core(info, core);
	if (strncmp(line, "flags", 5) == 0 && strstr(line, " hypervisor"))
		info->is_virtual = true;
}

static void read_cpu_info(struct cpu_info *info)
{
	rarog_cleanup(rarog_fclosep) FILE *f = fopen("/proc/cpuinfo", "re");
	rarog_cleanup(rarog_freep) char *line = NULL;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0)
		read_cpu_line(info, line);
}

/* --- the rest --- */

static const char *container(void)
{
	if (access("/.dockerenv", F_OK) == 0)
		return "docker";
	if (access("/run/.containerenv", F_OK) == 0)
		return "podman";
	return NULL;
}

static char *virtualization(bool is_virtual)
{
	static const struct {
		const char *product, *name;
	} known[] = {
		{ "KVM", "kvm" },
		{ "QEMU", "kvm" },
		{ "VMware", "vmware" },
		{ "VirtualBox", "virtualbox" },
		{ "Virtual Machine", "hyper-v" },
		{ "Google Compute", "google" },
		{ "HVM domU", "xen" },
		{ "Firecracker", "firecracker" },
	};
	rarog_cleanup(rarog_freep) char *product = NULL;

	if (container())
		return strdup(container());
	if (!is_virtual)
		return strdup("none");
	product = line_of("/sys/class/dmi/id/product_name");
	for (size_t i = 0; product && i < RAROG_COUNT(known); i++)
		if (strstr(product, known[i].product))
			return strdup(known[i].name);
	return strdup("virtual");
}

static char *system_name(void)
{
	rarog_cleanup(rarog_fclosep) FILE *f = fopen("/etc/os-release", "re");
	rarog_cleanup(rarog_freep) char *line = NULL;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0) {
		char *value = line + strlen("PRETTY_NAME=");

		if (!rarog_starts_with(line, "PRETTY_NAME="))
			continue;
		value += *value == '"';
		value[strcspn(value, "\"\n")] = '\0';
		return strdup(value);
	}
	return NULL;
}

static int turbo(void)
{
	rarog_cleanup(rarog_freep) char *no_turbo = line_of(SYS_CPU "intel_pstate/no_turbo");
	rarog_cleanup(rarog_freep) char *boost = line_of(SYS_CPU "cpufreq/boost");

	if (no_turbo)
		return strcmp(no_turbo, "0") == 0;
	return boost ? strcmp(boost, "0") != 0 : -1;
}

static int aslr(void)
{
	rarog_cleanup(rarog_freep) char *text = line_of("/proc/sys/kernel/randomize_va_space");

	/* 0 off, 1 without the heap, 2 all (Documentation/admin-guide/sysctl/kernel.rst) */
	return text && strspn(text, "012") == 1 && !text[1] ? *text - '0' : -1;
}

static char *copy_or_null(const char *text)
{
	return *text ? strdup(text) : NULL;
}

static void read_cpu(struct rarog_machine *machine)
{
	struct cpu_info info = { 0 };
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	read_cpu_info(&info);
	machine->cpu = copy_or_null(info.name);
	if (*info.vendor)
		machine->cpu_signature = rarog_asprintf("%s-%s-%s-%s", info.vendor, info.family,
							info.model, info.stepping);
	machine->microcode = copy_or_null(info.microcode);
	machine->cpus = online > 0 ? (uint32_t)online : 0;
	machine->cores = info.cores;
	machine->virtualization = virtualization(info.is_virtual);
}

int rarog_machine_read(const char *given_class, struct rarog_machine *ret_machine)
{
	struct rarog_machine machine = { 0 };
	struct utsname system = { 0 };
	struct sysinfo memory = { 0 };

	uname(&system);
	sysinfo(&memory);
	read_cpu(&machine);
	machine.architecture = copy_or_null(system.machine);
	machine.host = copy_or_null(system.nodename);
	machine.kernel = copy_or_null(system.release);
	machine.system = system_name();
	machine.libc = rarog_asprintf("glibc %s", gnu_get_libc_version());
	machine.memory_bytes = (uint64_t)memory.totalram * memory.mem_unit;
	machine.governor = line_of(SYS_CPU "cpu0/cpufreq/scaling_governor");
	machine.driver = line_of(SYS_CPU "cpu0/cpufreq/scaling_driver");
	machine.turbo = turbo();
	machine.aslr = aslr();
	machine.given_class = given_class && *given_class ? strdup(given_class) : NULL;
	*ret_machine = machine;
	return 0;
}
