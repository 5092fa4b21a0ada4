/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines come through a pipe of text from another project's program: anything may be in them.
 * What is no line of the format is counted and left out.
 */
#include "engine/stap/output.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/error.h"
#include "base/str.h"
#include "engine/stap/nested.h"

#define LINE_MAX_BYTES 512       /* longer ones are damaged */
#define DAMAGED        1         /* not an error of those that take */
#define FIELDS         5         /* before the semicolon */
#define THREADS_MOST   (1 << 22) /* numbers of threads */

enum kind {
	CALL = 0,
	RETURN = 1,
	POINT = 2,
	REGION = 3,
	REGION_END = 4,
	THREAD_BEGIN = 5,
	THREAD_END = 6,
	BEGIN = 7,
	END = 8,
	THREAD = 9,
	REGION_LEFT = 10,
	KINDS
};

#define SITE_BITS (32 - RAROG_PROBED_KIND)

struct line {
	size_t n; /* fields */
	uint64_t fields[FIELDS];
	char *rest; /* after the semicolon */
};

struct process {
	uint32_t pid;
	bool is_fresh; /* it will yet say that it begins */
	UT_hash_handle hh;
};

struct rarog_stap_output {
	struct rarog_stap_output_options options;
	struct rarog_stap_output_totals totals;
	struct process *processes;
	struct rarog_stap_nested nested;
	size_t n; /* bytes of the line that is not over */
	char line[LINE_MAX_BYTES];
	bool is_too_long;
};

static struct process *find_process(struct rarog_stap_output *o, uint32_t pid)
{
	struct process *process;

	HASH_FIND(hh, o->processes, &pid, sizeof(pid), process);
	return process;
}

static int add_process(struct rarog_stap_output *o, uint32_t pid, bool is_fresh)
{
	struct process *process = find_process(o, pid);

	if (!process) {
		process = calloc(1, sizeof(*process));
		if (!process)
			return rarog_oom();
		process->pid = pid;
		HASH_ADD(hh, o->processes, pid, sizeof(process->pid), process);
	}
	process->is_fresh = is_fresh;
	return 0;
}

static void forget_process(struct rarog_stap_output *o, uint32_t pid)
{
	struct process *process = find_process(o, pid);

	if (process)
		HASH_DEL(o->processes, process);
	free(process);
}

int rarog_stap_output_new(const struct rarog_stap_output_options *options,
			  struct rarog_stap_output **ret_output)
{
	rarog_cleanup(rarog_stap_output_freep) struct rarog_stap_output *o = calloc(1, sizeof(*o));
	int r = 0;

	if (!o)
		return rarog_oom();
	o->options = *options;
	if (options->program > 0)
		r = add_process(o, (uint32_t)options->program, true);
	if (r == 0)
		*ret_output = rarog_take(o);
	return r;
}

void rarog_stap_output_free(struct rarog_stap_output *o)
{
	struct process *process, *next;

	if (!o)
		return;
	HASH_ITER(hh, o->processes, process, next)
	forget_process(o, process->pid);
	rarog_stap_nested_release(&o->nested);
	free(o);
}

struct rarog_stap_output_totals rarog_stap_output_totals(const struct rarog_stap_output *o)
{
	return o->totals;
}

/* --- numbers --- */

/* At **@at; false: there is none, or too large. */
static bool take_number(char **at, int base, uint64_t *ret_number)
{
	char *end;

	while (**at == ' ')
		(*at)++;
	if (!isxdigit((unsigned char)**at))
		return false;
	errno = 0;
	*ret_number = strtoull(*at, &end, base);
	if (end == *at || errno != 0)
		return false;
	*at = end;
	return true;
}

static bool split(char *text, struct line *ret_line)
{
	char *semicolon = strchr(text, ';');
	struct line line = { 0 };

	if (!semicolon)
		return false;
	*semicolon = '\0';
	line.rest = semicolon + 1;
	while (line.n < FIELDS && take_number(&text, 10, &line.fields[line.n]))
		line.n++;
	*ret_line = line;
	/* Kind, thread and time at least; numbers of threads and processes have 22 bits. */
	if (*text != '\0' || line.n < 3)
		return false;
	for (size_t i = 1; i + 1 < line.n; i++)
		if (line.fields[i] > INT32_MAX)
			return false;
	return true;
}

static uint64_t time_of(const struct line *line)
{
	return line->fields[line->n - 1];
}

/* Ids by which the thread is known; only the kind, thread and time may be there. */
static struct rarog_probed_event event_of(struct rarog_stap_output *o, const struct line *line)
{
	uint32_t tid = (uint32_t)line->fields[1];

	return (struct rarog_probed_event){
		.ns = time_of(line),
		.tid = tid,
		.process = line->n > 3 ? (uint32_t)line->fields[2]
				       : rarog_stap_nested_process(&o->nested, tid),
	};
}

static int give(struct rarog_stap_output *o, const struct rarog_probed_event *event)
{
	return o->options.take(o->options.context, event);
}

/* --- calls --- */

/* Calls of scripts that do not tell places. */
static int give_nested(struct rarog_stap_output *o, struct rarog_probed_event *event)
{
	int r = event->kind == RAROG_PROBED_ENTRY ? rarog_stap_nested_open(&o->nested, event)
						  : rarog_stap_nested_close(&o->nested, event);

	return r > 0 ? give(o, event) : r;
}

/* ":UNREAD VALUE …", if it is there. false: something else is */
static bool take_values(char **at, struct rarog_probed_record *record)
{
	uint64_t unread, value;

	if (**at != ':')
		return true;
	(*at)++;
	if (!take_number(at, 16, &unread) || unread > UINT16_MAX)
		return false;
	record->event.kind |= RAROG_PROBED_VALUES;
	record->unknown = (unsigned short)unread;
	while (**at == ' ') {
		if (record->n == RAROG_VALUES_MOST || !take_number(at, 16, &value))
			return false;
		record->values[record->n++] = value;
	}
	return true;
}

/* false: it is not of that form */
static bool take_site(char **at, struct rarog_probed_event *event)
{
	uint64_t site;

	if (**at != ' ' || !take_number(at, 16, &site) || site >> SITE_BITS)
		return false;
	event->kind |= (uint32_t)site << RAROG_PROBED_KIND;
	return true;
}

/* Calls and marks. */
static int on_call(struct rarog_stap_output *o, const struct line *line)
{
	static const uint32_t kinds[] = {
		[CALL] = RAROG_PROBED_ENTRY,      [RETURN] = RAROG_PROBED_RETURN,
		[POINT] = RAROG_PROBED_POINT,     [REGION] = RAROG_PROBED_BEGIN,
		[REGION_END] = RAROG_PROBED_STOP, [REGION_LEFT] = RAROG_PROBED_LEFT,
	};
	struct rarog_probed_record record = { .event = event_of(o, line) };
	bool is_mark = line->fields[0] >= POINT;
	char *at = line->rest;
	uint64_t number, place;

	if (!take_number(&at, 10, &number) || number > UINT32_MAX)
		return DAMAGED;
	record.event.kind = kinds[line->fields[0]];
	record.event.number = (uint32_t)number;
	if (*at == '\0' && !is_mark)
		return give_nested(o, &record.event);
	if (*at != ' ' || !take_number(&at, 16, &place))
		return DAMAGED;
	record.event.place = place;
	if ((is_mark && !take_site(&at, &record.event)) || !take_values(&at, &record) || *at)
		return DAMAGED;
	return give(o, &record.event);
}

/* --- threads and processes --- */

static int on_thread(struct rarog_stap_output *o, const struct line *line)
{
	struct rarog_probed_event event = event_of(o, line);

	if (line->fields[0] == THREAD_BEGIN)
		return rarog_stap_nested_add(&o->nested, event.tid, event.process);
	event.kind = RAROG_PROBED_END;
	rarog_stap_nested_forget(&o->nested, event.tid);
	return give(o, &event);
}

static int on_number(struct rarog_stap_output *o, const struct line *line)
{
	struct rarog_probed_event event = event_of(o, line);
	char *at = line->rest;
	uint64_t number;

	if (!take_number(&at, 10, &number) || number == 0 || number > THREADS_MOST || *at != '\0')
		return DAMAGED;
	event.kind = RAROG_PROBED_THREAD;
	event.number = (uint32_t)number;
	return give(o, &event);
}

/* The last word after the name, if it is a number: the process's parent; 0: not made now. Names
 * may end in numbers, too, so scripts of script.c tell one in any case. */
static uint32_t maker_of(const struct line *line)
{
	char *at = strrchr(line->rest, ' ');
	uint64_t thread;

	return at && take_number(&at, 10, &thread) && *at == '\0' && thread <= INT32_MAX
		       ? (uint32_t)thread
		       : 0;
}

static int on_fork(struct rarog_stap_output *o, const struct line *line, uint32_t maker)
{
	struct rarog_probed_event event = event_of(o, line);

	event.kind = RAROG_PROBED_FORK;
	event.number = event.process;
	event.process = (uint32_t)line->fields[3];
	event.tid = maker ? maker : event.process;
	return give(o, &event);
}

static int on_begin(struct rarog_stap_output *o, const struct line *line)
{
	uint32_t pid = event_of(o, line).process, maker = maker_of(line);
	struct process *process = find_process(o, pid);
	struct rarog_probed_event event = event_of(o, line);
	bool is_child = line->n == 5 && find_process(o, (uint32_t)line->fields[3]);
	int r;

	if (process && !maker) {
		event.kind = RAROG_PROBED_EXEC;
		r = process->is_fresh ? 0 : give(o, &event);
		process->is_fresh = false;
		return r;
	}
	r = add_process(o, pid, maker != 0);
	return r < 0 || !is_child ? r : on_fork(o, line, maker);
}

static int on_end(struct rarog_stap_output *o, const struct line *line)
{
	struct rarog_probed_event event = event_of(o, line);

	event.kind = RAROG_PROBED_END_ALL;
	rarog_stap_nested_forget(&o->nested, event.tid);
	forget_process(o, event.process);
	return give(o, &event);
}

/* --- lines --- */

static int on_event(struct rarog_stap_output *o, char *text)
{
	static int (*const takers[KINDS])(struct rarog_stap_output * o, const struct line *line) = {
		[CALL] = on_call,           [RETURN] = on_call,
		[POINT] = on_call,          [REGION] = on_call,
		[REGION_END] = on_call,     [THREAD] = on_number,
		[THREAD_BEGIN] = on_thread, [THREAD_END] = on_thread,
		[BEGIN] = on_begin,         [END] = on_end,
		[REGION_LEFT] = on_call,
	};
	struct line line;

	if (!split(text, &line))
		return DAMAGED;
	if (line.fields[0] >= KINDS || !takers[line.fields[0]])
		return DAMAGED;
	o->totals.lines++;
	return takers[line.fields[0]](o, &line);
}

static int on_count(struct rarog_stap_output *o, char *at)
{
	uint64_t function, count;

	if (!take_number(&at, 10, &function) || !take_number(&at, 10, &count) || *at != '\0')
		return DAMAGED;
	return o->options.count ? o->options.count(o->options.context, function, count) : 0;
}

static int on_rest(struct rarog_stap_output *o, char *at)
{
	uint64_t thread, function, n;

	if (!take_number(&at, 10, &thread) || !take_number(&at, 10, &function) ||
	    !take_number(&at, 10, &n) || *at != '\0' || thread > UINT32_MAX ||
	    function > UINT32_MAX)
		return DAMAGED;
	return o->options.rest ? o->options.rest(o->options.context, (uint32_t)thread,
						 (uint32_t)function, n)
			       : 0;
}

static int on_crowded(struct rarog_stap_output *o, char *at)
{
	return take_number(&at, 10, &o->totals.crowded) && *at == '\0' ? 0 : DAMAGED;
}

static int on_outside(struct rarog_stap_output *o, char *at)
{
	return take_number(&at, 10, &o->totals.outside) && *at == '\0' ? 0 : DAMAGED;
}

static int on_written(struct rarog_stap_output *o, char *at)
{
	o->totals.is_whole = take_number(&at, 10, &o->totals.written);
	return o->totals.is_whole ? 0 : DAMAGED;
}

static int on_ready(struct rarog_stap_output *o, char *at)
{
	if (*at != '\0')
		return DAMAGED;
	if (o->options.ready)
		o->options.ready(o->options.context);
	return 0;
}

static int on_word(struct rarog_stap_output *o, char *text)
{
	static const struct {
		const char *word;
		int (*take)(struct rarog_stap_output *o, char *at);
	} words[] = {
		{ "n ", on_count },         { "s ", on_rest },          { "crowded ", on_crowded },
		{ "outside ", on_outside }, { "written ", on_written }, { "ready", on_ready },
	};

	for (size_t i = 0; i < RAROG_COUNT(words); i++)
		if (rarog_starts_with(text, words[i].word))
			return words[i].take(o, text + strlen(words[i].word));
	return DAMAGED;
}

static int on_line(struct rarog_stap_output *o, char *text)
{
	int r;

	if (o->is_too_long)
		r = DAMAGED;
	else
		r = isdigit((unsigned char)text[0]) ? on_event(o, text) : on_word(o, text);
	if (r != DAMAGED)
		return r;
	o->totals.damaged++;
	return 0;
}

static int add_byte(struct rarog_stap_output *o, char c)
{
	int r;

	if (c != '\n') {
		o->is_too_long |= o->n + 1 >= sizeof(o->line);
		if (!o->is_too_long)
			o->line[o->n++] = c ? c : '?';
		return 0;
	}
	o->line[o->n] = '\0';
	r = o->n > 0 || o->is_too_long ? on_line(o, o->line) : 0;
	o->n = 0;
	o->is_too_long = false;
	return r;
}

int rarog_stap_output_feed(struct rarog_stap_output *o, size_t n, const char bytes[n])
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_byte(o, bytes[i]);
	return r;
}
