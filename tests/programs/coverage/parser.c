/* A small interpreter of expressions: recursion, errors by return and by setjmp, tables. */
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

struct parser {
	const char *at;
	jmp_buf failed;
	int depth;
};

static long sum(struct parser *p);

static void fail(struct parser *p, const char *why)
{
	fprintf(stderr, "%s at '%s'\n", why, p->at);
	longjmp(p->failed, 1);
}

static long number(struct parser *p)
{
	char *end;
	long value = strtol(p->at, &end, 10);

	if (end == p->at)
		fail(p, "no number");
	p->at = end;
	return value;
}

static long atom(struct parser *p)
{
	long value;

	while (isspace((unsigned char)*p->at)) p->at++;
	if (*p->at != '(')
		return *p->at == '-' ? (p->at++, -atom(p)) : number(p);
	p->at++;
	p->depth++;
	value = sum(p);
	if (*p->at++ != ')')
		fail(p, "no )");
	p->depth--;
	return value;
}

static long product(struct parser *p)
{
	long value = atom(p);

	for (;;) {
		while (*p->at == ' ')
			p->at++;
		if (*p->at == '*') {
			p->at++;
			value *= atom(p);
		} else if (*p->at == '/') {
			long by;

			p->at++;
			by = atom(p);
			if (by == 0)
				fail(p, "division by zero");
			value /= by;
		} else {
			return value;
		}
	}
}

static long sum(struct parser *p)
{
	long value = product(p);

	while (*p->at == '+' || *p->at == '-') {
		int is_minus = *p->at++ == '-';
		long next = product(p);

		value += is_minus ? -next : next;
	}
	return value;
}

int main(void)
{
	static const char *const lines[] = { "1 + 2 * 3", "(1 + 2) * 3", "8 / (4 - 4)", "((2", "-(3) * -2", "x", NULL };
	int errors = 0;

	for (int i = 0; lines[i]; i++) {
		struct parser p = { .at = lines[i] };

		if (setjmp(p.failed)) {
			errors++;
			continue;
		}
		printf("%s = %ld\n", lines[i], sum(&p));
	}
	return errors == 3 ? 0 : 1;
}
