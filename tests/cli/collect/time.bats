#!/usr/bin/env bats
# rarog collect time: what the kernel says of a whole run.

load ../helper

amount() { # of NAME in the profile $1
	"$RAROG" show --csv "$1" | sed -n "s/^$2,//p"
}

# near WHAT VALUE EXPECTED MORE: at least as expected, by MORE at most above
near() {
	if [ "$2" -lt "$3" ] || [ "$2" -gt $(($3 + $4)) ]; then
		fail "$1: $2, the program says $3 (+ $4)"
	fi
}

@test "amounts are those that the program says of itself" {
	program time/spend -O1
	exits 5 collect time -o p.rarog -- ./spend 64 busy
	read -r cpu_us kib faults waits <<<"$output"
	[[ $errors == "rarog: "*" of processor time in "*"; p.rarog ("*")" ]] || fail "$errors"
	near cpu $((($(amount p.rarog user_ns) + $(amount p.rarog system_ns)) / 1000 + 3000)) "$cpu_us" 30000
	near memory $(($(amount p.rarog max_rss_bytes) / 1024)) "$kib" 512
	near faults $(($(amount p.rarog minor_faults) + 128)) "$faults" 256 # those of the copy that becomes the program are less
	near waits $(($(amount p.rarog voluntary_switches) + 2)) "$waits" 6
	[ "$waits" -gt 40 ]
	[ "$(amount p.rarog wall_ns)" -gt $((cpu_us * 1000 + 50000000)) ]
	run_rarog show p.rarog
	[[ $output == *"max memory"*"MiB"* && $output != *"at most"* && $output != *"function"* ]] || fail "$output"
}

@test "of less memory than rarog's own a bound is known" {
	program time/spend -O1
	"$RAROG" -q collect time -o p.rarog -- ./spend 0 >/dev/null || [ $? -eq 5 ]
	run_rarog show p.rarog
	[[ $output == *"max memory"*" at most"* ]] || fail "$output"
	[ "$(amount p.rarog minor_faults)" -lt 200 ]
}

@test "several runs: a summary, what stands apart, and a verdict" {
	# the seventh run is slow
	cat >program <<-'END'
		#!/bin/sh
		n=$(($(cat n 2>/dev/null || echo 0) + 1))
		echo $n >n
		case $n in 7) sleep 2 ;; *) sleep 0.02 ;; esac
	END
	chmod +x program
	works collect time --repeat 8 -o p.rarog -- ./program
	[[ $errors == *"median"*"deviation"*"wall "*"page faults, minor"* ]] || fail "$errors"
	[[ $errors == *"rarog: stand apart: "*"run 7 (wall +"* ]] || fail "$errors"
	[ "$(find . -name 'p.*.rarog' | wc -l)" -eq 8 ]
	run_rarog check p.2.rarog p.7.rarog
	[[ $output == *"sleep"* || $output == *"program"* || $output == *"run"* ]] || fail "$output $errors"
	run_rarog -q collect time --repeat 2 -o q.rarog -- true
	[ -z "$errors" ] || fail "$errors"
}

@test "what knows nothing of functions says so" {
	"$RAROG" -q collect time -o p.rarog -- true
	says 3 "rarog show: --tree: p.rarog measures the whole program; rarog collect trace does so with its functions" \
		show --tree p.rarog
	run_rarog export --format=collapsed p.rarog
	expect_error "rarog export: p.rarog measures the whole program, collapsed is for functions; json has it"
	says 125 "rarog collect: --libs is for rarog collect trace; time measures the whole program" collect time --libs -- true
	run_rarog collect time --pid 1
	expect_error "rarog collect: --pid is for rarog collect trace and sample"
	exits 127 collect time -- ./missing
	[ ! -e missing.rarog ]
}

@test "jobs: collector: time" {
	"$RAROG" -q init
	works run --collector=time --cmd true --repeat 3
	run_rarog status
	[[ $output == *" time "* ]] || fail "$output"
}
