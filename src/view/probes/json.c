/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `rarog probes --json`; doc/design/probes-json.md has the keys.
 */
#include "view/probes/arguments.h"
#include "view/probes/list.h"

static const struct {
	uint32_t flag;
	const char *name;
} flags[] = {
	{ RAROG_FUNCTION_IFUNC, "ifunc" },   { RAROG_FUNCTION_COLD, "cold" },
	{ RAROG_FUNCTION_CLONE, "clone" },   { RAROG_FUNCTION_NAMELESS, "nameless" },
	{ RAROG_FUNCTION_FOLDED, "folded" }, { RAROG_FUNCTION_GLOBAL, "global" },
};

static void write_names(struct rarog_json *json, const char *name, const char *demangled)
{
	rarog_json_string(json, "name", demangled ? demangled : name);
	rarog_json_string(json, "mangled", name);
}

static void write_source(struct rarog_json *json, struct rarog_source source)
{
	rarog_json_string(json, "file", source.file);
	if (source.file)
		rarog_json_int(json, "line", source.line);
	else
		rarog_json_null(json, "line");
}

static void write_probe(struct rarog_json *json, const struct rarog_probe_list *list,
			const struct rarog_listed_probe *probe)
{
	const struct rarog_function *f = probe->function;
	bool ok = probe->verdict == RAROG_SITE_OK;

	rarog_json_object(json, NULL);
	write_names(json, f->name, probe->demangled);
	rarog_json_array(json, "aliases");
	for (uint32_t i = 0; i < f->n_aliases; i++)
		rarog_json_string(json, NULL, f->aliases[i]);
	rarog_json_end_array(json);
	rarog_json_uint(json, "address", f->address);
	rarog_json_uint(json, "size_bytes", f->size);
	write_source(json, probe->source);
	rarog_json_string(json, "unit", f->unit);
	rarog_json_array(json, "flags");
	for (size_t i = 0; i < RAROG_COUNT(flags); i++)
		if (f->flags & flags[i].flag)
			rarog_json_string(json, NULL, flags[i].name);
	rarog_json_end_array(json);
	rarog_json_bool(json, "traceable", ok);
	rarog_json_string(json, "site", ok ? rarog_site_kind_name(probe->kind) : NULL);
	rarog_json_string(json, "reason", ok ? NULL : rarog_site_reason(probe->verdict));
	if (list->with_arguments)
		rarog_probe_arguments_json(json, list, probe);
	rarog_json_end_object(json);
}

static void write_inlined(struct rarog_json *json, const struct rarog_probe_list *list,
			  const struct rarog_probe_inlined *inlined)
{
	rarog_json_object(json, NULL);
	write_names(json, inlined->name, inlined->demangled);
	rarog_json_array(json, "into");
	for (size_t i = 0; i < inlined->n; i++) {
		rarog_json_object(json, NULL);
		rarog_json_string(json, "mangled",
				  list->functions[inlined->instances[i].host].name);
		write_source(json, inlined->instances[i].at);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
	rarog_json_end_object(json);
}

static void write_mark(struct rarog_json *json, const struct rarog_probe_list *list,
		       const struct rarog_probe_mark *mark)
{
	const struct rarog_usdt *usdt = &mark->usdt;

	rarog_json_object(json, NULL);
	rarog_json_string(json, "provider", usdt->provider);
	rarog_json_string(json, "name", usdt->name);
	rarog_json_string(json, "arguments", usdt->arguments);
	rarog_json_uint(json, "address", usdt->address);
	if (usdt->semaphore)
		rarog_json_uint(json, "semaphore", usdt->semaphore);
	else
		rarog_json_null(json, "semaphore");
	rarog_json_string(json, "function",
			  usdt->function < 0 ? NULL : list->functions[usdt->function].name);
	write_source(json, mark->source);
	rarog_json_string(json, "end", mark->end);
	rarog_json_string(json, "reason", mark->reason);
	rarog_json_end_object(json);
}

static void write_reasons(struct rarog_json *json, const struct rarog_probe_list *list)
{
	rarog_json_array(json, "reasons");
	for (size_t i = RAROG_SITE_OK + 1; i < RAROG_SITE_VERDICTS; i++) {
		if (list->counts[i] == 0)
			continue;
		rarog_json_object(json, NULL);
		rarog_json_string(json, "reason", rarog_site_reason((enum rarog_site_verdict)i));
		rarog_json_uint(json, "count", list->counts[i]);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

void rarog_probe_list_json(struct rarog_json *json, const struct rarog_probe_list *list)
{
	const struct rarog_binary *b = list->binary;

	rarog_json_object(json, NULL);
	rarog_json_string(json, "path", rarog_binary_path(b));
	rarog_json_string(json, "build_id", rarog_binary_build_id(b));
	rarog_json_bool(json, "pie", rarog_binary_is_pie(b));
	rarog_json_bool(json, "stripped", rarog_binary_is_stripped(b));
	rarog_json_string(json, "names_from", rarog_binary_names_from(b));
	rarog_json_bool(json, "source_lines", rarog_binary_has_debug(b));
	rarog_json_string(json, "refused", list->refused);
	rarog_json_uint(json, "traceable", list->counts[RAROG_SITE_OK]);
	rarog_json_uint(json, "total", rarog_probe_list_total(list));
	write_reasons(json, list);
	rarog_json_array(json, "functions");
	for (size_t i = 0; i < list->probes.n; i++)
		write_probe(json, list, &list->probes.v[i]);
	rarog_json_end_array(json);
	rarog_json_array(json, "inlined");
	for (size_t i = 0; i < list->inlined.n; i++)
		write_inlined(json, list, &list->inlined.v[i]);
	rarog_json_end_array(json);
	rarog_json_array(json, "usdt");
	for (size_t i = 0; i < list->marks.n; i++)
		write_mark(json, list, &list->marks.v[i]);
	rarog_json_end_array(json);
	rarog_json_end_object(json);
}
