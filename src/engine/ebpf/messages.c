/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/ebpf/messages.h"

#include <bpf/libbpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

__attribute__((format(printf, 2, 0))) static int say(enum libbpf_print_level level,
						     const char *format, va_list arguments)
{
	char line[512];

	if (level == LIBBPF_DEBUG)
		return 0;
	vsnprintf(line, sizeof(line), format, arguments);
	line[strcspn(line, "\n")] = '\0';
	rarog_debug(RAROG_LOG_INSTALL, "%s", line);
	return 0;
}

void rarog_ebpf_messages_catch(void)
{
	libbpf_set_print(say);
}
