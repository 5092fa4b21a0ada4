/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A handler and not SIG_IGN: exec makes it the default again, so programs that are started get what
 * they would have got without us. */
#include "cmd/file-limit.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"

static volatile sig_atomic_t was_hit;

static void note_hit(int signal)
{
	(void)signal;
	was_hit = 1;
}

void rarog_file_limit_catch(void)
{
	const struct sigaction action = { .sa_handler = note_hit, .sa_flags = SA_RESTART };
	struct sigaction before;

	if (sigaction(SIGXFSZ, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &action, NULL);
}

void rarog_file_limit_explain(void)
{
	rarog_cleanup(rarog_freep) char *message = strdup(rarog_error_message());
	struct rlimit limit;

	if (!was_hit || !message || strstr(message, "ulimit -f") ||
	    getrlimit(RLIMIT_FSIZE, &limit) < 0)
		return;
	rarog_error_record("%s; files may have %llu bytes at most here: raise ulimit -f", message,
			   (unsigned long long)limit.rlim_cur);
}
