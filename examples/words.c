/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts the words of a text and prints the ten most frequent: a first program to look at with
 * Rarog. Its hash function is bad on purpose; the profile shows it (see README.md). usage: words
 * FILE
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096

struct entry {
	struct entry *next;
	unsigned count;
	char word[];
};

static struct entry *bucket[BUCKETS];
static unsigned n_entries;

/* Like the thumb index of a dictionary: words of one first letter share a bucket. */
static unsigned hash(const char *word)
{
	return (unsigned char)word[0] % BUCKETS;
}

static int is_same(const struct entry *entry, const char *word)
{
	return strcmp(entry->word, word) == 0;
}

static struct entry *find(const char *word, unsigned in)
{
	for (struct entry *e = bucket[in]; e; e = e->next)
		if (is_same(e, word))
			return e;
	return NULL;
}

static struct entry *insert(const char *word, unsigned in)
{
	struct entry *e = malloc(sizeof(*e) + strlen(word) + 1);

	if (!e)
		abort();
	strcpy(e->word, word);
	e->count = 0;
	e->next = bucket[in];
	bucket[in] = e;
	n_entries++;
	return e;
}

static void count_word(const char *word)
{
	unsigned in = hash(word);
	struct entry *e = find(word, in);

	if (!e)
		e = insert(word, in);
	e->count++;
}

static int read_word(FILE *f, char *word, size_t size)
{
	size_t n = 0;
	int c = fgetc(f);

	while (c != EOF && !isalpha(c))
		c = fgetc(f);
	for (; c != EOF && isalpha(c); c = fgetc(f))
		if (n + 1 < size)
			word[n++] = (char)tolower(c);
	word[n] = '\0';
	return n > 0;
}

static int compare(const void *a, const void *b)
{
	const struct entry *const *x = a, *const *y = b;

	if ((*x)->count != (*y)->count)
		return (*x)->count < (*y)->count ? 1 : -1;
	return strcmp((*x)->word, (*y)->word);
}

static void print_top(unsigned n)
{
	struct entry **all = malloc(n_entries * sizeof(*all));
	unsigned k = 0;

	if (!all)
		abort();
	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct entry *e = bucket[i]; e; e = e->next)
			all[k++] = e;
	qsort(all, k, sizeof(all[0]), compare);
	for (unsigned i = 0; i < n && i < k; i++)
		printf("%8u %s\n", all[i]->count, all[i]->word);
	free(all);
}

int main(int argc, char **argv)
{
	char word[64];
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;

	if (!f) {
		fprintf(stderr, "usage: words FILE\n");
		return 2;
	}
	while (read_word(f, word, sizeof(word)))
		count_word(word);
	fclose(f);
	print_top(10);
	return 0;
}
