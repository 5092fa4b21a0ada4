/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/history/commits.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "base/units.h"
#include "base/utf8.h"
#include "store/template.h"
#include "view/history/records.h"
#include "view/names.h"

static enum rarog_style coloured(const struct rarog_log_view *log, enum rarog_style style)
{
	return log->colour ? style : RAROG_STYLE_PLAIN;
}

static enum rarog_style style_of(const struct rarog_log_view *log, const char *verdict)
{
	static const struct {
		const char *verdict;
		enum rarog_style style;
	} styles[] = { { "degradation", RAROG_STYLE_RED },
		       { "maybe", RAROG_STYLE_YELLOW },
		       { "improvement", RAROG_STYLE_GREEN } };

	for (size_t i = 0; i < RAROG_COUNT(styles); i++)
		if (strcmp(styles[i].verdict, verdict) == 0)
			return coloured(log, styles[i].style);
	return coloured(log, RAROG_STYLE_DIM);
}

/* "3 profiles (trace 2, time 1), 2 jobs, 9.4 KiB" */
static int add_stats(const struct rarog_load *load, bool brief, struct rarog_str *text)
{
	int r = rarog_str_addf(text, "%llu profile%s", (unsigned long long)load->profiles,
			       rarog_plural(load->profiles));

	for (size_t i = 0; r == 0 && !brief && i < load->n_collectors; i++)
		r = rarog_str_addf(text, "%s%s %llu%s", i == 0 ? " (" : ", ",
				   load->collectors[i].name,
				   (unsigned long long)load->collectors[i].profiles,
				   i + 1 == load->n_collectors ? ")" : "");
	if (r == 0 && !brief)
		r = rarog_str_addf(text, ", %llu job%s", (unsigned long long)load->jobs,
				   rarog_plural(load->jobs));
	if (r == 0)
		r = rarog_str_addf(text, ", %s", rarog_format_bytes(load->bytes).text);
	if (r == 0 && load->machines > 1)
		r = rarog_str_addf(text, ", %llu machines", (unsigned long long)load->machines);
	if (r == 0 && load->dirty > 0)
		r = rarog_str_addf(text, ", %llu changed", (unsigned long long)load->dirty);
	return r < 0 ? rarog_oom() : 0;
}

/* "degradation: 3 changes" */
static int add_verdict(const struct rarog_log_view *log, const struct rarog_load *load,
		       struct rarog_str *text)
{
	enum rarog_style style = style_of(log, load->verdict);
	int r = rarog_str_addf(text, "%s%s%s", rarog_style_on(style), load->verdict,
			       rarog_style_off(style));

	if (r == 0 && load->changes > 0)
		r = rarog_str_addf(text, ": %llu change%s", (unsigned long long)load->changes,
				   rarog_plural(load->changes));
	return r < 0 ? rarog_oom() : 0;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* --- lines for people --- */

/* The subject gives way when the terminal is narrow. What authors wrote is not trusted with escape
 * sequences. */
static void print_line(const struct rarog_log_view *log, const char *graph, const char *head,
		       const char *subject, const char *tail)
{
	int used =
		rarog_utf8_columns(graph) + rarog_utf8_columns(head) + 2 + rarog_utf8_columns(tail);
	int room = log->width > 0 ? log->width - used : INT_MAX;
	enum rarog_style style = coloured(log, RAROG_STYLE_YELLOW);

	fprintf(log->out, "%s%s%s%s ", graph, rarog_style_on(style), head, rarog_style_off(style));
	rarog_utf8_print(log->out, subject, room > 20 ? room : 20);
	fprintf(log->out, "%s%s", *tail ? " " : "", tail);
}

static int print_oneline(struct rarog_log_view *log, const struct rarog_commit *commit,
			 const struct rarog_load *load, const char *graph)
{
	rarog_cleanup(rarog_str_release) struct rarog_str tail = { 0 }, verdict = { 0 };
	int r = 0;

	if (load->profiles > 0) {
		rarog_str_add_char(&tail, '[');
		r = add_stats(load, true, &tail);
		rarog_str_add_char(&tail, ']');
	}
	print_line(log, graph, rarog_short_name(log->vcs, commit->name).text,
		   or_empty(commit->subject), rarog_str_text(&tail));
	if (r == 0 && *load->verdict) {
		r = add_verdict(log, load, &verdict);
		fprintf(log->out, " %s", rarog_str_text(&verdict));
	}
	fputc('\n', log->out);
	return r;
}

/* The profiles of a commit, a line each. */
struct list {
	struct rarog_log_view *log;
	const char *graph;
};

static int print_profile(const struct rarog_record *record, void *user)
{
	const struct list *list = user;
	rarog_cleanup(rarog_str_release) struct rarog_str notes = { 0 }, options = { 0 };
	const char *apart = "";
	int r = rarog_record_notes(record, NULL, &notes);

	if (r == 0)
		r = rarog_configuration_words(record->configuration, " ", &options);
	if (r == 0)
		r = rarog_jobs_apart(&list->log->jobs, list->log->store, &record->job_key, &apart);
	fprintf(list->log->out, "%s  %s %s %s %s%s%s%s%s%s%s %s%s%s\n", list->graph,
		rarog_short_object(&record->object).text, rarog_date_of(record->started_ns).text,
		or_empty(record->collector), or_empty(record->command),
		record->arguments && *record->arguments ? " " : "", or_empty(record->arguments),
		record->workload && *record->workload ? " " : "", or_empty(record->workload),
		rarog_str_text(&options), apart, rarog_format_bytes(record->bytes).text,
		notes.length > 0 ? " " : "", rarog_str_text(&notes));
	return r;
}

static int print_profiles(struct rarog_log_view *log, const char *version, const char *graph)
{
	const struct rarog_record_filter filter = {
		.version = version, .options = log->options, .job = log->job, .order = log->order
	};
	struct list list = { log, graph };

	if (!log->with_profiles)
		return 0;
	return rarog_record_each(log->store, &filter, print_profile, &list);
}

static int print_full(struct rarog_log_view *log, const struct rarog_commit *commit,
		      const struct rarog_load *load, const char *graph, const char *rest)
{
	rarog_cleanup(rarog_str_release) struct rarog_str stats = { 0 }, verdict = { 0 };
	rarog_cleanup(rarog_freep) char *head =
		rarog_asprintf("%s %s", rarog_short_name(log->vcs, commit->name).text,
			       rarog_day_of(commit->commit_time).text);
	int r = head ? 0 : rarog_oom();

	if (r < 0)
		return r;
	print_line(log, graph, head, or_empty(commit->subject), "");
	fputc('\n', log->out);
	if (load->profiles > 0) {
		r = add_stats(load, false, &stats);
		fprintf(log->out, "%s  %s\n", rest, rarog_str_text(&stats));
	}
	if (load->attempts_failed > 0)
		fprintf(log->out, "%s  %llu failed run%s\n", rest,
			(unsigned long long)load->attempts_failed,
			rarog_plural(load->attempts_failed));
	if (r == 0 && *load->verdict) {
		r = add_verdict(log, load, &verdict);
		fprintf(log->out, "%s  %s\n", rest, rarog_str_text(&verdict));
	}
	return r;
}

/* --- a template --- */

static int add_parents(const struct rarog_commit *commit, struct rarog_str *text)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < commit->n_parents; i++)
		r = rarog_str_addf(text, "%s%.10s", i > 0 ? " " : "", commit->parents[i]);
	return r;
}

static int print_format(struct rarog_log_view *log, const struct rarog_commit *commit,
			const struct rarog_load *load, const char *graph)
{
	rarog_cleanup(rarog_str_release) struct rarog_str stats = { 0 }, parents = { 0 },
							  line = { 0 };
	char profiles[24], jobs[24], bytes[24], changes[64];
	const struct rarog_day day = rarog_day_of(commit->commit_time);
	const struct rarog_template_tag tags[] = {
		{ "checksum", commit->name },
		{ "desc", or_empty(commit->subject) },
		{ "stats", (add_stats(load, false, &stats), rarog_str_text(&stats)) },
		{ "changes", changes },
		{ "date", day.text },
		{ "author", or_empty(commit->author) },
		{ "email", or_empty(commit->email) },
		{ "parents", (add_parents(commit, &parents), rarog_str_text(&parents)) },
		{ "profiles", profiles },
		{ "jobs", jobs },
		{ "bytes", bytes },
		{ "tree", or_empty(commit->tree) },
	};
	int r;

	snprintf(profiles, sizeof(profiles), "%llu", (unsigned long long)load->profiles);
	snprintf(jobs, sizeof(jobs), "%llu", (unsigned long long)load->jobs);
	snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)load->bytes);
	snprintf(changes, sizeof(changes), "%s%s%llu", load->verdict, *load->verdict ? " " : "",
		 (unsigned long long)load->changes);
	r = rarog_template_line(log->format, RAROG_COUNT(tags), tags, &line);
	if (r < 0)
		return r;
	fprintf(log->out, "%s", graph);
	rarog_utf8_print(log->out, rarog_str_text(&line), INT_MAX);
	fputc('\n', log->out);
	return 0;
}

/* --- for programs --- */

static int write_profile(const struct rarog_record *record, void *user)
{
	rarog_record_json(user, NULL, record);
	return 0;
}

static int write_commit(struct rarog_log_view *log, const struct rarog_commit *commit,
			const struct rarog_load *load)
{
	const struct rarog_record_filter filter = { .version = commit->name,
						    .options = log->options,
						    .job = log->job };
	struct rarog_json *json = &log->json;
	int r = 0;

	rarog_json_object(json, NULL);
	rarog_json_string(json, "version", commit->name);
	rarog_json_string(json, "tree", commit->tree);
	rarog_json_array(json, "parents");
	for (size_t i = 0; i < commit->n_parents; i++)
		rarog_json_string(json, NULL, commit->parents[i]);
	rarog_json_end_array(json);
	rarog_json_string(json, "author", commit->author);
	rarog_json_string(json, "email", commit->email);
	rarog_json_int(json, "author_time_s", commit->author_time);
	rarog_json_int(json, "commit_time_s", commit->commit_time);
	rarog_json_string(json, "subject", commit->subject);
	rarog_json_uint(json, "n_profiles", load->profiles);
	rarog_json_uint(json, "n_jobs", load->jobs);
	rarog_json_uint(json, "n_machines", load->machines);
	rarog_json_uint(json, "n_dirty", load->dirty);
	rarog_json_uint(json, "n_failed", load->attempts_failed);
	rarog_json_uint(json, "bytes", load->bytes);
	rarog_json_object(json, "collectors");
	for (size_t i = 0; i < load->n_collectors; i++)
		rarog_json_uint(json, load->collectors[i].name, load->collectors[i].profiles);
	rarog_json_end_object(json);
	rarog_json_string(json, "verdict", *load->verdict ? load->verdict : NULL);
	rarog_json_uint(json, "changes", load->changes);
	if (log->with_profiles) {
		rarog_json_array(json, "profiles");
		r = rarog_record_each(log->store, &filter, write_profile, json);
		rarog_json_end_array(json);
	}
	rarog_json_end_object(json);
	return r;
}

int rarog_log_commit(struct rarog_log_view *log, const struct rarog_commit *commit,
		     const struct rarog_load *load)
{
	rarog_cleanup(rarog_str_release) struct rarog_str above = { 0 }, line = { 0 }, rest = { 0 },
							  below = { 0 };
	int r = 0;

	if (log->is_json)
		return write_commit(log, commit, load);
	if (log->draws)
		r = rarog_graph_commit(&log->graph, commit, &above, &line);
	if (log->draws && r == 0)
		r = rarog_graph_rest(&log->graph, &rest);
	if (r < 0)
		return r;
	fputs(rarog_str_text(&above), log->out);
	if (log->format)
		r = print_format(log, commit, load, rarog_str_text(&line));
	else if (log->is_short)
		r = print_oneline(log, commit, load, rarog_str_text(&line));
	else
		r = print_full(log, commit, load, rarog_str_text(&line), rarog_str_text(&rest));
	if (r == 0)
		r = print_profiles(log, commit->name, rarog_str_text(&rest));
	if (log->draws && r == 0)
		r = rarog_graph_next(&log->graph, commit, &below);
	fputs(rarog_str_text(&below), log->out);
	return r;
}

void rarog_log_begin(struct rarog_log_view *log)
{
	if (!log->is_json)
		return;
	rarog_json_start_object(&log->json, log->out);
	rarog_json_array(&log->json, "commits");
}

int rarog_log_end(struct rarog_log_view *log)
{
	if (!log->is_json)
		return 0;
	return rarog_json_finish(&log->json);
}
