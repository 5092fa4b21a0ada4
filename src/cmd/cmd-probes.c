/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What of a binary can be traced, what not and why, without running it.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "base/table.h"
#include "base/units.h"
#include "binary/libraries.h"
#include "cmd/commands.h"
#include "view/probes/arguments.h"
#include "view/probes/list.h"

#define DEFAULT_CALL_NS 25 /* measured on the development machine; doc/design/inline.md */

struct arguments {
	struct rarog_strings func, exclude;
	uint64_t call_ns;
	bool all, libs, args, json, csv;
};

static const struct rarog_option options[] = {
	RAROG_OPT_GROUP("What is listed"),
	RAROG_OPT_STRINGS('f', "func", struct arguments, func, "PATTERN",
			  "only functions and USDT probes that match: a name, a glob or /regex/; "
			  "also functions that cannot be traced, with the reason"),
	RAROG_OPT_STRINGS('x', "exclude", struct arguments, exclude, "PATTERN",
			  "not those that match"),
	RAROG_OPT_FLAG('a', "all", struct arguments, all,
		       "list what cannot be traced and what exists only inlined, too"),
	RAROG_OPT_FLAG('l', "libs", struct arguments, libs,
		       "the shared libraries that the program starts with, too"),
	RAROG_OPT_FLAG(
		0, "args", struct arguments, args,
		"which arguments and results rarog collect can capture with calls, which not and "
		"why"),
	RAROG_OPT_GROUP("Output"),
	RAROG_OPT_DURATION(0, "call-cost", struct arguments, call_ns, "TIME",
			   "what tracing one call costs, for the prediction (default: 25ns)"),
	RAROG_OPT_FLAG(0, "json", struct arguments, json, "write JSON"),
	RAROG_OPT_FLAG(0, "csv", struct arguments, csv, "write the table as CSV"),
	RAROG_OPT_END,
};

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

/* Everything that prints gets this. */
struct output {
	const struct rarog_context *context;
	const struct arguments *arguments;
	const char *directory; /* of the process, to shorten paths; NULL: unknown */
	bool is_full;          /* with what cannot be traced */
};

static const char *title(const char *name, const char *demangled)
{
	return demangled ? demangled : name;
}

/* A path below the current directory is shown from there. */
static const char *short_path(const struct output *o, const char *path)
{
	size_t n = o->directory ? strlen(o->directory) : 0;

	if (n > 1 && strncmp(path, o->directory, n) == 0 && path[n] == '/')
		return path + n + 1;
	return path;
}

static char *format_source(const struct output *o, struct rarog_source source)
{
	if (!source.file)
		return strdup("");
	return rarog_asprintf("%s:%d", short_path(o, source.file), source.line);
}

static bool is_traceable(const struct rarog_probe *probe)
{
	return probe->verdict == RAROG_SITE_OK;
}

static int add_row(const struct output *o, const struct rarog_probe *probe,
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
static char *format_instances(const struct output *o, const struct rarog_probe_list *list,
			      const struct rarog_probe_inlined *inlined)
{
	const struct rarog_inlined *first = &inlined->instances[0];
	const char *host = list->functions[first->host].name;
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(host);
	rarog_cleanup(rarog_freep) char *source = format_source(o, first->at);
	rarog_cleanup(rarog_freep) char *others =
		inlined->n > 1 ? rarog_asprintf(" and %zu other place%s", inlined->n - 1,
						inlined->n > 2 ? "s" : "")
			       : strdup("");

	if (!source || !others)
		return NULL;
	return rarog_asprintf("inlined into %s%s%s%s", title(host, demangled),
			      *source ? " at " : "", source, others);
}

static int add_inlined_row(const struct output *o, const struct rarog_probe_list *list,
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

static int fill_table(const struct output *o, const struct rarog_probe_list *list,
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

static void print_reasons(const struct rarog_probe_list *list)
{
	if (list->counts[RAROG_SITE_OK] < rarog_probe_list_total(list))
		puts("Why the others cannot:");
	for (size_t i = RAROG_SITE_OK + 1; i < RAROG_SITE_VERDICTS; i++)
		if (list->counts[i] > 0)
			printf("%8zu  %s\n", list->counts[i],
			       rarog_site_reason((enum rarog_site_verdict)i));
}

/* Places that the compiler left, if any are used. */
static void print_kinds(const struct rarog_probe_list *list)
{
	const char *before = "Of them at places left by the compiler: ";

	for (size_t i = RAROG_SITE_ENTRY + 1; i < RAROG_SITE_KINDS; i++) {
		if (list->kinds[i] == 0)
			continue;
		printf("%s%zu %s", before, list->kinds[i],
		       rarog_site_kind_name((enum rarog_site_kind)i));
		before = ", ";
	}
	if (*before == ',')
		putchar('\n');
}

static const char *source_name(const char *from)
{
	return strcmp(from, ".gnu_debugdata") == 0 ? "MiniDebugInfo (.gnu_debugdata)" : from;
}

static void print_missing_units(struct rarog_binary *b)
{
	long n = rarog_binary_missing_units(b);

	if (n > 0)
		printf("%ld compilation unit%s without the .dwo file where it was built: what is "
		       "inlined there is unknown\n",
		       n, n == 1 ? "" : "s");
}

/* "0x1234  provider:name(8@%rdi)  in main at a.c:7, until name" */
static int print_mark(const struct output *o, const struct rarog_probe_list *list,
		      const struct rarog_probe_mark *mark)
{
	const struct rarog_usdt *usdt = &mark->usdt;
	const char *host = usdt->function < 0 ? NULL : list->functions[usdt->function].name;
	rarog_cleanup(rarog_freep) char *demangled = host ? rarog_demangle(host) : NULL;
	rarog_cleanup(rarog_freep) char *source = format_source(o, mark->source);

	if (!source)
		return rarog_oom();
	printf("  0x%" PRIx64 "  %s:%s", usdt->address, usdt->provider, usdt->name);
	if (*usdt->arguments)
		printf("(%s)", usdt->arguments);
	if (host)
		printf("  in %s", title(host, demangled));
	printf("%s%s%s%s%s%s\n", *source ? " at " : "", source, mark->end ? ", until " : "",
	       mark->end ? mark->end : "", mark->reason ? "; not by inline: " : "",
	       mark->reason ? mark->reason : "");
	return 0;
}

static int print_marks(const struct output *o, const struct rarog_probe_list *list)
{
	int r = 0;

	if (list->marks.n > 0)
		printf("%s USDT probe%s:\n", rarog_format_count(list->marks.n).text,
		       list->marks.n == 1 ? "" : "s");
	for (size_t i = 0; r == 0 && i < list->marks.n; i++)
		r = print_mark(o, list, &list->marks.v[i]);
	return r;
}

static void print_summary(const struct output *o, const struct rarog_probe_list *list)
{
	const struct rarog_binary *b = list->binary;
	size_t total = rarog_probe_list_total(list);
	struct rarog_amount n = rarog_format_count(total);
	struct rarog_amount ok = rarog_format_count(list->counts[RAROG_SITE_OK]);
	struct rarog_amount share = rarog_format_percent(list->counts[RAROG_SITE_OK], total);
	struct rarog_amount cost = rarog_format_ns(o->arguments->call_ns);
	const char *from =
		rarog_binary_names_from(b) ? rarog_binary_names_from(b) : rarog_binary_path(b);

	printf("%s: %s, %s%s%s, %s\n", rarog_binary_path(b),
	       rarog_binary_is_pie(b) ? "position-independent" : "fixed address",
	       rarog_binary_is_stripped(b) ? "stripped (functions without a name are fn_ADDRESS)"
					   : "with symbols",
	       strcmp(from, rarog_binary_path(b)) ? " of " : "",
	       strcmp(from, rarog_binary_path(b)) ? source_name(from) : "",
	       rarog_binary_has_debug(b) ? "with source lines" : "without source lines");
	printf("%s of %s functions (%s) can be traced, at about %s a call\n", ok.text, n.text,
	       share.text, cost.text);
	if (list->refused)
		printf("But rarog collect refuses: %s\n", list->refused);
	print_kinds(list);
	print_reasons(list);
	print_missing_units(list->binary);
	if (list->inlined.n > 0)
		printf("%s more exist only inlined into others%s\n",
		       rarog_format_count(list->inlined.n).text, o->is_full ? "" : "; see --all");
}

static int print_list(const struct output *o, const struct rarog_probe_list *list)
{
	bool csv = o->arguments->csv;
	/* without the reasons when nothing would stand there */
	size_t n_columns = csv || o->is_full ? COLUMNS : WHY;
	rarog_cleanup(rarog_table_freep) struct rarog_table *table = NULL;
	int r;

	if (o->arguments->args) {
		r = rarog_probe_arguments_table(list, &table);
	} else {
		table = rarog_table_new(n_columns, columns);
		r = table ? fill_table(o, list, table) : -ENOMEM;
	}

	if (r < 0)
		return r;
	if (csv) {
		rarog_table_csv(table, stdout);
		return 0;
	}
	if (rarog_table_rows(table) > 0) {
		rarog_table_print(table, stdout, o->context->width, o->context->colour);
		putchar('\n');
	}
	print_summary(o, list);
	return print_marks(o, list);
}

/* The binaries that are asked about: the first operand and, with --libs, what it is linked with. */
static int find_binaries(const struct arguments *arguments, const char *path,
			 struct rarog_libraries *paths)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;
	rarog_cleanup(rarog_freep) char *first = strdup(path);
	int r = first ? rarog_vec_push(paths, first) : rarog_oom();

	if (r < 0)
		return r;
	first = NULL; /* in the list now */
	if (!arguments->libs)
		return 0;
	r = rarog_binary_open(path, &binary);
	return r < 0 ? r : rarog_libraries_find(binary, paths);
}

static int show_binary(const struct output *o, const char *path, struct rarog_match *match,
		       struct rarog_json *json)
{
	rarog_cleanup(rarog_probe_list_release) struct rarog_probe_list list = { 0 };
	int r = rarog_probe_list_read(path, match, &list);

	if (r < 0)
		return r;
	list.with_arguments = o->arguments->args;
	if (!json)
		return print_list(o, &list);
	rarog_probe_list_json(json, &list);
	return 0;
}

static int show_all(const struct output *o, const struct rarog_libraries *paths,
		    struct rarog_match *match, struct rarog_json *json)
{
	int r = 0;

	for (size_t i = 0; i < paths->n && r == 0; i++) {
		if (i > 0 && !json && !o->arguments->csv)
			putchar('\n');
		r = show_binary(o, paths->v[i], match, json);
	}
	const char *unused = r == 0 ? rarog_match_unused(match) : NULL;

	if (unused)
		return rarog_fail(-ENOENT, "no function of %s matches '%s'; see rarog probes --all",
				  paths->v[0], unused);
	return r;
}

static int show_json(const struct output *o, const struct rarog_libraries *paths,
		     struct rarog_match *match)
{
	struct rarog_json json;

	rarog_json_start(&json, stdout, true);
	rarog_json_object(&json, NULL);
	rarog_json_uint(&json, "call_cost_ns", o->arguments->call_ns);
	rarog_json_array(&json, "binaries");
	int r = show_all(o, paths, match, &json);

	if (r < 0)
		return r;
	rarog_json_end_array(&json);
	rarog_json_end_object(&json);
	return rarog_json_finish(&json);
}

static int read_patterns(const struct arguments *arguments, struct rarog_match *match)
{
	int r = 0;

	for (size_t i = 0; i < arguments->func.n && r == 0; i++)
		r = rarog_match_include(match, arguments->func.v[i]);
	for (size_t i = 0; i < arguments->exclude.n && r == 0; i++)
		r = rarog_match_exclude(match, arguments->exclude.v[i]);
	return r == -EINVAL ? rarog_usage_error(r) : r;
}

static int show(const struct rarog_context *context, const struct arguments *arguments,
		const char *path)
{
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	rarog_cleanup(rarog_libraries_release) struct rarog_libraries paths = { 0 };
	rarog_cleanup(rarog_freep) char *directory = getcwd(NULL, 0);
	struct output o = { context, arguments, directory,
			    arguments->all || arguments->func.n > 0 || arguments->csv };
	int r = read_patterns(arguments, &match);

	if (r == 0)
		r = find_binaries(arguments, path, &paths);
	if (r < 0)
		return r;
	return arguments->json ? show_json(&o, &paths, &match) : show_all(&o, &paths, &match, NULL);
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct arguments arguments = { .call_ns = DEFAULT_CALL_NS };
	int first = rarog_options_parse(options, argc, argv, false, &arguments);
	int r = first < 0 ? rarog_usage_error(first) : 0;

	if (r == 0 && argc - first != 1)
		r = rarog_usage_error(
			rarog_fail(-EINVAL, "give one program or shared library to look at"));
	if (r == 0)
		r = show(context, &arguments, argv[first]);
	rarog_options_release(options, &arguments);
	return r;
}

const struct rarog_command rarog_cmd_probes = {
	.name = "probes",
	.summary = "list what can be traced in a binary, what not, and why",
	.usage = "[OPTION…] BINARY",
	.description =
		"Reads a program or shared library without running it and lists its functions with "
		"address, size and source line. A function can be traced when its entry can be "
		"replaced by a jump without changing what the program does; for the others the "
		"reason is given. Functions that exist only inlined into others have no entry at "
		"all: they are listed with the place of their first call.",
	.examples = "  rarog probes ./prog\n"
		    "  rarog probes ./prog --func 'parse_*'    can these be traced? if not, why?\n"
		    "  rarog probes ./prog --args --func parse   what of its arguments?\n"
		    "  rarog probes ./prog --all --libs --json\n",
	.options = options,
	.run = run,
};
