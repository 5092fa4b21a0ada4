/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JUnit's XML: a suite a job, a case for everything that was compared. Slower is a failure, what
 * could not be decided is skipped. */
#include "base/error.h"
#include "view/text.h"
#include "view/verdict/verdict-view.h"

static int print_case(FILE *out, const struct rarog_check *check, const struct rarog_change *change)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	bool is_failure = rarog_class_is_degradation(change->class);
	bool is_skipped = change->class == RAROG_CLASS_UNKNOWN;
	int r = rarog_change_sentence(change, &text);

	if (r == 0)
		r = rarog_change_title(change, &title);
	fputs("    <testcase classname=\"", out);
	if (r == 0)
		r = rarog_xml_add(out, check->job);
	fputs("\" name=\"", out);
	if (r == 0)
		r = rarog_xml_add(out, rarog_str_text(&title));
	if (!is_failure && !is_skipped) {
		fputs("\"/>\n", out);
		return r;
	}
	fprintf(out, "\">\n      <%s message=\"", is_failure ? "failure" : "skipped");
	if (r == 0)
		r = rarog_xml_add(out, rarog_str_text(&text));
	if (is_failure)
		fprintf(out, "\" type=\"%s", rarog_class_name(change->class));
	fputs("\"/>\n    </testcase>\n", out);
	return r;
}

static int print_suite(FILE *out, const struct rarog_check *check)
{
	const struct rarog_verdict *verdict = &check->verdict;
	size_t failures = 0, skipped = 0;
	int r;

	for (size_t i = 0; i < verdict->changes.n; i++) {
		failures += rarog_class_is_degradation(verdict->changes.v[i].class);
		skipped += verdict->changes.v[i].class == RAROG_CLASS_UNKNOWN;
	}
	fputs("  <testsuite name=\"", out);
	r = rarog_xml_add(out, check->job);
	fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
		verdict->changes.n, failures, skipped);
	for (size_t i = 0; r == 0 && i < verdict->changes.n; i++)
		r = print_case(out, check, &verdict->changes.v[i]);
	fputs("  </testsuite>\n", out);
	return r;
}

static int write_junit(const struct rarog_checks *checks,
		       const struct rarog_verdict_options *options, FILE *out)
{
	int r = 0;

	(void)options;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"rarog check\">\n",
	      out);
	for (size_t i = 0; r == 0 && i < checks->list.n; i++)
		r = print_suite(out, &checks->list.v[i]);
	fputs("</testsuites>\n", out);
	return r;
}

const struct rarog_verdict_format rarog_verdict_junit = { .write = write_junit };
