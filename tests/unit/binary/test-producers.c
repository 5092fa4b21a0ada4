/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What compilers say of themselves, as readelf --debug-dump=info shows it of real programs. */
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "binary/producers.h"

static const struct {
	const char *text, *compiler, *flags;
} said[] = {
	{ "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2 -fasynchronous-unwind-tables",
	  "GNU C17 12.2.0", "-mtune=generic -march=x86-64 -g -O2 -fasynchronous-unwind-tables" },
	{ "GNU AS 2.40", "GNU AS 2.40", "" },
	{ "Debian clang version 14.0.6", "Debian clang version 14.0.6", "" },
	{ "Debian clang version 14.0.6 /usr/lib/llvm-14/bin/clang -g -O2 -Iinc -DX=-O3 -Wall -c "
	  "-grecord-command-line ../vm.c -o vm3.out",
	  "Debian clang version 14.0.6", "-g -O2 -grecord-command-line" },
	{ "clang version 19.1.7 /usr/bin/clang -fplugin=/a/x.so -fpass-plugin=/a/x.so -mllvm "
	  "-rarog-placement=tree -mllvm -x=1 -Xclang -mllvm -Xclang -rarog-threads=own -O1 -o a.o "
	  "a.c",
	  "clang version 19.1.7", "-mllvm -x=1 -O1" },
	{ "clang LLVM (rustc version 1.63.0)", "clang LLVM (rustc version 1.63.0)", "" },
	{ "Go cmd/compile go1.19.8; regabi", "Go cmd/compile go1.19.8; regabi", "" },
	/* two words, and words that differ from directory to directory */
	{ "GNU C++14 4.9.2 -O3 --param inline-unit-growth=9 -ffile-prefix-map=/a=. "
	  "-fdebug-prefix-map=/b=/c -std=gnu++98 -fdebug-compilation-dir=/x",
	  "GNU C++14 4.9.2", "-O3 --param inline-unit-growth=9 -std=gnu++98" },
	{ "GNU C17 12.2.0 -O2", "GNU C17 12.2.0", "-O2" },
	{ "GNU C17 12.2.0 -O2", "GNU C17 12.2.0", "-O2" },
};

TEST(texts_are_split_and_kept_once)
{
	rarog_cleanup(rarog_producers_release) struct rarog_producers all = { 0 };

	for (size_t i = 0; i < RAROG_COUNT(said); i++)
		assert_int_equal(rarog_producer_add(&all, said[i].text), 0);
	assert_int_equal(rarog_producer_add(&all, ""), 0);
	assert_int_equal(rarog_producer_add(&all, " -O2"), 0);
	assert_int_equal(all.list.n, RAROG_COUNT(said) - 1);
	for (size_t i = 0; i < all.list.n; i++) {
		assert_string_equal(all.list.v[i].compiler, said[i].compiler);
		assert_string_equal(all.list.v[i].flags, said[i].flags);
	}
}

TEST(there_is_a_limit)
{
	rarog_cleanup(rarog_producers_release) struct rarog_producers all = { 0 };

	for (unsigned i = 0; i < 2 * RAROG_PRODUCERS_MOST; i++) {
		rarog_cleanup(rarog_freep) char *text = rarog_asprintf("cc %u", i);

		assert_int_equal(rarog_producer_add(&all, text), 0);
	}
	assert_int_equal(all.list.n, RAROG_PRODUCERS_MOST);
}
