/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The C standard, POSIX, the Itanium C++ ABI and glibc's checked variants. */
#include "binary/flow-calls.h"

#include <stddef.h>
#include <string.h>

/* Names that a library of the program's own may have as well (err(), errx()) are not here: theirs
 * may return. */
static const char *const never[] = {
	"_Exit",
	"_Unwind_Resume",
	"_ZSt9terminatev",
	"__assert",
	"__assert_fail",
	"__assert_perror_fail",
	"__chk_fail",
	"__cxa_bad_cast",
	"__cxa_bad_typeid",
	"__cxa_call_unexpected",
	"__cxa_pure_virtual",
	"__cxa_rethrow",
	"__cxa_throw",
	"__cxa_throw_bad_array_new_length",
	"__fortify_fail",
	"__longjmp_chk",
	"__stack_chk_fail",
	"_exit",
	"_longjmp",
	"abort",
	"exit",
	"longjmp",
	"pthread_exit",
	"quick_exit",
	"siglongjmp",
	"thrd_exit",
};

static const char *const twice[] = {
	"__sigsetjmp", "_setjmp", "getcontext", "setjmp", "sigsetjmp", "swapcontext", "vfork",
};

/* They call nothing of the program's and are no cancellation points. */
static const char *const returns[] = {
	"__ctype_b_loc",
	"__ctype_tolower_loc",
	"__ctype_toupper_loc",
	"__errno_location",
	"__memcpy_chk",
	"__memmove_chk",
	"__memset_chk",
	"__strcat_chk",
	"__strcpy_chk",
	"__strncpy_chk",
	"abs",
	"atof",
	"atoi",
	"atol",
	"bcmp",
	"calloc",
	"ceil",
	"cos",
	"exp",
	"fabs",
	"floor",
	"fmod",
	"free",
	"getenv",
	"isalnum",
	"isalpha",
	"isdigit",
	"isspace",
	"ldexp",
	"log",
	"log10",
	"log2",
	"malloc",
	"memchr",
	"memcmp",
	"memcpy",
	"memmove",
	"mempcpy",
	"memrchr",
	"memset",
	"pow",
	"realloc",
	"realpath",
	"sin",
	"sqrt",
	"stpcpy",
	"strcasecmp",
	"strcat",
	"strchr",
	"strcmp",
	"strcoll",
	"strcpy",
	"strcspn",
	"strdup",
	"strlen",
	"strncasecmp",
	"strncat",
	"strncmp",
	"strncpy",
	"strndup",
	"strnlen",
	"strpbrk",
	"strrchr",
	"strspn",
	"strstr",
	"strtod",
	"strtol",
	"strtoll",
	"strtoul",
	"strtoull",
	"tan",
	"time",
	"tolower",
	"toupper",
};

static const struct {
	enum rarog_call_end end;
	size_t n;
	const char *const *names;
} lists[] = {
	{ RAROG_CALL_NEVER, sizeof(never) / sizeof(*never), never },
	{ RAROG_CALL_TWICE, sizeof(twice) / sizeof(*twice), twice },
	{ RAROG_CALL_RETURNS, sizeof(returns) / sizeof(*returns), returns },
};

enum rarog_call_end rarog_call_end(const char *name)
{
	for (size_t i = 0; name && i < sizeof(lists) / sizeof(*lists); i++)
		for (size_t k = 0; k < lists[i].n; k++)
			if (strcmp(lists[i].names[k], name) == 0)
				return lists[i].end;
	return RAROG_CALL_MAY_LEAVE;
}
