/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The header of an imported profile, and which unit its amounts have. The tracer's profiles declare
 * microseconds and hold nanoseconds (it measures and sums the clock's nanoseconds): they are known
 * by their columns "timestamp" and "exclusive", which no other collector writes.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "base/str.h"
#include "base/units.h"
#include "import/perun-own.h"

/* --- units --- */

double rarog_perun_unit(const char *unit)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 },   { "us", 1e3 }, { "\u00b5s", 1e3 }, { "\u03bcs", 1e3 },
		      { "ms", 1e6 }, { "s", 1e9 },  { "sec", 1e9 },     { "seconds", 1e9 } };

	for (size_t i = 0; unit && i < RAROG_COUNT(units); i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].ns;
	return 0;
}

/* "mixed(time delta)" and "mixed (time delta)" are the same. */
static bool is_same_key(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a == ' ')
			a++;
		while (*b == ' ')
			b++;
		if (*a != *b || !*a)
			return *a == *b;
	}
}

static const char *unit_called(const json_t *units, const char *wanted)
{
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)(uintptr_t)units, key, value) {
		if (is_same_key(key, wanted))
			return json_string_value(value);
	}
	return NULL;
}

static const char *declared_unit(const struct rarog_perun *perun,
				 const struct rarog_perun_kind *kind)
{
	const json_t *header = json_object_get(perun->root, "header");
	const json_t *units = json_object_get(header, "units");
	const char *type = rarog_perun_text(kind->facts, "type"), *unit, *first;
	const char *subtype = rarog_perun_text(kind->facts, "subtype");
	char key[256];

	if (!type)
		type = rarog_perun_text(header, "type");
	snprintf(key, sizeof(key), "%s(%s)", type ? type : "", subtype ? subtype : "");
	unit = unit_called(units, key);
	if (!unit && type)
		unit = unit_called(units, type);
	json_t *value = NULL;

	json_object_foreach ((json_t *)(uintptr_t)units, first, value)
		break;
	if (!unit && json_object_size(units) == 1)
		unit = json_string_value(value);
	if (!unit && type && strcmp(type, "memory") == 0)
		return "B";
	return unit;
}

double rarog_perun_scale(const struct rarog_perun *perun, const struct rarog_perun_kind *kind,
			 const char **ret_unit)
{
	const char *unit = declared_unit(perun, kind);
	double ns = rarog_perun_unit(unit);

	if (ns > 0 && json_object_get(kind->columns, "timestamp") &&
	    (json_object_get(kind->columns, "exclusive") || rarog_perun_is_marker(kind)))
		ns = 1;
	*ret_unit = ns > 0 ? "ns" : unit ? unit : "?";
	return ns;
}

/* --- the machine --- */

static void write_text(struct rarog_json *json, const char *key, const char *text)
{
	if (text)
		rarog_json_string(json, key, text);
}

static void write_number(struct rarog_json *json, const char *key, const json_t *object,
			 const char *from)
{
	int64_t number = rarog_perun_id(object, from);

	if (number > 0 && number < UINT32_MAX)
		rarog_json_int(json, key, number);
}

/* /proc/meminfo says it to the kB, the other place "7.7 GiB". */
static uint64_t memory_of(const json_t *machine)
{
	const char *exact = rarog_perun_text(json_object_get(machine, "mem_details"), "MemTotal");
	const char *rounded = rarog_perun_text(json_object_get(machine, "memory"), "total_ram");
	char size[64] = "";
	uint64_t bytes = 0;

	if (exact)
		return strtoull(exact, NULL, 10) * 1024;
	for (size_t n = 0; rounded && *rounded && n + 1 < sizeof(size); rounded++)
		if (*rounded != ' ')
			size[n++] = *rounded;
	if (*size && rarog_parse_size(size, &bytes) < 0)
		rarog_error_clear();
	return bytes;
}

static void write_machine(struct rarog_json *json, const json_t *machine)
{
	const json_t *count = json_object_get(machine, "cpu");
	const json_t *cpu = json_array_get(json_object_get(machine, "cpu_details"), 0);
	const char *vendor = rarog_perun_text(cpu, "vendor_id");
	const char *family = rarog_perun_text(cpu, "cpu family");
	const char *model = rarog_perun_text(cpu, "model");
	const char *stepping = rarog_perun_text(cpu, "stepping");
	uint64_t memory = memory_of(machine);
	char signature[160];

	if (!json_is_object(machine))
		return;
	rarog_json_object(json, "machine");
	write_text(json, "architecture", rarog_perun_text(machine, "architecture"));
	write_text(json, "cpu", rarog_perun_text(cpu, "model name"));
	snprintf(signature, sizeof(signature), "%.60s-%.20s-%.20s-%.20s", vendor ? vendor : "",
		 family ? family : "", model ? model : "", stepping ? stepping : "");
	if (vendor && family && model && stepping)
		rarog_json_string(json, "cpu_signature", signature);
	write_number(json, "cpus", count, "total");
	write_number(json, "cores", count, "physical");
	if (memory > 0)
		rarog_json_uint(json, "memory_bytes", memory);
	write_text(json, "host", rarog_perun_text(machine, "host"));
	write_text(json, "kernel", rarog_perun_text(machine, "release"));
	write_text(json, "system", rarog_perun_text(machine, "system"));
	write_text(json, "microcode", rarog_perun_text(cpu, "microcode"));
	rarog_json_end_object(json);
}

/* --- what was measured --- */

/* The names that the same measurements have here. */
static const char *collector_of(const char *theirs)
{
	static const char *const names[][2] = { { "complexity", "trace" },
						{ "trace", "trace" },
						{ "ktrace", "trace" },
						{ "kperf", "sample" } };

	for (size_t i = 0; theirs && i < RAROG_COUNT(names); i++)
		if (strcmp(theirs, names[i][0]) == 0)
			return names[i][1];
	return theirs ? theirs : "imported";
}

static void write_job(struct rarog_json *json, const json_t *root)
{
	const json_t *header = json_object_get(root, "header");
	const json_t *info = json_object_get(root, "collector_info");
	const json_t *params = json_object_get(info, "params");
	const char *args = rarog_perun_text(header, "args"), *cmd = rarog_perun_text(header, "cmd");
	const char *workload = rarog_perun_text(header, "workload");
	rarog_cleanup(rarog_freep) char *given =
		json_is_object(params) ? json_dumps(params, JSON_SORT_KEYS | JSON_COMPACT) : NULL;

	rarog_json_object(json, "job");
	rarog_json_string(json, "command", cmd ? cmd : "");
	rarog_json_string(json, "arguments", args ? args : "");
	rarog_json_string(json, "workload", workload ? workload : "");
	if (given)
		rarog_json_raw(json, "parameters", given);
	rarog_json_end_object(json);
	rarog_json_array(json, "command");
	rarog_json_string(json, NULL, cmd ? cmd : "");
	rarog_json_end_array(json);
	write_text(json, "workload", workload);
}

static void write_raw(struct rarog_json *json, const char *key, const json_t *value)
{
	rarog_cleanup(rarog_freep) char *text =
		value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

	if (text)
		rarog_json_raw(json, key, text);
}

/* Where it came from; the whole file stands in the note "perun". */
static void write_imported(struct rarog_json *json, const struct rarog_perun *perun,
			   const struct rarog_perun_result *result)
{
	const json_t *header = json_object_get(perun->root, "header");

	rarog_json_object(json, "imported");
	rarog_json_string(json, "from", "perun");
	write_text(json, "origin", rarog_perun_origin(perun));
	write_text(json, "collector",
		   rarog_perun_text(json_object_get(perun->root, "collector_info"), "name"));
	write_text(json, "type", rarog_perun_text(header, "type"));
	write_raw(json, "units", json_object_get(header, "units"));
	write_raw(json, "postprocessors", json_object_get(perun->root, "postprocessors"));
	write_raw(json, "metadata", json_object_get(perun->root, "metadata"));
	write_raw(json, "stats", json_object_get(perun->root, "stats"));
	rarog_json_uint(json, "models", json_array_size(json_object_get(perun->root, "models")));
	rarog_json_uint(json, "resources", result->resources);
	rarog_json_uint(json, "unfit", result->unfit);
	rarog_json_end_object(json);
}

static void write_end(struct rarog_json *json, const json_t *header)
{
	const json_t *code = json_object_get(header, "exitcode");

	if (json_is_array(code) && json_array_size(code) == 1)
		code = json_array_get(code, 0);
	if (!json_is_integer(code))
		return;
	rarog_json_object(json, "end");
	rarog_json_int(json, "exit_status", json_integer_value(code) & 0xff);
	rarog_json_end_object(json);
}

static void write_all(struct rarog_json *json, const struct rarog_perun *perun,
		      const struct rarog_perun_options *options,
		      const struct rarog_perun_result *result)
{
	const json_t *info = json_object_get(perun->root, "collector_info");
	const char *label = rarog_perun_text(perun->root, "label");

	rarog_json_object(json, NULL);
	rarog_json_string(json, "rarog", RAROG_VERSION);
	rarog_json_string(json, "collector", collector_of(rarog_perun_text(info, "name")));
	rarog_json_string(json, "engine", "perun");
	rarog_json_string(json, "detail", result->has_calls ? "calls" : "summary");
	if (result->has_samples)
		rarog_json_string(json, "counts", "samples");
	write_job(json, perun->root);
	if (options->commit)
		rarog_json_string(json, "commit", options->commit);
	if (options->commit && options->tree)
		rarog_json_string(json, "tree", options->tree);
	write_text(json, "label", label && *label ? label : NULL);
	if (options->started_ns > 0)
		rarog_json_uint(json, "started_ns", options->started_ns);
	write_machine(json, json_object_get(perun->root, "machine"));
	write_end(json, json_object_get(perun->root, "header"));
	rarog_json_object(json, "totals");
	if (result->has_samples)
		rarog_json_uint(json, "samples", result->samples);
	else
		rarog_json_uint(json, "calls", result->resources);
	rarog_json_end_object(json);
	write_imported(json, perun, result);
	rarog_json_end_object(json);
}

char *rarog_perun_header(const struct rarog_perun *perun, const struct rarog_perun_options *options,
			 const struct rarog_perun_result *result)
{
	struct rarog_json_text out;

	if (!rarog_json_text_start(&out))
		return NULL;
	write_all(&out.json, perun, options, result);
	return rarog_json_text_end(&out);
}
