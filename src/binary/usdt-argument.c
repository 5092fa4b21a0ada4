/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/usdt-argument.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "binary/binary.h"

/* An argument's text, from here to its end. */
struct text {
	const char *at, *end;
};

static bool take(struct text *t, char c)
{
	if (t->at == t->end || *t->at != c)
		return false;
	t->at++;
	return true;
}

static size_t word_length(const struct text *t)
{
	size_t n = 0;

	while (t->at + n < t->end && (isalnum((unsigned char)t->at[n]) || strchr("_.$@", t->at[n])))
		n++;
	return n;
}

/* --- registers --- */

static bool is_word(const char *word, size_t n, const char *other)
{
	return strlen(other) == n && memcmp(word, other, n) == 0;
}

/* The first eight, by what the names have in common: rax, eax, ax, al. */
static int old_register(const char *word, size_t n, uint8_t *ret_shift)
{
	static const char *const wide[] = { "ax", "cx", "dx", "bx", "sp", "bp", "si", "di" };
	static const char *const low[] = { "al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil" };
	static const char *const high[] = { "ah", "ch", "dh", "bh" };
	size_t prefix = n == 3 && (*word == 'r' || *word == 'e');

	for (int i = 0; i < 8; i++) {
		*ret_shift = i < 4 && is_word(word, n, high[i]) ? 8 : 0;
		if (*ret_shift || is_word(word + prefix, n - prefix, wide[i]) ||
		    is_word(word, n, low[i]))
			return i;
	}
	return -1;
}

/* r8 … r15, with d, w, b or l as suffix. */
static int new_register(const char *word, size_t n)
{
	int number = 0;
	size_t i = 1;

	for (; i < n && i < 3 && isdigit((unsigned char)word[i]); i++)
		number = 10 * number + (word[i] - '0');
	if (*word != 'r' || number < 8 || number > 15)
		return -1;
	return i == n || (i + 1 == n && strchr("dwbl", word[i])) ? number : -1;
}

static int take_general(struct text *t, uint8_t *ret_shift)
{
	size_t n = word_length(t);
	int number = n > 1 ? old_register(t->at, n, ret_shift) : -1;

	if (number < 0 && n > 1)
		number = new_register(t->at, n);
	t->at += n;
	return number;
}

static bool take_register(struct text *t, struct rarog_usdt_argument *a)
{
	size_t n = word_length(t);
	int number;

	if (n > 3 && memcmp(t->at, "xmm", 3) == 0) {
		char *end;

		number = (int)strtol(t->at + 3, &end, 10);
		if (end != t->at + n)
			return false;
		t->at += n;
		a->source = RAROG_USDT_VECTOR;
	} else {
		number = take_general(t, &a->shift);
		a->source = RAROG_USDT_GENERAL;
	}
	a->base = (uint8_t)number;
	return number >= 0 && number < 16;
}

/* --- numbers --- */

/* As addresses are added: beyond the end it begins anew. */
static void add(int64_t *number, uint64_t more)
{
	*number = (int64_t)((uint64_t)*number + more);
}

static bool take_symbol(const struct rarog_binary *binary, struct text *t, int64_t *number)
{
	size_t n = word_length(t);
	rarog_cleanup(rarog_freep) char *name = strndup(t->at, n);
	uint64_t address = 0;

	t->at += n;
	if (!name || n == 0 || !rarog_binary_symbol(binary, name, &address))
		return false;
	add(number, address);
	return true;
}

/* A sum of numbers and one symbol at most: "-8", "total", "total+16", "16+total". */
static bool take_sum(const struct rarog_binary *binary, struct text *t,
		     struct rarog_usdt_argument *a)
{
	while (t->at < t->end && *t->at != '(') {
		bool is_less = take(t, '-');
		char *end;

		if (!is_less)
			take(t, '+');
		if (t->at < t->end && isdigit((unsigned char)*t->at)) {
			uint64_t number = strtoull(t->at, &end, 0);

			add(&a->number, is_less ? 0 - number : number);
			t->at = end;
		} else if (is_less || a->is_place || !take_symbol(binary, t, &a->number)) {
			return false;
		} else {
			a->is_place = true;
		}
	}
	return true;
}

/* --- memory --- */

/* "(%rip)" says nothing: the symbol is the address already. */
static bool take_base(struct text *t, struct rarog_usdt_argument *a)
{
	uint8_t shift = 0;
	int number;

	if (!take(t, '%'))
		return true;
	if (t->end - t->at >= 3 && memcmp(t->at, "rip", 3) == 0) {
		t->at += 3;
		return a->is_place;
	}
	number = take_general(t, &shift);
	a->base = (uint8_t)number;
	return number >= 0 && shift == 0;
}

static bool take_index(struct text *t, struct rarog_usdt_argument *a)
{
	uint8_t shift = 0;
	int number;

	if (!take(t, ','))
		return true;
	if (!take(t, '%'))
		return false;
	number = take_general(t, &shift);
	a->index = (uint8_t)number;
	if (take(t, ',')) {
		if (t->at == t->end || !strchr("1248", *t->at))
			return false;
		a->scale = (uint8_t)(*t->at++ - '0');
	}
	return number >= 0 && shift == 0;
}

static bool take_memory(const struct rarog_binary *binary, struct text *t,
			struct rarog_usdt_argument *a)
{
	a->source = RAROG_USDT_MEMORY;
	if (!take_sum(binary, t, a))
		return false;
	if (!take(t, '('))
		return a->is_place; /* a plain number would be an address, which is never meant */
	return take_base(t, a) && take_index(t, a) && take(t, ')');
}

/* --- arguments --- */

/* "-4@", "8f@" */
static bool take_size(struct text *t, struct rarog_usdt_argument *a)
{
	a->is_signed = take(t, '-');
	if (t->at == t->end || !strchr("1248", *t->at))
		return false;
	a->bytes = (uint8_t)(*t->at++ - '0');
	a->is_float = take(t, 'f');
	return take(t, '@') && (!a->is_float || a->bytes >= 4);
}

static bool read_one(const struct rarog_binary *binary, struct text t,
		     struct rarog_usdt_argument *a)
{
	bool is_good = take_size(&t, a);

	if (is_good && take(&t, '%')) {
		is_good = take_register(&t, a);
	} else if (is_good && take(&t, '$')) {
		a->source = RAROG_USDT_NUMBER;
		is_good = take_sum(binary, &t, a);
	} else if (is_good) {
		is_good = take_memory(binary, &t, a);
	}
	return is_good && t.at == t.end;
}

size_t rarog_usdt_arguments(const struct rarog_binary *binary, const char *text,
			    struct rarog_usdt_argument ret_arguments[RAROG_USDT_ARGUMENTS])
{
	size_t n = 0;

	for (text += strspn(text, " "); *text && n < RAROG_USDT_ARGUMENTS;
	     text += strspn(text, " "), n++) {
		const struct rarog_usdt_argument none = {
			.base = RAROG_USDT_NO_REGISTER,
			.index = RAROG_USDT_NO_REGISTER,
			.scale = 1,
		};
		struct text one = { text, text + strcspn(text, " ") };

		ret_arguments[n] = none;
		if (!read_one(binary, one, &ret_arguments[n])) {
			ret_arguments[n].source = RAROG_USDT_UNKNOWN;
			ret_arguments[n].bytes = 8;
			ret_arguments[n].is_float = false;
		}
		text = one.end;
	}
	return n;
}
