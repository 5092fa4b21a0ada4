#!/usr/bin/env bats
# rarog cc and rarog c++ in the compiler's place.

load ../helper
load ../blocks-helper

need_compiler() {
	need_plugin
	take cc/main.c
	echo 'int triple(int x) { for (int i = 0; i < 1000; i++) __asm__ volatile("" : "+r"(x)); return 3 * x; }' >triple.c
	mkdir counts
}

# counted PROGRAM…: it runs, and leaves one file of counters
counted() {
	rm -f counts/*
	RAROG_BLOCKS_DIR=$PWD/counts "$@"
	[ "$(find counts -name '*.counts' | wc -l)" -eq 1 ]
}

@test "what is compiled, linked, or both at once, counts" {
	need_compiler
	rarog cc -O2 -Wall -Werror -o both main.c triple.c
	[ "$(counted ./both)" = 3 ]
	rarog cc -O2 -Werror -c main.c triple.c
	rarog cc -Werror -o linked main.o triple.o
	[ "$(counted ./linked)" = 3 ]
	ar rcs libtriple.a triple.o
	rarog cc -Werror -o archived main.o -L. -ltriple
	[ "$(counted ./archived)" = 3 ]
	"clang-$llvm" -o unlinked main.o triple.o # no part of rarog in it
	[ "$(RAROG_BLOCKS_DIR=$PWD/counts ./unlinked)" = 3 ]
	echo '#include <thread>
	int main() { std::thread([] {}).join(); }' >thread.cc
	rarog c++ -O2 -o thread thread.cc
	counted ./thread
}

@test "libraries and programs beside each other" {
	need_compiler
	rarog cc -O2 -fPIC -shared -o libtriple.so triple.c
	rarog cc -O2 -o both main.c -L. -ltriple -Wl,-rpath,"$PWD"
	RAROG_BLOCKS_DIR=$PWD/counts ./both
	[ "$(find counts -name '*.counts' | wc -l)" -eq 2 ]
	gcc -O2 -o program main.c -L. -ltriple -Wl,-rpath,"$PWD"
	[ "$(counted ./program)" = 3 ]
}

@test "a library's threads count each for itself, whatever created them and loaded it" {
	need_compiler
	"clang++-$llvm" -O2 "-fplugin=$plugin" "-fpass-plugin=$plugin" -mllvm -rarog-placement=both -fPIC -Dmain=run_ends -c \
		-o ends.o "$repo/tests/blocks/ends.cc"
	rarog c++ -shared -o libends.so ends.o
	program cc/load
	for end in threads fork; do # fork: from a thread
		rm -f counts/*
		RAROG_BLOCKS_DIR=$PWD/counts ./load $end
		for file in counts/*; do
			run "$build/tests/blocks-compare" libends.so "$file"
			[[ $output == *"; 0 wrong" && $output != *shared* ]] || fail "$end: $output"
		done
	done
	rarog cc -O2 -fPIC -shared -o libfirst.so "$repo/tests/blocks/first.c"
	gcc -DPROGRAM -o first "$repo/tests/blocks/first.c" -L. -lfirst -Wl,-rpath,"$PWD"
	[ "$(counted ./first)" = 0 ]
}

# says_shared PROGRAM…: it runs, and is not called exact
says_shared() {
	rm -f shared.rarog
	works collect blocks -o shared.rarog -- "$@"
	[[ $errors == *" shared: threads or children counted in the same place"* ]] || fail "$*: $errors"
}

@test "threads that somebody else creates, or before the file is there, are said to share counters" {
	need_compiler
	take cc/thread.cc
	rarog c++ -O1 -o thread thread.cc
	run_rarog collect blocks -o exact.rarog -- ./thread
	[[ $errors != *shared* ]]
	rarog c++ -O1 -Wl,--exclude-libs,ALL -o hidden thread.cc
	says_shared ./hidden
	# (its runtime is a package of its own)
	if "clang++-$llvm" -fsanitize=thread -o plain thread.cc; then
		rarog c++ -O1 -fsanitize=thread -o sanitized thread.cc
		says_shared ./sanitized
	fi
	take cc/own.c
	rarog cc -c own.c
	rarog c++ -O1 -o own thread.cc own.o
	says_shared ./own
	program cc/early -o libearly.so -fPIC -shared
	echo 'void join_it(void); void *work(void *with) { return with; } int main(void) { join_it(); }' >late.c
	rarog cc -o late late.c -L. -learly -Wl,-rpath,"$PWD"
	says_shared ./late
}

@test "a program that may not set GS by a system call makes threads" {
	need_compiler
	take cc/filter.c
	rarog cc -o filter filter.c
	counted ./filter
	RAROG_TEST_WITHOUT=fsgsbase counted ./filter
}

@test "a static program's threads count each for itself" {
	need_compiler
	"clang++-$llvm" -O2 "-fplugin=$plugin" "-fpass-plugin=$plugin" -mllvm -rarog-placement=both -fPIE -c -o ends.o \
		"$repo/tests/blocks/ends.cc"
	for how in -static -static-pie; do
		rarog c++ $how -o ends ends.o
		for end in threads c11; do
			for without in nothing fsgsbase; do
				RAROG_TEST_WITHOUT=$without counted ./ends $end
				run "$build/tests/blocks-compare" ends counts/*
				[[ $output == *"; 0 wrong" && $output != *shared* ]] ||
					fail "$how $end without $without: $output"
			done
		done
	done
}

@test "threads of a program that lies above everything count each for itself" { # elsewhere distances are negative
	need_compiler
	plugin=${RAROG_BUILD:-$repo/build}/llvm/rarog-llvm-14.so
	clang++-14 -O2 "-fplugin=$plugin" "-fpass-plugin=$plugin" -mllvm -rarog-placement=both -fPIE -c -o ends.o \
		"$repo/tests/blocks/ends.cc"
	rarog c++ -pie -o ends ends.o
	for without in nothing fsgsbase; do
		RAROG_TEST_WITHOUT=$without counted /lib64/ld-linux-x86-64.so.2 ./ends threads
		run "${RAROG_BUILD:-$repo/build}/tests/blocks-compare" ends counts/*
		[[ $output == *"; 0 wrong" && $output != *shared* ]] || fail "without $without: $output"
	done
}

@test "of a diamond's four blocks the tree counts two" {
	need_compiler
	echo 'volatile int a, b, c;
	void diamond(int x) { c = 1; if (x) { a = 1; a = 2; a = 3; } else { b = 1; b = 3; } c = 2; }' >diamond.c
	for placement in tree:2 patterns:2 every:4; do
		rarog cc --rarog-placement=${placement%:*} -O1 -c diamond.c
		[ "$(objdump -d diamond.o | grep -c '%gs:')" -eq "${placement#*:}" ]
	done
	rarog cc -O1 --rarog-threads=atomic -S -o diamond.s diamond.c
	[ "$(grep -c lock diamond.s)" -eq 2 ]
}

@test "LTO and ThinLTO: functions that were put into others are counted, once" {
	need_compiler
	linkers=(bfd)
	! command -v "ld.lld-$llvm" >/dev/null || linkers+=(lld)
	for lto in -flto -flto=thin; do
		for source in main.c triple.c; do
			"clang-$llvm" $lto -O2 "-fplugin=$plugin" "-fpass-plugin=$plugin" -mllvm -rarog-placement=both -c $source
		done
		for linker in "${linkers[@]}"; do
			rarog cc $lto -O2 -Werror "-fuse-ld=$linker" -o both main.o triple.o
			[ "$(counted ./both)" = 3 ]
			run "$build/tests/blocks-compare" both counts/*
			[[ $output == *" 2 functions, "*"; 0 wrong" ]] || fail "$lto $linker: $output"
		done
	done
	for linker in -fuse-ld=gold "-fuse-ld=bfd --ld-path=/usr/bin/ld.gold -fuse-ld=bfd"; do
		says 125 "rarog cc: blocks cannot be counted with -flto by gold; use ld or lld" cc -flto $linker main.o
	done
	if [ ${#linkers[@]} -eq 2 ]; then # which needs no option to compile
		rarog cc -fuse-ld=lld -o both main.o triple.o
		[ "$(counted ./both)" = 3 ]
	fi
}

@test "an archive of what the linker compiles counts, whatever the options say" {
	need_compiler
	command -v "ld.lld-$llvm" >/dev/null || skip "needs ld.lld-$llvm"
	rarog cc -flto -O2 -c triple.c -o a_name_that_is_longer_than_a_head_has.o
	rarog cc -O2 -c main.c
	mkdir there
	for form in rc rcT; do
		rm -f there/*
		(cd there && ar $form libtriple.a ../a_name_that_is_longer_than_a_head_has.o)
		for words in "there/libtriple.a" "-Lthere -ltriple" "-L there -l triple" "-Lthere -l:libtriple.a"; do
			rarog cc "-fuse-ld=lld-$llvm" -o both main.o $words
			rarog -q collect blocks -o both.rarog -- ./both || true
			run_rarog show --json both.rarog
			[[ $output == *'"triple"'* ]] || fail "$form $words: $output"
			rm both both.rarog
		done
	done
	# a shared library goes before an archive, and what is no archive is the linker's to judge
	rarog cc -fPIC -shared -o there/libtriple.so triple.c
	rarog cc "-fuse-ld=lld-$llvm" -o both main.o -Lthere -ltriple "-Wl,-rpath,$PWD/there"
	[ "$(readelf -sW both | grep -c ' UND triple')" -gt 0 ]
	printf '!<arch>\nnonsense' >there/libodd.a
	run_rarog cc "-fuse-ld=lld-$llvm" -o both main.o -Lthere -lodd
	[ "$status" -ne 0 ]
}

@test "objects that are both code and bitcode count, whichever of it is linked" {
	llvm=19 plugin=$build/llvm/rarog-llvm-19.so # older ones make none
	need_compiler
	command -v ld.lld-19 >/dev/null || skip "needs ld.lld-19"
	rarog cc -flto -ffat-lto-objects -O2 -c triple.c
	readelf -SW triple.o | grep -q '\.llvm\.lto' || skip "clang-19 made no fat object"
	ar rc libtriple.a triple.o
	rarog cc -O2 -c main.c
	for words in "triple.o" "libtriple.a -fuse-ld=lld-19" "-L. -l:libtriple.a -fuse-ld=lld-19" "triple.o -flto -fuse-ld=lld-19" \
		"libtriple.a -flto -ffat-lto-objects -fuse-ld=lld-19"; do
		rarog cc -o both main.o $words
		rarog -q collect blocks -o both.rarog -- ./both || true
		run_rarog show --json both.rarog
		[[ $output == *'"triple"'* ]] || fail "$words: $output"
		rm both both.rarog
	done
}

@test "code of blocks is not kept with LTO, which is said" {
	need_compiler
	works cc -O1 -flto --rarog-ir -c triple.c
	[ "$errors" = "rarog: warning: --rarog-ir: with -flto blocks' code is not kept, as the linker still changes it; compile without -flto to see it" ] || fail "$errors"
}

@test "after -- all words are files" {
	need_compiler
	cp triple.c -- -triple.c
	rarog cc -O1 -Werror -o both -- main.c -triple.c
	[ "$(counted ./both)" = 3 ]
	[ "$(rarog cc -O1 -c -- main.c triple.c 2>&1)" = "" ]
	rarog cc -o both -- main.o triple.o
	[ "$(counted ./both)" = 3 ]
}

@test "assembler, headers, standard input, and what comes before code" {
	need_compiler
	printf '\t.globl four\nfour:\tmovl $4, %%eax\n\tret\n\t.section .note.GNU-stack,"",@progbits\n' >four.S
	cp four.S five.s
	rarog cc --rarog-placement=every -c four.S five.s
	cmp four.o five.o
	rarog cc -o with main.c triple.c four.S
	[ "$(counted ./with)" = 3 ]
	echo 'int triple(int);' >triple.h
	rarog cc -o triple.h.gch triple.h
	rarog cc -x c-header -o other.gch triple.h
	sed 's/^/#include "triple.h"\n/' triple.c >header.c
	rarog cc -include-pch triple.h.gch -MD -MF ours.d -c header.c
	"clang-$llvm" -include-pch triple.h.gch -MD -MF theirs.d -c -o header.o header.c
	cmp ours.d theirs.d
	rarog cc -c main.c
	rarog cc -O1 -x c -c -o triple.o - <triple.c
	rarog cc -O1 -save-temps -o both main.c triple.o
	[ "$(counted ./both)" = 3 ]
}

@test "options in response files are obeyed" {
	need_compiler
	printf -- "-shared -fPIC '-DNAME=\"two words\"' -Wl,-rpath,%s -o\n libtriple.so\n@rest" "$PWD" >arguments
	echo 'triple.c' >rest
	printf 'const char *name = NAME;\nint triple(int x) { return name[3] == 32 ? 3 * x : 0; }\n' >triple.c
	rarog cc @arguments
	[[ $(nm libtriple.so) != *" pthread_create"* ]] # a library's runtime
	printf -- '-c main.c' >arguments
	rarog cc @arguments
	rarog cc -o both main.o libtriple.so -Wl,-rpath,"$PWD"
	[ "$(./both)" = 3 ]
	[ "$(rarog cc -c @nowhere 2>&1)" = "$("clang-$llvm" -c @nowhere 2>&1)" ]
}

@test "for other processors it compiles what the compiler does, with a warning" {
	need_compiler
	for target in -m32 "-target wasm32" --target=aarch64-linux-gnu; do
		"clang-$llvm" -O1 $target -c -o theirs.o triple.c
		says 0 "rarog: warning: only blocks of 64-bit x86 code can be counted; compiled without" \
			cc "--rarog-compiler=clang-$llvm" -O1 $target -c -o ours.o triple.c
		cmp ours.o theirs.o
		run "clang-$llvm" -O1 "-fplugin=$plugin" "-fpass-plugin=$plugin" $target -c -o plugin.o triple.c
		[ "$output" = "rarog: warning: triple.c: only blocks of 64-bit x86 code for Linux can be counted" ]
		cmp plugin.o theirs.o
	done
}

@test "LLVM's old pass manager compiles what the compiler does, with a warning" {
	need_compiler
	"clang-$llvm" -flegacy-pass-manager -O1 -c -o theirs.o triple.c 2>/dev/null || skip "clang-$llvm has none"
	says 0 "rarog: warning: -flegacy-pass-manager: LLVM's old pass manager counts no blocks; compiled without" \
		cc "--rarog-compiler=clang-$llvm" -flegacy-pass-manager -O1 -c -o ours.o triple.c
	cmp ours.o theirs.o
	says 0 "" cc "--rarog-compiler=clang-$llvm" -flegacy-pass-manager -fno-legacy-pass-manager -O1 -c -o ours.o triple.c
	! cmp -s ours.o theirs.o
}

@test "make with CC=rarog cc counts, as with clang" {
	need_compiler
	printf 'both: main.o triple.o\n\t$(CC) -o $@ $^\n' >Makefile
	make -s CC="$RAROG cc --rarog-compiler=clang-$llvm"
	[ "$(counted ./both)" = 3 ]
}

@test "in front of ccache the plug-in is part of what ccache knows" {
	need_compiler
	command -v ccache >/dev/null || skip "needs ccache"
	mkdir home ccache
	cp "$RAROG" home/rarog
	cp -r "$build/llvm" home/
	ln -s "$(command -v ccache)" "ccache/clang-$llvm"
	export CCACHE_DIR=$PWD/cache
	PATH=$PWD/ccache:$PATH
	compile() {
		ccache --zero-stats >/dev/null
		home/rarog cc --rarog-compiler=clang-$llvm "$@" -O1 -c triple.c
		ccache --print-stats | sed -n 's/^\(direct\|preprocessed\)_cache_hit\t//p' | paste -sd+ | bc
	}
	[ "$(compile)" = 0 ]
	[ "$(compile)" = 1 ]
	[[ $(objdump -d triple.o) == *"%gs:"* ]]
	[ "$(compile --rarog-placement=every)" = 0 ]
	printf 'other' >>home/llvm/rarog-llvm-$llvm.so
	[ "$(compile)" = 0 ]
	[ "$(compile)" = 1 ]
}

@test "the compiler's own answers and failures" {
	need_compiler
	[ "$(rarog cc --version)" = "$("clang-$llvm" --version)" ]
	[ "$(rarog cc -dumpmachine)" = "$("clang-$llvm" -dumpmachine)" ]
	[ "$(rarog cc -E -P - <<<'int x = 3;')" = "$("clang-$llvm" -E -P - <<<'int x = 3;')" ]
	[ "$(rarog cc -c -q -h main.c 2>&1)" = "$("clang-$llvm" -c -q -h main.c 2>&1)" ]
	echo 'int main(void) { return }' >wrong.c
	exits 1 cc wrong.c
	[[ $errors == *"expected expression"* ]]
}

@test "one line for each mistake" {
	need_compiler
	says 125 "rarog cc: --rarog-compiler=gcc: clang-14 and clang-19 can count blocks" cc --rarog-compiler=gcc main.c
	says 127 "rarog cc: ./nowhere/clang-$llvm: No such file or directory" cc "--rarog-compiler=./nowhere/clang-$llvm" main.c
	mkdir none
	status=0
	errors=$(PATH=$PWD/none "$RAROG" cc -c main.c 2>&1) || status=$?
	expect_status 127
	[[ $errors =~ ^"rarog cc: clang-"1[49]": not found; install it, or name another by --rarog-compiler"$ ]] || fail "$errors"
	cp -r "$build/llvm" . # as installed, but for the runtime
	rm llvm/runtime/librarog-blocks.a
	cp "$RAROG" rarog
	RAROG=./rarog works cc "--rarog-compiler=clang-$llvm" -o both main.c triple.c
	[[ $errors == "rarog: warning: "*"librarog-blocks.a: No such file or directory; linked without, so the counts cannot be read; install rarog again" ]] || fail "$errors"
	[ "$(RAROG_BLOCKS_DIR=$PWD/counts ./both)" = 3 ]
	rarog cc -c main.c triple.c # another rarog's: the version is the record's byte 3
	objcopy --dump-section .debug.rarog=record triple.o
	printf '\377' | dd of=record bs=1 seek=3 conv=notrunc status=none
	objcopy --update-section .debug.rarog=record triple.o
	rarog cc -o both main.o triple.o
	run_rarog collect blocks -o both.rarog -- ./both
	[ "$output" = 3 ]
	[[ $errors == *"/both: compiled by a rarog whose records are of version 255, this one reads "*"; compile again" ]] || fail "$errors"
	exits 125 c++ --rarog-placement=best main.c
	[[ $errors == *"--rarog-placement"*"tree"* ]] || fail "$errors"
}

@test "a library compiled and linked on one line counts as a library does" {
	need_plugin
	echo 'int f(int x) { return x > 3 ? 2 * x : x; }' >lib.c
	rarog cc -O1 -shared -o lib.so lib.c
	objdump -d lib.so >code
	! grep -q '%gs:' code || fail "$(grep '%gs:' code)"
}

# refuses ARGUMENT…: it would be a library that counts where a program does
refuses() {
	says 125 "rarog cc: lib.so: f (lib.c) was compiled without -fPIC, so in a library it would count in wrong places; compile it with -fPIC" \
		cc "--rarog-compiler=clang-$llvm" "$@"
	[ ! -e lib.so ] || fail "$*: lib.so is there"
}

@test "a library of code that counts as a program's is refused, whatever way it comes in" {
	need_plugin
	echo 'int f(int x) { return x > 3 ? 2 * x : x; }' >lib.c
	echo 'int g(int x) { return x > 3 ? 3 * x : x; }' >other.c
	rarog cc -O1 -fPIC -c other.c
	rarog cc -O1 -fPIE -c lib.c
	refuses -shared -o lib.so other.o lib.o
	refuses --shared -olib.so lib.o
	refuses -O1 -fPIE -shared --output=lib.so lib.c
	printf -- '-shared other.o -o lib.so lib.o' >words
	refuses @words
	ld -r -o both.o other.o lib.o
	refuses -shared -o lib.so both.o
	rarog cc -O1 -fPIE --rarog-keep-metadata -c -o kept.o lib.c
	refuses -shared -s -o lib.so kept.o
	# of an archive what is taken
	ar rc libboth.a lib.o other.o
	refuses -shared -o lib.so -Wl,-u,f libboth.a
	rarog cc -shared -o lib.so -Wl,-u,g libboth.a
	rm lib.so
	for linker in bfd lld; do
		[ $linker = bfd ] || command -v "ld.lld-$llvm" >/dev/null || continue
		rarog cc -O1 -fPIE -flto -c -o lto.o lib.c
		refuses -flto "-fuse-ld=$linker" -shared -o lib.so lto.o
	done
	# as libtool links C++: without what the runtime needs
	for words in -nostdlib "-nostartfiles -nodefaultlibs" -nolibc; do
		refuses -shared $words -o lib.so other.o lib.o
		rarog cc -shared $words -o lib.so other.o
		rm lib.so
	done
	# locked counters are where they are
	rarog cc -O1 -fPIE --rarog-threads=atomic -c lib.c
	rarog cc -shared -o lib.so lib.o
	rarog cc -shared lib.o
	[ -e a.out ]
}

@test "linking a library ends as the compiler ends" {
	need_plugin
	mkdir bin
	cat >"bin/clang-$llvm" <<-'END'
		#!/bin/sh
		[ -z "$SIGNAL" ] || kill -"$SIGNAL" $$
		exit 7
	END
	chmod +x "bin/clang-$llvm"
	exits 7 cc "--rarog-compiler=bin/clang-$llvm" -shared -o lib.so lib.o
	[ -z "$errors" ] || fail "$errors"
	status=0
	env --ignore-signal=CHLD "$RAROG" cc "--rarog-compiler=bin/clang-$llvm" -shared -o lib.so lib.o || status=$?
	expect_status 7
	for signal in INT:130 TERM:143 KILL:137; do
		status=0 # what a shell runs in the background ignores SIGINT
		SIGNAL=${signal%:*} env --default-signal=INT,TERM \
			"$RAROG" cc "--rarog-compiler=bin/clang-$llvm" -shared -o lib.so lib.o || status=$?
		expect_status "${signal#*:}"
	done
	says 127 "rarog cc: ./nowhere/clang-$llvm: No such file or directory" \
		cc "--rarog-compiler=./nowhere/clang-$llvm" -shared -o lib.so lib.o
	touch "bin/no-clang-$llvm"
	exits 126 cc "--rarog-compiler=bin/no-clang-$llvm" -shared -o lib.so lib.o
	# what is no file stays
	echo 'int f(int x) { return x; }' >lib.c
	rarog cc -fPIC -shared -o /dev/null lib.c
	[ -c /dev/null ]
}

# as_bazel FOLDER WORD…: the wrapper as Bazel calls it for an action: nothing in the environment, sources that cannot be
# written, the folder by the name that is the same in every sandbox
as_bazel() {
	local folder=$1

	shift
	(cd "$folder" && env -i PATH=/usr/bin:/bin PWD=/proc/self/cwd "$OLDPWD/rarog-cc" "$@")
}

# bazel_compile FOLDER SOURCE OBJECT [FLAG…]
bazel_compile() {
	as_bazel "$1" -U_FORTIFY_SOURCE -fstack-protector -Wall -Werror -fno-omit-frame-pointer -O2 -DNDEBUG -ffunction-sections \
		-fdata-sections -std=c++17 -MD -MF "bazel-out/${3%.o}.d" "-frandom-seed=bazel-out/$3" "${@:4}" -iquote . -iquote bazel-out \
		-no-canonical-prefixes -Wno-builtin-macro-redefined '-D__DATE__="redacted"' '-D__TIMESTAMP__="redacted"' \
		'-D__TIME__="redacted"' -g -c "$2" -o "bazel-out/$3"
}

@test "Bazel's wrapper form" {
	need_compiler
	printf '#!/bin/sh\nexec %s cc --rarog-compiler=clang-%s "$@"\n' "$RAROG" "$llvm" >rarog-cc
	chmod +x rarog-cc
	linkers=(bfd)
	! command -v ld.gold >/dev/null || linkers+=(gold) # Bazel's choice
	for sandbox in one two; do
		mkdir -p $sandbox/bazel-out/bin
		sed 's/^int triple/extern "C" int triple/' main.c >$sandbox/main.cc
		sed 's/^int triple/extern "C" int triple/' triple.c >$sandbox/triple.cc
		echo 'extern "C" int unused(void) { return 1; }' >$sandbox/unused.cc
		chmod a-w $sandbox/*.cc $sandbox
		bazel_compile $sandbox main.cc bin/main.o
		for name in triple unused; do
			bazel_compile $sandbox $name.cc bin/$name.o
			bazel_compile $sandbox $name.cc bin/$name.pic.o -fPIC
		done
		for linker in "${linkers[@]}"; do
			begin=-Wl,--start-lib end=-Wl,--end-lib
			[ $linker = gold ] || begin=-Wl,--start-group end=-Wl,--end-group
			printf '%s\n' -o bazel-out/bin/both-$linker -fuse-ld=$linker -Wl,-no-as-needed -Wl,-z,relro,-z,now -B. -Wl,--gc-sections \
				bazel-out/bin/main.o $begin bazel-out/bin/triple.o $end -lstdc++ -lm >$sandbox/bazel-out/bin/both.params
			as_bazel $sandbox @bazel-out/bin/both.params
			printf '%s\n' -shared -o bazel-out/bin/libtriple-$linker.so -fuse-ld=$linker bazel-out/bin/triple.pic.o \
				bazel-out/bin/unused.pic.o -lstdc++ >$sandbox/bazel-out/bin/library.params
			as_bazel $sandbox @bazel-out/bin/library.params
			printf '%s\n' bazel-out/bin/main.o -Lbazel-out/bin "-ltriple-$linker" '-rpath=$ORIGIN' >$sandbox/bazel-out/bin/linker.params
			as_bazel $sandbox -o bazel-out/bin/shared-$linker -fuse-ld=$linker -Wl,@bazel-out/bin/linker.params
		done
		grep -q 'main.o: main.cc' $sandbox/bazel-out/bin/main.d
	done
	# what is cached is the same, wherever it was made
	for file in one/bazel-out/bin/*; do
		cmp "$file" "two/${file#*/}"
	done
	cd one # where people call bazel
	for linker in "${linkers[@]}"; do
		for program in both shared; do
			rm -f ../p.rarog
			rarog collect blocks -o ../p.rarog -- bazel-out/bin/$program-$linker 2>../errors || [ $? -eq 0 ]
			rarog export --format lcov -o - ../p.rarog >../info
			grep -q '^SF:/proc/self/cwd/triple.cc$' ../info || fail "$(cat ../info)"
			[ "$(rarog show --columns calls,function ../p.rarog | grep -c '^ *1  \(main\|triple\)$')" -eq 2 ] ||
				fail "$program-$linker: $(cat ../errors; rarog show ../p.rarog)"
		done
	done
	chmod u+w .
}

@test "what mold links counts as what ld links, programs and libraries" {
	need_plugin
	command -v mold >/dev/null || skip "needs mold"
	mold=(-fuse-ld=mold -B/usr/libexec/mold)
	printf 'int shared(int x)\n{\n\treturn x > 1 ? shared(x - 1) : 7;\n}\n' >shared.c
	printf 'int shared(int);\nint main(void)\n{\n\treturn shared(5) - 7;\n}\n' >linked.c
	for linker in ld mold; do
		flags=()
		[ $linker = ld ] || flags=("${mold[@]}")
		rarog cc -O0 -g -shared -fPIC -o libshared.so shared.c "${flags[@]}"
		rarog cc -O0 -g -o linked linked.c "$PWD/libshared.so" "${flags[@]}"
		works collect blocks -o $linker.rarog -- ./linked
		rarog show --json $linker.rarog | jq '[.functions[] | [.name, .count, .instructions]] | sort' >$linker.json
	done
	diff ld.json mold.json || fail "$(cat mold.json)"
	jq -e 'map(select(.[0] == "shared"))[0][1] == 5' mold.json >/dev/null || fail "$(cat mold.json)"
}
