/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arbitrary bytes as an ELF file: judging its functions survives, and every site that is OK lies in
 * code, is at least as long as the patch, and can be moved.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "binary/mark-site.h"
#include "binary/patch-site.h"
#include "binary/usdt.h"

#define MARKS_MOST 16

static void check_site(const struct rarog_binary *binary, const struct rarog_function *function,
		       const struct rarog_site *site)
{
	uint8_t out[RAROG_BODY_MAX];
	uint64_t from = function->address + site->offset;
	size_t least =
		site->kind == RAROG_SITE_NOPS_BEFORE ? RAROG_SHORT_PATCH_SIZE : RAROG_PATCH_SIZE;

	if (site->verdict >= RAROG_SITE_VERDICTS || site->kind >= RAROG_SITE_KINDS)
		abort();
	if (site->verdict != RAROG_SITE_OK)
		return;
	const uint8_t *code = rarog_binary_bytes(binary, from, site->length);

	if (!code || site->length < least)
		abort();
	if (rarog_relocate(site->length, code, from, from + 0x1000000, sizeof(out), out) <= 0)
		abort();
}

static void check_mark(const struct rarog_binary *binary, uint64_t address,
		       const struct rarog_mark_site *site)
{
	if (site->verdict >= RAROG_MARK_VERDICTS)
		abort();
	if (site->verdict != RAROG_MARK_OK)
		return;
	if (site->before + site->length < RAROG_PATCH_SIZE ||
	    (site->before > 0 &&
	     !rarog_mark_divides(binary, address - site->before, address, false)) ||
	    !rarog_mark_divides(binary, address, address + site->length, true))
		abort();
}

static void judge_marks(const struct rarog_binary *binary)
{
	rarog_cleanup(rarog_usdts_release) struct rarog_usdts usdts = { 0 };
	struct rarog_mark_site site;

	if (rarog_usdts_read(binary, &usdts) < 0)
		return;
	for (size_t i = 0; i < usdts.n && i < MARKS_MOST; i++)
		if (rarog_mark_sites(binary, 1, &usdts.v[i].address, &site) == 0)
			check_mark(binary, usdts.v[i].address, &site);
}

static void judge(const char *path)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;
	rarog_cleanup(rarog_freep) struct rarog_site *sites = NULL;
	const struct rarog_function *functions;

	if (rarog_binary_open(path, &binary) < 0 || rarog_patch_sites(binary, &sites) < 0)
		return;
	size_t n = rarog_binary_functions(binary, &functions);
	for (size_t i = 0; i < n; i++)
		check_site(binary, &functions[i], &sites[i]);
	judge_marks(binary);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	rarog_cleanup(rarog_closep) int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];

	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	judge(path);
	return 0;
}
