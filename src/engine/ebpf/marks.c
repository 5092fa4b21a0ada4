/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/ebpf/marks.h"

#include <stdlib.h>

#include "base/error.h"
#include "engine/probed/marks.h"
#include "plan/mark-set.h"

static uint32_t number_of(const struct rarog_probed_module *m, const struct rarog_mark *mark)
{
	return m->first + (uint32_t)m->n + mark->name;
}

/* What passes it is at its address: from there others are found, wherever the file is mapped. */
static bool tells(const struct rarog_probed_module *m, const struct rarog_mark *mark,
		  struct rarog_mark_set *ret_set)
{
	return !m->counts_marks && rarog_mark_set_make(&m->marks, mark, 0 - mark->address, ret_set);
}

size_t rarog_ebpf_marks_tell(const struct rarog_probed_module *m,
			     struct rarog_ebpf_mark ret_marks[])
{
	size_t n = 0;

	for (size_t i = 0; i < m->marks.v.n; i++) {
		ret_marks[i].number = number_of(m, &m->marks.v.v[i]);
		n += tells(m, &m->marks.v.v[i], &ret_marks[i].set);
	}
	return n;
}

static uint64_t cookie_of(const struct rarog_probed_module *m, size_t i)
{
	const struct rarog_mark *mark = &m->marks.v.v[i];
	const struct rarog_return_place *place = &mark->site.return_place;
	/* unknown: what is below the stack pointer is below it, see agent/mark.c */
	int64_t distance = place->from == RAROG_RETURN_UNKNOWN ? -4 : place->offset;
	uint64_t cookie = number_of(m, mark);
	struct rarog_mark_set set;

	if (m->counts_marks)
		return cookie;
	if (tells(m, mark, &set))
		cookie = RAROG_EBPF_COOKIE_VALUES | (m->first_mark + i);
	cookie |= (uint64_t)mark->action << RAROG_EBPF_COOKIE_KIND;
	cookie |= place->from == RAROG_RETURN_FROM_RBP ? RAROG_EBPF_COOKIE_RBP : 0;
	return cookie | (uint64_t)distance << RAROG_EBPF_COOKIE_DISTANCE;
}

int rarog_ebpf_marks_attach(const struct rarog_probed_module *m, struct rarog_ebpf_kernel *kernel,
			    pid_t pid)
{
	rarog_cleanup(rarog_freep) struct rarog_ebpf_place *places =
		calloc(m->marks.v.n + 1, sizeof(*places));

	if (!places)
		return rarog_oom();
	for (size_t i = 0; i < m->marks.v.n; i++) {
		/* of probes at one address the kernel asks the last one first */
		size_t k = m->marks.v.n - 1 - i;
		const struct rarog_mark *mark = &m->marks.v.v[k];

		places[i] = (struct rarog_ebpf_place){
			.offset = rarog_probed_marks_offset(m, mark->address),
			.semaphore =
				mark->semaphore ? rarog_probed_marks_offset(m, mark->semaphore) : 0,
			.cookie = cookie_of(m, k),
		};
	}
	return rarog_ebpf_kernel_attach_marks(kernel, m->path, m->marks.v.n, places, pid);
}
