/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/progress.h"

#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"
#include "base/utf8.h"

#define FIRST_NS  UINT64_C(300000000)
#define PERIOD_NS UINT64_C(100000000)

static struct rarog_progress *current;

static void erase(void)
{
	if (current && current->is_shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
		current->is_shown = false;
	}
}

void rarog_progress_start(struct rarog_progress *progress, const char *what, const char *thing,
			  uint64_t total, bool is_quiet)
{
	*progress = (struct rarog_progress){
		.what = what,
		.thing = thing,
		.total = total,
		.is_enabled = !is_quiet && isatty(STDERR_FILENO),
		.start_ns = rarog_now_ns(),
	};
	progress->next_ns = progress->start_ns + FIRST_NS;
	current = progress;
	rarog_log_before(erase);
}

static struct rarog_amount amount(const struct rarog_progress *progress, uint64_t value)
{
	return progress->thing ? rarog_format_short_count(value) : rarog_format_bytes(value);
}

static double rate_per_s(uint64_t done, uint64_t elapsed_ns)
{
	return elapsed_ns ? (double)done * 1e9 / (double)elapsed_ns : 0;
}

static int add_rest(const struct rarog_progress *progress, uint64_t done, double per_s,
		    struct rarog_str *text)
{
	uint64_t left = progress->total > done ? progress->total - done : 0;
	int r = rarog_str_addf(text, ", %s", rarog_format_percent(done, progress->total).text);

	if (r < 0 || per_s <= 0)
		return r;
	return rarog_str_addf(text, ", %.0f s left", ceil((double)left / per_s));
}

int rarog_progress_line(const struct rarog_progress *progress, uint64_t done, uint64_t elapsed_ns,
			struct rarog_str *text)
{
	double per_s = rate_per_s(done, elapsed_ns);
	const char *gap = progress->thing ? " " : "",
		   *thing = progress->thing ? progress->thing : "";
	int r = rarog_str_addf(text, "%s %s%s%s, %s/s", progress->what, amount(progress, done).text,
			       gap, thing, amount(progress, (uint64_t)per_s).text);

	if (r < 0 || progress->total == 0)
		return r;
	return add_rest(progress, done, per_s, text);
}

static int terminal_width(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void rarog_progress_update(struct rarog_progress *progress, uint64_t done)
{
	rarog_cleanup(rarog_str_release) struct rarog_str line = { 0 };
	uint64_t now;

	if (!progress->is_enabled)
		return;
	now = rarog_now_ns();
	if (now < progress->next_ns)
		return;
	progress->next_ns = now + PERIOD_NS;
	if (rarog_progress_line(progress, done, now - progress->start_ns, &line) < 0)
		return;
	fputc('\r', stderr);
	rarog_utf8_print(stderr, line.text, terminal_width() - 1);
	fputs("\033[K", stderr);
	fflush(stderr);
	progress->is_shown = true;
}

void rarog_progress_finish(struct rarog_progress *progress)
{
	if (current != progress)
		return;
	erase();
	current = NULL;
	rarog_log_before(NULL);
}
