/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Our rows are put on top of the remote's tree by git fast-import, which needs no blob of the
 * parent, and pushed under the condition that the remote still is what was fetched. If another
 * was quicker, theirs is fetched and ours put on top of it: the union, whichever wins.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "store/exchange-own.h"
#include "store/store-own.h"

#define TRIES 100

struct push {
	struct rarog_exchange *x;
	struct rarog_git_stream import;
	size_t n;
	const int64_t *ids;
	struct rarog_exchange_result result;
	bool is_started;
	char ours[32]; /* ref of this try */
};

/* --- a commit --- */

static int tell(struct push *p, size_t n, const void *bytes)
{
	int r = rarog_git_tell(&p->import, n, bytes);

	return r < 0 ? rarog_fail(r, "git fast-import ended too early") : 0;
}

__attribute__((format(printf, 2, 3))) static int tellf(struct push *p, const char *format, ...)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	va_list args;
	int r;

	va_start(args, format);
	r = rarog_str_vaddf(&text, format, args);
	va_end(args);
	return r < 0 ? rarog_oom() : tell(p, text.length, text.text);
}

static int tell_file(struct push *p, const char *path, size_t n, const char *bytes)
{
	int r = tellf(p, "M 100644 inline %s\ndata %zu\n", path, n);

	if (r == 0)
		r = tell(p, n, bytes);
	return r < 0 ? r : tell(p, 1, "\n");
}

static int start_commit(struct push *p)
{
	static const char message[] = "profiles by rarog " RAROG_VERSION "\n";
	int r = 0;

	if (p->is_started)
		return 0;
	r = rarog_git_start(&p->x->git,
			    (const char *const[]){ "fast-import", "--quiet", "--force",
						   "--date-format=raw", NULL },
			    true, &p->import);
	p->is_started = r == 0;
	if (r == 0)
		r = tellf(p, "commit %s\ncommitter rarog <rarog> %" PRId64 " +0000\ndata %zu\n%s\n",
			  p->ours, (int64_t)time(NULL), strlen(message), message);
	if (r == 0 && *p->x->tip)
		r = tellf(p, "from %s\n", p->x->tip);
	return r < 0 ? r : tell_file(p, "format", 2, "1\n");
}

static int put_profile(struct push *p, const struct rarog_parcel *parcel)
{
	struct rarog_profile_path path = rarog_exchange_profile(&parcel->object);
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	size_t n = 0;
	int r;

	if (rarog_exchange_find(p->x, path.text))
		return 0;
	r = rarog_parcel_bytes(p->x->store, &parcel->object, &bytes, &n);
	p->result.bytes += n;
	return r < 0 ? r : tell_file(p, path.text, n, bytes);
}

static int put_record(const struct rarog_record *record, void *user)
{
	rarog_cleanup(rarog_parcel_release) struct rarog_parcel parcel = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str words = { 0 };
	struct rarog_row_path path;
	struct push *p = user;
	int r = rarog_parcel_of(p->x->store, p->x->vcs, record, &parcel);

	if (r == 0)
		r = rarog_parcel_print(&parcel, &words);
	if (r < 0)
		return r;
	path = rarog_exchange_row(&parcel, words.length, words.text);
	if (rarog_exchange_find(p->x, path.text)) {
		p->result.known++;
		return 0;
	}
	p->result.sent++;
	r = start_commit(p);
	if (r == 0)
		r = put_profile(p, &parcel);
	return r < 0 ? r : tell_file(p, path.text, words.length, words.text);
}

static int finish_commit(struct push *p)
{
	rarog_cleanup(rarog_str_release) struct rarog_str words = { 0 };
	int r = tell(p, 5, "done\n");

	close(p->import.to);
	p->import.to = -1;
	while (getc(p->import.from) != EOF) /* it has ended then, and its words are complete */
		continue;
	rarog_git_words(&p->import, &words);
	if (rarog_git_finish(&p->import) == 0 && r == 0)
		return 0;
	return rarog_fail(-EIO, "git fast-import: %.*s", (int)strcspn(rarog_str_text(&words), "\n"),
			  rarog_str_text(&words));
}

/* 1 there is something to push, 0 the remote has it all. */
static int make_commit(struct push *p)
{
	uint64_t rounds = p->result.rounds;
	int r = 0;

	p->result = (struct rarog_exchange_result){ .rounds = rounds + 1 };
	p->import = (struct rarog_git_stream)RAROG_GIT_STREAM_NONE;
	p->is_started = false;
	snprintf(p->ours, sizeof(p->ours), "refs/heads/try-%" PRIu64, rounds);
	for (size_t i = 0; r == 0 && i < p->n; i++)
		r = rarog_record_each(p->x->store, &(struct rarog_record_filter){ .id = p->ids[i] },
				      put_record, p);
	if (r == 0 && p->is_started)
		r = finish_commit(p);
	else
		rarog_git_stop(&p->import);
	return r < 0 ? r : p->is_started;
}

/* --- pushing it --- */

/* Somebody was quicker: git's words for it, on our side and on theirs. */
static bool is_overtaken(const char *words)
{
	static const char *const says[] = { "stale info",
					    "fetch first",
					    "non-fast-forward",
					    "cannot lock ref",
					    "failed to update ref",
					    "failed to lock",
					    "reference already exists",
					    "needs force",
					    "incorrect old value provided" };

	for (size_t i = 0; i < RAROG_COUNT(says); i++)
		if (strstr(words, says[i]))
			return true;
	return false;
}

/* git pads what the remote said with blanks. */
static int line_length(const char *text)
{
	int n = (int)strcspn(text, "\n");

	while (n > 0 && text[n - 1] == ' ')
		n--;
	return n;
}

/* The remote's own line, or git's that names the reason. */
static int refused(const struct push *p, const char *report, const char *words)
{
	const char *reason = strstr(report, "[remote rejected]");
	const char *remote = strstr(words, "remote: ");
	const char *line = reason ? strchr(reason, '(') : strstr(words, "fatal: ");

	if (!line)
		line = strstr(words, "error: ");
	line = line ? line : words;
	if (remote && reason)
		return rarog_fail(-EIO, "%s refuses the profiles: %.*s %.*s", p->x->remote,
				  line_length(line), line, line_length(remote + 8), remote + 8);
	return rarog_fail(-EIO, "%s refuses the profiles: %.*s", p->x->remote, line_length(line),
			  line);
}

/* 1 done, 0 overtaken. */
static int send(const struct push *p)
{
	rarog_cleanup(rarog_freep) char *lease =
		rarog_asprintf("--force-with-lease=" RAROG_EXCHANGE_REF ":%s", p->x->tip);
	rarog_cleanup(rarog_freep) char *refs = rarog_asprintf("%s:" RAROG_EXCHANGE_REF, p->ours);
	rarog_cleanup(rarog_str_release) struct rarog_str report = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str words = { 0 };
	int status;

	if (!lease || !refs)
		return rarog_oom();
	status = rarog_git(&p->x->git,
			   (const char *const[]){ "push", "--porcelain", "--no-verify", "--no-thin",
						  "--no-follow-tags", "--recurse-submodules=no",
						  "--no-signed", lease, RAROG_EXCHANGE_NAME, refs,
						  NULL },
			   0, NULL, &report, &words);
	if (status <= 0)
		return status < 0 ? status : 1;
	rarog_debug(RAROG_LOG_STORE, "push: %s %s", rarog_str_text(&report),
		    rarog_str_text(&words));
	if (is_overtaken(rarog_str_text(&report)) || is_overtaken(rarog_str_text(&words)))
		return 0;
	return refused(p, rarog_str_text(&report), rarog_str_text(&words));
}

/* Pushes that collided do not meet again at once. */
static void pause_before(uint64_t round)
{
	uint64_t most = 20 + 40 * (round < 25 ? round : 25);
	uint64_t ms = (rarog_epoch_ns() / 1000 + (uint64_t)getpid() * 7919) % most;
	const struct timespec pause = { .tv_sec = (time_t)(ms / 1000),
					.tv_nsec = (long)(ms % 1000) * 1000000 };

	nanosleep(&pause, NULL);
}

int rarog_exchange_push(struct rarog_exchange *exchange, size_t n, const int64_t ids[n],
			struct rarog_exchange_result *ret_result)
{
	struct push p = { .x = exchange, .n = n, .ids = ids };

	for (int try = 0; try < TRIES; try++) {
		int r = rarog_exchange_fetch(exchange), has = r < 0 ? r : make_commit(&p);
		int is_sent = has == 1 ? send(&p) : has;

		*ret_result = p.result;
		if (has <= 0 || is_sent != 0)
			return is_sent < 0 ? is_sent : 0;
		pause_before(p.result.rounds);
	}
	return rarog_fail(-EAGAIN, "%s: others push all the time; try again later",
			  exchange->remote);
}
