/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A loose object wins over a packed one of the same name: it is how a damaged pack is healed. Packs
 * are looked for again when a name is not found: another process may have packed it just now.
 */
#include "store/object-canonical.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "profile/canonical.h"
#include "store/object-folder.h"

char *rarog_object_path(const struct rarog_objects *objects, const struct rarog_hash *hash)
{
	struct rarog_hex hex = rarog_hash_hex(hash);

	return rarog_asprintf("%s/%.2s/%s", objects->path, hex.text, hex.text + 2);
}

/* --- canonical encodings of files --- */

static int hash_piece(size_t n, const void *bytes, void *user)
{
	sha256_update(user, n, bytes);
	return 0;
}

int rarog_canonical_hash(const char *path, struct rarog_hash *ret_hash)
{
	struct rarog_block_file file = { 0 };
	struct sha256_ctx context;
	int r = rarog_block_file_open(&file, path);

	sha256_init(&context);
	if (r == 0)
		r = rarog_canonical_write(&file, hash_piece, &context);
	if (r == 0)
		sha256_digest(&context, sizeof(ret_hash->bytes), ret_hash->bytes);
	rarog_block_file_release(&file);
	return r;
}

bool rarog_is_profile_at(const char *path)
{
	rarog_cleanup(rarog_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint8_t head[RAROG_FILE_HEAD_SIZE];
	ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof(head), 0);

	return n > 0 &&
	       (rarog_is_canonical((size_t)n, head) || rarog_is_profile_file((size_t)n, head));
}

static int gather_piece(size_t n, const void *bytes, void *user)
{
	return rarog_bytes_add(user, n, bytes);
}

static int plain_of_file(const char *path, size_t limit, uint8_t **ret_plain, size_t *ret_n)
{
	struct rarog_block_file file = { 0 };
	struct rarog_bytes plain = { 0 };
	int r = rarog_block_file_open(&file, path);

	if (r == 0 && rarog_canonical_length(&file) > limit)
		r = -EFBIG;
	if (r == 0)
		r = rarog_canonical_write(&file, gather_piece, &plain);
	rarog_block_file_release(&file);
	if (r < 0) {
		rarog_bytes_release(&plain);
		return r;
	}
	*ret_plain = plain.v;
	*ret_n = plain.n;
	return 0;
}

/* --- packs --- */

static void forget_packs(struct rarog_objects *objects)
{
	for (size_t i = 0; i < objects->packs.n; i++)
		rarog_packfile_free(objects->packs.v[i]);
	objects->packs.n = 0;
	objects->bad_packs = 0;
}

void rarog_packs_release(struct rarog_objects *objects)
{
	forget_packs(objects);
	rarog_vec_release(&objects->packs);
}

static int add_pack(struct rarog_objects *objects, const char *name)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/%s", objects->packs_path, name);
	struct rarog_packfile *pack = NULL;
	int r = path ? rarog_packfile_open(path, &pack) : rarog_oom();

	if (r == -ENOENT) /* merged into another one just now */
		return 0;
	if (r == -EBADMSG)
		objects->bad_packs++;
	if (r < 0)
		return r == -EBADMSG ? 0 : r;
	if (rarog_vec_push(&objects->packs, pack) < 0) {
		rarog_packfile_free(pack);
		return rarog_oom();
	}
	return 0;
}

int rarog_packs_reload(struct rarog_objects *objects)
{
	DIR *directory = opendir(objects->packs_path);
	const struct dirent *entry;
	int r = 0;

	forget_packs(objects);
	objects->has_packs = true;
	if (!directory)
		return errno == ENOENT ? 0
				       : rarog_fail_errno("%s: cannot read", objects->packs_path);
	while (r == 0 && (entry = readdir(directory)) != NULL)
		if (rarog_ends_with(entry->d_name, ".pack"))
			r = add_pack(objects, entry->d_name);
	closedir(directory);
	return r;
}

unsigned rarog_packs_bad(const struct rarog_objects *objects)
{
	return objects->bad_packs;
}

static int find(struct rarog_objects *objects, const struct rarog_hash *hash,
		struct rarog_packfile **ret_pack, struct rarog_packfile_entry *ret_entry)
{
	int bad = 0;

	for (size_t i = objects->packs.n; i-- > 0;) {
		int r = rarog_packfile_find(objects->packs.v[i], hash, ret_entry, NULL);

		if (r > 0)
			*ret_pack = objects->packs.v[i];
		if (r > 0)
			return 1;
		bad = r < 0 ? r : bad; /* another pack may have it */
	}
	return bad;
}

int rarog_object_packed(struct rarog_objects *objects, const struct rarog_hash *hash,
			struct rarog_packfile **ret_pack, struct rarog_packfile_entry *ret_entry)
{
	int r = objects->has_packs ? find(objects, hash, ret_pack, ret_entry) : 0;

	if (r > 0)
		return r;
	r = rarog_packs_reload(objects);
	return r < 0 ? r : find(objects, hash, ret_pack, ret_entry);
}

/* The base of an entry: from the pack, else from a loose object of its name. */
static int base_of(struct rarog_objects *objects, const struct rarog_packfile *pack, uint32_t index,
		   uint8_t **ret_base, size_t *ret_n)
{
	rarog_cleanup(rarog_freep) char *path = NULL;
	struct rarog_packfile_entry entry;
	int r = rarog_packfile_entry(pack, index, &entry);

	if (r < 0)
		return r;
	r = entry.base == RAROG_PACK_NO_BASE
		    ? rarog_packfile_canonical(pack, &entry, 0, NULL, ret_base)
		    : -EBADMSG;
	if (r == 0)
		*ret_n = (size_t)entry.plain;
	if (r != -EBADMSG)
		return r;
	path = rarog_object_path(objects, &entry.hash);
	if (!path)
		return rarog_oom();
	if (plain_of_file(path, RAROG_PACK_LONGEST, ret_base, ret_n) == 0)
		return 0;
	return rarog_fail(-EBADMSG,
			  "%s: profile %s, on which others in the pack build, is damaged; adding "
			  "it again makes them whole",
			  pack->path, rarog_hash_hex(&entry.hash).text);
}

int rarog_object_unpack(struct rarog_objects *objects, const struct rarog_packfile *pack,
			const struct rarog_packfile_entry *entry, uint8_t **ret_plain,
			size_t *ret_n)
{
	rarog_cleanup(rarog_freep) uint8_t *base = NULL;
	size_t n_base = 0;
	int r = 0;

	if (entry->base != RAROG_PACK_NO_BASE)
		r = base_of(objects, pack, entry->base, &base, &n_base);
	if (r == 0)
		r = rarog_packfile_canonical(pack, entry, n_base, base, ret_plain);
	if (r == 0)
		*ret_n = (size_t)entry->plain;
	return r;
}

int rarog_object_canonical(struct rarog_objects *objects, const struct rarog_hash *hash,
			   size_t limit, uint8_t **ret_plain, size_t *ret_n)
{
	rarog_cleanup(rarog_freep) char *path = rarog_object_path(objects, hash);
	struct rarog_packfile_entry entry;
	struct rarog_packfile *pack;
	int r = path ? plain_of_file(path, limit, ret_plain, ret_n) : rarog_oom();

	if (r != -ENOENT)
		return r;
	r = rarog_object_packed(objects, hash, &pack, &entry);
	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	if (entry.plain > limit)
		return -EFBIG;
	return rarog_object_unpack(objects, pack, &entry, ret_plain, ret_n);
}

uint64_t rarog_object_canonical_length(struct rarog_objects *objects, const struct rarog_hash *hash)
{
	rarog_cleanup(rarog_freep) char *path = rarog_object_path(objects, hash);
	struct rarog_block_file file = { 0 };
	uint64_t n = 0;

	if (path && rarog_block_file_open(&file, path) == 0)
		n = rarog_canonical_length(&file);
	rarog_block_file_release(&file);
	rarog_error_clear();
	return n;
}
