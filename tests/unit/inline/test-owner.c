/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel marks the words of a process that is killed, and no others. */

#include "unit.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/layout.h"
#include "engine/inline/ring/owner.h"

#define N 4

/* As in an image: an entry of one's own a page in front of a shared word. */
struct pair {
	uint8_t *memory;
};

static struct pair pair_new(void)
{
	uint8_t *memory =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	assert_true(mmap(memory + 4096, 4096, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
	return (struct pair){ memory };
}

static struct robust_list *entry_of(struct pair p)
{
	return (void *)p.memory;
}

static uint32_t word_of(struct pair p)
{
	return *(volatile uint32_t *)(void *)(p.memory + 4096);
}

/* The child owns all words but gives number 1 back. */
static void own_until(struct pair pairs[N], int ready, int end)
{
	struct rarog_owner owner;

	rarog_owner_begin(&owner, 4096);
	for (int i = 0; i < N; i++)
		rarog_owner_add(&owner, entry_of(pairs[i]));
	rarog_owner_remove(&owner, entry_of(pairs[1]));
	if (end)
		rarog_owner_end(&owner);
	if (write(ready, "", 1) == 1 && !end)
		pause();
	_exit(0);
}

static pid_t start(struct pair pairs[N], int end)
{
	int ends[2];
	char byte;
	pid_t pid;

	for (int i = 0; i < N; i++)
		pairs[i] = pair_new();
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		own_until(pairs, ends[1], end);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	return pid;
}

TEST(who_is_killed_is_said_to_have_died)
{
	struct pair pairs[N];
	pid_t pid = start(pairs, 0);

	for (int i = 0; i < N; i++)
		assert_int_equal(word_of(pairs[i]), pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < N; i++)
		assert_int_equal(word_of(pairs[i]) & RAROG_OWNER_DIED,
				 i == 1 ? 0 : RAROG_OWNER_DIED);
	for (int i = 0; i < N; i++)
		munmap(pairs[i].memory, 8192);
}

TEST(who_gives_up_has_not_died)
{
	struct pair pairs[N];
	pid_t pid = start(pairs, 1);

	waitpid(pid, NULL, 0);
	for (int i = 0; i < N; i++) {
		assert_int_equal(word_of(pairs[i]) & RAROG_OWNER_DIED, 0);
		munmap(pairs[i].memory, 8192);
	}
}
