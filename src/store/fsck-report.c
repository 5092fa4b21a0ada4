/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/fsck-own.h"

int rarog_fsck_report(struct rarog_fsck_state *s, struct rarog_keep_finding finding)
{
	static const struct {
		enum rarog_finding_kind kind;
		bool is_fault;
	} harmless[] = { { RAROG_FINDING_UNREFERENCED, false }, { RAROG_FINDING_STRAY, false } };

	finding.is_fault = true;
	for (size_t i = 0; i < RAROG_COUNT(harmless); i++)
		if (finding.kind == harmless[i].kind)
			finding.is_fault = false;
	s->result.faults += finding.is_fault;
	s->result.repaired += finding.is_repaired;
	return s->fsck->report ? s->fsck->report(&finding, s->fsck->user) : 0;
}
