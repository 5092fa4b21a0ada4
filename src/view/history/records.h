/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of the catalogue for people and for programs, the same in every command that lists them. */
#ifndef RAROG_VIEW_HISTORY_RECORDS_H
#define RAROG_VIEW_HISTORY_RECORDS_H

#include "base/json-writer.h"
#include "base/str.h"
#include "base/table.h"
#include "store/record.h"

/** rarog_record_table_new() - an empty table for rarog_record_table_add(). NULL: no memory. */
struct rarog_table *rarog_record_table_new(void);

/**
 * rarog_record_table_add() - a row
 * @name: how the profile can be called here, "0@i"; "": by its hash only
 * @here: class of this machine, NULL: unknown; others are marked
 */
int rarog_record_table_add(struct rarog_table *table, const char *name,
			   const struct rarog_record *record, const struct rarog_hash *here);

/** rarog_record_notes() - append what is special: "changed, cut off, other machine". */
int rarog_record_notes(const struct rarog_record *record, const struct rarog_hash *here,
		       struct rarog_str *notes);

/** rarog_record_json() - the row as an object; @name NULL: none. */
void rarog_record_json(struct rarog_json *json, const char *name,
		       const struct rarog_record *record);

#endif
