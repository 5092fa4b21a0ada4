/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values told with calls and marks. Probes of SystemTap may not sleep, so memory that is not there
 * yet is not brought in: what stands in a page that the program has never touched, or that is
 * swapped out, stays unread, as does what a pointer that leads nowhere points to. A reading that
 * fails is caught, value by value. Vector registers are not in what the kernel shows of a program.
 */
#include "engine/stap/script-parts.h"

#include <inttypes.h>

/* Pieces that never reach into another page. */
static const char helpers[] =
	"function word:long (at:long, n:long) %{ /* pure */\n"
	"\tu64 value = 0;\n"
	"\tconst char __user *from = (const char __user *)(uintptr_t)STAP_ARG_at;\n"
	"\tif (_stp_copy_from_user((char *)&value, from, STAP_ARG_n))\n"
	"\t\tCONTEXT->last_error = \"unread\";\n"
	"\telse\n"
	"\t\tSTAP_RETVALUE = value;\n"
	"%}\n"
	"function length:long (at:long) %{ /* pure */\n"
	"\tunsigned long at = STAP_ARG_at, n = 0, piece;\n"
	"\tchar bytes[64], *end = NULL;\n"
	"\twhile (!end && n <= RAROG_TEXT_MAX) {\n"
	"\t\tpiece = sizeof(bytes) - (at + n) % sizeof(bytes);\n"
	"\t\tif (_stp_copy_from_user(bytes, (const char __user *)(at + n), piece))\n"
	"\t\t\tbreak;\n"
	"\t\tend = memchr(bytes, 0, piece);\n"
	"\t\tn += end ? end - bytes : piece;\n"
	"\t}\n"
	"\tif (!end || n > RAROG_TEXT_MAX)\n"
	"\t\tCONTEXT->last_error = \"unread\";\n"
	"\telse\n"
	"\t\tSTAP_RETVALUE = n;\n"
	"%}\n"
	"function difference:long (at:long, other:long, n:long) {\n"
	"\treturn word(at + other, 8) - word(at, n)\n"
	"}\n"
	/* Where the probe is that runs: process("…").statement(0x…). */
	"function mark_at:long () %{ /* pure */\n"
	"\tconst char *at = strrchr(CONTEXT->probe_point, '(');\n"
	"\tSTAP_RETVALUE = at ? simple_strtoul(at + 1, NULL, 16) : 0;\n"
	"%}\n"
	"function nothing () %{ %}\n";

int rarog_stap_put_helpers(struct rarog_str *text)
{
	int r = rarog_str_addf(text, "%%{\n#define RAROG_TEXT_MAX %d\n%%}\n", RAROG_TEXT_MAX);

	return r < 0 ? r : rarog_str_add(text, helpers);
}

/* v@i = @expression, which may fail. */
static int put_reading(struct rarog_str *text, unsigned i, const char *expression)
{
	return rarog_str_addf(text, "\ttry { v%u = %s } catch { v%u = 0; u = u | %u }\n", i,
			      expression, i, 1u << i);
}

static int put_unread(struct rarog_str *text, unsigned i)
{
	return rarog_str_addf(text, "\tv%u = 0; u = u | %u\n", i, 1u << i);
}

/* --- of calls --- */

static int put_start(struct rarog_str *text, const struct rarog_value_way *way, bool is_return)
{
	static const char *const registers[2][6] = {
		{ "rdi", "rsi", "rdx", "rcx", "r8", "r9" },
		{ "rax", "rdx", "rax", "rax", "rax", "rax" },
	};

	if (way->source == RAROG_WAY_STACK)
		return rarog_str_addf(text, "word(u_register(\"rsp\") + (%d), 8)", way->stack);
	return rarog_str_addf(text, "u_register(\"%s\")", registers[is_return][way->number % 6]);
}

/* The first @n steps, from outside inwards: word(word(START + (8), 8) + (16), 4). */
static int put_steps(struct rarog_str *text, const struct rarog_value_way *way, bool is_return,
		     unsigned n)
{
	int r = 0;

	for (unsigned i = 0; r == 0 && i < n; i++)
		r = rarog_str_add(text, "word(");
	if (r == 0)
		r = put_start(text, way, is_return);
	for (unsigned i = 0; r == 0 && i < n; i++)
		r = rarog_str_addf(text, " + (%d), %d)", way->steps[i],
				   i + 1 < way->n_steps ? 8 : way->bytes);
	return r;
}

/* Of two pointers: where the last step leads, and so far after it. */
static int put_difference(struct rarog_str *text, const struct rarog_value_way *way, bool is_return)
{
	unsigned last = way->n_steps - 1u;
	int r = rarog_str_add(text, "difference(");

	if (r == 0)
		r = put_steps(text, way, is_return, last);
	return r < 0 ? r
		     : rarog_str_addf(text, " + (%d), %d, %d)", way->steps[last], way->other,
				      way->bytes);
}

static int put_end(struct rarog_str *text, const struct rarog_value_way *way, bool is_return)
{
	int r;

	if (way->finish == RAROG_WAY_DIFFERENCE && way->n_steps > 0)
		return put_difference(text, way, is_return);
	if (way->finish != RAROG_WAY_LENGTH)
		return put_steps(text, way, is_return, way->n_steps);
	r = rarog_str_add(text, "length(");
	if (r == 0)
		r = put_steps(text, way, is_return, way->n_steps);
	return r < 0 ? r : rarog_str_add(text, ")");
}

int rarog_stap_put_way(struct rarog_str *text, const struct rarog_value_way *way, bool is_return,
		       unsigned i)
{
	rarog_cleanup(rarog_str_release) struct rarog_str value = { 0 };
	int r;

	if (way->source == RAROG_WAY_VECTOR)
		return put_unread(text, i);
	r = put_end(&value, way, is_return);
	return r < 0 ? r : put_reading(text, i, rarog_str_text(&value));
}

/* --- of marks --- */

static int put_register(struct rarog_str *text, unsigned number)
{
	static const char *const names[RAROG_MARK_NO_REGISTER] = {
		"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
		"r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
	};

	return number < RAROG_MARK_NO_REGISTER
		       ? rarog_str_addf(text, "u_register(\"%s\")", names[number])
		       : rarog_str_add(text, "0");
}

/* Places in the binary are told from the mark: a thread that passes it is there. */
static int put_number(struct rarog_str *text, const struct rarog_mark_way *way)
{
	return rarog_str_addf(text, "(0x%" PRIx64 "%s)", (uint64_t)way->number,
			      way->is_place ? " + u_register(\"rip\")" : "");
}

static int put_memory(struct rarog_str *text, const struct rarog_mark_way *way)
{
	int r = rarog_str_add(text, "word(");

	if (r == 0)
		r = put_number(text, way);
	if (r == 0)
		r = rarog_str_add(text, " + ");
	if (r == 0)
		r = put_register(text, way->base);
	if (r == 0)
		r = rarog_str_add(text, " + ");
	if (r == 0)
		r = put_register(text, way->index);
	return r < 0 ? r : rarog_str_addf(text, " * %u, %u)", way->scale, way->bytes);
}

static int put_raw(struct rarog_str *text, const struct rarog_mark_way *way)
{
	if (way->source == RAROG_MARK_GENERAL)
		return put_register(text, way->base);
	return way->source == RAROG_MARK_NUMBER ? put_number(text, way) : put_memory(text, way);
}

/* To 64 bits, as the note says. Shifts to the right keep the sign. */
static int put_extended(struct rarog_str *text, const struct rarog_mark_way *way, const char *raw)
{
	unsigned unused = (64 - 8u * way->bytes) & 63;

	if (unused == 0 && way->shift == 0)
		return rarog_str_add(text, raw);
	if (way->is_signed)
		return rarog_str_addf(text, "(((%s >> %u) << %u) >> %u)", raw, way->shift, unused,
				      unused);
	return rarog_str_addf(text, "((%s >> %u) & 0x%" PRIx64 ")", raw, way->shift,
			      UINT64_MAX >> unused);
}

int rarog_stap_put_mark_way(struct rarog_str *text, const struct rarog_mark_way *way, unsigned i)
{
	rarog_cleanup(rarog_str_release) struct rarog_str raw = { 0 }, value = { 0 };
	int r;

	if (way->source == RAROG_MARK_UNKNOWN || way->source == RAROG_MARK_VECTOR)
		return put_unread(text, i);
	r = put_raw(&raw, way);
	if (r == 0)
		r = put_extended(&value, way, rarog_str_text(&raw));
	return r < 0 ? r : put_reading(text, i, rarog_str_text(&value));
}

/* --- printing --- */

int rarog_stap_put_line(struct rarog_str *text, const struct rarog_stap_line *line)
{
	bool is_mark = (line->kind >= RAROG_STAP_POINT && line->kind <= RAROG_STAP_REGION_END) ||
		       line->kind == RAROG_STAP_REGION_LEFT;
	int r = rarog_str_addf(text, "\tprintf(\"%d %%d %%d %%d;%u %%x", (int)line->kind,
			       line->number);

	if (r == 0 && is_mark)
		r = rarog_str_addf(text, " %x", line->site);
	if (r == 0 && line->has_values)
		r = rarog_str_add(text, ":%x");
	for (unsigned i = 0; r == 0 && i < line->n_values; i++)
		r = rarog_str_add(text, " %x");
	if (r == 0)
		r = rarog_str_addf(text, "\\n\", tid(), pid(), %s, %s%s",
				   line->is_late ? "ns" : "ktime_get_ns()", line->place,
				   line->has_values ? ", u" : "");
	for (unsigned i = 0; r == 0 && i < line->n_values; i++)
		r = rarog_str_addf(text, ", v%u", i);
	return r < 0 ? r : rarog_str_add(text, "); written <<< 1\n");
}
