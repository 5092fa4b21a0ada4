/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nearest.h"

#define ALL ((1u << RAROG_LOG_DOMAINS) - 1)

static const char *const names[RAROG_LOG_DOMAINS + 1] = {
	[RAROG_LOG_SYMBOL] = "symbol",   [RAROG_LOG_SITE] = "site",
	[RAROG_LOG_AGENT] = "agent",     [RAROG_LOG_INSTALL] = "install",
	[RAROG_LOG_DRAIN] = "drain",     [RAROG_LOG_ASSEMBLE] = "assemble",
	[RAROG_LOG_PROFILE] = "profile", [RAROG_LOG_STORE] = "store",
	[RAROG_LOG_VIEW] = "view",       [RAROG_LOG_CMD] = "cmd",
};

unsigned rarog_log_mask_;
static unsigned shown;  /* while recording: domains that were asked for */
static int record = -1; /* gets all lines */
static int record_warnings = -1;
static bool quiet;
static const char warning[] = "rarog: warning: ";
static void (*before_line)(void);
static struct timespec first; /* when the first domain was switched on */

const char *const *rarog_log_domain_names(void)
{
	return names;
}

static int enable_one(const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str hint = { 0 };
	struct rarog_nearest nearest = { .wanted = name };

	if (strcmp(name, "all") == 0) {
		rarog_log_mask_ = ALL;
		return 0;
	}
	for (int i = 0; i < RAROG_LOG_DOMAINS; i++) {
		if (strcmp(names[i], name) == 0) {
			rarog_log_mask_ |= 1u << i;
			return 0;
		}
		rarog_nearest_offer(&nearest, names[i]);
	}
	if (nearest.n == 0) {
		rarog_str_add(&hint, "; there are all");
		for (int i = 0; i < RAROG_LOG_DOMAINS; i++)
			rarog_str_addf(&hint, ", %s", names[i]);
	}
	rarog_nearest_add(&nearest, "", &hint);
	return rarog_fail(-EINVAL, "unknown debug domain '%s'%s", name, rarog_str_text(&hint));
}

int rarog_log_enable(const char *list)
{
	rarog_cleanup(rarog_freep) char *copy = strdup(list);
	char *rest = copy;

	if (!copy)
		return rarog_oom();
	clock_gettime(CLOCK_MONOTONIC, &first);
	for (char *name; (name = strsep(&rest, ",")) != NULL;) {
		int r = *name ? enable_one(name) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

void rarog_log_set_quiet(bool is_quiet)
{
	quiet = is_quiet;
}

bool rarog_log_is_quiet(void)
{
	return quiet;
}

void rarog_log_record(int fd)
{
	if (first.tv_sec == 0)
		clock_gettime(CLOCK_MONOTONIC, &first);
	if (record < 0)
		shown = rarog_log_mask_;
	rarog_log_mask_ = fd < 0 ? shown : ALL;
	record = fd;
}

void rarog_log_record_warnings(int fd)
{
	record_warnings = fd;
}

void rarog_log_before(void (*hook)(void))
{
	before_line = hook;
}

static void put_line(int fd, size_t n, const char *line)
{
	while (fd >= 0 && write(fd, line, n) < 0 && errno == EINTR)
		;
}

/* One write(2): no line of another process or thread in the middle of ours. */
__attribute__((format(printf, 3, 0))) static void write_line(bool is_shown, const char *head,
							     const char *format, va_list args)
{
	char line[2048];
	size_t n = (size_t)snprintf(line, sizeof(line) / 2, "%s", head), n_head = strlen(line);
	int more = vsnprintf(line + n, sizeof(line) - n - 1, format, args);

	if (more < 0)
		return;
	n = strlen(line);
	line[n++] = '\n';
	put_line(record, n, line);
	if (head == warning)
		put_line(record_warnings, n - n_head, line + n_head);
	if (!is_shown)
		return;
	if (before_line)
		before_line();
	put_line(STDERR_FILENO, n, line);
}

void rarog_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(!quiet, warning, format, args);
	va_end(args);
}

void rarog_warn_lines(const char *text)
{
	for (size_t n; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		rarog_warn("%.*s", (int)n, text);
	}
}

void rarog_debug_(enum rarog_log_domain domain, const char *format, ...)
{
	struct timespec now;
	char head[64];
	va_list args;

	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t us = (now.tv_sec - first.tv_sec) * 1000000 + (now.tv_nsec - first.tv_nsec) / 1000;

	snprintf(head, sizeof(head), "rarog %s [%.6f]: ", names[domain], (double)us / 1e6);
	va_start(args, format);
	write_line(record < 0 || (shown & (1u << domain)), head, format, args);
	va_end(args);
}
