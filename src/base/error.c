/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE_MAX 2048

static _Thread_local char message[MESSAGE_MAX];

int rarog_fail(int code, const char *format, ...)
{
	char text[MESSAGE_MAX]; /* arguments may point into the old message */
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	memcpy(message, text, sizeof(text));
	return code;
}

int rarog_fail_prefix(int code, const char *format, ...)
{
	char prefix[MESSAGE_MAX / 4], old[MESSAGE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(prefix, sizeof(prefix), format, args);
	va_end(args);
	memcpy(old, message, sizeof(old));
	snprintf(message, sizeof(message), "%s: %.*s", prefix,
		 (int)(sizeof(old) - sizeof(prefix) - 3), old);
	return code;
}

int rarog_fail_errno(const char *format, ...)
{
	char text[MESSAGE_MAX / 2];
	int code = errno ? errno : EIO;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return rarog_fail(-code, "%s: %s", text, strerror(code));
}

int rarog_oom(void)
{
	return rarog_fail(-ENOMEM, "out of memory");
}

const char *rarog_error_message(void)
{
	return message;
}

void rarog_error_clear(void)
{
	message[0] = '\0';
}
