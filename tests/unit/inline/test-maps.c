/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Free address space near an object, in maps written by hand and in random ones; oracle: every
 * line of the map is compared with the answer, and where there is none, every hole.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "process/maps.h"

#define MIB   (UINT64_C(1) << 20)
#define GIB   (UINT64_C(1) << 30)
#define TOP   UINT64_C(0x7ffffffff000)
#define LEAST UINT64_C(0x10000) /* vm.mmap_min_addr */

struct range {
	uint64_t start, end;
};

static uint64_t find(size_t n, const struct range ranges[n], uint64_t low, uint64_t high,
		     size_t size)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	rarog_cleanup(rarog_fclosep) FILE *f = NULL;

	for (size_t i = 0; i < n; i++)
		rarog_str_addf(&text, "%012llx-%012llx r-xp 00000000 08:01 1234   /a b/c\n",
			       (unsigned long long)ranges[i].start,
			       (unsigned long long)ranges[i].end);
	f = fmemopen((void *)(uintptr_t)rarog_str_text(&text), text.length, "r");
	assert_non_null(f);
	return rarog_maps_gap_in(f, low, high, size);
}

static void is_good(size_t n, const struct range ranges[n], uint64_t low, uint64_t high,
		    size_t size, uint64_t found)
{
	const uint64_t reach = INT32_MAX;

	assert_true(found >= LEAST && found % 4096 == 0 && found + size <= TOP);
	for (size_t i = 0; i < n; i++)
		assert_true(found + size <= ranges[i].start || found >= ranges[i].end);
	/* jumps go from everywhere in the object to everywhere in the area */
	assert_true(found < low ? high - found <= reach : found + size - low <= reach);
}

TEST(below_the_object_where_there_is_room)
{
	const struct range pie[] = {
		{ 0x555555554000, 0x555555560000 }, /* the program, and its heap */
		{ 0x555555580000, 0x5555555a0000 },
		{ 0x7ffff7c00000, 0x7ffff7fff000 },
	};
	uint64_t found = find(3, pie, 0x555555554000, 0x555555560000, 300000);

	is_good(3, pie, 0x555555554000, 0x555555560000, 300000, found);
	assert_true(found + 900 * MIB <= 0x555555554000);
}

/* Programs see the addresses that they see without us: the kernel maps downwards from the linker.
 */
TEST(not_where_the_program_maps_next)
{
	const struct range pie[] = {
		{ 0x555555554000, 0x555555560000 },
		{ 0x7ffff7fc0000, 0x7ffff7fff000 }, /* the linker */
		{ 0x7ffffffde000, 0x7ffffffff000 }, /* the stack */
	};
	uint64_t found = find(3, pie, 0x7ffff7fc0000, 0x7ffff7fff000, 300000);

	is_good(3, pie, 0x7ffff7fc0000, 0x7ffff7fff000, 300000, found);
	assert_true(found + 900 * MIB <= 0x7ffff7fc0000);
}

TEST(small_areas_fit_below_a_fixed_program)
{
	const struct range fixed[] = { { 0x400000, 0x420000 }, { 0x600000, 0x800000 } };
	uint64_t small = find(2, fixed, 0x400000, 0x420000, 3 * MIB);
	uint64_t large = find(2, fixed, 0x400000, 0x420000, 8 * MIB);

	is_good(2, fixed, 0x400000, 0x420000, 3 * MIB, small);
	assert_true(small < 0x400000);
	is_good(2, fixed, 0x400000, 0x420000, 8 * MIB, large);
	assert_true(large > 0x800000 + 64 * MIB); /* the heap grows there */
}

TEST(above_where_there_is_none_below)
{
	const struct range crowded[] = {
		{ LEAST, 5 * GIB },
		{ 5 * GIB + 4096, 6 * GIB },
	};
	uint64_t found = find(2, crowded, 5 * GIB + 4096, 5 * GIB + 2 * MIB, MIB);

	is_good(2, crowded, 5 * GIB + 4096, 5 * GIB + 2 * MIB, MIB, found);
	assert_true(found > 6 * GIB);
}

TEST(none_is_none)
{
	const struct range full[] = { { LEAST, 64 * GIB } };
	const struct range large[] = { { 16 * GIB, 18 * GIB } };

	assert_int_equal(find(1, full, 32 * GIB, 33 * GIB, 4096), 0);
	assert_int_equal(find(1, large, 16 * GIB, 18 * GIB, 4096), 0); /* one jump cannot reach */
	assert_int_equal(find(0, full, 0x400000, 0x500000, 3 * GIB), 0);
}

static uint64_t seed;

static uint64_t below(uint64_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (seed >> 20) % n;
}

/* Is there a hole so large and so near that it must be found? */
static bool has_room(size_t n, const struct range ranges[n], uint64_t low, uint64_t high,
		     size_t size)
{
	const uint64_t reach = 2 * GIB - 32 * MIB;
	uint64_t first = high > reach ? high - reach : LEAST, last = low + reach, from = LEAST;

	for (size_t i = 0; i <= n; i++) {
		uint64_t end = i < n ? ranges[i].start : TOP;
		uint64_t a = from > first ? from : first, b = end < last ? end : last;

		if (a < b && b - a >= size + 4 * MIB)
			return true;
		from = i < n ? ranges[i].end : 0;
	}
	return false;
}

TEST(random_maps)
{
	size_t found_some = 0, found_none = 0;

	for (seed = 1; seed < 20000 * UINT64_C(65537); seed += 65537) {
		uint64_t keep = seed, at = LEAST + below(6 * GIB) / 4096 * 4096;
		struct range ranges[20];
		size_t n = 1 + below(20), object = below(n), size = (1 + below(20000)) * 4096;

		for (size_t i = 0; i < n; i++) {
			ranges[i].start = at;
			at += (1 + below(below(3) ? 64 : 400000)) * 4096;
			ranges[i].end = at;
			at += below(below(4) ? 6000 : 200000) * 4096;
		}
		uint64_t low = ranges[object].start, high = ranges[object].end;
		uint64_t found = find(n, ranges, low, high, size);
		if (found)
			is_good(n, ranges, low, high, size, found);
		else
			assert_false(has_room(n, ranges, low, high, size));
		found_some += found != 0;
		found_none += found == 0;
		seed = keep;
	}
	assert_true(found_some > 1000 && found_none > 100);
}

TEST(this_process_has_a_map)
{
	uint64_t code = (uint64_t)(uintptr_t)this_process_has_a_map & ~UINT64_C(4095);
	uint64_t found = rarog_maps_gap_near(getpid(), code, code + 4096, MIB);
	void *mapped;
	struct rarog_mapped *objects;
	char *path = rarog_maps_path_at(getpid(), code), self[4096] = "";

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	assert_string_equal(path, self);
	free(path);
	assert_true(found != 0);
	mapped = mmap((void *)(uintptr_t)found, MIB, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_ptr_equal(mapped, (void *)(uintptr_t)found);
	munmap(mapped, MIB);
	long n = rarog_maps_objects(getpid(), &objects), libraries = 0;
	assert_true(n >= 3);
	for (long i = 0; i < n; i++)
		libraries += objects[i].is_library;
	assert_true(libraries >= 1 && libraries <= n - 2); /* not this program, not its linker */
	rarog_maps_free(n, objects);
}

TEST(a_file_is_mapped_until_it_is_unmapped_whatever_way_leads_to_it)
{
	char folder[] = "/tmp/rarog-maps-XXXXXX", link[64], path[64], other[64];
	void *memory;
	int fd;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
	snprintf(link, sizeof(link), "%s/link", folder);
	snprintf(other, sizeof(other), "%s/fil", folder);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0 && ftruncate(fd, 4096) == 0 && symlink(path, link) == 0);
	memory = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	assert_true(rarog_maps_has(getpid(), path));
	assert_true(rarog_maps_has(getpid(), link));
	assert_false(rarog_maps_has(getpid(), other));
	assert_false(rarog_maps_has(1, path));
	munmap(memory, 4096);
	assert_false(rarog_maps_has(getpid(), path));
	close(fd);
	unlink(link);
	unlink(path);
	rmdir(folder);
}

#define NOBODY 65534

/* As another user than root, which may read all. */
static pid_t start_unreadable(void)
{
	int ends[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		if ((geteuid() != 0 || setuid(NOBODY) == 0) && prctl(PR_SET_DUMPABLE, 0) == 0 &&
		    write(ends[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	return pid;
}

TEST(who_keeps_its_map_from_us_has_a_file_as_long_as_it_lives)
{
	pid_t pid = start_unreadable();
	uid_t user = geteuid();
	bool has, has_ended, of_others;

	if (user == 0)
		assert_int_equal(seteuid(NOBODY), 0);
	has = rarog_maps_has(pid, "/file");
	of_others = rarog_maps_has(1, "/file");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	has_ended = rarog_maps_has(pid, "/file");
	assert_int_equal(seteuid(user), 0);
	assert_true(has);
	assert_false(of_others);
	assert_false(has_ended);
}
