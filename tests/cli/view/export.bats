#!/usr/bin/env bats
# rarog export: every format read back by code that shares nothing with the writers; calls and
# times must be exactly those of the profile.

load ../helper
load ../profiles

# check PROFILE FORMAT [SLACK]
check() {
	works show --json "$1"
	printf '%s\n' "$output" >show.json
	works export "$1" --format "$2" -o out
	"$check_export" "$2" out show.json "${3:-0}"
}

formats="collapsed chrome perfetto csv callgrind speedscope"

@test "every format has the profile's calls and times" {
	plain_profile
	for format in $formats; do check plain.rarog $format; done
}

@test "hostile names: control bytes, quotes, invalid UTF-8, 10 kB" {
	hostile_profile
	for format in $formats; do check hostile.rarog $format; done
	! LC_ALL=C grep -q $'\x1b' out
}

@test "no call and one call" {
	empty_profile
	one_profile
	for format in $formats; do
		check empty.rarog $format
		check one.rarog $format
	done
}

@test "recursion of 100,000 calls" {
	deep_profile deep.rarog 100000
	for format in $formats; do check deep.rarog $format; done
	run_rarog export deep.rarog --format collapsed -o out
	[ "$(wc -c <out)" -lt 20000000 ]
}

@test "Chrome JSON above 50 MB says so, and what is smaller" {
	profile large.rarog <<-'END'
		binary /bin/a
		location main
		location a_function_with_a_name_that_takes_some_room_in_each_of_its_events
		process 7 - 0 5000000000 0 "./a"
		strand 0 7 0 5000000000
		> main 0
		repeat 420000
		> a_function_with_a_name_that_takes_some_room_in_each_of_its_events 10
		< 30
		end
		< 10
	END
	works export -f chrome -o large.json large.rarog
	[ "$(stat -c %s large.json)" -ge 50000000 ] || fail "too small a test: $(stat -c %s large.json)"
	[[ $errors == *"chrome of "*"--format perfetto is much smaller"* ]] || fail "$errors"
	works export -f perfetto -o large.perfetto large.rarog
	[ -z "$errors" ] || fail "$errors"
	[ "$(stat -c %s large.perfetto)" -lt 10000000 ]
	plain_profile small.rarog
	works export -f chrome -o small.json small.rarog
	[ -z "$errors" ] || fail "$errors"
}

@test "a clock that is not 1 GHz: sums exact where formats allow, else to the rounding" {
	processes_profile
	check processes.rarog collapsed 2
	check processes.rarog callgrind 2
	for format in chrome perfetto csv speedscope; do check processes.rarog $format 10; done
}

@test "processes and threads are named" {
	processes_profile
	works export processes.rarog --format chrome
	python3 - "$output" <<-'END'
		import json, sys
		events = json.loads(sys.argv[1])["traceEvents"]
		names = {(e["name"], e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M"}
		assert names == {("process_name", 10, 10): "parent --flag", ("process_name", 11, 11): "child",
		                 ("thread_name", 10, 10): "main", ("thread_name", 10, 12): "thread 12",
		                 ("thread_name", 11, 11): "main"}, names
		assert {(e["pid"], e["tid"]) for e in events if e["ph"] == "X"} == {(10, 10), (10, 12), (11, 11)}
	END
}

@test "calls that did not return say so" {
	plain_profile
	run_rarog export plain.rarog --format chrome
	python3 - "$output" <<-'END'
		import json, sys
		from collections import Counter
		ends = Counter((e["name"], e.get("args", {}).get("end")) for e in json.loads(sys.argv[1])["traceEvents"]
		               if e["ph"] == "X" and "args" in e)
		assert ends == {("fallbackSort", "unwound"): 3, ("foo::bar(int)", "closed"): 1, ("main", "closed"): 1}, ends
	END
}

@test "collapsed by calls" {
	plain_profile
	run_rarog show --json plain.rarog
	printf '%s\n' "$output" >show.json
	run_rarog export plain.rarog --format collapsed --counts -o out
	"$check_export" calls out show.json
	[ "$(sort out)" = "$(sort <<-'END'
		fallbackSort 1
		fallbackSort;memcpy 2
		main 1
		main;compress 3
		main;compress;fallbackSort 3
		main;compress;mainSort 6
		main;compress;mainSort;mainSort 3
		main;compress;mainSort;mainSort;mainSort 3
		main;compress;mainSort;memcpy 6
		main;foo::bar(int) 1
	END
	)" ]
}

@test "CPU time and waiting: every metric of collapsed, every event of callgrind" {
	cpu_profile
	check cpu.rarog callgrind
	grep -qx 'events: ns cpu waited preempted' out
	for metric in time cpu waited preempted calls; do
		works export cpu.rarog --format collapsed --metric $metric -o out
		"$check_export" $metric out show.json
	done
	[ "$(sort out)" = "$(rarog export cpu.rarog --format collapsed --counts | sort)" ]
	rarog export cpu.rarog --format collapsed --metric waited -o out
	[ "$(sort out)" = "$(sort <<-'END'
		main 7
		main;again 5
		main;again;again 100
		main;nap 60000
		nap 900000
	END
	)" ]
	plain_profile
	says 3 "rarog export: plain.rarog has no CPU times; see rarog doctor" \
		export plain.rarog --format collapsed --metric cpu -o none
	[ ! -e none ]
	rarog export plain.rarog --format callgrind | grep -qx 'events: ns'
}

@test "callgrind_annotate agrees with show, inclusive too" {
	command -v callgrind_annotate >/dev/null || skip "needs valgrind's callgrind_annotate"
	plain_profile
	run_rarog export plain.rarog --format callgrind -o out
	run_rarog show --json plain.rarog
	for inclusive in no yes; do
		callgrind_annotate --inclusive=$inclusive --threshold=100 --auto=no out >annotated
		python3 - "$output" annotated $inclusive <<-'END'
			import json, re, sys
			key = "total_ns" if sys.argv[3] == "yes" else "exclusive_ns"
			want = {f["name"]: f[key] for f in json.loads(sys.argv[1])["functions"]}
			got = {}
			for line in open(sys.argv[2]):
			    m = re.match(r" *([\d,]+) \([^)]*\)  [^:]*:(.*?)(?: \[.*\])?$", line)
			    if m and m[2] != "(outside)":
			        got[m[2]] = int(m[1].replace(",", ""))
			assert got == want, (got, want)
		END
	done
}

@test "perfetto is at most 12 % of the Chrome JSON, on calls that do not repeat themselves" {
	python3 - >random.txt <<-'END'
		import random
		random.seed(7)
		names = ["function_%d" % i for i in range(300)]
		print("\n".join("location " + n for n in names))
		print("process 1 - 0 100000000 0 random\nstrand 0 1 0 100000000")
		depth = 0
		for i in range(60000):
		    delta = int(random.lognormvariate(4, 1.5))
		    if depth < 3 or (depth < 30 and random.random() < 0.5):
		        print(">", random.choice(names), delta)
		        depth += 1
		    else:
		        print("<", delta)
		        depth -= 1
		for i in range(depth):
		    print("< 1")
	END
	profile random.rarog <random.txt
	for format in $formats; do check random.rarog $format; done
	run_rarog export random.rarog --format perfetto -o a
	run_rarog export random.rarog --format chrome -o b
	[ $((100 * $(stat -c %s a))) -le $((12 * $(stat -c %s b))) ]
}

@test "protoc can read the perfetto file" {
	command -v protoc >/dev/null || skip "needs protoc"
	plain_profile
	run_rarog export plain.rarog --format perfetto -o out
	protoc --decode_raw <out | grep -q '^1 {'
}

@test "--format json is valid JSON" {
	plain_profile
	works export plain.rarog --format json
	python3 -m json.tool <<<"$output" >/dev/null
}

@test "sums only: formats of calls say what is missing, the others work" {
	summary_profile
	for format in chrome perfetto csv speedscope; do
		says 3 "rarog export: summary.rarog has no calls, only their sums, and $format needs them; collect with --detail=calls, or export to collapsed or callgrind" \
			export summary.rarog --format $format -o out
		[ ! -e out ]
	done
	for format in collapsed callgrind json; do
		works export summary.rarog --format $format -o out
	done
}

@test "wrong options of export are refused with one line" {
	one_profile
	says 2 "rarog export: which format? --format FORMAT, see --list" export one.rarog
	says 2 "rarog export: unknown format 'perfeto'; did you mean perfetto?" export one.rarog --format perfeto
	exits 2 export --format csv
	exits 2 export one.rarog one.rarog --format csv
	exits 3 export missing.rarog --format csv -o out
	[ ! -e out ]
}

@test "--list names every format" {
	works export --list
	[ "$(cut -d' ' -f1 <<<"$output" | tr '\n' ' ')" = "collapsed chrome perfetto json csv callgrind speedscope lcov gcov original " ]
}

@test "a full disk is an error and leaves the old file" {
	plain_profile
	for format in $formats json; do
		says 3 "rarog export: cannot write /dev/full: No space left on device" \
			export plain.rarog --format $format -o /dev/full
		status=0
		"$RAROG" export plain.rarog --format $format >/dev/full 2>errors.txt || status=$?
		[ $status -eq 3 ]
		grep -q "No space left on device" errors.txt
	done
	echo old >out
	run_rarog export missing.rarog --format csv -o out
	[ "$(cat out)" = old ]
	exits 3 export plain.rarog --format csv -o no/such/directory
}

@test "a reader that goes away is not an error" {
	deep_profile deep.rarog 50000
	for format in $formats; do
		"$RAROG" export deep.rarog --format $format 2>errors.txt | head -c 10 >/dev/null
		[ ! -s errors.txt ]
		(trap '' PIPE; "$RAROG" export deep.rarog --format $format 2>>errors.txt; echo $? >status) | head -c 10 >/dev/null
		[ "$(cat status)" = 0 ]
		[ ! -s errors.txt ]
	done
}

# viewers sort by time alone: of calls that begin together the one that is first in the file is the outer one
@test "calls that begin at the same time: the caller is first in the file" {
	profile equal.rarog <<-'END'
		location main
		location parent
		location child
		process 1 - 0 1000 0 x
		strand 0 1 0 1000
		> main 100
		> parent 0
		> child 0
		< 0
		> child 0
		< 50
		< 0
		> parent 100
		> child 0
		< 50
		< 0
		< 100
	END
	run_rarog export equal.rarog --format chrome
	[ "$(jq -r '.traceEvents[] | select(.ph == "X") | .name' <<<"$output" | tr '\n' ' ')" = \
		"parent child main parent child child " ] || fail "$output"
}

@test "single calls of a compensated profile are said to have the cost of probes" {
	profile compensated.rarog <<-'END'
		header {"collector":"trace","probe_cost":{"compensated":true,"call_ticks":25,"self_ticks":10}}
		location main
		process 1 - 0 1000 0 x
		strand 0 1 0 1000
		> main 100
		< 500
	END
	for format in chrome speedscope csv perfetto; do
		run_rarog export compensated.rarog --format $format -o out
		[[ $errors == *"single calls are as they were measured, with the cost of the probes in them"* ]] || fail "$errors"
	done
	for format in collapsed callgrind; do works export compensated.rarog --format $format -o out; done
}

# part_of FUNC TID FROM TO MIN: by Python, what the same options should leave of the whole CSV
part_of() {
	python3 -c '
import csv, sys
name, func, tid, start, end, least = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
rows = list(csv.DictReader(open(name)))
for row in rows:
	for key in ("start_ns", "duration_ns", "thread", "depth"):
		row[key] = int(row[key])
def within(a, b):  # is a below b?
	return (a["thread"] == b["thread"] and a["depth"] > b["depth"] and b["start_ns"] <= a["start_ns"] and
		a["start_ns"] + a["duration_ns"] <= b["start_ns"] + b["duration_ns"])
for row in rows:
	if func and row["function"] != func and not any(within(row, b) for b in rows if b["function"] == func):
		continue
	if tid and row["thread"] != tid or row["duration_ns"] < least:
		continue
	if row["start_ns"] + row["duration_ns"] < start or end and row["start_ns"] >= end:
		continue
	print(row["thread"], row["start_ns"], row["duration_ns"], row["function"])' whole.csv "$@"
}

@test "export: a part of the calls, by function, thread, time and duration" {
	cpu_profile p.rarog
	works export -f csv p.rarog
	printf '%s\n' "$output" >whole.csv
	local case func tid from to min options
	while read -r func tid from to min; do
		options=()
		[ "$func" = - ] || options+=(--func "$func")
		[ "$tid" = 0 ] || options+=(--thread "$tid")
		[ "$from" = 0 ] || options+=(--from "${from}ns")
		[ "$to" = 0 ] || options+=(--to "${to}ns")
		[ "$min" = 0 ] || options+=(--min-duration "${min}ns")
		works export -f csv p.rarog "${options[@]}"
		printf '%s\n' "$output" | python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin):
	print(row["thread"], row["start_ns"], row["duration_ns"], row["function"])' >is
		part_of "${func#-}" "$tid" "$from" "$to" "$min" >should
		[ -s should ] || fail "no calls to compare: $func $tid $from $to $min"
		diff should is || fail "$func $tid $from $to $min"
		works export -f chrome p.rarog "${options[@]}"
		printf '%s' "$output" | python3 -c 'import json, sys
print(sum(e["ph"] == "X" for e in json.load(sys.stdin)["traceEvents"]))' >is
		[ "$(cat is)" = "$(wc -l <should)" ] || fail "chrome: $(cat is)"
		works export -f speedscope p.rarog "${options[@]}"
		printf '%s' "$output" | python3 -c 'import json, sys
for p in json.load(sys.stdin)["profiles"]:
	open_ = []
	for e in p["events"]:
		if e["type"] == "O": open_.append(e["frame"])
		else: assert open_.pop() == e["frame"], e
	assert not open_'
	done <<-'END'
		- 8 0 0 0
		again 0 0 0 0
		spin 7 0 0 0
		- 0 0 0 5000
		- 0 0 60000 0
		- 0 85000 0 0
		again 0 82000 300000 400
		main 0 0 0 100
	END
}

@test "export: a part is refused of what is of the whole run, and of what is not there" {
	cpu_profile p.rarog
	exits 2 export -f collapsed p.rarog --func main
	[[ $errors == *"collapsed is of the whole run"*chrome* ]] || fail "$errors"
	exits 3 export -f csv p.rarog --func nothing
	[[ $errors == *"no function 'nothing'"* ]] || fail "$errors"
	exits 3 export -f csv p.rarog --thread 99
	[[ $errors == *"no thread 99"* ]] || fail "$errors"
	exits 2 export -f csv p.rarog --from 2ms --to 1ms
}
