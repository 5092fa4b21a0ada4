/* A level that chooses a row of a table, whose numbers go through memory and members to loops elsewhere. */
#include <stdio.h>
#include <stdlib.h>

struct row {
	short chain, lazy;
};

static struct row rows[] = { { 0, 0 }, { 4, 1 }, { 9, 2 } };
static int level = 1;
static int max_chain;

struct state {
	int other, lazy;
};

static void init(struct state *s, int pack_level)
{
	max_chain = rows[pack_level].chain;
	s->lazy = rows[pack_level].lazy;
}

static volatile int sink;

static void __attribute__((noinline)) plain(int n)
{
	for (int i = 0; i < n; i++) sink++;
}

static void __attribute__((noinline)) search(struct state *s)
{
	int chain = max_chain;

	while (chain-- > 0) plain(1);
	if (s->lazy > 1) plain(2);
	if (s->other) plain(3);
}

int main(int argc, char **argv)
{
	struct state s = { argc > 2, 0 };

	if (argc > 1) level = atoi(argv[1]);
	init(&s, level);
	search(&s);
	plain(100);
	printf("%d\n", sink);
	return 0;
}
