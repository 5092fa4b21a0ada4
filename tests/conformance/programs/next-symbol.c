/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of the C library that ask for their caller: dlsym(RTLD_NEXT), from functions that are
 * traced, as a call and as a jump; and __builtin_return_address() one level up.
 */
#include "expect.h"
#include <dlfcn.h>
#include <string.h>

TRACED void *next_by_call(const char *name)
{
	void *found;

	CALLED();
	found = dlsym(RTLD_NEXT, name);
	BARRIER();
	return found;
}

TRACED void *next_by_jump(const char *name)
{
	CALLED();
	return dlsym(RTLD_NEXT, name);
}

TRACED void *open_by_jump(const char *name)
{
	CALLED();
	return dlopen(name, RTLD_NOW | RTLD_NOLOAD);
}

/* Wraps the one of libc, which is the next. */
int puts(const char *text)
{
	static int (*next)(const char *);
	CALLED();
	if (!next)
		next = (int (*)(const char *))CALL(next_by_jump, "puts");
	if (!next)
		return -1;
	return next(text);
}

TRACED const char *who_calls(void)
{
	Dl_info info = { 0 };

	CALLED();
	dladdr(__builtin_return_address(0), &info);
	return info.dli_sname ? info.dli_sname : "nobody";
}

TRACED int asks(void)
{
	CALLED();
	const char *who = CALL(who_calls);

	return printf("called by %s\n", who);
}

int main(void)
{
	int same = 0;

	for (int i = 0; i < 10; i++) {
		same += CALL(next_by_call, "strlen") == (void *)strlen;
		same += CALL(next_by_jump, "printf") == (void *)printf;
		same += CALL(open_by_jump, "libc.so.6") != NULL;
		CALL(puts, "through the wrapper");
	}
	CALL(asks);
	printf("%d found\n", same);
	expect_print();
	return 0;
}
