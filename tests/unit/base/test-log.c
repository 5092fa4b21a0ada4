/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes to stderr: log lines, warnings, progress. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/wrap.h"

/* Runs @write with stderr in a pipe; the text stays until the next call. */
static const char *stderr_of(void (*write_something)(void))
{
	static char text[4096];
	int ends[2], saved = dup(STDERR_FILENO);
	ssize_t n;

	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	write_something();
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(ends[1]);
	n = read(ends[0], text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	close(ends[0]);
	close(saved);
	return text;
}

static void warn(void)
{
	rarog_warn("no %s, doing %d instead", "x", 7);
}

static void debug(void)
{
	rarog_debug(RAROG_LOG_SITE, "site %d", 1);
	rarog_debug(RAROG_LOG_VIEW, "view %d", 2);
}

TEST(warnings_are_one_line_unless_quiet)
{
	assert_string_equal(stderr_of(warn), "rarog: warning: no x, doing 7 instead\n");
	rarog_log_set_quiet(true);
	assert_string_equal(stderr_of(warn), "");
	rarog_log_set_quiet(false);
}

TEST(domains_are_off_until_asked_for)
{
	const char *text;

	rarog_log_mask_ = 0;
	assert_string_equal(stderr_of(debug), "");
	assert_int_equal(rarog_log_enable("drain,view"), 0);
	text = stderr_of(debug);
	assert_non_null(strstr(text, "rarog view ["));
	assert_non_null(strstr(text, "]: view 2\n"));
	assert_null(strstr(text, "site"));
	assert_int_equal(rarog_log_enable("all"), 0);
	assert_non_null(strstr(stderr_of(debug), "]: site 1\n"));
	rarog_log_mask_ = 0;
}

TEST(every_domain_has_a_name)
{
	const char *const *names = rarog_log_domain_names();

	for (int i = 0; i < RAROG_LOG_DOMAINS; i++) {
		assert_non_null(names[i]);
		rarog_log_mask_ = 0;
		assert_int_equal(rarog_log_enable(names[i]), 0);
		assert_int_equal(rarog_log_mask_, 1u << i);
	}
	assert_null(names[RAROG_LOG_DOMAINS]);
	rarog_log_mask_ = 0;
	assert_int_equal(rarog_log_enable("symbol,drian"), -EINVAL);
	assert_string_equal(rarog_error_message(),
			    "unknown debug domain 'drian'; did you mean drain?");
	rarog_log_mask_ = 0;
}

TEST(recording_gets_all_lines_and_shows_no_more)
{
	int ends[2];
	char text[512] = "";

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(rarog_log_enable("view"), 0);
	rarog_log_record(ends[1]);
	assert_null(strstr(stderr_of(debug), "site 1"));
	rarog_log_set_quiet(true);
	assert_string_equal(stderr_of(warn), "");
	rarog_log_set_quiet(false);
	rarog_log_record(-1);
	assert_non_null(strstr(stderr_of(debug), "view 2"));
	assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
	assert_non_null(strstr(text, "site 1\n"));
	assert_non_null(strstr(text, "view 2\n"));
	assert_string_equal(strstr(text, "rarog: warning"),
			    "rarog: warning: no x, doing 7 instead\n");
	assert_int_equal(rarog_log_mask_, 1u << RAROG_LOG_VIEW);
	rarog_log_mask_ = 0;
	close(ends[0]);
	close(ends[1]);
}

TEST(warnings_alone_are_recorded_without_their_head)
{
	int ends[2];
	char text[512] = "";

	assert_int_equal(pipe(ends), 0);
	rarog_log_record_warnings(ends[1]);
	assert_int_equal(rarog_log_enable("view"), 0);
	stderr_of(debug);
	rarog_log_mask_ = 0;
	rarog_log_set_quiet(true);
	assert_string_equal(stderr_of(warn), "");
	rarog_log_set_quiet(false);
	rarog_log_record_warnings(-1);
	stderr_of(warn);
	assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
	assert_string_equal(text, "no x, doing 7 instead\n");
	close(ends[0]);
	close(ends[1]);
}

static void warn_long(void)
{
	char big[3500];

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	rarog_warn("%s", big);
}

TEST(long_lines_are_cut_and_end)
{
	const char *text = stderr_of(warn_long);

	assert_int_equal(strlen(text), 2047);
	assert_int_equal(text[2046], '\n');
}

TEST(progress_tells_rate_and_time_left)
{
	rarog_cleanup(rarog_str_release) struct rarog_str line = { 0 };
	struct rarog_progress progress = { .what = "reading", .thing = "events", .total = 4000000 };

	assert_int_equal(rarog_progress_line(&progress, 1000000, 2000000000, &line), 0);
	assert_string_equal(line.text, "reading 1.000 M events, 500.0 k/s, 25.0 %, 6 s left");
	rarog_str_clear(&line);
	assert_int_equal(rarog_progress_line(&progress, 0, 0, &line), 0);
	assert_string_equal(line.text, "reading 0 events, 0/s, 0.00 %");
	rarog_str_clear(&line);
	progress = (struct rarog_progress){ .what = "writing" };
	assert_int_equal(rarog_progress_line(&progress, 2048, 1000000000, &line), 0);
	assert_string_equal(line.text, "writing 2.000 KiB, 2.000 KiB/s");
}

static void show_progress(void)
{
	struct rarog_progress progress;

	rarog_progress_start(&progress, "reading", "events", 10, false);
	progress.next_ns = 0;
	rarog_progress_update(&progress, 5);
	rarog_progress_finish(&progress);
}

TEST(progress_is_silent_without_a_terminal)
{
	assert_string_equal(stderr_of(show_progress), "");
}

static void is_wrapped(const char *text, int indent, int width, const char *expected)
{
	rarog_cleanup(rarog_freep) char *shown = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&shown, &n);

	rarog_wrap(out, text, 0, indent, width);
	fclose(out);
	assert_string_equal(shown, expected);
}

TEST(prose_is_wrapped)
{
	is_wrapped("one two three", 0, 7, "one two\nthree\n");
	is_wrapped("one\ntwo\n\nthree", 2, 20, "  one two\n\n  three\n");
	is_wrapped("see:\n  kept   as is\nand on", 0, 20, "see:\n  kept   as is\nand on\n");
	is_wrapped("toolongforaline x", 0, 4, "toolongforaline\nx\n");
	is_wrapped("", 0, 10, "");
}
