/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opening stored profiles. A loose one is a file; a packed one is unpacked into memory. The packer
 * may be at work: a file that is gone when it is opened is looked for in the packs.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "profile/reader.h"
#include "store/object-canonical.h"
#include "store/record.h"
#include "store/store-own.h"

static int missing(const struct rarog_hash *object)
{
	return rarog_fail(-EBADMSG, "profile %s is missing from the store; rarog fsck tells more",
			  rarog_hash_hex(object).text);
}

/* Its canonical encoding, from a pack; the caller frees. */
static int unpack(struct rarog_store *store, const struct rarog_hash *object, uint8_t **ret_plain,
		  size_t *ret_n)
{
	struct rarog_packfile_entry entry;
	struct rarog_packfile *pack;
	int r = rarog_object_packed(store->objects, object, &pack, &entry);

	if (r <= 0)
		return r < 0 ? r : missing(object);
	return rarog_object_unpack(store->objects, pack, &entry, ret_plain, ret_n);
}

int rarog_record_open(struct rarog_store *store, const struct rarog_hash *object,
		      struct rarog_profile **ret_profile)
{
	rarog_cleanup(rarog_freep) char *path = rarog_object_path(store->objects, object);
	struct rarog_hex hex = rarog_hash_hex(object);
	uint8_t *plain = NULL;
	size_t n = 0;
	int r = path ? rarog_profile_open(path, ret_profile) : rarog_oom();

	if (r != -ENOENT)
		return r;
	rarog_error_clear();
	r = unpack(store, object, &plain, &n);
	return r < 0 ? r : rarog_profile_open_canonical(hex.text, plain, n, ret_profile);
}

static int keep_in_memory(struct rarog_store *store, size_t n, const uint8_t *plain, int *ret_fd)
{
	rarog_cleanup(rarog_closep) int fd = memfd_create("rarog profile", MFD_CLOEXEC);
	int r;

	if (fd < 0)
		return rarog_fail_errno("cannot make a file in memory");
	r = rarog_write_all(fd, n, plain);
	if (r < 0)
		return rarog_fail(r, "cannot write a file in memory: %s", strerror(-r));
	if (rarog_vec_push(&store->unpacked, fd) < 0)
		return rarog_oom();
	*ret_fd = rarog_take_fd(&fd);
	return 0;
}

int rarog_record_path(struct rarog_store *store, const struct rarog_hash *object, char **ret_path)
{
	rarog_cleanup(rarog_freep) char *path = rarog_object_path(store->objects, object);
	rarog_cleanup(rarog_freep) uint8_t *plain = NULL;
	size_t n = 0;
	int fd = -1, r;

	if (!path)
		return rarog_oom();
	if (access(path, F_OK) == 0) {
		*ret_path = rarog_take(path);
		return 0;
	}
	r = unpack(store, object, &plain, &n);
	if (r == 0)
		r = keep_in_memory(store, n, plain, &fd);
	if (r < 0)
		return r;
	*ret_path = rarog_asprintf("/proc/self/fd/%d", fd);
	return *ret_path ? 0 : rarog_oom();
}
