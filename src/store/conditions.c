/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How quiet the machine was during a run (proc(5): /proc/stat, /proc/loadavg; thermal zones of
 * sysfs). Noisy is said, never used to drop a measurement: the statistics decide.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "store/machine.h"

#define STEAL_LIMIT 0.02 /* of all processors' time taken by the hypervisor */
#define LOAD_LIMIT  0.75 /* of the processors busy before we began */

#define TICK_KINDS 8 /* user nice system idle iowait irq softirq steal; guests are part of user */

static bool read_line(const char *path, size_t size, char line[])
{
	rarog_cleanup(rarog_fclosep) FILE *f = fopen(path, "re");

	return f && fgets(line, (int)size, f);
}

static bool read_number(const char *path, int64_t *ret_number)
{
	char line[32], *end = line;
	long long number;

	if (!read_line(path, sizeof(line), line))
		return false;
	errno = 0;
	number = strtoll(line, &end, 10);
	if (errno || end == line || (*end && *end != '\n'))
		return false;
	*ret_number = number;
	return true;
}

/* The first @n numbers of @text, separated by blanks. */
static bool parse_counts(const char *text, size_t n, uint64_t count[])
{
	for (size_t i = 0; i < n; i++) {
		char *end;

		text += strspn(text, " ");
		errno = 0;
		count[i] = strtoull(text, &end, 10);
		if (errno || end == text || *text == '-')
			return false;
		text = end;
	}
	return true;
}

static void read_ticks(struct rarog_conditions *c)
{
	char line[512];
	uint64_t t[TICK_KINDS];

	if (!read_line("/proc/stat", sizeof(line), line) || !rarog_starts_with(line, "cpu ") ||
	    !parse_counts(line + strlen("cpu "), TICK_KINDS, t))
		return;
	for (int i = 0; i < TICK_KINDS; i++)
		c->all_ticks += t[i];
	c->busy_ticks = c->all_ticks - t[3] - t[4];
	c->steal_ticks = t[7];
}

static void read_temperature(struct rarog_conditions *c)
{
	c->temperature_mc = INT64_MIN;
	for (int zone = 0; zone < 64; zone++) {
		char path[64];
		int64_t here;

		snprintf(path, sizeof(path), "/sys/class/thermal/thermal_zone%d/temp", zone);
		if (!read_number(path, &here))
			return;
		if (here > c->temperature_mc)
			c->temperature_mc = here;
	}
}

/* All processors: frequencies in kHz and how often heat held them back. */
static void read_processors(struct rarog_conditions *c)
{
	uint64_t sum = 0, n = 0;

	for (int cpu = 0; cpu < 1024; cpu++) {
		char path[96];
		int64_t number;

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology", cpu);
		if (access(path, F_OK) < 0)
			break;
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
		if (read_number(path, &number)) {
			sum += (uint64_t)number;
			n++;
		}
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/thermal_throttle/core_throttle_count", cpu);
		if (read_number(path, &number))
			c->throttles += (uint64_t)number;
	}
	c->frequency_khz = n > 0 ? sum / n : 0;
}

void rarog_conditions_read(struct rarog_conditions *ret_conditions)
{
	struct rarog_conditions c = { 0 };

	if (getloadavg(&c.load, 1) != 1)
		c.load = -1;
	read_ticks(&c);
	read_temperature(&c);
	read_processors(&c);
	*ret_conditions = c;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

static bool write_reasons(struct rarog_json *json, const struct rarog_conditions *before,
			  const struct rarog_conditions *after)
{
	double steal = share(after->steal_ticks - before->steal_ticks,
			     after->all_ticks - before->all_ticks);
	double load = before->load / (double)sysconf(_SC_NPROCESSORS_ONLN);
	bool noisy = false;

	rarog_json_array(json, "noisy");
	if (load > LOAD_LIMIT)
		rarog_json_string(json, NULL, "load");
	if (steal > STEAL_LIMIT)
		rarog_json_string(json, NULL, "stolen time");
	if (after->throttles > before->throttles)
		rarog_json_string(json, NULL, "throttled");
	noisy = load > LOAD_LIMIT || steal > STEAL_LIMIT || after->throttles > before->throttles;
	rarog_json_end_array(json);
	return noisy;
}

bool rarog_conditions_write(struct rarog_json *json, const char *key,
			    const struct rarog_conditions *before,
			    const struct rarog_conditions *after)
{
	bool noisy;

	rarog_json_object(json, key);
	rarog_json_double(json, "load", before->load);
	rarog_json_double(json, "load_after", after->load);
	if (after->temperature_mc > INT64_MIN)
		rarog_json_int(json, "temperature_millicelsius", after->temperature_mc);
	if (after->frequency_khz)
		rarog_json_uint(json, "frequency_khz", after->frequency_khz);
	rarog_json_double(json, "busy_share",
			  share(after->busy_ticks - before->busy_ticks,
				after->all_ticks - before->all_ticks));
	rarog_json_double(json, "steal_share",
			  share(after->steal_ticks - before->steal_ticks,
				after->all_ticks - before->all_ticks));
	rarog_json_uint(json, "throttles", after->throttles - before->throttles);
	noisy = write_reasons(json, before, after);
	rarog_json_end_object(json);
	return noisy;
}
