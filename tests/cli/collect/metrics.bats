#!/usr/bin/env bats
# rarog collect --metrics: the documents' metrics. Coverage comes from the tree of contexts; here it is compared with what
# sums of functions say, where these alone are enough.

load ../helper
load ../collect-helper

# spin is at the bottom; deep calls itself; work is where three threads begin
here() {
	cat >p.c <<-'EOF'
		#include <pthread.h>
		#define N __attribute__((noinline, noclone, noipa))
		static _Thread_local volatile int sink;
		N int spin(int n) { for (int i = 0; i < n; i++) sink += i; return n; }
		N int deep(int n) { return n ? deep(n - 1) + spin(200) : spin(1); }
		N void *work(void *x) { for (int i = 0; i < 40; i++) deep(50); return x; }
		N int light(int n) { sink += n; return sink; }
		N int never(int n) { sink -= n; return sink; }
		int main(int argc, char **argv)
		{
		        pthread_t t[3];
		        for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
		        for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
		        work(0);
		        light(argc > 9 ? never(argc) : 0);
		        return !argv;
		}
	EOF
	gcc -O1 -g p.c -o prog -pthread
}

# agree METRIC FUNCTION…: it is the time of the functions over that of the roots, which are main and work of threads
agree() {
	rarog show --json p.rarog >functions.json
	python3 - "$@" <<-'EOF'
		import json, sys
		metrics = json.load(open("metrics.json"))
		total = {f["name"]: f["total_ns"] for f in json.load(open("functions.json"))["functions"]}
		metric, *names = sys.argv[1:]
		# main calls work, too: what work took there is known from how long each of its four calls was.
		roots = total["main"] + sum(t for t in json.load(open("roots.json")))
		wanted = sum(total[n] for n in names) / roots
		assert abs(metrics[metric] - wanted) < 1e-3, (metric, metrics[metric], wanted)
	EOF
}

# measure OPTION…
measure() {
	rarog -q collect --metrics=json -o p.rarog "$@" ./prog >metrics.json
	rarog export --format chrome -o p.json p.rarog >/dev/null 2>&1
	python3 - <<-'EOF'
		import json
		events = json.load(open("p.json"))
		events = events["traceEvents"] if isinstance(events, dict) else events
		works = [e for e in events if e.get("ph") == "X" and e["name"].startswith("work")]
		mains = [e for e in events if e.get("ph") == "X" and e["name"].startswith("main")]
		own = mains[0]["tid"]
		json.dump([e["dur"] * 1000 for e in works if e["tid"] != own], open("roots.json", "w"))
	EOF
}

@test "hotspots are covered by what is at the bottom, once in each thread" {
	here
	measure
	[ "$(python3 -c 'import json; m = json.load(open("metrics.json")); print(m["m_pl"], m["m_plr"], m["m_hcp"])')" = "6 5 2" ]
	agree m_hc spin light
}

@test "recursion counts once" {
	here
	measure --exclude spin --exclude light
	[ "$(python3 -c 'import json; m = json.load(open("metrics.json")); print(m["m_hcp"])')" = "1" ]
	agree m_hc deep
}

@test "the top is below main" {
	here
	measure
	agree m_tlc work light
	[ "$(python3 -c 'import json; m = json.load(open("metrics.json")); print(m["m_tlcp"])')" = "2" ]
}

@test "functions of fewer than three calls have no model, each other has one" {
	here
	measure
	python3 - <<-'EOF'
		import json
		m = json.load(open("metrics.json"))["m_fc"]
		assert m["too_few"] == 2, m           # main, light
		assert sum(m.values()) == 5, m        # and spin, deep, work
	EOF
}

@test "people get a table, after the run, on standard error" {
	here
	works collect --metrics -o p.rarog ./prog
	for metric in M_PT M_CPT M_PRT M_RDV M_PS M_OO M_ORE M_PL M_PLR M_HC M_HCD M_HCP M_TLC M_TLCP M_FC; do
		grep -q "^$metric " <<<"$errors" || fail "no $metric"
	done
	[ -z "$output" ]
}
