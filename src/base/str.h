/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one dynamic string. A zeroed struct rarog_str is a valid empty string; text is always
 * NUL-terminated once anything was added (rarog_str_text() never returns NULL).
 */
#ifndef RAROG_BASE_STR_H
#define RAROG_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct rarog_str {
	char *text;
	size_t length, capacity;
};

/** rarog_str_text() - the text, "" when empty; borrowed until the next change. */
const char *rarog_str_text(const struct rarog_str *str);

/* Appending; 0 or -ENOMEM (the string is then unchanged). */
int rarog_str_add(struct rarog_str *str, const char *text);
int rarog_str_add_bytes(struct rarog_str *str, size_t n, const char *bytes);
int rarog_str_add_char(struct rarog_str *str, char c);
__attribute__((format(printf, 2, 3))) int rarog_str_addf(struct rarog_str *str, const char *format,
							 ...);
__attribute__((format(printf, 2, 0))) int rarog_str_vaddf(struct rarog_str *str, const char *format,
							  va_list args);

/** rarog_str_clear() - length 0, memory kept. */
void rarog_str_clear(struct rarog_str *str);

/** rarog_str_release() - free the memory; usable again. Fits rarog_cleanup(). */
void rarog_str_release(struct rarog_str *str);

/** rarog_str_take() - the text as a malloc'd string the caller owns (NULL: no memory). */
char *rarog_str_take(struct rarog_str *str);

/** rarog_asprintf() - a formatted malloc'd string the caller owns; NULL: no memory. */
__attribute__((format(printf, 1, 2))) char *rarog_asprintf(const char *format, ...);

bool rarog_starts_with(const char *text, const char *prefix);
bool rarog_ends_with(const char *text, const char *suffix);

#endif
