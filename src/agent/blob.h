/* SPDX-License-Identifier: MIT */
/* The agent's machine code, embedded in rarog: struct rarog_area at 0, the entry table
 * (struct rarog_agent_entries) at RAROG_AREA_HEADER, code after it. */
#ifndef RAROG_AGENT_BLOB_H
#define RAROG_AGENT_BLOB_H

extern const unsigned char rarog_agent_blob[], rarog_agent_blob_end[];

#endif
