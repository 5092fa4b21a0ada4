#!/usr/bin/env bats
# include/rarog.h, with each compiler that is here. Oracle: readelf, objdump.

load ../helper

strict="-Wall -Wextra -Wpedantic -Werror -I$repo/include"

# compilers NAME…: those of them that are installed
compilers() {
	local name
	for name; do
		if command -v "$name" >/dev/null; then echo "$name"; fi
	done
}

write_c() {
	take usdt/marks.c
	printf 'int work(int n);\nint main(int argc, char **argv) { return !argv || work(argc + 4) != 10; }\n' >main.c
}

# check_notes FILE: names, arguments by readelf; a nop of one byte and one of four at each place by objdump
check_notes() {
	readelf -nW "$1" >notes
	objdump -d --no-show-raw-insn "$1" >code
	python3 - <<-'END'
		import re
		notes = re.findall(r"Provider: (\S+)\s+Name: (\S+)\s+Location: 0x(\w+), Base: \w+, Semaphore: 0x0*\s+Arguments: ?(.*)",
		                   open("notes").read())
		names = {name for _, name, _, _ in notes}
		assert names == {"all__begin", "all__end", "turn__begin", "turn__end", "large", "table__size", "depth__feature"}, names
		assert {provider for provider, _, _, _ in notes} == {"rarog"}
		code = {int(at, 16): what for at, what in re.findall(r"^ *(\w+):\t(\w+)", open("code").read(), re.M)}
		for _, name, at, arguments in notes:
		    at = int(at, 16)
		    assert code[at] == "nop" and code[at + 1] == "nopl" and at + 5 in code, (name, hex(at))
		    wanted = {"table__size": r"8@\S+$", "depth__feature": r"-8@\S+$"}.get(name, "$")
		    assert re.match(wanted, arguments.strip()), (name, arguments)
	END
}

@test "in C: all compilers, levels and kinds of files" {
	write_c
	for cc in $(compilers gcc clang-14 clang-19); do
		for level in 0 1 2 3; do
			$cc -std=c99 -O$level -g $strict -fPIC -c marks.c
			gcc -o program main.c marks.o
			gcc -shared -o marks.so marks.o
			check_notes program
			check_notes marks.so
			./program
		done
		for flags in "-static -std=c11" "-no-pie -fno-pie -std=gnu17" "-flto -std=c99" "-m64 -mcmodel=large -std=c11"; do
			$cc -O2 $strict $flags -o program main.c marks.c
			./program
			[[ $flags == *static* ]] || check_notes program
		done
	done
}

@test "in C++: a region has its end in the function itself, where nothing is optimised, too" {
	take usdt/regions.cc
	for cc in $(compilers g++ clang++-14 clang++-19); do
		for standard in c++98 c++20; do
			for level in 0 2; do
				$cc -std=$standard -O$level $strict -o regions regions.cc
				./regions
				rarog probes --json regions | python3 -c '
import json, sys
usdt = json.load(sys.stdin)["binaries"][0]["usdt"]
hosts = {u["function"].split(".cold")[0] for u in usdt}
assert {u["name"] for u in usdt} == {n + e for n in ("all", "twice", "caught") for e in ("__begin", "__end")}, usdt
assert not [h for h in hosts if "rarog_region" in h], hosts' || fail "$cc $standard -O$level"
			done
		done
	done
}

@test "unused, or switched off, it leaves nothing" {
	write_c
	{
		echo '#include <rarog.h>'
		cat main.c
	} >with.c
	for cc in $(compilers gcc clang-14); do
		$cc -O2 $strict -c with.c
		$cc -O2 $strict -c main.c
		objdump -dr with.o | sed 1,3d >with.txt
		objdump -dr main.o | sed 1,3d | diff - with.txt
		[ -z "$(readelf -nW with.o | grep stapsdt)" ]
		$cc -O2 $strict -DRAROG_DISABLE -c marks.c
		[ -z "$(readelf -nW marks.o | grep stapsdt)" ]
	done
}
