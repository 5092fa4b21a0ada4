#!/usr/bin/env bats
# Programs that probes would harm: run-times that find their own code by return addresses, programs that
# look at their code or move it. They run as natively, or are refused with a line; `rarog probes` and
# `collect -n` say the same as `collect`. Programs that only resemble them are measured.

load ../helper
load ../collect-helper
load ../ebpf-helper

# all_refuse PATTERN PROGRAM: collect, collect -n and probes
all_refuse() {
	status=0
	rarog --quiet collect -o p.rarog -- "./$2" >out 2>err || status=$?
	[ "$status" -eq 125 ] || fail "$2: status $status: $(cat err)"
	[ "$(wc -l <err)" -eq 1 ] || fail "$2: not one line: $(cat err)"
	grep -q "$1" err || fail "$2: $(cat err)"
	! rarog collect -n -- "./$2" >out 2>err || fail "$2: collect -n says otherwise: $(cat out)"
	grep -q "$1" err || fail "$2: collect -n: $(cat err)"
	rarog probes "$2" | grep -q "$1" || fail "$2: probes says otherwise: $(rarog probes "$2")"
	rarog probes --json "$2" | jq -e --arg p "$1" '.binaries[0].refused | test($p)' >/dev/null ||
		fail "$2: probes --json says otherwise"
}

# none_refuses PROGRAM
none_refuses() {
	same_behaviour "$PWD/$1"
	rarog collect -n -- "./$1" >out 2>err || fail "$1: collect -n says otherwise: $(cat err)"
	! rarog probes "$1" | grep refuses || fail "$1: probes says otherwise"
	rarog probes --json "$1" | jq -e '.binaries[0].refused == null' >/dev/null ||
		fail "$1: probes --json says otherwise"
}

# write_runtime: makes a function that calls back; what is called back looks whether it was by that one
write_runtime() {
	take harm/runtime.c
	take harm/runtime-main.c main.c
}

reads="makes code while it runs and reads return addresses on its stacks; --detail=count"

@test "a run-time that reads return addresses from code that it made is left out" {
	write_runtime
	for maps in "" -DMAPS; do
		gcc -O1 -fno-omit-frame-pointer -DWALKS -DLIBRARY $maps -shared -fPIC -o libruntime.so runtime.c
		gcc -O1 -o main main.c -L. -lruntime -Wl,-rpath,"$PWD"
		collect_options=(--libs)
		same_behaviour "$PWD/main"
		"$RAROG" collect --libs -o p.rarog -- ./main >out 2>err || fail "status $?"
		grep -q "libruntime.so is not traced: it $reads" err || fail "$(cat err)"
		show_json
		jq -e '[.functions[].name] | index("main") and (index("runtime") | not)' show.json >/dev/null ||
			fail "$(rarog show p.rarog)"
		rarog collect -n --libs -- ./main >out 2>err || fail "status $?"
		grep -q "libruntime.so is not traced: it $reads" err || fail "collect -n: $(cat err)"
		! grep -q "libruntime.so: .* would be probed" out || fail "collect -n: $(cat out)"
		rarog probes --libs ./main | grep -q "libruntime.so $reads" || fail "probes says otherwise"
		collect_options=(--libs --detail count)
		same_behaviour "$PWD/main"
	done
}

@test "such a run-time in the program itself is refused, and counted" {
	write_runtime
	for how in "" -DMAPS -static "-static -s"; do
		gcc -O1 -fno-omit-frame-pointer -DWALKS $how -o program runtime.c
		all_refuse "$reads" program
		collect_options=(--detail count)
		same_behaviour "$PWD/program"
		collect_options=()
	done
}

@test "a program that makes code, or walks frames, but not both, is measured" {
	write_runtime
	gcc -O1 -fno-omit-frame-pointer -o program runtime.c
	none_refuses program
	show_json
	jq -e '.functions[] | select(.name == "back") | .count == 1000' show.json >/dev/null || fail "$(rarog show p.rarog)"
	program harm/frames -O1 -fno-omit-frame-pointer
	none_refuses frames
	gcc -O1 -static -o plain main.c -xc - <<<'long runtime(long n) { return n; }'
	none_refuses plain
	if command -v luajit >luajit.path; then
		rarog collect -n -- "$(cat luajit.path)" >/dev/null || fail "luajit is refused"
	fi
}

@test "the Java virtual machine runs with its libraries measured" {
	command -v java javac >/dev/null || skip "no java (openjdk-17-jdk-headless)"
	cat >Frames.java <<'JAVA'
public class Frames {
  static int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
  public static void main(String[] a) { System.out.println(f(20) + new Throwable().getStackTrace().length); }
}
JAVA
	javac Frames.java
	export RAROG_TEST_TIMEOUT=300
	for options in "" --libs "--libs --detail count"; do
		# shellcheck disable=SC2206
		collect_options=($options)
		same_behaviour "$(command -v java)" -cp "$PWD" Frames
	done
}

# write_ends: a program that sums the last bytes of its code, and one that does nothing
write_ends() {
	take harm/ends.c
	printf '#include <stdio.h>\nint main(void) { puts("plain"); return 0; }\n' >plain.c
}

@test "a program that refers to the ends of its code is refused, whichever the linker; others are not" {
	write_ends
	for linker in "" -fuse-ld=gold -fuse-ld=lld -fuse-ld=mold; do
		gcc $linker -o plain plain.c 2>/dev/null || continue
		for how in "" -no-pie -static "-DDATA" "-DDATA -no-pie" "-DDATA -Wl,-z,pack-relative-relocs"; do
			gcc -O2 $linker $how -o ends ends.c 2>/dev/null && gcc -O2 $linker $how -o plain plain.c || continue
			all_refuse "looks at its own code" ends
			none_refuses plain
		done
	done
}

@test "mold's programs are measured" {
	printf '#include <stdio.h>\nint main(void) { puts("plain"); return 0; }\n' >plain.c
	gcc -fuse-ld=mold -o plain plain.c 2>/dev/null || skip "no mold"
	nm plain | grep -q ' etext' || skip "this mold does not define etext"
	none_refuses plain
	show_json
	jq -e '.functions[] | select(.name == "main") | .count == 1' show.json >/dev/null || fail "$(rarog show p.rarog)"
}

@test "a program that moves its code to other pages: not under the kernel's breakpoints" {
	need_engine
	take harm/moving.c
	for how in "" -no-pie "-DCOPIES -s"; do
		gcc -O2 $how -o moving moving.c
		for detail in calls count; do
			status=0
			rarog --quiet collect --engine ebpf --detail $detail -o p.rarog -- ./moving >out 2>err || status=$?
			[ "$status" -eq 125 ] || fail "$how $detail: status $status: $(cat out err)"
			grep -q "may copy its own code.*; --engine=inline measures it" err || fail "$(cat err)"
			[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat err)"
		done
		same_behaviour "$PWD/moving"
	done
}

@test "a program that the kernel's breakpoints have ended: what it may be is said" {
	need_engine
	take harm/moving.c
	for how in -DHIDDEN -static; do
		gcc -O2 $how -o moving moving.c
		./moving >out || fail "it does not run without Rarog: status $?"
		status=0
		rarog collect --engine ebpf -o p.rarog -- ./moving >out 2>err || status=$?
		[ "$status" -eq 133 ] || skip "it was not ended: status $status: $(cat err)"
		grep -q "warning: the program was ended by SIGTRAP: it may have copied or moved its own code.*--engine=inline" err ||
			fail "$(cat err)"
	done
}
