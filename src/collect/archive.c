/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * POSIX ustar (IEEE 1003.1, pax, "ustar Interchange Format"): a header block of 512 bytes with
 * numbers in octal, the file padded to 512 bytes; two empty blocks at the end.
 */
#include "collect/archive.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <zlib.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"

#define BLOCK 512

struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
	char type, link[100], magic[6], version[2], user[32], group[32], major[8], minor[8];
	char prefix[155], padding[12];
};

_Static_assert(sizeof(struct header) == BLOCK, "ustar header");

static void fill(struct header *h, const char *name, size_t n)
{
	const unsigned char *bytes = (const unsigned char *)h;
	unsigned sum = 0;

	memset(h, 0, sizeof(*h));
	snprintf(h->name, sizeof(h->name), "%s", name);
	memcpy(h->mode, "0000644", 7);
	memcpy(h->uid, "0000000", 7);
	memcpy(h->gid, "0000000", 7);
	snprintf(h->size, sizeof(h->size), "%011llo", (unsigned long long)n & 077777777777);
	snprintf(h->mtime, sizeof(h->mtime), "%011llo",
		 (unsigned long long)time(NULL) & 077777777777);
	memcpy(h->magic, "ustar", 6);
	memcpy(h->version, "00", 2);
	h->type = '0';
	memset(h->checksum, ' ', sizeof(h->checksum)); /* counts as blanks in the sum */
	for (size_t i = 0; i < sizeof(*h); i++)
		sum += bytes[i];
	snprintf(h->checksum, sizeof(h->checksum), "%06o", sum & 0777777);
}

int rarog_archive_add(struct rarog_archive *archive, const char *name, size_t n, const char *text)
{
	static const char zeros[BLOCK];
	struct header header = { 0 };
	int r;

	fill(&header, name, n);
	r = rarog_str_add_bytes(&archive->bytes, sizeof(header), (const char *)&header);
	if (r == 0)
		r = rarog_str_add_bytes(&archive->bytes, n, text);
	if (r == 0)
		r = rarog_str_add_bytes(&archive->bytes, (BLOCK - n % BLOCK) % BLOCK, zeros);
	return r;
}

static int write_zstd(const struct rarog_str *bytes, const char *path, int fd)
{
	size_t room = ZSTD_compressBound(bytes->length), n;
	rarog_cleanup(rarog_freep) char *out = malloc(room);
	int r;

	if (!out)
		return rarog_oom();
	n = ZSTD_compress(out, room, bytes->text, bytes->length, 6);
	if (ZSTD_isError(n))
		return rarog_fail(-EIO, "%s: %s", path, ZSTD_getErrorName(n));
	r = rarog_write_all(fd, n, out);
	return r < 0 ? rarog_fail(r, "%s: cannot write: %s", path, strerror(-r)) : 0;
}

/* 31: the largest window, and a gzip header (zlib.h, deflateInit2). */
static int write_gzip(const struct rarog_str *bytes, const char *path, int fd)
{
	z_stream z = { .next_in = (Bytef *)bytes->text, .avail_in = (uInt)bytes->length };
	rarog_cleanup(rarog_freep) char *out = NULL;
	size_t room;
	int r;

	if (bytes->length > UINT32_MAX / 2)
		return rarog_fail(-EFBIG, "%s: more than 2 GiB; choose a name ending in .tar.zst",
				  path);
	if (deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return rarog_oom();
	room = deflateBound(&z, bytes->length);
	out = malloc(room);
	z.next_out = (Bytef *)out;
	z.avail_out = (uInt)room;
	r = out && deflate(&z, Z_FINISH) == Z_STREAM_END ? 0 : rarog_oom();
	deflateEnd(&z);
	if (r < 0)
		return r;
	r = rarog_write_all(fd, z.total_out, out);
	return r < 0 ? rarog_fail(r, "%s: cannot write: %s", path, strerror(-r)) : 0;
}

int rarog_archive_write(struct rarog_archive *archive, const char *path, int fd)
{
	static const char end[2 * BLOCK];
	int r = rarog_str_add_bytes(&archive->bytes, sizeof(end), end);

	if (r < 0)
		return rarog_oom();
	return rarog_ends_with(path, ".zst") ? write_zstd(&archive->bytes, path, fd)
					     : write_gzip(&archive->bytes, path, fd);
}

void rarog_archive_release(struct rarog_archive *archive)
{
	rarog_str_release(&archive->bytes);
}
