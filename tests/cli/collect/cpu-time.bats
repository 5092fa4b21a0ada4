#!/usr/bin/env bats
# CPU time of functions, against what the program's own threads say of themselves. The machine may be
# busy with anything: nothing here depends on how long something took.

load ../helper
load ../collect-helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	"$RAROG" doctor --json | python3 -c '
import json, sys
sys.exit(any(c["what"] == "context switches" and c["verdict"] != "fine"
             for c in json.load(sys.stdin)["checks"]))' || skip "context switches are not shown here"
}

# compare WORDS: traced.out and p.rarog agree
compare() {
	show_json
	python3 - show.json traced.out <<-'END'
		import json, sys

		functions = {f["name"]: f for f in json.load(open(sys.argv[1]))["functions"]}
		for line in open(sys.argv[2]):
		    name, cpu, waited = line.split()
		    cpu, waited, f = int(cpu), int(waited), functions[name]
		    # exactly, but for rounding to ns
		    parts = f["cpu_ns"] + f["waited_ns"] + f["preempted_ns"]
		    assert abs(parts - f["exclusive_ns"]) <= 3, (line, f)
		    # what interrupts and a hypervisor take is the kernel's, and ours, to be seen as CPU time
		    assert f["cpu_ns"] >= 0.95 * cpu - 2e6, (line, f)
		    assert f["cpu_ns"] <= 2 * cpu + 100e6, (line, f)
		    assert f["waited_ns"] >= 0.98 * waited, (line, f)
		for f in functions.values():
		    assert 0 <= f["cpu_ns"] <= f["cpu_total_ns"] + 1 <= f["total_ns"] + 2, f
	END
}

@test "work and waiting of threads, all details" {
	for detail in calls summary; do
		collect_options=(--detail="$detail")
		traced "$PROGRAMS/cpu-time" spin
		[ "$traced_status" -eq 0 ] || fail "status $traced_status"
		compare
	done
}

@test "single times off-CPU: of a thread they are disjoint, within its life, and all that its calls have" {
	traced "$PROGRAMS/cpu-time" spin
	[ "$traced_status" -eq 0 ] || fail "status $traced_status"
	rarog export --format json -o all.json p.rarog
	python3 - <<-'END'
		import json
		p = json.load(open("all.json"))
		sums = {r["strand"]: r for r in p["away"] if r["location"] is None and r["strand"] is not None}
		assert p["absences"] and sums, p["away"]
		for number, strand in enumerate(p["strands"]):
		    mine = [a for a in p["absences"] if a["strand"] == number]
		    for before, after in zip(mine, mine[1:]):
		        assert before["begin_ticks"] + before["ticks"] <= after["begin_ticks"], (before, after)
		    for a in mine:
		        assert a["begin_ticks"] + a["ticks"] <= max(strand["end_ticks"], strand["start_ticks"]) + p["clock"]["hz"] // 1000, (a, strand)
		    for kind, key in ((False, "waited_ticks"), (True, "preempted_ticks")):
		        total = sum(a["ticks"] for a in mine if a["is_preempted"] == kind)
		        if number in sums: assert sums[number][key] <= total, (number, key, total, sums[number])
	END
}

@test "beside a busy loop on the same processor the CPU time stays" {
	command -v taskset >/dev/null || skip "no taskset"
	local first

	first=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
	taskset -c "$first" sh -c 'while :; do :; done' 3>&- &
	loop=$!
	traced taskset -c "$first" "$PROGRAMS/cpu-time" spin
	kill "$loop"
	compare
	python3 - show.json <<-'END'
		import json, sys
		spin = next(f for f in json.load(open(sys.argv[1]))["functions"] if f["name"] == "spin")
		assert spin["preempted_ns"] > 0.3 * spin["cpu_ns"], spin
	END
}

@test "a stopped program waits" {
	traced "$PROGRAMS/cpu-time" stop
	[ "$traced_status" -eq 0 ] || fail "status $traced_status"
	compare
}

@test "counts have no CPU time, and show says null" {
	collect_options=(--detail=count)
	traced "$PROGRAMS/cpu-time" stop
	show_json
	python3 - show.json <<-'END'
		import json, sys
		run = json.load(open(sys.argv[1]))
		assert all(f["cpu_ns"] is None for f in run["functions"])
		assert "cpu_time" not in run["header"]
	END
}

@test "columns and sorting" {
	traced "$PROGRAMS/cpu-time" spin
	rarog show --width 120 p.rarog >wide
	grep -q ' cpu ' wide || fail "no column"
	rarog show --columns cpu,cpu-total,waited,preempted --sort cpu p.rarog >named
	grep -q 'cpu  *function  *cpu-total  *waited  *preempted' named || fail "not these columns: $(cat named)"
	sed -n '/function  *cpu-total/{n;p}' named | grep -q ' spin ' || fail "not sorted: $(cat named)"
}
