/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The catalogue's schema and its history. Only src/store includes this. */
#ifndef RAROG_STORE_SCHEMA_H
#define RAROG_STORE_SCHEMA_H

#include "store/sql.h"

#define RAROG_APPLICATION_ID 0x5261726f /* "Raro" */

/** rarog_schema_newest() - number of the schema that this version writes. */
int rarog_schema_newest(void);

/** rarog_schema_version() - of this file; 0: an empty one. -EBADMSG: another program's;
 * -EPROTONOSUPPORT: newer than ours. */
int rarog_schema_version(struct rarog_sql *sql);

/** rarog_schema_migrate() - from any version, also 0, to the newest: one transaction. */
int rarog_schema_migrate(struct rarog_sql *sql);

#endif
