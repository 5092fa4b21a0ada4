#!/usr/bin/env bats
# What diff tracing takes for changed: data that functions have in common, that is each thread's, that has no name or several,
# and what is caught. Each program is built twice, with one difference, which is known to concern some functions only.

load ../helper
load ../collect-helper
load ../repositories

changes="$repo/tests/programs/collect/changes"

project() {
	repository r
	works init
	left=
}

# version: what is built now is a version; $left: the functions that diff tracing leaves out
version() {
	commit "version"
	works collect --on diff-tracing --dry-run --explain "${options[@]}" ./prog
	left=$(awk '$1 == "diff-tracing" && $2 == "none" { print $3 }' <<<"$errors")
}

# changed NAME…: those that are measured
changed() {
	local name

	for name in "$@"; do
		grep -qx -- "$name" <<<"$left" || printf '%s ' "$name"
	done
}

same_names() {
	for part in 1 2 3; do
		gcc -O2 -DPART=$part "$@" -c "$changes/same-names.c" -o part$part.o
	done
	gcc part?.o -o prog
	version
}

@test "functions and data that are called the same are not taken for each other" {
	project
	same_names -DVALUE=2 -DFIRST=1
	same_names -DVALUE=3 -DFIRST=1
	[ "$(changed both reads first second)" = "reads " ]
	same_names -DVALUE=3 -DFIRST=2
	[ "$(changed both reads first second)" = "first " ]
	same_names -DVALUE=3 -DFIRST=2
	[ "$(changed both reads first second)" = "" ]
}

@test "what was only linked in another order has not changed" {
	local how

	for how in "" "-no-pie"; do
		rm -rf r
		project
		same_names -DVALUE=2 -DFIRST=1
		gcc $how part1.o part2.o part3.o -o prog
		version
		gcc $how part3.o part2.o part1.o -o prog
		version
		[ "$(changed both reads first second)" = "" ]
		cd ..
	done
}

# shared_inline LAST…: the objects, in this order
shared_inline() {
	g++ "$@" -o prog
	version
}

@test "what is linked from another object than before, and is the same there, has not changed" {
	local functions=("step(int)" "half(int)" "shared(int)" "one(int)" "two(int)") part

	project
	cp "$changes/shared-inline.cc" part1.cc
	cp part1.cc part2.cc
	g++ -O2 -DPART=1 -c part1.cc
	g++ -O2 -DPART=2 -c part2.cc
	g++ -O2 -DPART=2 -DSTEP=5 -c part2.cc -o other2.o
	shared_inline part1.o part2.o
	shared_inline part2.o part1.o
	[ "$(changed "${functions[@]}")" = "" ] || fail "$left"
	shared_inline part1.o part2.o
	shared_inline other2.o part1.o
	[ "$(changed "${functions[@]}")" = "shared(int) " ] || fail "$left"
}

@test "what is linked from another object than before, and has a variable there, has changed" {
	local kind part

	project
	cp "$changes/shared-inline.cc" part1.cc
	cp part1.cc part2.cc
	for kind in int '__thread int'; do
		for part in 1 2; do
			g++ -O2 -DPART=$part "-DVARIABLE=$kind" -c part$part.cc
		done
		shared_inline part1.o part2.o
		shared_inline part2.o part1.o
		[ "$(changed "shared(int)")" = "shared(int) " ] || fail "$kind: $left"
	done
}

thread_data() {
	gcc -O2 "$@" "$changes/thread-data.c" -o prog
	version
}

@test "what variables of threads begin with, and which of them is used" {
	local how

	for how in "-fpie -pie" "-no-pie"; do
		rm -rf r
		project
		# shellcheck disable=SC2086 # words
		thread_data $how -DVALUE=2 '-DUSED=&limit'
		# shellcheck disable=SC2086
		thread_data $how -DVALUE=3 '-DUSED=&limit'
		[ "$(changed plain below where)" = "below where " ]
		# shellcheck disable=SC2086
		thread_data $how -DVALUE=3 '-DUSED=&other'
		[[ "$(changed plain below where)" == *"where "* ]]
		cd ..
	done
}

library() {
	gcc -O2 -fpic -shared -DLIBRARY "$@" "$changes/thread-data.c" -o libown.so
	version
}

@test "variables of a library's threads" {
	local options=(--libs)

	project
	echo 'int below(int x); int *where(void); int main(int c, char **v) { (void)v; return below(c) + *where() == 0; }' >main.c
	gcc -O2 -fpic -shared -DLIBRARY -DVALUE=2 '-DUSED=&other' "$changes/thread-data.c" -o libown.so
	gcc -O2 main.c -o prog -L. -lown "-Wl,-rpath,$PWD"
	library -DVALUE=2 '-DUSED=&limit'
	library -DVALUE=3 '-DUSED=&limit'
	[ "$(changed plain below where)" = "below where " ]
	library -DVALUE=3 '-DUSED=&other'
	[[ "$(changed plain below where)" == *"where "* ]]
	[[ "$(changed plain below where)" != *"plain "* ]]
}

catches() {
	g++ -O2 "$@" "$changes/catches.cc" -o prog
	version
}

@test "what a function catches is part of it" {
	project
	catches -DCAUGHT=int
	catches -DCAUGHT=long
	[ "$(changed "throws(int)" "catches(int)" "passes(int)")" = "catches(int) " ]
	catches -DCAUGHT=long
	[ "$(changed "throws(int)" "catches(int)" "passes(int)")" = "" ]
}

nameless=(-DCOUNTER=.Lone '-DLAST="two"' -DFOURTH=4 -DLATE=5 -DALIASED=6 -DPOINTER=lists -DADDEND=8 -DLOOPED=3 -DREVERSED=4 -DYEAR=6 -DAFTER=7 '-DPACKED="two"')

# of_nameless OPTION…: what changes if nameless.S is built with these as well
of_nameless() {
	gcc "${nameless[@]}" "$@" "$changes/nameless.S" -o prog "${linked[@]}"
	version
	changed counts lists sums middle far points aliased imports loops backwards years packs
}

@test "data without names counts as far as it may go" {
	local linked=()

	project
	of_nameless
	[ "$(of_nameless)" = "" ]
	[ "$(of_nameless -UCOUNTER -DCOUNTER=.Ltwo)" = "counts " ]
	of_nameless
	[ "$(of_nameless -ULAST '-DLAST="ten"')" = "lists " ]
	of_nameless
	[ "$(of_nameless -UFOURTH -DFOURTH=9)" = "sums " ]
	of_nameless
	[ "$(of_nameless -ULATE -DLATE=9)" = "far " ]
	of_nameless
	[ "$(of_nameless -UALIASED -DALIASED=9)" = "aliased " ]
	of_nameless
	[ "$(of_nameless -UPOINTER -DPOINTER=sums)" = "points " ]
	of_nameless
	[ "$(of_nameless -UADDEND -DADDEND=16)" = "imports " ]
	of_nameless
	[ "$(of_nameless -ULOOPED -DLOOPED=9)" = "loops " ]
	of_nameless
	[ "$(of_nameless -UREVERSED -DREVERSED=9)" = "backwards years " ] # of which years might mean it
	of_nameless
	[ "$(of_nameless -UYEAR -DYEAR=9)" = "years " ]
	of_nameless
	[ "$(of_nameless -UAFTER -DAFTER=9)" = "years " ]
	of_nameless
	[ "$(of_nameless -UPACKED '-DPACKED="ten"')" = "packs " ]
	of_nameless
	[ "$(of_nameless -DMOVED)" = "" ]
}

@test "without relocations, too, a pointer in a packed structure and a table far after its base are known" {
	local linked=(-no-pie -DABSOLUTE)

	project
	of_nameless
	[ "$(of_nameless -UYEAR -DYEAR=9)" = "years " ]
	of_nameless
	[ "$(of_nameless -UAFTER -DAFTER=9)" = "years " ]
	of_nameless
	[ "$(of_nameless -UPACKED '-DPACKED="ten"')" = "packs " ]
	of_nameless
	[ "$(of_nameless -DMOVED)" = "" ]
}

stripped() {
	gcc -O2 -s -Wl,-E "$@" "$changes/cold.c" -o prog
	version
	changed twice thrice
}

@test "code that has no name is code of what goes there" {
	project
	stripped -DFACTOR=7 -DOTHER=3
	[ "$(stripped -DFACTOR=9 -DOTHER=3)" = "twice " ]
	stripped -DFACTOR=9 -DOTHER=3
	# What stands before it, and moves it, is none of its.
	[ "$(stripped -DFACTOR=9 -DOTHER='3*x*x*x*x*x*x*x')" = "thrice " ]
}

@test "of a stripped program data counts to the end of its section" {
	local linked=("-Wl,-E" -s)

	project
	of_nameless
	[ "$(of_nameless)" = "" ]
	for change in "-UCOUNTER -DCOUNTER=.Ltwo=counts" "-UFOURTH -DFOURTH=9=sums" "-ULATE -DLATE=9=far" "-UALIASED -DALIASED=9=aliased" \
		"-UPOINTER -DPOINTER=sums=points"; do
		# shellcheck disable=SC2086
		[[ " $(of_nameless ${change%=*})" == *" ${change##*=} "* ]] || fail "$change"
		of_nameless
	done
}
