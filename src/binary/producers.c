/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/producers.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "binary/internal.h"

void rarog_producers_release(struct rarog_producers *producers)
{
	for (size_t i = 0; i < producers->list.n; i++) {
		free(producers->list.v[i].compiler);
		free(producers->list.v[i].flags);
	}
	rarog_vec_release(&producers->list);
}

/* --- flags --- */

/* What changes code, and of that, not what has paths in it. */
static bool changes_code(size_t n, const char *flag)
{
	static const char *const kept[] = { "-O", "-f", "-m", "-g", "-std=", "-p", "--param" };
	static const char *const paths[] = { "-fdebug-prefix-map",    "-ffile-prefix-map",
					     "-fmacro-prefix-map",    "-fdebug-compilation-dir",
					     "-fcoverage-prefix-map", "-fcoverage-compilation-dir",
					     "-fprofile-prefix-map",  "-fplugin",
					     "-fpass-plugin" };

	for (size_t i = 0; i < RAROG_COUNT(paths); i++)
		if (n >= strlen(paths[i]) && memcmp(flag, paths[i], strlen(paths[i])) == 0)
			return false;
	for (size_t i = 0; i < RAROG_COUNT(kept); i++)
		if (n >= strlen(kept[i]) && memcmp(flag, kept[i], strlen(kept[i])) == 0)
			return true;
	return false;
}

static bool is_word(const char *wanted, size_t n, const char *flag)
{
	return n == strlen(wanted) && memcmp(flag, wanted, n) == 0;
}

/* "-mllvm -x", and "--param x=1" of old compilers, are two words. */
static bool takes_a_word(size_t n, const char *flag)
{
	return is_word("--param", n, flag) || is_word("-mllvm", n, flag);
}

/* Of the first words of @text. */
static size_t length_of_words(const char *text, unsigned words)
{
	size_t n = 0;

	for (unsigned i = 0; i < words; i++) {
		n += strspn(text + n, " ");
		n += strcspn(text + n, " ");
	}
	return n;
}

/* Length of what rarog cc adds at @text; 0: it is something else. Placement of counters and threads
 * change no count. */
static size_t length_of_ours(const char *text)
{
	if (rarog_starts_with(text, "-mllvm -rarog-"))
		return length_of_words(text, 2);
	if (rarog_starts_with(text, "-Xclang -mllvm -Xclang -rarog-"))
		return length_of_words(text, 4);
	return 0;
}

static int add_flags(const char *text, struct rarog_str *flags)
{
	bool is_wanted = false;
	int r = 0;

	for (size_t n; r == 0 && *text; text += n) {
		text += strspn(text, " ");
		n = length_of_ours(text);
		if (n > 0)
			continue;
		n = strcspn(text, " ");
		is_wanted = is_wanted || changes_code(n, text);
		if (!is_wanted || n == 0)
			continue;
		r = rarog_str_add(flags, flags->length > 0 ? " " : "");
		r = r < 0 ? r : rarog_str_add_bytes(flags, n, text);
		is_wanted = takes_a_word(n, text);
	}
	return r;
}

/* --- pairs --- */

static bool is_pair(const struct rarog_producer *p, size_t n, const char *compiler,
		    const char *flags)
{
	return strncmp(p->compiler, compiler, n) == 0 && p->compiler[n] == '\0' &&
	       strcmp(p->flags, flags) == 0;
}

static int add_pair(struct rarog_producers *producers, size_t n, const char *compiler,
		    const char *flags)
{
	struct rarog_producer new = { 0 };

	for (size_t i = 0; i < producers->list.n; i++)
		if (is_pair(&producers->list.v[i], n, compiler, flags))
			return 0;
	if (producers->list.n >= RAROG_PRODUCERS_MOST)
		return 0;
	new.compiler = strndup(compiler, n);
	new.flags = strdup(flags);
	if (new.compiler &&new.flags && rarog_vec_push(&producers->list, new) == 0)
		return 0;
	free(new.compiler);
	free(new.flags);
	return rarog_oom();
}

int rarog_producer_add(struct rarog_producers *producers, const char *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str flags = { 0 };
	const char *dash = strstr(text, " -"), *path = strstr(text, " /"); /* clang: its own */
	size_t n = strlen(text);

	if (dash)
		n = (size_t)((path && path < dash ? path : dash) - text);
	if (n == 0)
		return 0;
	if (dash && add_flags(dash, &flags) < 0)
		return rarog_oom();
	return add_pair(producers, n, text, rarog_str_text(&flags));
}

/* --- where it is said --- */

static const char *producer_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, DW_AT_producer, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* Return: does any unit say it? */
static int add_units(struct rarog_producers *producers, struct rarog_debug *debug)
{
	const char *last = NULL;
	int r = 0;

	for (size_t i = 0; r == 0 && i < debug->units.n; i++) {
		struct rarog_debug_unit *unit = &debug->units.v[i];
		const char *text = producer_of(&unit->tree);

		if (!text)
			text = producer_of(&unit->die);
		if (!text || text == last) /* mostly one string, shared by all */
			continue;
		last = text;
		r = rarog_producer_add(producers, text);
	}
	return r < 0 ? r : last != NULL;
}

/* Texts with NULs between. @add may be called with an empty one. Return: the sum of what it
 * returns. */
static int each_text(const struct rarog_elf *elf, const char *section,
		     int (*add)(struct rarog_producers *, const char *),
		     struct rarog_producers *producers)
{
	const struct rarog_elf_section *s = rarog_elf_section(elf, section);
	size_t n = 0;
	const char *text = s ? (const char *)rarog_elf_section_bytes(elf, s, &n) : NULL;
	int r = 0, sum = 0;

	if (!text || n == 0 || text[n - 1] != '\0')
		return 0;
	for (const char *end = text + n; r >= 0 && text < end; text += strlen(text) + 1) {
		r = add(producers, text);
		sum += r > 0;
	}
	return r < 0 ? r : sum;
}

/* gcc: as in the debug information. clang: the command, which does not say the version. */
static int add_command_line(struct rarog_producers *producers, const char *text)
{
	if (!rarog_starts_with(text, "GNU "))
		return 0;
	int r = rarog_producer_add(producers, text);

	return r < 0 ? r : 1;
}

static int add_comment(struct rarog_producers *producers, const char *text)
{
	return *text ? add_pair(producers, strlen(text), text, "") : 0;
}

int rarog_producers_add(struct rarog_producers *producers, struct rarog_binary *binary)
{
	struct rarog_debug *debug;
	int r = rarog_debug_get(binary, &debug);

	if (r == 0)
		r = add_units(producers, debug);
	if (r == 0)
		r = each_text(binary->elf, ".GCC.command.line", add_command_line, producers);
	if (r == 0)
		r = each_text(binary->elf, ".comment", add_comment, producers);
	return r < 0 ? r : 0;
}
