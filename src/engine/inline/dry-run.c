/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same judgement as in a run (engine/inline/code/module.h), on the files instead of on the
 * process, so that what is printed here is what happens there. Only libraries that the program
 * loads by itself (dlopen) cannot be known.
 */
#include "engine/inline/dry-run.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "base/units.h"
#include "binary/libraries.h"
#include "engine/inline/code/module-marks.h"
#include "engine/inline/probe-cost.h"
#include "engine/inline/ptrace/tracer.h"
#include "engine/inline/unhooked.h"
#include "plan/conflict.h"
#include "plan/obstacles.h"
#include "process/running.h"

#define NAMES_SHOWN  10
#define RAW_PER_CALL 6 /* bytes while the program runs; doc/design/inline.md */

struct dry_run {
	struct rarog_plan *plan;
	const char *program;
	bool is_script;
	struct rarog_modules modules;
	RAROG_VEC(const struct rarog_module *) found; /* in the order of their loading */
	struct rarog_cost_ns cost;
	size_t n_probes;
	uint64_t code_bytes;
};

/* --- finding --- */

static int add(struct dry_run *d, const struct rarog_module *m)
{
	d->n_probes += m->probes.n + m->marks.v.n;
	d->code_bytes += rarog_emit_size(rarog_module_size(m));
	return rarog_vec_push(&d->found, m);
}

static int look_at(struct dry_run *d, const char *path)
{
	struct rarog_module *m;
	int r = rarog_modules_get(&d->modules, path, true, &m);

	return r < 0 ? r : add(d, m);
}

static int look_at_library(struct dry_run *d, const char *path)
{
	struct rarog_module *m;
	int r = rarog_modules_get_library(&d->modules, path, &m);

	return r < 0 || !m->is_probed ? r : add(d, m);
}

static int look_at_libraries(struct dry_run *d, const struct rarog_module *program)
{
	rarog_cleanup(rarog_libraries_release) struct rarog_libraries libraries = { 0 };
	int r = rarog_libraries_find(program->binary, &libraries);

	for (size_t i = 0; r == 0 && i < libraries.n; i++) {
		r = rarog_software_add_library(&d->modules.software, libraries.v[i]);
		if (r == 0 && rarog_modules_probes_library(&d->modules, libraries.v[i]))
			r = look_at_library(d, libraries.v[i]);
	}
	return r;
}

static int look_at_program(struct dry_run *d, const char *path)
{
	int r = rarog_obstacles_check(d->plan, 0, path);

	if (r == 0)
		r = look_at(d, path);
	if (r == 0 && rarog_conflict_gs(path))
		rarog_warn("%s would run, but untraced: it uses the %%gs register itself, as the "
			   "probes would; --engine ebpf and rarog collect sample do not need it",
			   path);
	return r < 0 || !d->plan->libraries ? r : look_at_libraries(d, d->found.v[d->found.n - 1]);
}

static bool is_file(const struct rarog_pattern *pattern)
{
	return pattern->kind == RAROG_PATTERN_NAME && strchr(pattern->text, '/') &&
	       access(pattern->text, R_OK) == 0;
}

static int look_at_all(struct dry_run *d)
{
	const struct rarog_match *programs = &d->plan->programs;
	char path[PATH_MAX];
	int r = rarog_program_find(d->program, path);

	if (r < 0)
		return rarog_fail(r, "%s: not found", d->program);
	d->is_script = rarog_program_is_script(path);
	if (programs->include.n == 0)
		return d->is_script ? 0 : look_at_program(d, path);
	for (size_t i = 0; r == 0 && i < programs->include.n; i++)
		if (is_file(&programs->include.v[i]))
			r = look_at_program(d, programs->include.v[i].text);
	return r;
}

/* --- printing --- */

static const char *name_of(const struct rarog_module *m, size_t probe)
{
	const struct rarog_function *functions;

	rarog_binary_functions(m->binary, &functions);
	return functions[m->probes.v[probe].function].name;
}

static void print_names(FILE *out, const struct rarog_module *m)
{
	for (size_t i = 0; i < m->probes.n && i < NAMES_SHOWN; i++) {
		const char *symbol = name_of(m, i);
		rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(symbol);

		fprintf(out, "%s%s", i ? ", " : "  ", demangled ? demangled : symbol);
	}
	if (m->probes.n > NAMES_SHOWN)
		fprintf(out, " and %s more", rarog_format_count(m->probes.n - NAMES_SHOWN).text);
	if (m->probes.n > 0)
		fputc('\n', out);
}

static void print_marks(FILE *out, const struct rarog_module *m)
{
	for (size_t i = 0; i < m->marks.names.n; i++) {
		const struct rarog_mark_name *name = &m->marks.names.v[i];

		fprintf(out, "  %s%s %s", name->is_asked ? "" : "USDT ",
			name->is_region ? "region" : "point", rarog_mark_title(name));
		fprintf(out, "%s%s\n", name->reason ? " left out: " : "",
			name->reason ? name->reason : "");
	}
}

static void print_module(FILE *out, const struct rarog_module *m)
{
	fprintf(out, "%s: %s of %s functions would be probed\n", m->path,
		rarog_format_count(m->probes.n).text, rarog_format_count(m->n_wanted).text);
	for (size_t i = RAROG_SITE_OK; i < RAROG_SITE_VERDICTS; i++)
		if (m->left_out[i])
			fprintf(out, "%8u  left out: %s\n", m->left_out[i],
				rarog_module_reason((enum rarog_site_verdict)i));
	print_names(out, m);
	print_marks(out, m);
}

static void print_cost(FILE *out, const struct dry_run *d)
{
	uint64_t ring = (uint64_t)RAROG_CHUNKS_FIRST * RAROG_CHUNK_SIZE;

	if (d->plan->detail == RAROG_DETAIL_COUNT)
		fprintf(out, "A call would cost some 3 ns: it is counted, not timed.\n");
	else
		fprintf(out,
			"A call would cost %.1f ns (two readings of the clock alone: %.1f ns) and "
			"%d bytes, 1 to 2.5 in the profile.\n",
			d->cost.call, 2 * d->cost.clock, RAW_PER_CALL);
	fprintf(out, "Memory in the program: %s for events, %s for code.\n",
		rarog_format_bytes(ring).text, rarog_format_bytes(d->code_bytes).text);
}

static void print_text(FILE *out, const struct dry_run *d)
{
	if (d->is_script || d->plan->programs.include.n > 0)
		fprintf(out,
			"Which programs %s starts is known only when it runs; those that --binary "
			"names by path are looked at.\n",
			d->program);
	for (size_t i = 0; i < d->found.n; i++)
		print_module(out, d->found.v[i]);
	if (d->plan->libraries)
		fprintf(out, "Libraries loaded later (dlopen) are known only when it runs.\n");
	if (d->found.n > 0)
		print_cost(out, d);
	fprintf(out, "Nothing was run; rarog probes lists every function.\n");
}

static void write_module(struct rarog_json *json, const struct rarog_module *m)
{
	rarog_json_object(json, NULL);
	rarog_json_string(json, "path", m->path);
	rarog_json_uint(json, "wanted", m->n_wanted);
	rarog_json_uint(json, "probed", m->probes.n);
	rarog_json_array(json, "left_out");
	for (size_t i = RAROG_SITE_OK; i < RAROG_SITE_VERDICTS; i++) {
		if (!m->left_out[i])
			continue;
		rarog_json_object(json, NULL);
		rarog_json_string(json, "reason", rarog_module_reason((enum rarog_site_verdict)i));
		rarog_json_uint(json, "count", m->left_out[i]);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
	rarog_json_array(json, "functions");
	for (size_t i = 0; i < m->probes.n; i++)
		rarog_json_string(json, NULL, name_of(m, i));
	rarog_json_end_array(json);
	rarog_json_array(json, "usdt");
	rarog_marks_write(json, &m->marks, false);
	rarog_json_end_array(json);
	rarog_json_array(json, "places");
	rarog_marks_write(json, &m->marks, true);
	rarog_json_end_array(json);
	rarog_json_end_object(json);
}

static int print_json(FILE *out, const struct dry_run *d)
{
	struct rarog_json json;

	rarog_json_start(&json, out, true);
	rarog_json_object(&json, NULL);
	rarog_json_string(&json, "program", d->program);
	rarog_json_bool(&json, "is_script", d->is_script);
	rarog_json_array(&json, "binaries");
	for (size_t i = 0; i < d->found.n; i++)
		write_module(&json, d->found.v[i]);
	rarog_json_end_array(&json);
	rarog_json_double(&json, "call_ns", d->cost.call);
	rarog_json_double(&json, "clock_ns", d->cost.clock);
	rarog_json_uint(&json, "raw_bytes_per_call", RAW_PER_CALL);
	rarog_json_uint(&json, "ring_bytes", (uint64_t)RAROG_CHUNKS_FIRST * RAROG_CHUNK_SIZE);
	rarog_json_uint(&json, "code_bytes", d->code_bytes);
	rarog_json_end_object(&json);
	return rarog_json_finish(&json);
}

/* --- together --- */

static int check(const struct dry_run *d)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r;

	if (d->found.n == 0)
		return 0;
	r = rarog_modules_unmatched(&d->modules, &text);
	if (r > 0 && d->n_probes == 0)
		return rarog_fail(-ENOENT, "%.*s", (int)strcspn(rarog_str_text(&text), "\n"),
				  rarog_str_text(&text));
	if (r > 0)
		rarog_warn_lines(rarog_str_text(&text));
	if (r == 0 && d->n_probes == 0)
		return rarog_fail(-ENOENT,
				  "%s: no function would be probed; rarog probes --all says why",
				  d->program);
	return r < 0 ? r : rarog_unhooked_say(&d->modules);
}

int rarog_dry_run(struct rarog_plan *plan, const char *program, bool json, FILE *out)
{
	struct dry_run d = { .plan = plan, .program = program, .modules = { .plan = plan } };
	int r = look_at_all(&d);

	if (r == 0)
		r = check(&d);
	if (r == 0)
		r = rarog_cost_measure(d.plan->orders_clock, &d.cost);
	if (r == 0 && json)
		r = print_json(out, &d);
	else if (r == 0)
		print_text(out, &d);
	rarog_vec_release(&d.found);
	rarog_modules_release(&d.modules);
	return r;
}
