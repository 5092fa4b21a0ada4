/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Amounts for people and from people: times, sizes, counts. Formatting never fails and writes into
 * a buffer of the caller; the text is ASCII except for "µ", which is written as u.
 */
#ifndef RAROG_BASE_UNITS_H
#define RAROG_BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

struct rarog_amount {
	char text[32];
};

/** rarog_format_ns() - "0 ns", "999 ns", "12.35 us", "1.500 s", "2h 03m": four significant digits,
 * at most 8 columns up to 99 hours. */
struct rarog_amount rarog_format_ns(uint64_t ns);

/** rarog_format_bytes() - "999 B", "1.500 KiB", "12.00 MiB": powers of 1024, four digits. */
struct rarog_amount rarog_format_bytes(uint64_t bytes);

/** rarog_format_count() - every digit, thousands separated: "12,345,678". */
struct rarog_amount rarog_format_count(uint64_t count);

/** rarog_format_short_count() - four significant digits: "12.35 M"; for progress lines. */
struct rarog_amount rarog_format_short_count(uint64_t count);

/** rarog_format_percent() - "100.0 %", "0.05 %", "-" when @whole is 0. */
struct rarog_amount rarog_format_percent(uint64_t part, uint64_t whole);

/**
 * rarog_parse_duration() - "30s", "1.5m", "200ms", "1h30m", "10us", "5ns"; a plain number: seconds
 *
 * Return: 0; -EINVAL with a message that quotes @text (also when it is over 292 years).
 */
int rarog_parse_duration(const char *text, uint64_t *ret_ns);

/** rarog_parse_size() - "4096", "64K", "1.5GiB", "1G": powers of 1024, case ignored, optional B or
 * iB. Return: 0; -EINVAL with a message that quotes @text. */
int rarog_parse_size(const char *text, uint64_t *ret_bytes);

/** rarog_parse_truth() - "false", "true", "no", "yes", "off", "on", case ignored. false: none of
 * these. */
bool rarog_parse_truth(const char *text, bool *ret_value);

/** rarog_plural() - what a noun of which there are @n ends with. */
static inline const char *rarog_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
