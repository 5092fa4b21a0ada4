#!/usr/bin/env bats
# rarog cc --hooks and rarog collect complexity. Oracle for numbers of calls: the program counts its own.

load ../helper
load ../collect-helper

# A project with a static library, a shared one and a program; each function counts its calls.
write_project() {
	take hooks/count.h
	take hooks/list.c
	echo 'long shared_calls; long shared_twice(long n) { shared_calls++; return 2 * n; }' >shared.c
	take hooks/main.c
	cat >Makefile <<-'END'
		prog: main.o liblist.a libshared.so; $(CC) $(CFLAGS) -o $@ main.o liblist.a -L. -lshared -Wl,-rpath,$(CURDIR)
		liblist.a: list.o; ar rcs $@ $^
		libshared.so: shared.c; $(CC) $(CFLAGS) -fPIC -shared -o $@ $<
	END
}

# build RULE…: with hooks; for another compiler: COMPILER
build() {
	make -s -B -j4 CC="$RAROG cc --hooks --rarog-compiler=${COMPILER:-gcc} $*" CFLAGS="${CFLAGS:--O2}"
}

# calls FUNCTION [FILE]: as many as p.rarog has; "" if it is not measured
calls() {
	rarog show --json "${2:-p.rarog}" | python3 -c '
import json, sys
print(*[f["count"] for f in json.load(sys.stdin)["functions"] if f["name"] == sys.argv[1]])' "$1"
}

@test "a project as make builds it: static and shared libraries, in parallel, by gcc and clang" {
	write_project
	for COMPILER in gcc clang; do
		command -v "$COMPILER" >/dev/null || continue
		for CFLAGS in -O0 -O2 '-O2 -flto -fuse-linker-plugin' '-O2 -ffunction-sections -Wl,--gc-sections'; do
			case $COMPILER:$CFLAGS in clang:*-flto*) continue ;; esac
			build
			said=$(env -i ./prog)
			[ "$said" = "1055: 10 20 20 20" ] || fail "$said"
			works -q collect complexity -o p.rarog -- ./prog
			[ "$output$errors" = "$said" ] || fail "$output $errors"
			[ "$(calls list_find) $(calls list_push) $(calls helper) $(calls shared_twice)" = "10 20 20 20" ] ||
				fail "$COMPILER $CFLAGS: $(calls list_find) $(calls list_push) $(calls helper) $(calls shared_twice)"
		done
	done
}

@test "functions are chosen by rules: names, exclusions, parts of calls, files" {
	write_project
	build "--rarog-func='list_*' --rarog-func='/^shared/' --rarog-exclude=list_push"
	rarog -q collect complexity -o p.rarog -- ./prog >said
	[ "$(calls list_find),$(calls list_push),$(calls helper),$(calls shared_twice)" = "10,,,20" ]
	rarog -q collect complexity --func list_push -o p.rarog -- ./prog >said # for this run others
	[ "$(calls list_find),$(calls list_push),$(calls helper)" = ",20," ]
	rarog -q collect -o p.rarog -- ./prog >said # trace does not ask
	[ "$(calls list_push),$(calls helper)" = "20,20" ]
	build "--rarog-func='list_*#7'"
	rarog -q collect complexity -o p.rarog -- ./prog >said
	[ "$(calls list_find),$(calls list_push)" = "10,20" ]
	rarog show --json p.rarog | python3 -c '
import json, sys
d = json.load(sys.stdin)
p = d["header"]["parameters"]["sample_calls"]["rules"]
assert [(r["file"], r["function"], r["every"]) for r in p] == [("prog", "list_*", 7), ("libshared.so", "list_*", 7)], p
assert d["header"]["collector"] == "complexity"'
	build "--rarog-file=list.c"
	rarog -q collect complexity -o p.rarog -- ./prog >said
	[ "$(calls list_find),$(calls list_push),$(calls helper),$(calls shared_twice)" = "10,20,," ]
	build "--rarog-exclude-file='l*.c'"
	rarog -q collect complexity -o p.rarog -- ./prog >said
	[ "$(calls list_find),$(calls helper),$(calls shared_twice)" = ",20,20" ]
	build "--rarog-func=lost_find --rarog-func='list_*'"
	run_rarog collect complexity -o p.rarog -- ./prog
	[[ $errors == *"lost_find"*"list_find"* ]] || fail "$errors"
}

@test "what nobody declared inline stays a function; with --rarog-inline as the compiler likes" {
	write_project
	build
	rarog -q collect complexity -o p.rarog -- ./prog >said
	[ "$(calls step)" -gt 20 ]
	build --rarog-inline
	rarog -q collect complexity -o p.rarog -- ./prog >said
	[ -z "$(calls step)" ]
	[ "$(calls list_find)" = 10 ]
}

@test "a stripped program: functions are found without names, rules go along" {
	write_project
	build
	strip prog libshared.so
	[ "$(readelf -p .rarog.hooks prog | grep -c 'hooks 1')" -eq 1 ]
	rarog -q collect complexity -o p.rarog -- ./prog >said
	rarog show --json p.rarog | python3 -c '
import json, sys
counts = sorted(f["count"] for f in json.load(sys.stdin)["functions"])
assert counts.count(20) == 3 and 10 in counts and 1 in counts, counts' # push, helper, twice; find; main
}

@test "C++ with exceptions, threads and fork: every call" {
	take hooks/basket.cc p.cc
	for compiler in gcc clang; do
		command -v "$compiler" >/dev/null || continue
		rarog c++ --hooks --rarog-compiler=$compiler --rarog-func='shop::basket::*' \
			'--rarog-size=shop::basket::*:this->items.size()' -O2 -o p p.cc -lpthread
		status=0
		./p || status=$?
		[ "$status" -eq 10 ]
		exits 10 -q collect complexity -o p.rarog -- ./p
		[ -z "$output" ]
		rarog show --json p.rarog | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert {f["name"].split("(")[0]: f["count"] for f in d["functions"]} == {"shop::basket::add": 180, "shop::basket::has": 180}, d["functions"]
sizes = {a["name"].split("(")[0]: (a["count"], a["min"], a["max"]) for a in d["arguments"]}
assert sizes == {"shop::basket::add": (180, 0, 50), "shop::basket::has": (180, 1, 50)}, sizes'
	done
}

@test "what is no code is left alone, and what fails fails as ever" {
	echo '#define N 3' >n.h
	echo 'N N;' >x.txt
	printf '%s\n' '#include "n.h"' '.globl f' '.type f,@function' 'f: mov $N,%eax' 'ret' '.size f,.-f' >f.S
	printf '%s\n' '#include "n.h"' 'int f(void); int main(void) { return f() - N; }' >main.c
	printf '%s\n' '#include "n.h"' 'int main(void) { return nothing; }' >bad.c
	[ "$(rarog cc --hooks -E -P -include n.h -x c - <x.txt)" = "$(gcc -E -P -include n.h -x c - <x.txt)" ]
	[ "$(rarog cc --hooks -MM main.c)" = "$(gcc -MM main.c)" ]
	[ "$(rarog cc --hooks -dumpversion)" = "$(gcc -dumpversion)" ]
	rarog cc --hooks -O2 -Wall -Wextra -Wpedantic -Werror -std=c99 -MD -MF main.d -c main.c f.S
	grep -q n.h main.d
	rarog cc --hooks -o p main.o f.o
	./p
	rarog cc --hooks -x c-header -O2 -o n.h.gch n.h
	rarog cc --hooks -O2 -Winvalid-pch -Werror -include n.h -c main.c
	run_rarog cc --hooks -c bad.c
	[ "$status" -eq 1 ]
	[[ $errors == *"bad.c"*"nothing"* ]] || fail "$errors"
	printf 'int main(void) { return 0; }\n' | rarog cc --hooks -x c -o q -
	./q
}

@test "bad input: rules, options, compilers, programs without hooks" {
	echo 'int main(void) { return 0; }' >main.c
	exits 125 cc --hooks --rarog-func='/(/' -c main.c
	[[ $errors == "rarog cc: --rarog-func=/(/: "*"/(/"* ]] || fail "$errors"
	run_rarog cc --hooks --rarog-func='main#0' -c main.c
	[[ $errors == *"after '#' stands a number"* ]] || fail "$errors"
	exits 125 cc --hooks --rarog-size=main -c main.c
	[[ $errors == *"FUNC:PATH is expected"* ]] || fail "$errors"
	[ ! -e main.o ]
	run_rarog cc --rarog-func=main -c main.c
	expect_error "rarog cc: --rarog-func is for programs with --hooks; leave it out"
	run_rarog cc --hooks --rarog-ir -c main.c
	expect_error "rarog cc: --rarog-ir is for programs without --hooks; leave it out"
	exits 127 cc --hooks --rarog-compiler=gcc-99 -c main.c
	gcc -O2 -o plain main.c
	works collect complexity -o p.rarog -- ./plain
	[[ $errors == *"nothing that ran was built with hooks"* ]] || fail "$errors"
	exits 125 collect complexity --dry-run -- ./plain
	[[ $errors == *"nothing that ran was built with hooks"* ]] || fail "$errors"
	says 125 "rarog collect: --engine=vex: complexity has inline" collect complexity --engine=vex -- ./plain
}

@test "a program that is killed leaves what was measured" {
	take hooks/killed.c k.c
	rarog cc --hooks -O2 -I"$repo/include" -o k k.c
	exits 137 -q collect complexity -o p.rarog -- ./k
	[ "$(calls grow)" = 901 ]
	rarog show --json p.rarog | python3 -c '
import json, sys
(a,) = json.load(sys.stdin)["arguments"]
assert (a["name"], a["argument"], a["count"], a["min"], a["max"]) == ("rarog:n__size", "size", 901, 0, 900), a
assert [(w["name"], w["count"]) for w in a["within"]] == [("grow", 901)], a'
}

@test "sizes and features are values of the calls that they stand in" {
	for compiler in gcc clang; do
		command -v "$compiler" >/dev/null || continue
		for options in -O0 '-O2' '-O2 -fno-pie -no-pie' '-O2 -static' '-Os -fPIC'; do
			rarog cc --hooks --rarog-compiler=$compiler $options -I"$repo/include" -o sizes "$programs/hooks/sizes.c" -lpthread
			works -q collect -o p.rarog -- ./sizes all
			[ -z "$errors" ] || fail "$errors"
			printf '%s\n' "$output" >printed
			rarog export --format json p.rarog >exported
			rarog show --json -n 0 p.rarog >shown
			"$repo/tests/oracle/compare-sizes" exported shown printed >said || fail "$compiler $options: $(cat said)"
		done
	done
	rarog -q collect --detail=summary -o p.rarog -- ./sizes >printed
	rarog show --json p.rarog | python3 -c '
import json, sys
(a,) = [a for a in json.load(sys.stdin)["arguments"] if a["name"] == "rarog:table__size"]
assert (a["argument"], a["count"], a["min"], a["max"], a["within"]) == ("size", 30, 0, 29, []), a'
	rarog -q collect --detail=count -o p.rarog -- ./sizes >printed
	[ "$(calls rarog:table__size)" = 30 ]
}

# bzip2's Makefile links the system's libbz2 where there is one: what is looked for is not measured then.
@test "what has no hooks is named in one line: a library, the program, several" {
	write_project
	build
	rm shared.o libshared.so main.o 2>/dev/null || true
	gcc -O2 -fPIC -shared -o libshared.so shared.c # the system's, as it were
	works collect complexity -o p.rarog -- ./prog
	[ "$(grep -c hooks <<<"$errors")" = 1 ] || fail "$errors"
	[[ $errors == *"libshared.so was not built with hooks: no function in there is measured"* ]] || fail "$errors"
	[ "$(calls list_find),$(calls shared_twice)" = "10," ]
	run_rarog collect complexity -n -- ./prog
	[[ $errors == *"libshared.so was not built with hooks"* ]] || fail "dry run: $errors"
	run_rarog collect -o p.rarog -- ./prog # of trace nobody expects them
	[[ $errors != *hooks* ]] || fail "$errors"

	build
	gcc -O2 -o prog main.c list.c -L. -lshared -Wl,-rpath,"$PWD"
	run_rarog collect complexity -o p.rarog -- ./prog
	[[ $errors == *"prog was not built with hooks"* && $errors != *libc.so* ]] || fail "$errors"
	[ "$(calls list_find),$(calls shared_twice)" = ",20" ]

	local link=() i
	for i in 1 2 3 4 5 6 7; do
		echo "int n$i;" | gcc -x c - -fPIC -shared -o "libn$i.so"
		link+=("-ln$i")
	done
	build
	"$RAROG" cc --hooks -O2 -o prog main.c list.c -L. -lshared -Wl,--no-as-needed "${link[@]}" -Wl,-rpath,"$PWD"
	run_rarog collect complexity -o p.rarog -- ./prog
	[[ $errors == *"libn1.so, libn2.so, libn3.so, libn4.so, libn5.so and 2 more were not built with hooks"* ]] || fail "$errors"

	gcc -O2 -o prog main.c list.c shared.c # nothing at all: as before
	run_rarog collect complexity -o p.rarog -- ./prog
	[[ $errors == *"nothing that ran was built with hooks"* && $errors != *"were not built"* ]] || fail "$errors"
}
