/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The words are robust futexes (get_robust_list(2), Documentation/locking/robust-futex-ABI): when a
 * thread ends, however it ends, the kernel walks its list and marks the words that hold its id. The
 * list itself stays in memory of our own, where the measured program cannot damage it: each entry
 * lies at a fixed distance from its word, which is all that the kernel asks for.
 *
 * The kernel may read the list after any instruction, so every link is written when what it leads
 * to is complete.
 */
#include "engine/inline/ring/owner.h"

#include <sys/syscall.h>
#include <unistd.h>

static void set_list(struct robust_list_head *head)
{
	syscall(SYS_set_robust_list, head, sizeof(*head));
}

void rarog_owner_begin(struct rarog_owner *owner, ptrdiff_t distance)
{
	size_t size;

	*owner = (struct rarog_owner){
		.head = { .list = { &owner->head.list }, .futex_offset = distance },
		.tid = (uint32_t)gettid(),
	};
	if (syscall(SYS_get_robust_list, 0, &owner->before, &size) < 0)
		owner->before = NULL;
	set_list(&owner->head);
}

void rarog_owner_end(struct rarog_owner *owner)
{
	set_list(owner->before);
}

void rarog_owner_add(struct rarog_owner *owner, struct robust_list *entry)
{
	uint32_t *word = (void *)((char *)entry + owner->head.futex_offset);

	__atomic_store_n(word, owner->tid, __ATOMIC_RELAXED);
	entry->next = owner->head.list.next;
	__atomic_store_n(&owner->head.list.next, entry, __ATOMIC_RELEASE);
}

void rarog_owner_remove(struct rarog_owner *owner, struct robust_list *entry)
{
	struct robust_list *at = &owner->head.list;

	while (at->next != &owner->head.list && at->next != entry)
		at = at->next;
	if (at->next == entry)
		__atomic_store_n(&at->next, entry->next, __ATOMIC_RELEASE);
}
