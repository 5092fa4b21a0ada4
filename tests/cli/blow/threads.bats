#!/usr/bin/env bats
# The threads of the traced run are found again in the runs with noise, which have other ids: calls of each are known by
# construction.

load ../helper

@test "the calls of each function in each thread, and which thread is which in later runs" {
	take noise/work.h
	program noise/lock-bound -O2 -pthread
	"$RAROG" blow slow --budget 22 -o kept.rarog --json -- ./lock-bound >blow.json 2>err || fail "$(cat err)"
	python3 - <<-'END'
		import json
		r = json.load(open("blow.json"))
		assert [t["start_routine"] for t in r["threads"]] == ["main", "take_turns"], r["threads"]
		for t in r["threads"]:
		    assert t["matched"] == r["runs"] and t["unmatched"] == 0, r["threads"]
		f = {f["name"]: f for f in r["functions"]}
		for name in "inside", "outside":
		    assert [t["calls"] for t in f[name]["threads"]] == [500, 500], f[name]
		    assert all(t["low"] <= t["estimate"] <= t["high"] for t in f[name]["threads"]), f[name]
	END
	"$RAROG" show --threads --json kept.rarog >shown.json
	"$RAROG" export --format json kept.rarog -o dump.json
	python3 - <<-'END'
		import json
		rows = json.load(open("shown.json"))["function_threads"]
		assert sorted((x["name"], x["count"]) for x in rows if x["name"] != "take_turns") == \
		    [("inside", 500)] * 2 + [("outside", 500)] * 2, rows
		dump = json.load(open("dump.json"))
		assert {t["strand"] for t in dump["trials"]} == {None, 0, 1}
	END
	works show --threads kept.rarog
	[[ "$output" == *"500"*"500"*"inside"* ]] || fail "$output"
}

@test "a thread that later runs do not have is said, and takes nobody's place" {
	take noise/work.h
	program noise/first-only -O2 -pthread
	"$RAROG" blow slow --budget 12 --min-func-time 0 --resume kept.journal --json -- ./first-only >blow.json 2>err ||
		fail "$(cat err)"
	python3 - <<-'END'
		import json
		r = json.load(open("blow.json"))
		f = {f["name"]: f for f in r["functions"]}
		by_calls = {t["calls"]: r["threads"][t["thread"]] for t in f["step"]["threads"]}
		assert set(by_calls) == {0, 100, 300}, f["step"]
		helper, = [t for t in r["threads"] if t["start_routine"] == "helper"]
		assert helper["matched"] == 0 and helper["unmatched"] == r["runs"], helper
		for t in by_calls[100], by_calls[300]:
		    assert t["start_routine"] == "worker" and t["unmatched"] == 0, t
	END
	"$RAROG" blow slow --budget 12 --min-func-time 0 --resume kept.journal -- ./first-only >told 2>err || fail "$(cat err)"
	grep -Eq '^thread [0-9] \(helper\) was not found again in ([0-9]+) of \1 runs: ' told || fail "$(cat told)"
	grep -q '^calls by thread and start routine' told
	"$RAROG" blow slow --budget 12 --min-func-time 0 --resume kept.journal --json -- ./first-only >again.json 2>err
	python3 - <<-'END'
		import json
		one, two = json.load(open("blow.json")), json.load(open("again.json"))
		assert one["threads"] == two["threads"] and one["functions"] == two["functions"]
	END
}

@test "any profile of calls has the table of functions and threads" {
	take noise/work.h
	program noise/lock-bound -O2 -pthread
	works --quiet collect -o calls.rarog -- ./lock-bound
	works show --threads calls.rarog
	[[ "$output" == *"500"*"500"*"inside"* ]] || fail "$output"
	works show --threads --csv calls.rarog
	[ "$(grep -c '^inside,' <<<"$output")" -eq 2 ] || fail "$output"
	works --quiet collect --detail count -o counts.rarog -- ./lock-bound
	says 3 "rarog show: counts.rarog: calls were counted over all threads; rarog collect --detail summary tells them apart" \
		show --threads counts.rarog
}

@test "of threads that do the same it is known which call created each" {
	take noise/work.h
	program noise/two-sites -O2 -pthread
	"$RAROG" blow slow --budget 10 --min-func-time 0 --resume kept.journal --json -- ./two-sites >blow.json 2>err ||
		fail "$(cat err)"
	objdump -d --no-show-raw-insn two-sites >code
	python3 - <<-'END'
		import json, re
		sites, within = {}, None
		for line in open("code"):
		    if head := re.match(r"[0-9a-f]+ <(\w+)>:", line):
		        within = head[1]
		    if call := re.match(r"\s*([0-9a-f]+):\s+call .*<pthread_create@plt>", line):
		        sites[int(call[1], 16)] = within
		assert sorted(sites.values()) == ["first", "second"], sites
		r = json.load(open("blow.json"))
		workers = [t for t in r["threads"] if t["start_routine"] == "worker"]
		assert sorted(sites[t["created_at"]] for t in workers) == ["first", "second"], (workers, sites)
		assert all(t["matched"] == r["runs"] for t in workers), workers
	END
	"$RAROG" blow slow --budget 10 --min-func-time 0 --resume kept.journal --json -- ./two-sites >again.json 2>err
	python3 -c 'import json; assert json.load(open("blow.json"))["threads"] == json.load(open("again.json"))["threads"]'
}
