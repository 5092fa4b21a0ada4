/* Options of which the optimizer knows all values, beside an annotation of somebody else. */
#include <stdio.h>

#include <rarog.h>

static int never RAROG_FEATURE_VARIABLE(Never) = 3;
static int either RAROG_FEATURE_VARIABLE(Either);
static int other __attribute__((annotate("somebody else's"))) = 5;

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) either = 1;
	if (never > 5) puts("never");
	for (int i = 0; i < never; i++) printf("%d %d\n", i, either ? i : other);
	return 0;
}
