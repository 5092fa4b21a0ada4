/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `rarog probes` for people, and its table as CSV. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/table.h"
#include "base/units.h"
#include "view/probes/arguments.h"
#include "view/probes/list.h"

enum {
	ADDRESS,
	SIZE,
	FUNCTION,
	MANGLED,
	SOURCE_FILE,
	SOURCE_LINE,
	SOURCE,
	TRACEABLE,
	WHY,
	SITE,
	COLUMNS
};

static const struct rarog_column columns[COLUMNS] = {
	[ADDRESS] = { "ADDRESS", "address", .is_right = true },
	[SIZE] = { "SIZE", "size_bytes", .is_right = true },
	[FUNCTION] = { "FUNCTION", "name", .is_elastic = true },
	[MANGLED] = { "", "mangled", .is_for_csv = true },
	[SOURCE_FILE] = { "", "file", .is_for_csv = true },
	[SOURCE_LINE] = { "", "line", .is_for_csv = true },
	[SOURCE] = { "SOURCE", NULL },
	[TRACEABLE] = { "", "traceable", .is_for_csv = true },
	[WHY] = { "WHY NOT", "reason" },
	[SITE] = { "", "site", .is_for_csv = true },
};

static const char *title(const char *name, const char *demangled)
{
	return demangled ? demangled : name;
}

/* A path below the current directory is shown from there. */
static const char *short_path(const struct rarog_probe_view *o, const char *path)
{
	size_t n = o->directory ? strlen(o->directory) : 0;

	if (n > 1 && strncmp(path, o->directory, n) == 0 && path[n] == '/')
		return path + n + 1;
	return path;
}

static char *format_source(const struct rarog_probe_view *o, struct rarog_source source)
{
	if (!source.file)
		return strdup("");
	return rarog_asprintf("%s:%d", short_path(o, source.file), source.line);
}

static bool is_traceable(const struct rarog_listed_probe *probe)
{
	return probe->verdict == RAROG_SITE_OK;
}

static int add_row(const struct rarog_probe_view *o, const struct rarog_listed_probe *probe,
		   struct rarog_table *table)
{
	const struct rarog_function *f = probe->function;
	rarog_cleanup(rarog_freep) char *address = rarog_asprintf("0x%" PRIx64, f->address);
	rarog_cleanup(rarog_freep) char *size = rarog_asprintf("%" PRIu64, f->size);
	rarog_cleanup(rarog_freep) char *line = rarog_asprintf("%d", probe->source.line);
	rarog_cleanup(rarog_freep) char *source = format_source(o, probe->source);
	bool ok = is_traceable(probe);

	if (!address || !size || !line || !source)
		return rarog_oom();
	return rarog_table_add(table,
			       (const struct rarog_cell[COLUMNS]){
				       [ADDRESS] = { address, NULL, RAROG_STYLE_DIM },
				       [SIZE] = { size },
				       [FUNCTION] = { title(f->name, probe->demangled), NULL,
						      ok ? RAROG_STYLE_PLAIN : RAROG_STYLE_YELLOW },
				       [MANGLED] = { f->name },
				       [SOURCE_FILE] = { probe->source.file },
				       [SOURCE_LINE] = { probe->source.file ? line : "" },
				       [SOURCE] = { source, NULL, RAROG_STYLE_DIM },
				       [SITE] = { ok ? rarog_site_kind_name(probe->kind) : "" },
				       [TRACEABLE] = { ok ? "true" : "false" },
				       [WHY] = { ok ? "" : rarog_site_reason(probe->verdict) },
			       });
}

/* "inlined into main at a.c:7 and 3 other places" */
static char *format_instances(const struct rarog_probe_view *o, const struct rarog_probe_list *list,
			      const struct rarog_probe_inlined *inlined)
{
	const struct rarog_inlined *first = &inlined->instances[0];
	const char *host = list->functions[first->host].name;
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(host);
	rarog_cleanup(rarog_freep) char *source = format_source(o, first->at);
	rarog_cleanup(rarog_freep) char *others =
		inlined->n > 1 ? rarog_asprintf(" and %zu other place%s", inlined->n - 1,
						rarog_plural(inlined->n - 1))
			       : strdup("");

	if (!source || !others)
		return NULL;
	return rarog_asprintf("inlined into %s%s%s%s", title(host, demangled),
			      *source ? " at " : "", source, others);
}

static int add_inlined_row(const struct rarog_probe_view *o, const struct rarog_probe_list *list,
			   const struct rarog_probe_inlined *inlined, struct rarog_table *table)
{
	rarog_cleanup(rarog_freep) char *why = format_instances(o, list, inlined);

	if (!why)
		return rarog_oom();
	return rarog_table_add(table,
			       (const struct rarog_cell[COLUMNS]){
				       [FUNCTION] = { title(inlined->name, inlined->demangled),
						      NULL, RAROG_STYLE_YELLOW },
				       [MANGLED] = { inlined->name },
				       [TRACEABLE] = { "false" },
				       [WHY] = { why },
			       });
}

static int fill_table(const struct rarog_probe_view *o, const struct rarog_probe_list *list,
		      struct rarog_table *table)
{
	int r = 0;

	for (size_t i = 0; i < list->probes.n && r == 0; i++)
		if (o->is_full || is_traceable(&list->probes.v[i]))
			r = add_row(o, &list->probes.v[i], table);
	for (size_t i = 0; i < list->inlined.n && r == 0 && o->is_full; i++)
		r = add_inlined_row(o, list, &list->inlined.v[i], table);
	return r;
}

static void print_reasons(const struct rarog_probe_list *list, FILE *out)
{
	if (list->counts[RAROG_SITE_OK] < rarog_probe_list_total(list))
		fputs("Why the others cannot:\n", out);
	for (size_t i = RAROG_SITE_OK + 1; i < RAROG_SITE_VERDICTS; i++)
		if (list->counts[i] > 0)
			fprintf(out, "%8zu  %s\n", list->counts[i],
				rarog_site_reason((enum rarog_site_verdict)i));
}

/* Places that the compiler left, if any are used. */
static void print_kinds(const struct rarog_probe_list *list, FILE *out)
{
	const char *before = "Of them at places left by the compiler: ";

	for (size_t i = RAROG_SITE_ENTRY + 1; i < RAROG_SITE_KINDS; i++) {
		if (list->kinds[i] == 0)
			continue;
		fprintf(out, "%s%zu %s", before, list->kinds[i],
			rarog_site_kind_name((enum rarog_site_kind)i));
		before = ", ";
	}
	if (*before == ',')
		fputc('\n', out);
}

static const char *source_name(const char *from)
{
	return strcmp(from, ".gnu_debugdata") == 0 ? "MiniDebugInfo (.gnu_debugdata)" : from;
}

static void print_missing_units(struct rarog_binary *b, FILE *out)
{
	long n = rarog_binary_missing_units(b);

	if (n > 0)
		fprintf(out,
			"%ld compilation unit%s without the .dwo file where it was built: what is "
			"inlined there is unknown\n",
			n, rarog_plural((uint64_t)n));
}

/* "0x1234  provider:name(8@%rdi)  in main at a.c:7, until name" */
static int print_mark(const struct rarog_probe_view *o, const struct rarog_probe_list *list,
		      const struct rarog_probe_mark *mark, FILE *out)
{
	const struct rarog_usdt *usdt = &mark->usdt;
	const char *host = usdt->function < 0 ? NULL : list->functions[usdt->function].name;
	rarog_cleanup(rarog_freep) char *demangled = host ? rarog_demangle(host) : NULL;
	rarog_cleanup(rarog_freep) char *source = format_source(o, mark->source);

	if (!source)
		return rarog_oom();
	fprintf(out, "  0x%" PRIx64 "  %s:%s", usdt->address, usdt->provider, usdt->name);
	if (*usdt->arguments)
		fprintf(out, "(%s)", usdt->arguments);
	if (host)
		fprintf(out, "  in %s", title(host, demangled));
	fprintf(out, "%s%s%s%s%s%s\n", *source ? " at " : "", source, mark->end ? ", until " : "",
		mark->end ? mark->end : "", mark->reason ? "; not by inline: " : "",
		mark->reason ? mark->reason : "");
	return 0;
}

static int print_marks(const struct rarog_probe_view *o, const struct rarog_probe_list *list,
		       FILE *out)
{
	int r = 0;

	if (list->marks.n > 0)
		fprintf(out, "%s USDT probe%s:\n", rarog_format_count(list->marks.n).text,
			rarog_plural(list->marks.n));
	for (size_t i = 0; r == 0 && i < list->marks.n; i++)
		r = print_mark(o, list, &list->marks.v[i], out);
	return r;
}

static void print_summary(const struct rarog_probe_view *o, const struct rarog_probe_list *list,
			  FILE *out)
{
	const struct rarog_binary *b = list->binary;
	size_t total = rarog_probe_list_total(list);
	struct rarog_amount n = rarog_format_count(total);
	struct rarog_amount ok = rarog_format_count(list->counts[RAROG_SITE_OK]);
	struct rarog_amount share = rarog_format_percent(list->counts[RAROG_SITE_OK], total);
	struct rarog_amount cost = rarog_format_ns(o->call_ns);
	const char *from =
		rarog_binary_names_from(b) ? rarog_binary_names_from(b) : rarog_binary_path(b);

	fprintf(out, "%s: %s, %s%s%s, %s\n", rarog_binary_path(b),
		rarog_binary_is_pie(b) ? "position-independent" : "fixed address",
		rarog_binary_is_stripped(b) ? "stripped (functions without a name are fn_ADDRESS)"
					    : "with symbols",
		strcmp(from, rarog_binary_path(b)) ? " of " : "",
		strcmp(from, rarog_binary_path(b)) ? source_name(from) : "",
		rarog_binary_has_debug(b) ? "with source lines" : "without source lines");
	fprintf(out, "%s of %s functions (%s) can be traced, at about %s a call\n", ok.text, n.text,
		share.text, cost.text);
	if (list->refused)
		fprintf(out, "But rarog collect refuses: %s\n", list->refused);
	print_kinds(list, out);
	print_reasons(list, out);
	print_missing_units(list->binary, out);
	if (list->inlined.n > 0)
		fprintf(out, "%s more exist only inlined into others%s\n",
			rarog_format_count(list->inlined.n).text, o->is_full ? "" : "; see --all");
}

int rarog_probe_list_print(const struct rarog_probe_view *o, const struct rarog_probe_list *list,
			   FILE *out)
{
	bool csv = o->is_csv;
	/* without the reasons when nothing would stand there */
	size_t n_columns = csv || o->is_full ? COLUMNS : WHY;
	rarog_cleanup(rarog_table_freep) struct rarog_table *table = NULL;
	int r;

	if (list->with_arguments) {
		r = rarog_probe_arguments_table(list, &table);
	} else {
		table = rarog_table_new(n_columns, columns);
		r = table ? fill_table(o, list, table) : -ENOMEM;
	}

	if (r < 0)
		return r;
	if (csv) {
		rarog_table_csv(table, out);
		return 0;
	}
	if (rarog_table_rows(table) > 0) {
		rarog_table_print(table, out, o->width, o->colour);
		fputc('\n', out);
	}
	print_summary(o, list, out);
	return print_marks(o, list, out);
}
