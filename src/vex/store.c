/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generated code has the addresses of counters in it, so chunks never move: not when the file
 * grows, and not in a forked child, where a copy in a file of the child's own is put over them.
 * Without room for files (disk full, size limit, a program that has left its root directory) the
 * program goes on with memory of its own, and the head says that something is lost.
 */
#include "vex/store.h"

#define CHUNK      (SizeT)(1 << 20)
#define PAGE       (SizeT)4096
#define MAX_CHUNKS 32768 /* a strand has one at least */

/* missing in Valgrind's headers */
#define RLIMIT_FSIZE 1
#define FALLOCATE    285
#define EOPNOTSUPP   95

static const HChar *store_folder;
static Int fd = -1;
static Off64T file_size;
static struct {
	struct rarog_vex_chunk *chunk;
	Off64T offset; /* -1: not in the file */
} chunks[MAX_CHUNKS];
static UInt n_chunks;
static struct rarog_vex_chunk *last[RAROG_VEX_CALLS + 1];

struct rarog_vex_head *store_head;

/* --- the file --- */

/* A process may come by exec to another program: the same number, another file. */
static Int make_file(void)
{
	HChar path[VG_(strlen)(store_folder) + 64];

	for (UInt i = 0; i < 100000; i++) {
		SysRes r;

		VG_(sprintf)(path, "%s/%d.%u.vex", store_folder, VG_(getpid)(), i);
		r = VG_(open)(path, VKI_O_RDWR | VKI_O_CREAT | VKI_O_EXCL, 0600);
		if (!sr_isError(r))
			return VG_(safe_fd)((Int)sr_Res(r));
		if (sr_Err(r) != VKI_EEXIST)
			break;
	}
	return -1;
}

/* Beyond its limit a write would be a signal for the program. */
static Bool may_grow(Off64T size)
{
	struct vki_rlimit limit;

	return VG_(getrlimit)(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= (ULong)size;
}

/* With room on the disk: a page that finds none later would end the program. */
static Bool reserve(Off64T from, Off64T to)
{
	register Long length __asm__("r10") = to - from;
	Long r = FALLOCATE;

	__asm__ volatile("syscall"
			 : "+a"(r)
			 : "D"((Long)fd), "S"(0L), "d"(from), "r"(length)
			 : "rcx", "r11", "memory");
	if (r != -EOPNOTSUPP)
		return r == 0;
	return VG_(lseek)(fd, to - 1, VKI_SEEK_SET) == to - 1 && VG_(write)(fd, "", 1) == 1;
}

static Bool grow(Off64T size)
{
	return may_grow(size) && reserve(file_size, size);
}

static void *map_file(SizeT size, Off64T *ret_offset)
{
	SysRes r;

	if (fd < 0 || !grow(file_size + (Off64T)size))
		return NULL;
	r = VG_(am_shared_mmap_file_float_valgrind)(size, VKI_PROT_READ | VKI_PROT_WRITE, fd,
						    file_size);
	if (sr_isError(r))
		return NULL;
	*ret_offset = file_size;
	file_size += (Off64T)size;
	return (void *)sr_Res(r);
}

static void *map_memory(SizeT size)
{
	SysRes r = VG_(am_mmap_anon_float_valgrind)(size);

	if (sr_isError(r))
		VG_(tool_panic)("rarog: no memory for counters");
	if (store_head)
		store_head->has_lost = 1;
	return (void *)sr_Res(r);
}

/* --- chunks --- */

struct rarog_vex_chunk *store_chunk(enum rarog_vex_kind kind, SizeT bytes)
{
	SizeT size = VG_ROUNDUP(sizeof(struct rarog_vex_chunk) + bytes, PAGE);
	struct rarog_vex_chunk *chunk;
	Off64T offset = -1;

	if (n_chunks == MAX_CHUNKS)
		VG_(tool_panic)("rarog: too many counters");
	chunk = map_file(size, &offset);
	if (!chunk)
		chunk = map_memory(size);
	chunks[n_chunks].chunk = chunk;
	chunks[n_chunks++].offset = offset;
	chunk->kind = kind;
	chunk->size = size;
	chunk->magic = RAROG_VEX_MAGIC;
	last[kind] = chunk;
	return chunk;
}

void *store_add(enum rarog_vex_kind kind, SizeT bytes)
{
	struct rarog_vex_chunk *chunk = last[kind];
	SizeT head = sizeof(*chunk);

	if (!chunk || chunk->size - head - chunk->used < bytes)
		chunk = store_chunk(kind, bytes < CHUNK - head ? CHUNK - head : bytes);
	return (HChar *)(chunk + 1) + chunk->used;
}

void store_added(enum rarog_vex_kind kind, SizeT bytes)
{
	last[kind]->used += bytes;
}

static void start_head(void)
{
	store_head->version = RAROG_VEX_VERSION;
	store_head->pid = (uint32_t)VG_(getpid)();
	store_head->parent = (uint32_t)VG_(getppid)();
	VG_(client_cmd_and_args)(store_head->command, sizeof(store_head->command));
}

void store_open(const HChar *folder)
{
	struct rarog_vex_chunk *chunk;

	store_folder = folder;
	fd = make_file();
	chunk = store_chunk(RAROG_VEX_HEAD, sizeof(*store_head));
	store_head = (struct rarog_vex_head *)(chunk + 1);
	store_head->hot.top_slot = ~(uint64_t)0;
	chunk->used = sizeof(*store_head);
	start_head();
}

/* --- fork --- */

static Bool write_all(const void *from, SizeT size)
{
	while (size > 0) {
		Int part = size > CHUNK ? (Int)CHUNK : (Int)size;
		Int n = VG_(write)(fd, from, part);

		if (n <= 0)
			return False;
		from = (const HChar *)from + n;
		size -= (SizeT)n;
	}
	return True;
}

static void own_copy(struct rarog_vex_chunk *chunk, Off64T offset)
{
	SysRes r;
	UInt protection = VKI_PROT_READ | VKI_PROT_WRITE;
	SizeT size = chunk->size;
	Bool is_written = fd >= 0 && may_grow(file_size) &&
			  VG_(lseek)(fd, offset, VKI_SEEK_SET) == offset && write_all(chunk, size);

	if (is_written) {
		r = VG_(am_do_mmap_NO_NOTIFY)((Addr)chunk, size, protection,
					      VKI_MAP_SHARED | VKI_MAP_FIXED, fd, offset);
		if (!sr_isError(r))
			return;
	}
	/* by way of a copy: the mapping takes the old one's place */
	HChar *copy = (HChar *)sr_Res(VG_(am_mmap_anon_float_valgrind)(size));

	VG_(memcpy)(copy, chunk, size);
	r = VG_(am_do_mmap_NO_NOTIFY)((Addr)chunk, size, protection,
				      VKI_MAP_PRIVATE | VKI_MAP_FIXED | VKI_MAP_ANONYMOUS, -1, 0);
	if (sr_isError(r))
		VG_(tool_panic)("rarog: no memory for counters");
	VG_(memcpy)(chunk, copy, size);
	VG_(am_munmap_valgrind)((Addr)copy, size);
	store_head->has_lost = 1;
}

/* The parent must not count while the child copies: it waits for the end of this pipe. */
static Int pipe_ends[2];
static Bool has_pipe;

void store_before_fork(void)
{
	has_pipe = VG_(pipe)(pipe_ends) == 0;
}

void store_fork_in_parent(void)
{
	HChar byte;

	if (!has_pipe)
		return;
	VG_(close)(pipe_ends[1]);
	VG_(read)(pipe_ends[0], &byte, 1);
	VG_(close)(pipe_ends[0]);
}

/* Without gaps where chunks were dropped. */
static void order_chunks(void)
{
	file_size = 0;
	for (UInt i = 0; i < n_chunks; i++) {
		if (chunks[i].offset < 0)
			continue;
		chunks[i].offset = file_size;
		file_size += (Off64T)chunks[i].chunk->size;
	}
}

void store_fork(void)
{
	if (has_pipe)
		VG_(close)(pipe_ends[0]);
	if (fd >= 0)
		VG_(close)(fd);
	fd = make_file();
	order_chunks();
	for (UInt i = 0; i < n_chunks; i++)
		if (chunks[i].offset >= 0)
			own_copy(chunks[i].chunk, chunks[i].offset);
	start_head();
	if (has_pipe)
		VG_(close)(pipe_ends[1]);
}

void store_drop(enum rarog_vex_kind kind)
{
	UInt n = 0;

	for (UInt i = 0; i < n_chunks; i++)
		if (chunks[i].chunk->kind == kind)
			VG_(am_munmap_valgrind)((Addr)chunks[i].chunk, chunks[i].chunk->size);
		else
			chunks[n++] = chunks[i];
	n_chunks = n;
	last[kind] = NULL;
}
