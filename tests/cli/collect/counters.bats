#!/usr/bin/env bats
# rarog collect --counters: what the kernel and the processor count of a whole run. Oracles are what
# the program is told of itself, counters that add up, and perf stat.

load ../helper

# Touches so many pages, in a thread and in a child as well, and switches so often of its own accord.
write_program() {
	program time/touch -O1 -lpthread
	"$RAROG" -q collect time --counters page-faults -o can.rarog -- true || skip "counters are forbidden here"
}

# counter NAME [FILE]: what FILE (p.rarog) has of it
counter() {
	"$RAROG" show --json "${2:-p.rarog}" | python3 -c '
import json, sys
for c in json.load(sys.stdin)["header"]["end"]["counters"]:
    if c["name"] == sys.argv[1]:
        print(c.get("count", c.get("ns")))' "$1"
}

# near WHAT VALUE EXPECTED LESS MORE
near() {
	if [ "$2" -lt $(($3 - $4)) ] || [ "$2" -gt $(($3 + $5)) ]; then
		fail "$1: $2, expected $3 (- $4, + $5)"
	fi
}

@test "faults: of the program, its threads and its children, as many as it makes" {
	write_program
	"$RAROG" -q collect time --counters page-faults -o few.rarog -- ./touch 0 tc
	for way in - t c tc; do
		works -q collect time --counters page-faults,minor-faults,major-faults -o p.rarog -- ./touch 3000 "$way"
		[ -z "$errors" ] || fail "$errors"
		[ "$(counter page-faults)" -eq $(($(counter minor-faults) + $(counter major-faults))) ] || fail "they do not add up"
		times=1
		case $way in t | c) times=2 ;; tc) times=3 ;; esac
		# and those of a run that touches nothing, which differs a little by where stacks lie
		near "$way" "$(counter page-faults)" $((3000 * times)) 0 $(($(counter page-faults few.rarog) + 20))
	done
}

@test "faults: as many as perf stat counts" {
	write_program
	command -v perf >/dev/null || skip "no perf"
	perf stat -x, -e page-faults -o perf.csv ./touch 2000 tc || skip "perf stat fails"
	theirs=$(grep -v '^#' perf.csv | cut -d, -f1 | tr -d '\n')
	[[ $theirs =~ ^[0-9]+$ ]] || skip "perf stat does not count"
	"$RAROG" -q collect time --counters page-faults -o p.rarog -- ./touch 2000 tc
	near faults "$(counter page-faults)" "$theirs" 20 20 # two runs differ by where their stacks lie
}

@test "switches and time: as wait4 says of the same run" {
	write_program
	run_rarog -q collect time --counters context-switches,task-clock,cpu-migrations -o p.rarog -- ./touch 10 s
	if [[ $errors == *"kernel.perf_event_paranoid"* ]]; then skip "switches are not shown"; fi
	expect_status 0
	read -r switches cpu_ns <<<"$("$RAROG" show --json p.rarog | python3 -c '
import json, sys
end = json.load(sys.stdin)["header"]["end"]
print(end["voluntary_switches"] + end["involuntary_switches"], end["user_ns"] + end["system_ns"])')"
	[ "$(counter context-switches)" -ge 100 ]
	# at most those, and of the exec itself; before it, on a busy machine, there are some that are not counted
	[ "$(counter context-switches)" -le $((switches + 6)) ] || fail "$(counter context-switches) of $switches"
	near time "$(counter task-clock)" "$cpu_ns" 20000000 20000000 # the kernel's ticks, and the exec
}

@test "other collectors keep them as well, whatever becomes of the program" {
	write_program
	exits 137 -q collect --counters page-faults -o p.rarog -- ./touch 3000 k
	[ "$(counter page-faults)" -ge 3000 ]
	run_rarog show p.rarog
	[[ $output == *"page-faults 3,"* ]] || fail "$output"
	run_rarog -q collect sample --counters page-faults -o p.rarog -- ./touch 3000 -
	if [ "$status" -eq 0 ]; then [ "$(counter page-faults)" -ge 3000 ]; fi
	exits 127 -q collect time --counters page-faults -o p.rarog -- ./missing
	"$RAROG" -q collect time -o p.rarog -- true
	run_rarog show --json p.rarog
	[[ $output != *counters* ]] || fail "nobody asked for any: $output"
}

@test "shown in the table, and summed up over runs" {
	write_program
	works collect time --counters faults,task-clock --repeat 3 -o p.rarog -- ./touch 500 -
	[[ $errors == *"page-faults "*[0-9]*"task-clock "*"s"* ]] || fail "$errors"
	run_rarog show p.2.rarog
	[[ $output == *"page-faults"*[0-9]*"task-clock"*"s"* ]] || fail "$output"
	[ "$("$RAROG" show --csv p.2.rarog | sed -n 's/^page-faults,//p')" -eq "$(counter page-faults p.2.rarog)" ]
}

@test "what was counted for a part of the time is scaled, and says so" {
	"$(dirname "$RAROG")/tests/make-profile" p.rarog <<-'END'
		header {"command":["./prog"],"collector":"time","engine":"kernel","parameters":{},"end":{"exit_status":0,"wall_ns":1000,"counters":[{"name":"cycles","count":400,"enabled_ns":1000,"running_ns":250,"user_only":true},{"name":"instructions","count":0,"enabled_ns":1000,"running_ns":0,"user_only":false}]}}
	END
	run_rarog show p.rarog
	[[ $output == *"cycles        400 in user code (scaled: counted for 25.0 % of the time)"* ]] || fail "$output"
	[[ $output == *"instructions  0 (never counted: others had its turn)"* ]] || fail "$output"
}

@test "bad input: names, and what this machine has not" {
	says 125 "rarog collect: --counters: 'page-fualts' is not a counter; did you mean page-faults?" \
		collect time --counters page-fualts -- true
	run_rarog collect time --counters xyzzy -- true
	expect_error "rarog collect: --counters: 'xyzzy' is not a counter; there are, among others, instructions, cycles, cache-misses, task-clock, page-faults, context-switches"
	run_rarog collect time --counters faults,page-faults -- true
	expect_error "rarog collect: --counters: page-faults is named twice"
	for list in '' ',' task-clock,,faults; do
		says 125 "rarog collect: --counters: names with commas between them are expected, as in page-faults,task-clock" \
			collect time --counters "$list" -- true
	done
	run_rarog collect --counters page-faults --pid 1
	expect_error "rarog collect: --counters is for a program that rarog starts; leave it out with --pid"
	[ -z "$(find . -name '*.rarog')" ]
	run_rarog doctor
	[[ $output == *"counters"*"of the kernel's"* ]] || fail "$output"
	[[ $output == *"no PMU"* ]] || skip "this machine has counters"
	says 125 "rarog collect: --counters: instructions: this machine shows no counters of its processor (no PMU, as on most virtual machines); leave it out" \
		collect time --counters task-clock,instructions -- touch ran
	[ ! -e ran ]
}
