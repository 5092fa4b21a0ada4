/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SHA-256 (FIPS 180-4) by nettle: it uses the processor's instructions for it and, unlike larger
 * libraries, costs a short command nothing at its start.
 */
#include "store/object.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

_Static_assert(SHA256_DIGEST_SIZE == RAROG_HASH_BYTES, "SHA-256");

void rarog_hash_bytes(size_t n, const void *bytes, struct rarog_hash *ret_hash)
{
	struct sha256_ctx context;

	sha256_init(&context);
	sha256_update(&context, n, bytes);
	sha256_digest(&context, sizeof(ret_hash->bytes), ret_hash->bytes);
}

int rarog_hash_file(int fd, const char *name, struct rarog_hash *ret_hash, uint64_t *ret_bytes)
{
	unsigned char chunk[65536];
	struct sha256_ctx context;
	uint64_t bytes = 0;

	sha256_init(&context);
	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return rarog_fail_errno("%s: cannot read", name);
		if (n == 0)
			break;
		sha256_update(&context, (size_t)n, chunk);
		bytes += (uint64_t)n;
	}
	sha256_digest(&context, sizeof(ret_hash->bytes), ret_hash->bytes);
	if (ret_bytes)
		*ret_bytes = bytes;
	return 0;
}

struct rarog_hex rarog_hash_hex(const struct rarog_hash *hash)
{
	static const char digits[] = "0123456789abcdef";
	struct rarog_hex hex;

	for (size_t i = 0; i < RAROG_HASH_BYTES; i++) {
		hex.text[2 * i] = digits[hash->bytes[i] >> 4];
		hex.text[2 * i + 1] = digits[hash->bytes[i] & 15];
	}
	hex.text[RAROG_HASH_DIGITS] = '\0';
	return hex;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int rarog_hash_parse(const char *text, struct rarog_hash *ret_hash)
{
	struct rarog_hash hash;

	if (strlen(text) != RAROG_HASH_DIGITS)
		return -EINVAL;
	for (size_t i = 0; i < RAROG_HASH_BYTES; i++) {
		int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return -EINVAL;
		hash.bytes[i] = (unsigned char)(high << 4 | low);
	}
	*ret_hash = hash;
	return 0;
}

bool rarog_hash_equal(const struct rarog_hash *a, const struct rarog_hash *b)
{
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}
