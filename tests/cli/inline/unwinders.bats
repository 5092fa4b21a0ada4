#!/usr/bin/env bats
# Exceptions where the unwinder is another than gcc's library, or has no names: what runs natively runs
# measured, with calls or with a line that says why not.

load ../helper
load ../collect-helper

# counts FUNCTION N: that often it was recorded
counts() {
	show_json
	jq -e --arg name "$1" --argjson n "$2" \
		'[.functions[] | select(.name | startswith($name)) | .count] | add == $n' show.json >/dev/null ||
		fail "$1 was not called $2 times: $(rarog show p.rarog)"
}

# llvms_unwinder: flags that make a C++ program use it instead of gcc's
llvms_unwinder() {
	local library

	library=$(gcc -print-file-name=libunwind.so.1)
	[[ $library == /* ]] || skip "LLVM's libunwind is not here (libunwind-14)"
	unwinder=("-Wl,--no-as-needed" "$library")
}

has_libcxx() {
	printf '#include <cstdio>\nint main() {}\n' >empty.cc
	clang++ -stdlib=libc++ -o empty empty.cc 2>/dev/null ||
		skip "clang++ has no libc++ here (libc++-14-dev, libc++abi-14-dev, libunwind-14-dev)"
}

@test "LLVM's unwinder, with and without libraries" {
	llvms_unwinder
	take unwind/thrower.cc
	g++ -O1 -o thrower thrower.cc "${unwinder[@]}"
	for options in "" --libs; do
		# shellcheck disable=SC2206
		collect_options=($options)
		same_behaviour "$PWD/thrower"
		counts 'thrower(int)' 400
		counts 'outer(int)' 400
	done
}

@test "libc++ with libraries" {
	has_libcxx
	take unwind/thrower.cc
	clang++ -O1 -stdlib=libc++ -o thrower thrower.cc
	collect_options=(--libs)
	same_behaviour "$PWD/thrower"
	counts 'thrower(int)' 400
}

@test "LLVM's unwinder in the program itself, with names and without" {
	has_libcxx
	take unwind/thrower.cc
	clang++ -O1 -stdlib=libc++ -nostdlib++ -Wl,--exclude-libs,ALL -o thrower thrower.cc \
		-Wl,-Bstatic -lc++ -lc++abi -lunwind -Wl,-Bdynamic -lpthread -ldl ||
		skip "no static libunwind (libunwind-14-dev)"
	same_behaviour "$PWD/thrower"
	counts 'thrower(int)' 400
	strip -o stripped thrower
	status=0
	rarog --quiet collect -o p.rarog -- ./stripped >out 2>err || status=$?
	[ "$status" -eq 125 ] || fail "status $status: $(cat err)"
	grep -q "stripped has an unwinder in it whose functions have no names; --detail=count" err || fail "$(cat err)"
	collect_options=(--detail count)
	same_behaviour "$PWD/stripped"
	status=0
	rarog collect -n -- ./stripped >out 2>err || status=$?
	[ "$status" -ne 0 ] || fail "collect -n says otherwise: $(cat out)"
	grep -q "unwinder" err || fail "collect -n says otherwise: $(cat err)"
}

@test "gcc's unwinder in the program itself, with names and without" {
	take unwind/thrower.cc
	for how in "-static-libgcc -static-libstdc++" -static; do
		g++ -O1 $how -o named thrower.cc
		same_behaviour "$PWD/named"
		counts 'thrower(int)' 400
		strip -o stripped named
		same_behaviour "$PWD/stripped"
		# stripped of its names, not of its functions: all but those that the unwinder is
		entry=$(nm named | sed -n 's/^0*\([0-9a-f]*\) . _Z7throweri$/\1/p')
		counts "fn_$entry" 400
	done
}

@test "gcc's unwinder in a library without names, that a program opens" {
	take unwind/plugin.cc
	g++ -O1 -shared -fPIC -fvisibility=hidden -static-libgcc -static-libstdc++ -Wl,--exclude-libs,ALL -s \
		-o plugin.so plugin.cc
	program unwind/host -O1 -ldl
	for options in "" --libs; do
		# shellcheck disable=SC2206
		collect_options=($options)
		same_behaviour "$PWD/host" "$PWD/plugin.so"
		counts called 200
	done
}

@test "exceptions that LLVM's unwinder carries in a program that runs already" {
	llvms_unwinder
	program unwind/waits -O1 "${unwinder[@]}"
	mkfifo told
	./waits <>told >out 2>&1 3>&- &
	busy=$!
	eventually 30 grep -q begun out || fail "it does not start"
	"$RAROG" --quiet collect --libs --pid "$busy" -o p.rarog 3>&- &
	leader=$!
	eventually 60 grep -q memfd:rarog "/proc/$busy/maps" || fail "not attached"
	# only when all is in place do its threads go on, and no sooner read what they are told
	eventually 60 grep -q 'TracerPid:.[1-9]' "/proc/$busy/status" || fail "not attached"
	printf 'xq' >told
	wait "$busy" || fail "the program ended with $?: $(cat out)"
	wait "$leader" || fail "status $?"
	grep -q "caught 200" out || fail "$(cat out)"
}

# what is called after the backtrace comes late: the calls' ends are seen, or are not counted until then
@test "calls that take a backtrace end when they return" {
	program unwind/walks -O2
	same_behaviour "$PWD/walks"
	counts quick 4
	show_json
	jq -e '[.functions[] | .unwound, .open] | add == 0' show.json >/dev/null ||
		fail "their ends were not seen: $(rarog show --replay p.rarog)"
	jq -e '[.functions[] | {(.name): .total_ns}] | add | .quick * 2 < .main' show.json >/dev/null ||
		fail "quick() did not take the time between its calls: $(rarog show --replay p.rarog)"
}

@test "calls that walk their stack by libunwind do not take the time until the next call" {
	library=$(gcc -print-file-name=libunwind.so.8)
	[[ $library == /* ]] || skip "libunwind is not here (libunwind8)"
	program unwind/walks -O2 -DLIBUNWIND "$library"
	same_behaviour "$PWD/walks"
	rarog show --json p.rarog >show.json
	jq -e '[.functions[] | {(.name): .min_ns}] | add | .quick * 2 < .main' show.json >/dev/null ||
		fail "$(rarog show --replay p.rarog)"
}
