#!/usr/bin/env bats
# What continuous integration runs when time is limited: tools/check-plan, tools/bats-file.

load ../helper

# plan COUNT: by the table of tools/check
plan() {
	sed -n "/^steps='/,/^'/p" "$repo/tools/check" | grep '|' | "$repo/tools/check-plan" "$1"
}

@test "the plan has every file and every step once, whatever the count of commits" {
	# of the table of files: what make check does not run as a whole; of that of steps: those of the rest
	for file in "$repo"/tests/cli/*/*.bats; do
		name=$(realpath --relative-to="$repo/tests/cli" "${file%.bats}")
		grep -Eq "^$name \| [0-9]+ \| all " "$repo/tests/cli/order" || echo "cli-gcc $name"
		grep -E "^$name " "$repo/tests/cli/order" | grep -vq "| yes |" || echo "cli-sanitize $name"
	done | sort >wanted
	for count in 0 7 123456; do
		plan "$count" >got || fail "$count"
		awk 'NF > 1 { for (i = 2; i <= NF; i++) print $1, $i }' got | sort | diff wanted - || fail "$count"
		[ -z "$(awk 'NF == 1' got | sort | uniq -d)" ] || fail "$count: $(cat got)"
		for step in conformance-ebpf conformance-vex real-gcc unit-sanitize clang-tidy; do
			grep -qx "$step" got || fail "$count: no $step"
		done
		! grep -qE '^(build-gcc|unit-gcc|cli-main|build-sanitize)' got || fail "$count: $(cat got)"
	done
}

@test "all of the plan comes first at some count" {
	number=$(plan 0 | wc -l)
	for count in $(seq 0 "$number"); do
		plan "$count" | head -3
	done | sort -u >first
	[ "$(wc -l <first)" -eq "$number" ] || fail "$(plan 0 | sort | comm -13 first -)"
}

@test "a file for which no time is left is skipped, and says so" {
	cd "$repo" || return
	RAROG_BEGIN_UNTIL=$(($(date +%s) + 50)) RAROG_PACE=200 tools/bats-file "$TMPDIR" run/ci 30
	grep -qx "ok 1 - all of run/ci # SKIP not begun: no time left" "$TMPDIR/run/ci.bats.tap" || fail "$(cat "$TMPDIR/run/ci.bats.tap")"
	[ "$(tools/tap-sum "$TMPDIR/run/ci.bats.tap" | head -1)" = "0 0 1" ]
}

@test "this machine's speed: a factor of at least one, and why" {
	gcc -O1 -o speed "$repo/tests/tools/speed.c"
	./speed >said
	grep -Eqx '([1-9]|10): a program starts and ends in .* ms, a stop by ptrace takes .* us, a system call .* us' said ||
		fail "$(cat said)"
}
