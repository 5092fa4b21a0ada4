/* SPDX-License-Identifier: GPL-3.0-or-later */
/* handle() again and again, which calls parse() once and answer() twice; no other thread. With an argument, it pauses
 * for so many seconds every second. For two minutes.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

FUNCTION void parse(void) { WORK(30000); }

FUNCTION void answer(void) { WORK(35000); }

FUNCTION void handle(void)
{
	parse();
	answer();
	answer();
}

int main(int argc, char *argv[])
{
	time_t begin = time(NULL), paused = begin + 3;

	while (time(NULL) < begin + 120) {
		handle();
		if (argc < 2 || time(NULL) <= paused) continue;
		sleep(atoi(argv[1]));
		paused = time(NULL);
	}
	return 0;
}
