/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/input.h"

#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define WAIT_MS 100 /* the process that writes into it began when we did */

static bool is_fed(const struct stat *input)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	return (S_ISFIFO(input->st_mode) || S_ISSOCK(input->st_mode)) &&
	       poll(&in, 1, WAIT_MS) == 1 && in.revents & POLLIN;
}

long rarog_blow_input_begin(void)
{
	struct stat input;
	off_t at;

	if (fstat(STDIN_FILENO, &input) < 0)
		return 0;
	if (is_fed(&input))
		return rarog_fail(-EINVAL, "standard input is a pipe, which only the first run "
					   "could read; give a file: < FILE, or < /dev/null");
	at = S_ISREG(input.st_mode) ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
	return at > 0 ? at : 0;
}

/* Others than files cannot, and need not. */
void rarog_blow_input_rewind(long begin)
{
	struct stat input;

	if (fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode))
		lseek(STDIN_FILENO, begin, SEEK_SET);
}
