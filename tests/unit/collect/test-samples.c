/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sample collector without the kernel: order of records, what is in them, address spaces,
 * names of generated code, sums (against a brute force over all samples).
 */

#include "unit.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/sample/generated.h"
#include "engine/sample/kernel.h"
#include "engine/sample/order.h"
#include "engine/sample/records.h"
#include "engine/sample/sampled.h"
#include "engine/sample/spaces.h"
#include "engine/sample/sums.h"

/* --- order --- */

struct entry {
	uint64_t ns, number;
};

/* Reads all that is given away: it must not be earlier than @last, nor late. */
static size_t take_all(struct rarog_order *order, uint64_t *last)
{
	const struct rarog_ordered *entry;
	size_t n = 0;

	while ((entry = rarog_order_next(order))) {
		struct entry e;

		memcpy(&e, entry->bytes, sizeof(e));
		assert_int_equal(e.ns, entry->ns);
		assert_true(entry->ns >= *last);
		*last = entry->ns;
		n++;
	}
	return n;
}

/* Four rings, each in order, are read one after the other while records go on coming: a round reads
 * of each what is older than the moment when it comes to it. */
TEST(records_of_several_rings_come_in_order)
{
	enum { RINGS = 4, RECORDS = 5000 };
	static uint64_t times[RINGS][RECORDS];
	struct rarog_order order = { 0 };
	size_t next[RINGS] = { 0 }, n = 0;
	uint64_t last = 0, now = 0;

	srand(7);
	for (int ring = 0; ring < RINGS; ring++)
		for (size_t i = 0; i < RECORDS; i++)
			times[ring][i] = (i ? times[ring][i - 1] : 0) + (uint64_t)(rand() % 50);
	while (n < RINGS * RECORDS) {
		uint64_t began = now;

		for (int ring = 0; ring < RINGS; ring++, now += (uint64_t)(rand() % 400))
			for (; next[ring] < RECORDS && times[ring][next[ring]] < now;
			     next[ring]++) {
				struct entry e = { times[ring][next[ring]], 0 };

				assert_int_equal(rarog_order_add(&order, e.ns, (unsigned)ring,
								 sizeof(e), &e),
						 0);
			}
		assert_int_equal(rarog_order_round(&order, began), 0);
		n += take_all(&order, &last);
		if (now > 500 * RECORDS)
			break;
	}
	assert_int_equal(rarog_order_finish(&order), 0);
	n += take_all(&order, &last);
	assert_int_equal(n, RINGS * RECORDS);
	assert_int_equal(order.late, 0);
	assert_int_equal(order.size, 0);
	rarog_order_release(&order);
}

TEST(equal_times_stay_in_their_order)
{
	struct rarog_order order = { 0 };

	for (uint64_t i = 0; i < 100; i++) {
		struct entry e = { 5, i };

		assert_int_equal(rarog_order_add(&order, 5, 0, sizeof(e), &e), 0);
	}
	assert_int_equal(rarog_order_finish(&order), 0);
	for (uint64_t i = 0; i < 100; i++) {
		struct entry e;

		memcpy(&e, rarog_order_next(&order)->bytes, sizeof(e));
		assert_int_equal(e.number, i);
	}
	rarog_order_release(&order);
}

TEST(what_is_not_settled_is_kept_back)
{
	struct rarog_order order = { 0 };
	struct entry e = { 150, 0 };

	assert_int_equal(rarog_order_add(&order, 150, 0, sizeof(e), &e), 0);
	assert_int_equal(rarog_order_round(&order, 100), 0);
	assert_null(rarog_order_next(&order));
	assert_int_equal(rarog_order_round(&order, 200), 0); /* before 100 all is known */
	assert_null(rarog_order_next(&order));
	assert_int_equal(rarog_order_round(&order, 300), 0);
	assert_non_null(rarog_order_next(&order));
	rarog_order_release(&order);
}

/* --- records --- */

#define TYPE                                                                                       \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |         \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

/* As perf_event_open(2) has it: pid, tid; time; period; chain; registers; stack. */
static size_t make_sample(uint64_t words[64])
{
	size_t n = 1;

	words[n++] = (uint64_t)12 << 32 | 11;
	words[n++] = 1000;
	words[n++] = 7;
	words[n++] = 2;
	words[n++] = (uint64_t)PERF_CONTEXT_USER;
	words[n++] = 0x400;
	words[n++] = PERF_SAMPLE_REGS_ABI_64;
	for (uint64_t i = 0; i < RAROG_SAMPLE_REGISTERS; i++)
		words[n++] = 100 + i;
	words[n++] = 16;
	words[n++] = 0x1111;
	words[n++] = 0x2222;
	words[n++] = 8;
	return 8 * n;
}

static void set_head(uint64_t words[64], uint32_t type, uint16_t misc, size_t size)
{
	const struct perf_event_header head = { .type = type,
						.misc = misc,
						.size = (uint16_t)size };

	memcpy(words, &head, sizeof(head));
}

TEST(a_sample_is_taken_apart)
{
	uint64_t words[64];
	const struct perf_event_header *head = (const void *)words;
	struct rarog_sample_record record;
	size_t size = make_sample(words);

	set_head(words, PERF_RECORD_SAMPLE, 0, size);
	assert_int_equal(rarog_sample_record_time(head), 1000);
	assert_int_equal(rarog_sample_record_read(TYPE, head, &record), 1);
	assert_int_equal(record.kind, RAROG_SAMPLE_SAMPLE);
	assert_int_equal(record.pid, 11);
	assert_int_equal(record.tid, 12);
	assert_int_equal(record.period, 7);
	assert_int_equal(record.n_chain, 2);
	assert_int_equal(record.chain[1], 0x400);
	assert_int_equal(record.registers[RAROG_SAMPLE_IP], 108);
	assert_int_equal(record.n_stack, 8); /* of the 16 that there is room for */
	assert_int_equal(record.stack[0], 0x11);
}

TEST(samples_that_are_too_short_are_refused)
{
	uint64_t words[64];
	struct rarog_sample_record record;
	size_t size = make_sample(words);

	for (size_t cut = 8; cut < size; cut++) {
		uint8_t *copy = malloc(cut); /* so that a sanitizer sees what is read after it */

		set_head(words, PERF_RECORD_SAMPLE, 0, cut);
		memcpy(copy, words, cut);
		assert_int_equal(rarog_sample_record_read(TYPE, (const void *)copy, &record),
				 -EBADMSG);
		free(copy);
	}
}

TEST(sizes_in_a_sample_are_not_believed)
{
	static const size_t sizes[] = { 4, 25 }; /* words: of the chain, of the stack */
	uint64_t words[64];
	struct rarog_sample_record record;
	size_t size = make_sample(words);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		make_sample(words);
		words[sizes[i]] = UINT64_MAX / 4;
		set_head(words, PERF_RECORD_SAMPLE, 0, size);
		assert_int_equal(rarog_sample_record_read(TYPE, (const void *)words, &record),
				 -EBADMSG);
	}
}

TEST(other_records_tell_their_thread_and_time)
{
	struct {
		struct perf_event_header head;
		uint32_t pid, tid;
		uint64_t start, size, offset;
		char path[8];
		uint32_t by_pid, by_tid;
		uint64_t time;
	} map = {
		{ PERF_RECORD_MMAP, 0, sizeof(map) }, 5, 6, 0x1000, 0x2000, 0x3000, "/a/b", 5, 6, 99
	};
	struct {
		struct perf_event_header head;
		uint32_t pid, tid;
		uint64_t time;
	} out = { { PERF_RECORD_SWITCH,
		    PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT,
		    sizeof(out) },
		  5,
		  6,
		  100 };
	struct rarog_sample_record record;

	assert_int_equal(rarog_sample_record_read(TYPE, &map.head, &record), 1);
	assert_int_equal(record.kind, RAROG_SAMPLE_MAP);
	assert_int_equal(record.offset, 0x3000);
	assert_string_equal(record.name, "/a/b");
	assert_int_equal(record.ns, 99);
	memset(map.path, 'x', sizeof(map.path)); /* it does not end */
	assert_int_equal(rarog_sample_record_read(TYPE, &map.head, &record), -EBADMSG);
	assert_int_equal(rarog_sample_record_read(TYPE, &out.head, &record), 1);
	assert_int_equal(record.kind, RAROG_SAMPLE_OUT);
	assert_true(record.is_preempted);
	assert_int_equal(rarog_sample_record_time(&out.head), 100);
}

/* perf_event_open(2): PERF_RECORD_MMAP2 has a build-id in the place of device, inode, generation.
 */
TEST(a_mapping_tells_its_build_id_or_its_inode)
{
	struct {
		struct perf_event_header head;
		uint32_t pid, tid;
		uint64_t start, size, offset;
		uint8_t build_id_size, reserved[3], build_id[20];
		uint32_t protection, flags;
		char path[8];
		uint32_t by_pid, by_tid;
		uint64_t time;
	} map = { { PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, sizeof(map) },
		  .pid = 5,
		  .build_id_size = 3,
		  .build_id = { 0xa1, 0xb2, 0xc3 },
		  .path = "/a/b",
		  .time = 99 };
	struct rarog_sample_record record;

	assert_int_equal(rarog_sample_record_read(TYPE, &map.head, &record), 1);
	assert_int_equal(record.n_build_id, 3);
	assert_memory_equal(record.build_id, map.build_id, 3);
	assert_int_equal(record.file.inode, 0);
	assert_string_equal(record.name, "/a/b");
	assert_int_equal(record.ns, 99);
	map.build_id_size = 21; /* more than there is room for */
	assert_int_equal(rarog_sample_record_read(TYPE, &map.head, &record), 1);
	assert_int_equal(record.n_build_id, 0);
	map.head.misc = 0;
	assert_int_equal(rarog_sample_record_read(TYPE, &map.head, &record), 1);
	assert_int_equal(record.n_build_id, 0);
	assert_int_equal(record.file.major, 21);
	assert_string_equal(record.name, "/a/b");
}

/* --- address spaces --- */

static const struct rarog_file_id no_id;

static const char *file_at(const struct rarog_spaces *spaces, uint32_t pid, uint64_t address)
{
	const struct rarog_space_mapping *found =
		rarog_space_at(rarog_spaces_find(spaces, pid), address);

	return found ? spaces->files.v[found->file].path : "";
}

/* A page belongs to the last mapping of it: as an array of pages has it. */
TEST(what_is_mapped_later_covers_what_was_there)
{
	enum { PAGES = 64 };
	int owner[PAGES];
	struct rarog_spaces spaces = { 0 };
	char name[16];

	memset(owner, -1, sizeof(owner));
	srand(3);
	for (int i = 0; i < 200; i++) {
		int first = rand() % PAGES, n = 1 + rand() % (PAGES - first);

		snprintf(name, sizeof(name), "/%d", i);
		assert_int_equal(rarog_spaces_map(&spaces, 1, (uint64_t)first << 12,
						  (uint64_t)n << 12, 0, name, no_id),
				 i);
		for (int page = first; page < first + n; page++)
			owner[page] = i;
	}
	for (int page = 0; page < PAGES; page++) {
		snprintf(name, sizeof(name), "/%d", owner[page]);
		assert_string_equal(file_at(&spaces, 1, (uint64_t)page << 12),
				    owner[page] < 0 ? "" : name);
	}
	rarog_spaces_release(&spaces);
}

TEST(a_child_has_a_copy_until_it_becomes_another)
{
	struct rarog_spaces spaces = { 0 };

	assert_int_equal(rarog_spaces_map(&spaces, 1, 0x1000, 0x1000, 0, "/a", no_id), 0);
	assert_int_equal(rarog_spaces_fork(&spaces, 1, 2), 0);
	assert_int_equal(rarog_spaces_map(&spaces, 1, 0x1000, 0x1000, 0, "/b", no_id), 1);
	assert_string_equal(file_at(&spaces, 1, 0x1800), "/b");
	assert_string_equal(file_at(&spaces, 2, 0x1800), "/a");
	rarog_spaces_exec(&spaces, 2);
	assert_string_equal(file_at(&spaces, 2, 0x1800), "");
	rarog_spaces_release(&spaces);
}

/* --- names --- */

static void write_file(char path[], size_t n, const void *bytes)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), (ssize_t)n);
	close(fd);
}

TEST(a_perf_map_names_generated_code)
{
	static const char text[] =
		"1000 10 one\n1020 20 two words\nnonsense\n2000 0 empty\n1000 8 new\n";
	char path[] = "/tmp/rarog-test-map-XXXXXX";
	struct rarog_generated generated = { 0 };

	write_file(path, sizeof(text) - 1, text);
	assert_int_equal(rarog_generated_map(&generated, path), 0);
	unlink(path);
	assert_int_equal(generated.list.n, 3);
	assert_string_equal(rarog_generated_find(&generated, 0x1000, 0)->name, "new");
	assert_string_equal(rarog_generated_find(&generated, 0x100f, 0)->name, "one");
	assert_string_equal(rarog_generated_find(&generated, 0x103f, 0)->name, "two words");
	assert_null(rarog_generated_find(&generated, 0x1010, 0));
	assert_null(rarog_generated_find(&generated, 0x2000, 0));
	rarog_generated_release(&generated);
	assert_int_equal(rarog_generated_map(&generated, "/nowhere/map"), 0);
}

struct load {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, address, length, index;
	char name[8];
};

struct dump {
	uint32_t magic, version, size, machine, zero, pid;
	uint64_t time, flags;
	struct load loads[2];
	struct {
		uint32_t id, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, from, to, length, index;
	} move;
};

/* The same address is another function later; a third one moves. */
TEST(a_jitdump_names_code_by_time)
{
	struct dump dump = { 0x4a695444,
			     1,
			     40,
			     62,
			     0,
			     1,
			     0,
			     0,
			     { { 0, 64, 10, 1, 1, 0, 0x1000, 0x10, 0, "early" },
			       { 0, 64, 20, 1, 1, 0, 0x1000, 0x10, 1, "later" } },
			     { 1, 64, 30, 1, 1, 0, 0x1000, 0x5000, 0x10, 1 } };
	char path[] = "/tmp/rarog-test-dump-XXXXXX";

	assert_int_equal(sizeof(struct load), 64);
	write_file(path, sizeof(dump), &dump);
	for (size_t n = 0; n <= sizeof(dump); n++) {
		struct rarog_generated generated = { 0 };

		assert_int_equal(truncate(path, (off_t)(sizeof(dump) - n)), 0);
		assert_int_equal(rarog_generated_dump(&generated, path), 0);
		if (n == 0) {
			assert_int_equal(generated.list.n, 3);
			assert_null(rarog_generated_find(&generated, 0x1000, 9));
			assert_string_equal(rarog_generated_find(&generated, 0x1008, 15)->name,
					    "early");
			assert_string_equal(rarog_generated_find(&generated, 0x1008, 25)->name,
					    "later");
			assert_string_equal(rarog_generated_find(&generated, 0x5008, 35)->name,
					    "later");
		}
		rarog_generated_release(&generated);
	}
	unlink(path);
}

TEST(symbols_of_the_kernel_are_found)
{
	static const char text[] = "ffffffff81000000 T first\nffffffff81000100 t second\t[module]\n"
				   "ffffffff81000180 d data\n0000000000000000 T hidden\nbroken\n";
	char path[] = "/tmp/rarog-test-kernel-XXXXXX";
	struct rarog_kernel kernel;

	write_file(path, sizeof(text) - 1, text);
	assert_int_equal(rarog_kernel_read(path, &kernel), 0);
	unlink(path);
	assert_int_equal(kernel.symbols.n, 2);
	assert_int_equal(rarog_kernel_find(&kernel, 0xffffffff80ffffff), -1);
	assert_int_equal(rarog_kernel_find(&kernel, 0xffffffff810000ff), 0);
	assert_string_equal(kernel.symbols.v[rarog_kernel_find(&kernel, 0xffffffff81000fff)].name,
			    "second");
	rarog_kernel_release(&kernel);
}

/* --- processes --- */

static void tell(struct rarog_sampled *s, enum rarog_sample_record_kind kind, uint32_t parent,
		 uint32_t tid)
{
	static uint64_t ns;
	const struct rarog_sample_record record = {
		.kind = kind, .ns = ++ns, .pid = (uint32_t)getpid(), .tid = tid, .parent = parent
	};

	assert_int_equal(rarog_sampled_add(s, &record), 0);
}

/* The number of this process lives all the time. */
TEST(who_ended_runs_on_no_more_though_its_number_does)
{
	const struct rarog_sample_options options = RAROG_SAMPLE_OPTIONS_DEFAULT;
	uint32_t own = (uint32_t)getpid(), parent = own + 1, thread = own + 2;
	struct rarog_sampled s;

	assert_int_equal(rarog_sampled_init(&options, &s), 0);
	tell(&s, RAROG_SAMPLE_FORK, parent, own);
	assert_int_equal(rarog_sampled_outliving(&s), 1);
	tell(&s, RAROG_SAMPLE_FORK, own, thread);
	tell(&s, RAROG_SAMPLE_EXIT, parent, own);
	tell(&s, RAROG_SAMPLE_EXIT, parent, own); /* told twice, it is one */
	assert_int_equal(rarog_sampled_outliving(&s), 1);
	tell(&s, RAROG_SAMPLE_EXIT, parent, thread);
	assert_int_equal(rarog_sampled_outliving(&s), 0);
	tell(&s, RAROG_SAMPLE_FORK, parent, own);
	tell(&s, RAROG_SAMPLE_FORK, parent, own); /* the end of the one before was lost */
	assert_int_equal(rarog_sampled_outliving(&s), 1);
	tell(&s, RAROG_SAMPLE_EXIT, parent, own);
	assert_int_equal(rarog_sampled_outliving(&s), 0);
	assert_int_equal(s.processes.n, 3);
	rarog_sampled_release(&s);
}

/* --- sums --- */

enum { PLACES = 5, LOCATIONS = 3, SAMPLES = 3000, DEPTH = 6 };

/* Places 0 and 3, 1 and 4 are one location each. */
static const uint32_t location_of[PLACES] = { 0, 1, 2, 0, 1 };

struct stack {
	uint32_t n, places[DEPTH];
	uint64_t period, waited;
};

static struct stack random_stack(void)
{
	struct stack stack = { .n = 1 + (uint32_t)rand() % DEPTH,
			       .period = 1 + (uint64_t)rand() % 9,
			       .waited = rand() % 4 ? 0 : (uint64_t)rand() % 100 };

	for (uint32_t i = 0; i < stack.n; i++)
		stack.places[i] = (uint32_t)rand() % PLACES;
	return stack;
}

static void add_to_tree(struct rarog_tree *tree, const struct stack *stack)
{
	uint64_t node = rarog_tree_child(tree, 0, 7, false); /* a thread */
	const struct rarog_off_cpu_time off_cpu = { .waited = stack->waited };

	for (uint32_t i = 0; i < stack->n; i++)
		node = rarog_tree_child(tree, (uint32_t)node, stack->places[i], false);
	tree->amounts[node].count++;
	tree->amounts[node].exclusive += stack->period;
	assert_int_equal(rarog_tree_off_cpu(tree, (uint32_t)node, &off_cpu), 0);
}

/* Each sample by itself: to the innermost, and once to each function on its stack. */
static void add_by_hand(struct rarog_sample_amount expected[LOCATIONS], const struct stack *stack)
{
	uint64_t ns = stack->period * 10 + stack->waited;
	bool is_on[LOCATIONS] = { false };
	uint32_t own = location_of[stack->places[stack->n - 1]];

	expected[own].count++;
	expected[own].exclusive += ns;
	expected[own].off_cpu.waited += stack->waited;
	for (uint32_t i = 0; i < stack->n; i++)
		is_on[location_of[stack->places[i]]] = true;
	for (uint32_t i = 0; i < LOCATIONS; i++) {
		expected[i].below += is_on[i];
		expected[i].total += is_on[i] ? ns : 0;
		expected[i].total_off_cpu.waited += is_on[i] ? stack->waited : 0;
	}
}

TEST(sums_are_those_of_all_samples)
{
	struct rarog_sample_amount expected[LOCATIONS] = { 0 }, found[LOCATIONS] = { 0 };
	struct rarog_sample_sums sums;
	struct rarog_tree tree;

	srand(11);
	assert_int_equal(rarog_tree_init(&tree, 1 << 20), 0);
	for (int i = 0; i < SAMPLES; i++) {
		struct stack stack = random_stack();

		add_to_tree(&tree, &stack);
		add_by_hand(expected, &stack);
	}
	assert_int_equal(rarog_sample_sums_init(&tree, 10, LOCATIONS, &sums), 0);
	rarog_sample_sums_add(&sums, &tree, sums.child[0], location_of, found);
	for (int i = 0; i < LOCATIONS; i++) {
		assert_memory_equal(&found[i], &expected[i], sizeof(*found));
		assert_int_equal(sums.on_path[i], 0);
	}
	rarog_sample_sums_release(&sums);
	rarog_tree_release(&tree);
}
