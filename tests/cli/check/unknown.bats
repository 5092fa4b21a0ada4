#!/usr/bin/env bats
# What was not measured is unknown: neither gone nor new, and no time is compared with one that contains something else.

load ../helper

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	cat >program.c <<-'END'
		#define APART __attribute__((noipa))
		volatile int sink;
		APART int leafy(int n) { int s = 0; for (int i = 0; i < n; i++) s += sink + i; return s; }
		APART int alpha(int n) { int s = 0; for (int i = 0; i < 20; i++) s += leafy(n + i); return s; }
		APART int beta(int n) { int s = 0; for (int i = 0; i < 20; i++) s += leafy(n - i + 40); return s; }
		APART int same(int n) { int s = 0; for (int i = 0; i < 50 * n; i++) s += sink - i; return s; }
		int main(void)
		{
			int s = 0;
			for (int i = 0; i < 200; i++) s += alpha(60) + beta(60) + same(40);
		#ifdef MORE
			s += more(7);
		#endif
			return s == 42;
		}
	END
	gcc -g -O1 -o program program.c
	local i
	mkdir all alpha beta pruned counted
	for i in 1 2 3 4 5 6; do
		"$RAROG" -q collect -o "all/$i.rarog" -- ./program
		"$RAROG" -q collect --func alpha -o "alpha/$i.rarog" -- ./program
		"$RAROG" -q collect --func beta -o "beta/$i.rarog" -- ./program
		RAROG_TEST_PLACES=leafy=pruned "$RAROG" -q collect -o "pruned/$i.rarog" -- ./program
		RAROG_TEST_PLACES=leafy=count "$RAROG" -q collect -o "counted/$i.rarog" -- ./program
	done
}

# names VERDICT…: the functions that a verdict is about
names() {
	python3 -c '
import json, sys
for c in json.load(sys.stdin)["changes"]:
    if c["location"] and (not sys.argv[1:] or c["class"] in sys.argv[1:]):
        print(c["location"])' "$@" | sort -u
}

# compared A B OPTION…: leaves verdict.json and notes
compared() {
	run_rarog check --json "$BATS_FILE_TMPDIR/$1/" "$BATS_FILE_TMPDIR/$2/" "${@:3}"
	case $status in 0 | 1 | 4) ;; *) fail "$status $errors" ;; esac
	printf '%s\n' "$output" >verdict.json
}

@test "unknown: of two runs that measured different functions nothing is said of either" {
	local method
	for method in runs exclusive-outliers average-amount; do
		compared alpha beta --method "$method"
		[ -z "$(names <verdict.json)" ] || fail "$method: $(cat verdict.json)"
		grep -q '2 functions are unknown' verdict.json || fail "$method: $(cat verdict.json)"
	done
}

@test "unknown: what one run pruned or only counted is neither gone nor new, and callers are not slower for it" {
	local way method
	for way in "all pruned" "pruned all" "all counted" "counted all" "all alpha" "alpha all"; do
		for method in runs exclusive-outliers average-amount; do
			# shellcheck disable=SC2086
			compared $way --method "$method"
			names <verdict.json >of
			! grep -qxE 'leafy|alpha|beta' of || fail "$way, $method: $(cat verdict.json)"
			grep -q 'unknown: not measured in both versions' verdict.json || fail "$way, $method: $(cat verdict.json)"
		done
	done
	compared pruned counted # alpha's time has leafy's in both
	! names <verdict.json | grep -qx leafy || fail "$(cat verdict.json)"
	grep -q '1 function is unknown' verdict.json || fail "$(cat verdict.json)"
	compared all pruned --method average-amount
	names <verdict.json | grep -qx same || fail "$(cat verdict.json)"
}

@test "unknown: between equal sets nothing is, and what is gone is gone" {
	compared pruned pruned
	! grep -q 'unknown: not' verdict.json || fail "$(cat verdict.json)"
	gcc -g -O1 -DMORE -include /dev/stdin -o program "$BATS_FILE_TMPDIR/program.c" <<-'END'
		__attribute__((noipa)) int more(int n) { volatile int k = n; while (k < 9999999) k++; return k; }
	END
	rarog -q collect -o more.rarog -- ./program
	cp "$BATS_FILE_TMPDIR/program" .
	rarog -q collect -o less.rarog -- ./program
	run_rarog check --json more.rarog less.rarog --method exclusive-outliers
	printf '%s\n' "$output" | names NotInTarget | grep -qx more || fail "$output $errors"
	run_rarog check --json less.rarog more.rarog --method exclusive-outliers
	printf '%s\n' "$output" | names NotInBaseline | grep -qx more || fail "$output $errors"
	RAROG_TEST_PLACES=leafy=pruned rarog -q collect -x same -o less.rarog -- ./program
	run_rarog check --json more.rarog less.rarog --method exclusive-outliers
	printf '%s\n' "$output" | names NotInTarget | grep -qx same && fail "$output"
	true
}

# refused A B WHAT: unless one insists
refused() {
	run_rarog check "$1" "$2"
	expect_status 3
	[[ $errors == *"different parameters of the collector: $3"* ]] || fail "$errors"
}

@test "unknown: a run with libraries is not compared with one without" {
	cat >copies.c <<-'END'
		#include <stdlib.h>
		__attribute__((noipa)) int work(int n) { void *volatile p = malloc(n); free(p); return n; }
		int main(void) { int s = 0; for (int i = 1; i < 100; i++) s += work(i); return s == 42; }
	END
	gcc -g -O1 -o copies copies.c
	rarog -q collect -o without.rarog -- ./copies
	rarog -q collect --libs -o with.rarog -- ./copies
	refused without.rarog with.rarog "libs none and true"
	refused with.rarog without.rarog "libs true and none"
}

@test "unknown: runs with other marks are not compared" {
	cp "$BATS_FILE_TMPDIR/program.c" "$BATS_FILE_TMPDIR/program" .
	rarog -q collect -o plain.rarog -- ./program
	rarog -q collect --at program.c:6 -o place.rarog -- ./program
	rarog -q collect --no-usdt -o none.rarog -- ./program
	refused plain.rarog place.rarog 'at none and ["program.c:6"]'
	refused place.rarog plain.rarog 'at ["program.c:6"] and none'
	refused plain.rarog none.rarog "no_usdt none and true"
}

@test "unknown: every passage of a place is not compared with every seventh" {
	cp "$BATS_FILE_TMPDIR/program.c" "$BATS_FILE_TMPDIR/program" .
	rarog -q collect --at program.c:6 -o each.rarog -- ./program
	rarog -q collect --at program.c:6#7 -o seventh.rarog -- ./program
	refused each.rarog seventh.rarog 'at ["program.c:6"] and ["program.c:6#7"]'
}

@test "unknown: profiles that measured other functions than those that are compared are not left out in silence" {
	local i
	mkdir both
	for i in 1 2 3; do cp "$BATS_FILE_TMPDIR/alpha/$i.rarog" "both/alpha-$i.rarog"; done
	for i in 1 2; do cp "$BATS_FILE_TMPDIR/beta/$i.rarog" "both/beta-$i.rarog"; done
	run_rarog check both/ "$BATS_FILE_TMPDIR/alpha/"
	[[ $output$errors == *"2 profiles of both/ were not compared: they were measured otherwise than those that were"* ]] ||
		fail "$output $errors"
	run_rarog check "$BATS_FILE_TMPDIR/alpha/" both/
	[[ $output$errors == *"2 profiles of both/ were not compared"* ]] || fail "$output $errors"
	run_rarog check "$BATS_FILE_TMPDIR/alpha/" "$BATS_FILE_TMPDIR/beta/"
	[[ $output$errors != *"not compared:"* ]] || fail "$output $errors"
}
