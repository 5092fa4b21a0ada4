/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ulimit -f: a file that grows over it kills the writer; an error that says so is better. */
#ifndef RAROG_CMD_FILE_LIMIT_H
#define RAROG_CMD_FILE_LIMIT_H

/** rarog_file_limit_catch() - from now on a write over the limit fails with EFBIG. Programs that
 * are started later do not notice. */
void rarog_file_limit_catch(void);

/** rarog_file_limit_explain() - after a failure: add to its message that the limit was met, if so.
 */
void rarog_file_limit_explain(void);

#endif
