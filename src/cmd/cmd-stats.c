/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "base/table.h"
#include "base/units.h"
#include "cmd/commands.h"
#include "cmd/project.h"
#include "store/stats.h"
#include "view/text.h"

#define STATISTICS "statistics--" /* what runs have shown; all else is of versions */

struct args {
	long top;
	const char *minor;
	bool no_minor, no_file, no_directory, no_count, no_total, by_size, json;
	bool keep_custom, keep_empty, keep_directory;
};

static const struct rarog_option options[] = {
	RAROG_OPT_GROUP("list-files, list-versions"),
	RAROG_OPT_INT('N', "top", struct args, top, "N", 0, 1000000000,
		      "list only the newest N versions (default: 20; 0: all)"),
	RAROG_OPT_STRING('m', "from-minor", struct args, minor, "VERSION",
			 "begin at VERSION, not at the newest one"),
	RAROG_OPT_FLAG('i', "no-minor", struct args, no_minor, "leave out the names of versions"),
	RAROG_OPT_FLAG('f', "no-file-size", struct args, no_file,
		       "leave out the size of each file; list-versions: leave out their number"),
	RAROG_OPT_FLAG(0, "no-file-count", struct args, no_count,
		       "leave out the number of files of each version"),
	RAROG_OPT_FLAG('d', "no-dir-size", struct args, no_directory,
		       "leave out the size of each version"),
	RAROG_OPT_FLAG('t', "no-total-size", struct args, no_total,
		       "leave out the sum of all sizes"),
	RAROG_OPT_FLAG('s', "sort-by-size", struct args, by_size, "the largest first"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "write the same facts as JSON"),
	RAROG_OPT_GROUP("clean"),
	RAROG_OPT_FLAG('c', "keep-custom", struct args, keep_custom,
		       "keep files that Rarog did not make"),
	RAROG_OPT_FLAG('e', "keep-empty", struct args, keep_empty, "keep empty versions"),
	RAROG_OPT_GROUP("delete"),
	RAROG_OPT_STRING(0, "in-minor", struct args, minor, "VERSION",
			 "delete file: in this version (default: the newest; .: in all); also -m"),
	RAROG_OPT_FLAG('k', "keep-directory", struct args, keep_directory,
		       "keep versions that are empty afterwards"),
	RAROG_OPT_END,
};

struct session {
	const struct rarog_context *context;
	const struct args *args;
	struct rarog_project project;
	struct rarog_stats_list list;
	RAROG_VEC(size_t) order; /* of list.versions: the newest first; others after them */
};

/* --- in which order --- */

static long find_version(const struct session *s, const char *name)
{
	for (size_t i = 0; i < s->list.versions.n; i++)
		if (!s->list.versions.v[i].is_custom &&
		    strcmp(s->list.versions.v[i].name, name) == 0)
			return (long)i;
	return -ENOENT;
}

static int visit(const struct rarog_commit *commit, void *user)
{
	struct session *s = user;
	long i = find_version(s, commit->name);

	if (i >= 0 && rarog_vec_push(&s->order, (size_t)i) < 0)
		return rarog_oom();
	return s->order.n == s->list.versions.n; /* the rest of the history has none */
}

static bool is_ordered(const struct session *s, size_t version)
{
	for (size_t i = 0; i < s->order.n; i++)
		if (s->order.v[i] == version)
			return true;
	return false;
}

/* What no version leads to, such as other branches, comes last, unless a version was named. */
static int order_versions(struct session *s)
{
	const char *from = s->args->minor;
	struct rarog_walk walk = { .n_from = from ? 1 : 0, .from = &from };
	int r = rarog_vcs_walk(s->project.vcs, &walk, visit, s);

	if (r == -ENODATA && !from) {
		rarog_error_clear();
		r = 0;
	}
	for (size_t i = 0; r >= 0 && !from && i < s->list.versions.n; i++)
		if (!is_ordered(s, i) && rarog_vec_push(&s->order, i) < 0)
			r = rarog_oom();
	if (s->args->top > 0 && s->order.n > (size_t)s->args->top)
		s->order.n = (size_t)s->args->top;
	return r < 0 ? r : 0;
}

/* --- rows --- */

struct row {
	const char *version, *name; /* name: NULL: it is a version */
	uint64_t bytes, files;
	int64_t changed_s;
};

struct rows {
	RAROG_VEC(struct row) v;
};

static int add_files(const struct session *s, const char *version, struct rows *rows)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->list.files.n; i++) {
		const struct rarog_stats_file *f = &s->list.files.v[i];
		const struct row row = { f->version, f->name, f->bytes, 1, f->changed_s };

		if (strcmp(f->version, version) == 0)
			r = rarog_vec_push(&rows->v, row);
	}
	return r;
}

static int by_size(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	return (a->bytes < b->bytes) - (a->bytes > b->bytes);
}

static int gather(const struct session *s, bool of_files, struct rows *rows)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->order.n; i++) {
		const struct rarog_stats_version *v = &s->list.versions.v[s->order.v[i]];
		const struct row row = { v->name, NULL, v->bytes, v->files, 0 };

		r = of_files ? add_files(s, v->name, rows) : rarog_vec_push(&rows->v, row);
	}
	if (r == 0 && s->args->by_size && rows->v.n > 1)
		qsort(rows->v.v, rows->v.n, sizeof(*rows->v.v), by_size);
	return r < 0 ? rarog_oom() : 0;
}

static uint64_t total(const struct rows *rows)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rows->v.n; i++)
		sum += rows->v.v[i].bytes;
	return sum;
}

/* --- printed --- */

/* A hash is known by its first digits. */
static const char *short_version(const char *name, char out[13])
{
	if (strlen(name) < 40 || strspn(name, "0123456789abcdef") != strlen(name))
		return name;
	snprintf(out, 13, "%.12s", name);
	return out;
}

/* In Table A.3 of the documents -f is another option of each command. */
static bool has_size(const struct args *args, bool of_files)
{
	return of_files ? !args->no_file : !args->no_directory;
}

static bool has_last(const struct args *args, bool of_files)
{
	return of_files || !(args->no_file || args->no_count);
}

static int add_row(struct rarog_table *table, const struct args *args, const struct row *row)
{
	rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
	const struct rarog_amount size = rarog_format_bytes(row->bytes),
				  count = rarog_format_count(row->files);
	struct rarog_cell cells[3];
	char digits[13];
	size_t n = 0;
	int r = rarog_text_add_clean(&name, row->name ? row->name : "", false);

	if (has_size(args, row->name))
		cells[n++] = (struct rarog_cell){ .text = size.text };
	if (!args->no_minor)
		cells[n++] = (struct rarog_cell){ .text = short_version(row->version, digits) };
	if (has_last(args, row->name))
		cells[n++] = (struct rarog_cell){ .text = row->name ? rarog_str_text(&name)
								    : count.text };
	return r < 0 ? r : rarog_table_add(table, cells);
}

static int print_table(const struct session *s, bool of_files, const struct rows *rows)
{
	const struct args *args = s->args;
	struct rarog_column columns[3];
	size_t n = 0;
	rarog_cleanup(rarog_table_freep) struct rarog_table *table = NULL;
	int r;

	if (has_size(args, of_files))
		columns[n++] = (struct rarog_column){ .title = "Size", .is_right = true };
	if (!args->no_minor)
		columns[n++] = (struct rarog_column){ .title = "Version" };
	if (has_last(args, of_files))
		columns[n++] = (struct rarog_column){ .title = of_files ? "File" : "Files",
						      .is_right = !of_files };
	table = n > 0 ? rarog_table_new(n, columns) : NULL;
	r = table ? 0 : n > 0 ? rarog_oom() : 0;
	for (size_t i = 0; table && r == 0 && i < rows->v.n; i++)
		r = add_row(table, args, &rows->v.v[i]);
	if (r == 0 && table && rows->v.n > 0)
		rarog_table_print(table, stdout, 0, s->context->colour);
	if (r == 0 && !args->no_total)
		printf("in all: %s\n", rarog_format_bytes(total(rows)).text);
	return r;
}

static int print_json(bool of_files, const struct rows *rows)
{
	struct rarog_json json;

	rarog_json_start_object(&json, stdout);
	rarog_json_array(&json, of_files ? "files" : "versions");
	for (size_t i = 0; i < rows->v.n; i++) {
		const struct row *row = &rows->v.v[i];

		rarog_json_object(&json, NULL);
		rarog_json_string(&json, "version", row->version);
		if (row->name)
			rarog_json_string(&json, "name", row->name);
		else
			rarog_json_uint(&json, "files", row->files);
		rarog_json_uint(&json, "bytes", row->bytes);
		if (row->name)
			rarog_json_int(&json, "changed_s", row->changed_s);
		rarog_json_end_object(&json);
	}
	rarog_json_end_array(&json);
	rarog_json_uint(&json, "bytes", total(rows));
	return rarog_json_finish(&json);
}

static int list(struct session *s, bool of_files)
{
	struct rows rows = { 0 };
	int r = order_versions(s);

	if (r == 0)
		r = gather(s, of_files, &rows);
	if (r == 0)
		r = s->args->json ? print_json(of_files, &rows) : print_table(s, of_files, &rows);
	rarog_vec_release(&rows.v);
	return r;
}

static int list_files(struct session *s, size_t n, char **operands)
{
	(void)n;
	(void)operands;
	return list(s, true);
}

static int list_versions(struct session *s, size_t n, char **operands)
{
	(void)n;
	(void)operands;
	return list(s, false);
}

/* --- putting in order --- */

static void say(const struct session *s, const char *what, size_t files, size_t versions)
{
	if (!s->context->quiet)
		printf("%s %s file%s, %s version%s\n", what, rarog_format_count(files).text,
		       rarog_plural(files), rarog_format_count(versions).text,
		       rarog_plural(versions));
}

/* The folder is its own index, so all that can be out of step with it is a file that is cut off. */
static int drop_damaged(struct session *s, size_t *files)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < s->list.files.n; i++) {
		r = rarog_stats_is_sound(s->project.store, &s->list.files.v[i]);
		if (r != 0)
			continue;
		r = rarog_stats_remove(s->project.store, &s->list.files.v[i], true);
		++*files;
	}
	return r < 0 ? r : 0;
}

static int sync_all(struct session *s, size_t n, char **operands)
{
	size_t files = 0;
	int r = drop_damaged(s, &files);

	(void)n;
	(void)operands;
	if (r == 0)
		say(s, "removed as damaged:", files, 0);
	return r;
}

static bool has_own_files(const struct session *s, const struct rarog_stats_version *version)
{
	for (size_t i = 0; i < s->list.files.n; i++)
		if (!s->list.files.v[i].is_custom &&
		    strcmp(s->list.files.v[i].version, version->name) == 0)
			return true;
	return false;
}

/* A version of git's is a hash. Others may be of the time before git: what Rarog has put there
 * stays. */
static bool is_custom(const struct session *s, const struct rarog_stats_version *version)
{
	size_t digits = rarog_vcs_hash_digits(s->project.vcs);

	if (version->is_custom)
		return true;
	return digits > 0 && !has_own_files(s, version) &&
	       strcmp(version->name, RAROG_STATS_NO_VERSION) != 0 &&
	       (strlen(version->name) != digits ||
		strspn(version->name, "0123456789abcdef") != digits);
}

static int drop_custom(struct session *s, size_t *files, size_t *versions)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->list.files.n; i++)
		if (s->list.files.v[i].is_custom) {
			r = rarog_stats_remove(s->project.store, &s->list.files.v[i], true);
			++*files;
		}
	for (size_t i = 0; r == 0 && i < s->list.versions.n; i++)
		if (is_custom(s, &s->list.versions.v[i])) {
			r = rarog_stats_remove_version(s->project.store, &s->list.versions.v[i],
						       false);
			++*versions;
		}
	return r;
}

static int read_again(struct session *s)
{
	rarog_stats_list_release(&s->list);
	return rarog_stats_list(s->project.store, &s->list);
}

static int drop_empty(struct session *s, size_t *versions)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->list.versions.n; i++)
		if (s->list.versions.v[i].files == 0 && !s->list.versions.v[i].is_custom) {
			r = rarog_stats_remove_version(s->project.store, &s->list.versions.v[i],
						       false);
			++*versions;
		}
	return r;
}

static int clean(struct session *s, size_t n, char **operands)
{
	size_t files = 0, versions = 0;
	int r = drop_damaged(s, &files);

	(void)n;
	(void)operands;
	if (r == 0 && !s->args->keep_custom)
		r = drop_custom(s, &files, &versions);
	if (r == 0)
		r = read_again(s);
	if (r == 0 && !s->args->keep_empty)
		r = drop_empty(s, &versions);
	if (r == 0)
		say(s, "removed", files, versions);
	return r;
}

/* --- deleting --- */

/* In full; of what no version system knows, the name of a folder. */
static int resolve(const struct session *s, const char *text, char **ret_name)
{
	struct rarog_commit commit = { 0 };
	int r = find_version(s, text) >= 0 ? 0 : rarog_vcs_resolve(s->project.vcs, text, &commit);

	if (r == 0)
		*ret_name = commit.name ? rarog_take(commit.name) : strdup(text);
	rarog_commit_release(&commit);
	return r == 0 && !*ret_name ? rarog_oom() : r;
}

/* @prefix: of names; @version: NULL: in all. */
static int delete_matching(struct session *s, const char *name, bool is_prefix, const char *version)
{
	size_t files = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->list.files.n; i++) {
		const struct rarog_stats_file *f = &s->list.files.v[i];
		bool fits =
			is_prefix ? rarog_starts_with(f->name, name) : strcmp(f->name, name) == 0;

		if (!fits || (version && strcmp(f->version, version) != 0))
			continue;
		r = rarog_stats_remove(s->project.store, f, s->args->keep_directory);
		files++;
	}
	if (r == 0 && files == 0 && !is_prefix)
		return rarog_fail(-ENOENT, "there is no file %s%s%s; rarog stats list-files -N0",
				  name, version ? " in " : "", version ? version : "");
	if (r == 0)
		say(s, "removed", files, 0);
	return r;
}

static int delete_file(struct session *s, const char *name)
{
	rarog_cleanup(rarog_freep) char *version = NULL;
	const char *minor = s->args->minor ? s->args->minor : "HEAD";
	int r = strcmp(minor, ".") == 0 ? 0 : resolve(s, minor, &version);

	if (!name)
		return rarog_usage_error(rarog_fail(-EINVAL, "rarog stats delete file NAME"));
	return r < 0 ? r : delete_matching(s, name, false, version);
}

static int delete_minor(struct session *s, const char *name)
{
	rarog_cleanup(rarog_freep) char *version = NULL;
	int r = name ? resolve(s, name, &version)
		     : rarog_usage_error(rarog_fail(-EINVAL, "rarog stats delete minor VERSION"));
	long i = r == 0 ? find_version(s, version) : r;

	if (r < 0)
		return r;
	if (i < 0)
		return rarog_fail(-ENOENT, "nothing is kept of %s", version);
	r = rarog_stats_remove_version(s->project.store, &s->list.versions.v[i],
				       s->args->keep_directory);
	if (r == 0)
		say(s, "removed", s->list.versions.v[i].files, 1);
	return r;
}

static int delete_all(struct session *s, const char *name)
{
	int r = 0;

	if (name)
		return rarog_usage_error(rarog_fail(-EINVAL, "delete all takes no name"));
	for (size_t i = 0; r == 0 && i < s->list.versions.n; i++)
		r = rarog_stats_remove_version(s->project.store, &s->list.versions.v[i],
					       s->args->keep_directory);
	if (r == 0)
		say(s, "removed", s->list.files.n, s->list.versions.n);
	return r;
}

static int drop_some(struct session *s, size_t n, char **operands)
{
	static const struct {
		const char *name;
		int (*run)(struct session *s, const char *name);
	} kinds[] = { { "file", delete_file }, { "minor", delete_minor }, { "all", delete_all } };

	for (size_t i = 0; n > 0 && n <= 2 && i < RAROG_COUNT(kinds); i++)
		if (strcmp(operands[0], kinds[i].name) == 0)
			return kinds[i].run(s, n > 1 ? operands[1] : NULL);
	return rarog_usage_error(rarog_fail(
		-EINVAL, "rarog stats delete file NAME, delete minor VERSION or delete all"));
}

/* What runs have shown is forgotten, and so is shown anew; what versions were is not. */
static int reset(struct session *s, size_t n, char **operands)
{
	(void)n;
	(void)operands;
	return delete_matching(s, STATISTICS, true, NULL);
}

/* --- the command --- */

static const struct {
	const char *name;
	int (*run)(struct session *s, size_t n, char **operands);
	bool has_operands;
} verbs[] = {
	{ "list-files", list_files, false }, { "list-versions", list_versions, false },
	{ "sync", sync_all, false },         { "clean", clean, false },
	{ "delete", drop_some, true },       { "reset", reset, false },
};

static int run_verb(const struct rarog_context *context, const struct args *args, size_t verb,
		    size_t n, char **operands)
{
	struct session s = { .context = context, .args = args };
	int r = rarog_project_open(context, RAROG_NEED_STORE, &s.project);

	if (r == 0)
		r = rarog_stats_list(s.project.store, &s.list);
	if (r == 0)
		r = verbs[verb].run(&s, n, operands);
	rarog_vec_release(&s.order);
	rarog_stats_list_release(&s.list);
	rarog_project_release(&s.project);
	return r < 0 ? r : RAROG_EXIT_OK;
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { .top = 20 };
	int first = rarog_options_parse(options, argc, argv, false, &args);
	size_t n = first >= 0 && first < argc ? (size_t)(argc - first - 1) : 0;

	if (first < 0)
		return rarog_usage_error(first);
	for (size_t i = 0; first < argc && i < RAROG_COUNT(verbs); i++) {
		if (strcmp(argv[first], verbs[i].name) != 0)
			continue;
		if (n > 0 && !verbs[i].has_operands)
			return rarog_usage_error(
				rarog_fail(-EINVAL, "stats %s takes no operands", verbs[i].name));
		return run_verb(context, &args, i, n, argv + first + 1);
	}
	return rarog_usage_error(
		rarog_fail(-EINVAL, "stats can list-files, list-versions, sync, clean, delete "
				    "file|minor|all and reset"));
}

const struct rarog_command rarog_cmd_stats = {
	.name = "stats",
	.summary = "show and remove what the techniques of collect keep between runs",
	.usage = "list-files | list-versions | sync | clean | delete file NAME | "
		 "delete minor VERSION | delete all | reset",
	.description =
		"rarog collect --pipeline and --on keep what they saw of each function for later "
		"runs and versions: calls, times and quartiles by command, arguments and workload "
		"(statistics--…), and a hash of each function of each version (code-digest--…). "
		"These files are apart from profiles: rarog gc leaves them alone.\n"
		"\n"
		"list-files and list-versions show what there is, the newest version first. sync "
		"removes files that cannot be read. clean does this, too, and removes files that "
		"Rarog did not make and versions without any file. delete removes a file of one "
		"version or of all, a version, or everything. reset removes what runs have shown, "
		"so that the next run measures everything again, and keeps the hashes of versions.",
	.examples = "rarog stats list-files -N 5\n"
		    "rarog stats list-versions --sort-by-size\n"
		    "rarog stats delete file -m . statistics--prog--0011223344556677--prog\n"
		    "rarog stats delete minor HEAD~20\n"
		    "rarog stats reset",
	.options = options,
	.run = run,
};
