#!/usr/bin/env bats
# Programs that probes would harm: run-times that find their own code by return addresses, programs that
# look at their code or move it. They run as natively, or are refused with a line; `rarog probes` and
# `collect -n` say the same as `collect`. Programs that only resemble them are measured.

# shellcheck disable=SC2034,SC2154 # variables of the helpers
load helper
load collect-helper
load ebpf-helper

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
	cat >runtime.c <<'C'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#define N __attribute__((noinline))
static unsigned char *code;
#ifdef WALKS
N static void walk(void)
{
	void **frame = __builtin_frame_address(1);
	unsigned char *from = frame[1];
	if (from < code || from >= code + 4096)
		abort();
}
#else
N static void walk(void) { __asm__ volatile(""); }
#endif
N static long back(long x) { walk(); return x + 1; }
static long (*make(void))(long)
{
	static const unsigned char head[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8 }, tail[] = { 0xff, 0xd0, 0x5d, 0xc3 };
	void *address = back;
#ifdef MAPS
	code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#else
	code = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#endif
	memcpy(code, head, 6), memcpy(code + 6, &address, 8), memcpy(code + 14, tail, 4);
#ifndef MAPS
	if (mprotect(code, 4096, PROT_READ | PROT_EXEC))
		abort();
#endif
	return (long (*)(long))code;
}
N long runtime(long n)
{
	long (*made)(long) = make(), s = 0;
	for (long i = 0; i < n; i++)
		s = made(s);
	return s;
}
#ifndef LIBRARY
int main(void) { printf("%ld\n", runtime(1000)); return 0; }
#endif
C
	cat >main.c <<'C'
#include <stdio.h>
long runtime(long n);
int main(void) { printf("%ld\n", runtime(1000)); return 0; }
C
}

reads="makes code while it runs and reads return addresses on its stacks; --detail=count"

@test "a run-time that looks who called it from code that it made is left out" {
	write_runtime
	for maps in "" -DMAPS; do
		# shellcheck disable=SC2086
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
		# shellcheck disable=SC2086
		gcc -O1 -fno-omit-frame-pointer -DWALKS $how -o program runtime.c
		all_refuse "$reads" program
		collect_options=(--detail count)
		same_behaviour "$PWD/program"
		collect_options=()
	done
}

@test "who makes code and walks no frames is measured, and who walks frames and makes none" {
	write_runtime
	gcc -O1 -fno-omit-frame-pointer -o program runtime.c
	none_refuses program
	show_json
	jq -e '.functions[] | select(.name == "back") | .count == 1000' show.json >/dev/null || fail "$(rarog show p.rarog)"
	cat >frames.c <<'C'
#include <stdio.h>
__attribute__((noinline)) long depth(void)
{
	long n = 0;
	for (void **f = __builtin_frame_address(1); n < 2 && f; f = *f) n++;
	return n;
}
__attribute__((noinline)) long outer(void) { long n = depth(); __asm__ volatile(""); return n; }
int main(void) { printf("%ld\n", outer()); return 0; }
C
	gcc -O1 -fno-omit-frame-pointer -o frames frames.c
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
	cat >ends.c <<'C'
#include <stdio.h>
extern const unsigned char __executable_start[], etext[];
#ifdef DATA
const unsigned char *volatile from = __executable_start, *volatile to = etext;
#else
#define from __executable_start
#define to etext
#endif
__attribute__((noinline)) unsigned sum(const unsigned char *a, const unsigned char *b)
{
	unsigned s = 0;
	while (a < b) s = s * 31 + *a++;
	return s;
}
int main(void) { printf("%x %d\n", sum(to - 64, to), to > from); return 0; }
C
	printf '#include <stdio.h>\nint main(void) { puts("plain"); return 0; }\n' >plain.c
}

@test "who refers to the ends of its code is refused, whichever linker and however; others are not" {
	write_ends
	for linker in "" -fuse-ld=gold -fuse-ld=lld -fuse-ld=mold; do
		# shellcheck disable=SC2086
		gcc $linker -o plain plain.c 2>/dev/null || continue
		for how in "" -no-pie -static "-DDATA" "-DDATA -no-pie" "-DDATA -Wl,-z,pack-relative-relocs"; do
			# shellcheck disable=SC2086
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

# write_moving: its code moves to other pages, as to large ones; -DHIDDEN: it finds it in another way
write_moving() {
	cat >moving.c <<'C'
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#define N __attribute__((noinline))
N int leaf(int x) { __asm__ volatile(""); return x * 2 + 1; }
N int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += leaf(i); return s; }
static uintptr_t lo, hi;
static void find(void)
{
#ifdef HIDDEN
	lo = (uintptr_t)work & ~4095ul, hi = lo + 4096;
#else
	char l[512], p[5];
	uintptr_t a, b;
	FILE *f = fopen("/proc/self/maps", "r");
	while (fgets(l, sizeof l, f))
		if (sscanf(l, "%lx-%lx %4s", &a, &b, p) == 3 && p[2] == 'x' && (uintptr_t)work >= a && (uintptr_t)work < b)
			lo = a, hi = b;
	fclose(f);
#endif
}
/* in a section of its own, so that it is not in the page that it moves */
__attribute__((section("mover"), noinline, aligned(4096))) static int move(char *t, size_t n)
{
#ifdef COPIES
	if (mmap((void *)lo, n, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < n; i++) ((volatile char *)lo)[i] = t[i];
	return 0;
#else
	return mremap(t, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)lo) != (void *)lo;
#endif
}
int main(void)
{
	int s = work(10);
	find();
	size_t n = hi - lo;
	char *t = mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(t, (void *)lo, n);
	mprotect(t, n, PROT_READ | PROT_EXEC);
	if (move(t, n)) return 9;
	for (int i = 0; i < 20; i++) s += work(20);
	printf("%d\n", s);
	return 0;
}
C
}

@test "a program that moves its code to other pages: not under the kernel's breakpoints" {
	need_engine
	write_moving
	for how in "" -no-pie "-DCOPIES -s"; do
		# shellcheck disable=SC2086
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
	write_moving
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
