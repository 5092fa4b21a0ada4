#!/usr/bin/env bats
# Block counters in a mapped file: what is in it, however the program ends.

load ../helper
load ../blocks-helper

setup_file() {
	command -v clang++-$llvm >/dev/null && [ -f "$plugin" ] || return 0
	runtime=$build/llvm/runtime
	edge="-Wl,--whole-archive $runtime/librarog-blocks-edge.a -Wl,--no-whole-archive"
	for variant in own atomic relaxed; do
		"clang++-$llvm" -O2 "-fplugin=$plugin" "-fpass-plugin=$plugin" -mllvm -rarog-placement=both \
			-mllvm -rarog-threads=$variant -c -o "$BATS_FILE_TMPDIR/$variant.o" \
			"$repo/tests/blocks/ends.cc"
		"clang++-$llvm" -o "$BATS_FILE_TMPDIR/$variant" $edge "$BATS_FILE_TMPDIR/$variant.o" \
			-Wl,--whole-archive "$runtime/librarog-blocks.a" "$runtime/librarog-blocks-threads.a" \
			-Wl,--no-whole-archive $edge -lpthread \
			-Wl,--export-dynamic-symbol=pthread_create,--export-dynamic-symbol=thrd_create
	done
}

# count VARIANT HOW: run it; sets status and the array files
count() {
	[ -f "$BATS_FILE_TMPDIR/$1" ] || skip "needs clang and a build with llvm-dev"
	program=$BATS_FILE_TMPDIR/$1
	rm -rf counts && mkdir counts
	status=0
	RAROG_BLOCKS_DIR=$PWD/counts "$program" "$2" >out.txt 2>err.txt || status=$?
	files=(counts/*)
}

# same FILE…: the tree's counts are those of the blocks
same() {
	for file; do
		"${RAROG_BUILD:-$repo/build}/tests/blocks-compare" "$program" "$file" >result.txt || fail "$(cat result.txt)"
		cat result.txt
	done
}

@test "counters survive every end" {
	for how in return:0 exit:0 _exit:0 abort:134 kill:137 throw:134; do
		count own "${how%:*}"
		[ "$status" -eq "${how#*:}" ] || fail "$how: $status"
		[ ${#files[@]} -eq 1 ]
		same "${files[@]}"
		[[ $(cat result.txt) == *"; 6"???" executions"* ]] || fail "$how: $(cat result.txt)"
	done
}

@test "exec and fork: a file for each process image, a child counts from zero" {
	count own exec
	[ ${#files[@]} -eq 2 ]
	same "${files[@]}"
	count own fork
	[ "$status" -eq 0 ]
	[ ${#files[@]} -eq 2 ]
	same "${files[@]}" >sums.txt
	[ "$(grep -c . sums.txt)" -eq 2 ]
	# of the 100 to 300 numbers the parent does 299, the child 199
	sed -E 's/.* ([0-9]+) executions.*/\1/' sums.txt | sort -n >executions.txt
	[ "$(head -1 executions.txt)" -lt "$(tail -1 executions.txt)" ]
}

@test "threads count exactly, each for itself or by locked instructions" {
	for variant in own atomic; do
		for how in threads c11; do
			count $variant $how
			[ "$status" -eq 0 ]
			same "${files[@]}"
			[[ $(cat result.txt) != *shared* ]]
		done
	done
	count own threads
	same "${files[@]}" | sed 's/^process [^;]*//' >first.txt
	count own threads
	same "${files[@]}" | sed 's/^process [^;]*//' >second.txt
	cmp first.txt second.txt
}

@test "without the variable, with a bad one, or where no file can be, the program runs as before" {
	[ -f "$BATS_FILE_TMPDIR/own" ] || skip "needs clang and a build with llvm-dev"
	"$BATS_FILE_TMPDIR/own" fork
	mkdir empty
	(cd empty && RAROG_BLOCKS_DIR=relative "$BATS_FILE_TMPDIR/own" threads)
	RAROG_BLOCKS_DIR=$PWD/nowhere "$BATS_FILE_TMPDIR/own" fork >out.txt 2>&1
	[ ! -s out.txt ]
	[ -z "$(ls empty)" ]
	(ulimit -f 0 && RAROG_BLOCKS_DIR=$PWD/empty "$BATS_FILE_TMPDIR/own" threads)
	[ "$(find empty -type f | wc -l)" -eq 1 ] # which says that there was no room
	[ -z "$(find empty -type f -size +0)" ]
}

@test "a limit on files that comes later loses children and separate counters, and the file says so" {
	count own limit
	[ "$status" -eq 0 ]
	[ ${#files[@]} -eq 1 ]
	"${RAROG_BUILD:-$repo/build}/tests/blocks-compare" "$program" "${files[0]}" >result.txt || true
	[[ $(cat result.txt) == *"shared, lost children"* ]] || fail "$(cat result.txt)"
}

@test "a file that is cut off, or another's, is refused" {
	count own exit
	head -c 9000 "${files[0]}" >short
	run "${RAROG_BUILD:-$repo/build}/tests/blocks-compare" "$program" short
	[ "$status" -ne 0 ]
}

@test "what libc's functions are named in C a program may name its own" {
	need_plugin
	take blocks/names.c
	rarog cc -w -O1 -fno-builtin -o names names.c
	rarog cc -w -O1 -fno-builtin -static -o names-still names.c
	for program in names names-still; do
		echo "3 5" | "$RAROG" collect blocks -o p.rarog -- "./$program" >out.txt 2>errors.txt || fail "$program: $? $(cat errors.txt)"
		[ "$(cat out.txt)" = "4, 2 calls, 0" ] || fail "$program: $(cat out.txt)"
		[[ $(cat errors.txt) == *", exact"* ]] || fail "$program: $(cat errors.txt)"
	done
}
