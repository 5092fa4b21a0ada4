/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE_MAX 2048

static _Thread_local char message[MESSAGE_MAX];

void rarog_error_record(const char *format, ...)
{
	char text[MESSAGE_MAX]; /* arguments may point into the old message */
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	memcpy(message, text, sizeof(text));
}

void rarog_error_prefix(const char *format, ...)
{
	char prefix[MESSAGE_MAX / 4], old[MESSAGE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(prefix, sizeof(prefix), format, args);
	va_end(args);
	memcpy(old, message, sizeof(old));
	snprintf(message, sizeof(message), "%s: %.*s", prefix,
		 (int)(sizeof(old) - sizeof(prefix) - 3), old);
}

int rarog_error_record_errno(const char *format, ...)
{
	char text[MESSAGE_MAX / 2];
	int code = errno ? errno : EIO;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	rarog_error_record("%s: %s%s", text, strerror(code),
			   code == EMFILE ? " (raise ulimit -n)" : "");
	return -code;
}

const char *rarog_error_message(void)
{
	return message;
}

void rarog_error_clear(void)
{
	message[0] = '\0';
}
