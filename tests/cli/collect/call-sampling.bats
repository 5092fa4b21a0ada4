#!/usr/bin/env bats
# rarog collect --sample-calls: every N-th call of each function and thread.

load ../helper
load ../collect-helper

# sequences FULL SAMPLED N: what is in the second is, thread by thread, what a replay of the first leaves
cat_sequences() {
	cat >sequences.py <<-'END'
		import csv, sys
		full, sampled, every = sys.argv[1], sys.argv[2], eval(sys.argv[3])

		def threads(path):
		    """The calls of each thread in the order in which they began, as (name, depth): from the order of ends."""
		    stacks = {}
		    for row in csv.DictReader(open(path)):
		        stack = stacks.setdefault(row["thread"], [])
		        depth, children = int(row["depth"]), []
		        while stack and stack[-1][0] > depth:
		            children[:0] = [stack.pop()]
		        stack.append((depth, row["function"], children))
		    def walk(node, depth, out):
		        out.append((node[1], depth))
		        for child in node[2]:
		            walk(child, depth + 1, out)
		        return out
		    return [[call for top in stack for call in walk(top, 0, [])] for stack in stacks.values()]

		def replay(calls):
		    seen, kept, is_kept = {}, [], []
		    for name, depth in calls:
		        n = seen[name] = seen.get(name, -1) + 1
		        del is_kept[depth:]
		        if n % every.get(name, every[""]) == 0:
		            kept.append((name, sum(is_kept)))
		        is_kept.append(n % every.get(name, every[""]) == 0)
		    return kept

		sys.setrecursionlimit(10000)
		wanted = sorted(filter(None, map(replay, threads(full))))
		got = sorted(threads(sampled))
		assert sum(map(len, wanted)) > 20, wanted
		assert wanted == got, [(a, b) for a, b in zip(wanted, got) if a != b][:1]
	END
}

counts() {
	rarog show -n 0 --json "$1" | python3 -c '
import json, sys
for f in json.load(sys.stdin)["functions"]:
    print(f["name"], f["count"])' | sort
}

@test "sampling: exactly every N-th call of each function and thread is recorded" {
	program sample/recursion -o program -g -O1 -fno-optimize-sibling-calls -pthread
	cat_sequences
	rarog -q collect -o full.rarog -- ./program
	rarog -q export --format csv full.rarog >full.csv
	counts full.rarog >wanted
	local every
	for every in 2 7 100; do
		rarog -q collect -g "$every" -o sampled.rarog -- ./program
		rarog -q export --format csv sampled.rarog >sampled.csv
		python3 sequences.py full.csv sampled.csv "{'': $every}"
		counts sampled.rarog >got # all calls, recorded or not
		diff wanted got || fail "every $every"
	done
	rarog -q collect --sample-calls 3 -f 'program#even#5' -f odd -f 'leaf#11' -f main -f go -o rules.rarog -- ./program
	rarog -q export --format csv rules.rarog >rules.csv
	python3 sequences.py full.csv rules.csv "{'': 3, 'even': 5, 'leaf': 11}"
	rarog -q collect --detail=summary -g 7 -o summary.rarog -- ./program
	counts summary.rarog | diff wanted -
	rarog -q collect --detail=count -g 7 -o count.rarog -- ./program # each is counted
	counts count.rarog | diff wanted -
}

@test "sampling: views say so, and nothing of what cannot be known" {
	program sample/recursion -o program -g -O1 -fno-optimize-sibling-calls -pthread
	run_rarog collect -g 10 -o p.rarog -- ./program
	[[ $errors == *" calls recorded of "*", nothing lost"* ]] || fail "$errors"
	rarog show p.rarog | grep -q "calls sampled 1:10"
	rarog show --json p.rarog | python3 -c '
import json, sys
show = json.load(sys.stdin)
assert show["header"]["parameters"]["sample_calls"] == {"every": 10, "rules": []}
for f in show["functions"]:
    assert f["exclusive_ns"] is None, f
    assert f["timed"] == -(-f["count"] // 10) or f["name"] != "main", f
    # the time of all calls is estimated by that of those that were recorded (rounding: ticks);
    # of a recursion nobody knows which of the others were the outermost
    assert (f["total_ns"] is None) == (f["name"] in ("even", "odd")), f
    assert f["total_ns"] is None or abs(f["total_ns"] - f["sum_ns"] * f["count"] / f["timed"]) <= f["count"], f'
	rarog -q collect -o full.rarog -- ./program
	exits 3 check p.rarog full.rarog
	[[ $errors == *"different parameters of the collector: sample_calls"* ]] || fail "$errors"
	run_rarog check p.rarog p.rarog
	[[ $status -eq 0 || $status -eq 4 ]] || fail "$status $errors"
	rarog -q report p.rarog # says what is not known: tests/web/report.test.mjs
	rarog collect --help | tr -s ' \n' ' ' | grep -q 'report leaves out what is not known' || fail "help"
	rarog -q collect --strategy u_sampled -o u.rarog -- ./program
	rarog show u.rarog | grep -q "calls sampled 1:20"
}

@test "sampling: exclusive times are unknown of what is sampled and of its callers, not of others" {
	program sample/recursion -o program -g -O1 -fno-optimize-sibling-calls -pthread
	local engine
	for engine in $(engines); do
		rarog -q collect --engine "$engine" -f even -f odd -f main -f go -f 'leaf#10' -o p.rarog -- ./program
		rarog show --json p.rarog | python3 -c '
import json, sys
got = {f["name"]: f["exclusive_ns"] is None for f in json.load(sys.stdin)["functions"]}
# even and odd call leaf(); go() and main() only even(): what they take themselves is exact
assert got == {"leaf": True, "even": True, "odd": True, "go": False, "main": False}, got'
	done
}

@test "sampling: of the calls inside or outside of a root every N-th is recorded, the others are counted" {
	program sample/recursion -o program -g -O1 -fno-optimize-sibling-calls -pthread
	cat_sequences
	local flag
	for flag in --within --not-below; do
		rarog -q collect $flag odd -o full.rarog -- ./program
		rarog -q export --format csv full.rarog >full.csv
		counts full.rarog >wanted
		rarog -q collect $flag odd -g 3 -o sampled.rarog -- ./program
		rarog -q export --format csv sampled.rarog >sampled.csv
		python3 sequences.py full.csv sampled.csv "{'': 3, 'odd': 1}"
		counts sampled.rarog | diff wanted - || fail "$flag"
		rarog -q collect --detail=summary $flag odd -f 'even#5' -f 'leaf#2' -f main -f go -o summary.rarog -- ./program
		counts summary.rarog | diff wanted - || fail "$flag, summary"
		run_rarog collect $flag odd --windows 1ms/1h -o windows.rarog -- ./program
		[[ $errors == *", nothing lost"* ]] || fail "$errors"
		counts windows.rarog | diff wanted - || fail "$flag, windows"
	done
	rarog show --json sampled.rarog | python3 -c '
import json, sys
got = {f["name"]: (f["timed"] == f["count"], f["exclusive_ns"] is None) for f in json.load(sys.stdin)["functions"]}
assert got["odd"][0] and not got["even"][0] and got["even"][1], got'
}

@test "sampling: what it does not go with is refused" {
	program sample/recursion -o program -g -O1 -fno-optimize-sibling-calls -pthread
	local words
	while read -r words; do
		exits 125 collect $words -o p.rarog -- ./program
		[ ! -e p.rarog ]
	done <<-'END'
		--within even --usdt x#3
		--not-below even --at x.c:7#3
		-g 10 --engine vex
		-g 0x
		--func even#0
		--func #7
	END
}

# Its counts are exact, and there are no records of calls that could be left out.
@test "sampling: the engine vex says why it does not" {
	rarog doctor | grep -q 'vex engine.*Valgrind' || skip "built without vex"
	program sample/recursion -o program -g -O1 -fno-optimize-sibling-calls -pthread
	exits 125 collect -g 10 --engine vex -o p.rarog -- ./program
	[[ $errors == *"--sample-calls is not for --engine=vex; it counts everything that runs, each call exactly"* ]] || fail "$errors"
}

# windows ENGINE: of 30,000 calls some are recorded, and all are counted
windows() {
	local detail
	program sample/batches -o program -g -O1
	for detail in calls summary; do
		run_rarog collect --engine "$1" --windows 5ms/1h --detail=$detail -f often -f batch -o p.rarog -- ./program
		[[ $errors == *" calls recorded of 30,300 "*", nothing lost"* ]] || fail "$errors"
		rarog show p.rarog | grep -q "calls of 5.000 ms in each 1h 00m" || fail "$(rarog show p.rarog)"
		rarog show --json p.rarog | python3 -c '
import json, sys
show = json.load(sys.stdin)
functions = {f["name"]: f for f in show["functions"]}
assert show["losses"] == 0
assert {n: f["count"] for n, f in functions.items()} == {"often": 30000, "batch": 300}, functions
assert functions["often"]["timed"] < 30000 and functions["batch"]["timed"] < 300, functions
assert all(f["exclusive_ns"] is None for f in functions.values())'
	done
	# all of them are open again and again
	run_rarog collect --engine "$1" --windows 5ms/10ms -o p.rarog -- ./program
	rarog show --json p.rarog | python3 -c '
import json, sys
for f in json.load(sys.stdin)["functions"]:
    if f["name"] == "often":
        assert f["count"] == 30000 and 0 < f["timed"] < 30000, f'
}

@test "windows: some calls are recorded and all counted" {
	windows inline
}

@test "windows: by the engine ebpf as well" {
	rarog doctor | grep -q 'ebpf engine.*a call counted' || skip "needs the ebpf engine: $(rarog doctor | grep 'ebpf engine')"
	windows ebpf
}

# Preparing the C library takes longer than the window; a busy machine may be as slow in running the program.
@test "windows: what the program stands still for libraries is not of the first one" {
	local i
	program sample/batches -o program -g -O1
	for i in 1 2 3 4 5; do
		rarog -q collect --libs --windows 20ms/1h -o p.rarog -- ./program
		rarog show --json p.rarog | python3 -c '
import json, sys
sys.exit(not any(f["name"] == "often" and f["timed"] for f in json.load(sys.stdin)["functions"]))' && return
	done
	fail "nothing was recorded"
}

@test "windows: that no call began in one is said" {
	cat >late.c <<-'END'
		#include <unistd.h>
		__attribute__((noinline)) static int late(int n) { return n * (int)getpid(); }
		int main(int argc, char **argv) { (void)argv; sleep(1); return late(argc) == 0; }
	END
	gcc -O1 -g -o late late.c
	run_rarog collect -f late --windows 1ms/1h -o p.rarog -- ./late
	[[ $errors == *"no call began while calls were recorded"*"0 calls recorded of 1 "* ]] || fail "$errors"
	run_rarog collect -f late -o p.rarog -- ./late
	[[ $errors != *"no call began"* ]] || fail "$errors"
}

@test "sampling: what stands at a wrong caller is no exclusive time, and views and exports say so" {
	cat >tr.c <<-'END'
		static volatile long sum;
		__attribute__((noinline)) static void leaf(void) { for (int i = 0; i < 100; i++) sum++; }
		__attribute__((noinline)) static void b(void) { for (int i = 0; i < 10; i++) leaf(); sum++; }
		__attribute__((noinline)) static void a(void) { for (int i = 0; i < 1000; i++) b(); sum++; }
		int main(void) { a(); sum++; return 0; }
	END
	gcc -O1 -g -fno-inline -fno-optimize-sibling-calls -o tr tr.c
	rarog -q collect -f 'b#100' -f a -f leaf -f main -o tr.rarog -- ./tr
	rarog -q collect -o full.rarog -- ./tr
	cat >unknown.py <<-'END'
		import json, sys
		nodes = json.load(sys.stdin)["nodes"]
		print(*sorted({n["name"] for n in nodes if n["exclusive_ns"] is None}))
	END
	[ "$(rarog show -t --min-share 0 --json tr.rarog | python3 unknown.py)" = "a b" ]
	[ "$(rarog show -t --min-share 0 --json full.rarog | python3 unknown.py)" = "" ]
	rarog show --callees a --json tr.rarog | grep -q '"exclusive_ns": *null' || fail "$(rarog show --callees a --json tr.rarog)"
	rarog show --callees main --json tr.rarog | grep -q '"exclusive_ns": *[0-9]'
	rarog show --callees a tr.rarog | grep -q ' total, - exclusive'
	local view
	for view in --tree --callers=leaf --callees=a; do
		rarog show "$view" tr.rarog | grep -q '^calls are sampled: ' || fail "$view"
		rarog show "$view" full.rarog | grep 'sampled' && fail "$view"
	done
	for view in callgrind collapsed chrome csv json; do
		run_rarog export -f "$view" -o out.$view tr.rarog
		[[ $status -eq 0 && $errors == *"tr.rarog: calls are sampled: "* ]] || fail "$view: $errors"
	done
	run_rarog export -f original -o out.original tr.rarog # single calls as they are
	[[ $errors != *sampled* ]] || fail "$errors"
	run_rarog export -f callgrind -o full.callgrind full.rarog
	[[ $errors != *sampled* ]] || fail "$errors"
}

@test "sampling: a sampled point takes no time, so the function that it lies in is known" {
	cat >point.c <<-'END'
		__attribute__((noinline)) static int f(int i) {
			volatile int y = i;
			y += 1;
			y += 2;
			return y;
		}
		int main(void) { int sum = 0; for (int i = 0; i < 100; i++) sum += f(i); return sum == 0; }
	END
	gcc -O1 -g -o point point.c
	rarog -q collect --at 'point.c:3#3' -f f -f main -o p.rarog -- ./point
	rarog show -n 0 --json p.rarog | python3 -c '
import json, sys
functions = {f["name"]: f for f in json.load(sys.stdin)["functions"]}
points = [f for name, f in functions.items() if name not in ("f", "main")]
assert [(p["count"], p["timed"]) for p in points] == [(100, 34)], points
for name in ("f", "main"):
    assert functions[name]["exclusive_ns"] is not None and functions[name]["share"] is not None, functions[name]'
}

# library: ./m, whose main calls caller and that work, which is in a library and has nearly all time
library() {
	cat >l.c <<-'END'
		static volatile long sum;
		void work(void) { for (int i = 0; i < 2000; i++) sum += i; }
	END
	cat >m.c <<-'END'
		void work(void);
		__attribute__((noipa)) void caller(void) { work(); __asm__ volatile(""); }
		int main(void) { for (int i = 0; i < 400; i++) caller(); return 0; }
	END
	gcc -O1 -g -shared -fPIC -o libl.so l.c
	gcc -O1 -g -o m m.c ./libl.so -Wl,-rpath,"$PWD"
}

@test "sampling: views by binary, by thread and over time do not take a caller's time for known" {
	library
	rarog -q collect --libs -f work -f caller -f main -o full.rarog -- ./m
	rarog -q collect --libs -f 'work#100' -f caller -f main -o p.rarog -- ./m
	cat >facts.py <<-'END'
		import json, os, subprocess, sys
		def show(view, path):
		    text = subprocess.run([os.environ["RAROG"], "show", view, "--json", path], check=True, capture_output=True).stdout
		    return json.loads(text)
		# the truth: of a run with all calls
		full = {os.path.basename(b["binary"]): b for b in show("--by-binary", "full.rarog")["binaries"]}
		assert full["libl.so"]["share"] > 0.5, full
		assert show("--by-thread", "full.rarog")["threads"][0]["hottest"] == "work"
		binaries = {os.path.basename(b["binary"]): b for b in show("--by-binary", "p.rarog")["binaries"]}
		for key in ("exclusive_ns", "share", "cpu_ns", "waited_ns", "preempted_ns"):
		    assert binaries["libl.so"][key] is None and binaries["m"][key] is None, (key, binaries)
		# main was recorded; of work one call in a hundred
		assert binaries["m"]["total_ns"] > 0 and binaries["libl.so"]["total_ns"] is None, binaries
		assert binaries["libl.so"]["count"] == 400, binaries
		thread = show("--by-thread", "p.rarog")["threads"][0]
		assert thread["exclusive_ns"] is None and thread["share"] is None and not thread["hottest"], thread
		flow = {f["name"]: f for f in show("--flow", "p.rarog")["functions"]}
		assert flow["caller"]["exclusive_ns"] is None and flow["caller"]["cells_ns"] is None, flow
		assert flow["work"]["exclusive_ns"] is None, flow
		assert flow["main"]["exclusive_ns"] == sum(flow["main"]["cells_ns"]) > 0, flow
	END
	python3 facts.py || fail
	rarog show --flow p.rarog | grep -q '^ *- *- .*caller' || fail "$(rarog show --flow p.rarog)"
	rarog show --flow --csv p.rarog | grep -q '^caller,[0-9]*,$' || fail "$(rarog show --flow --csv p.rarog)"
	local view
	for view in --flow --by-binary --by-thread --flame --timeline --sort=total; do
		rarog show -n 1 "$view" p.rarog | grep -q '^calls are sampled: ' || fail "$view"
		rarog show "$view" full.rarog | grep 'sampled' && fail "$view"
	done
	return 0
}

@test "sampling: drawings say it in the picture, without shares of what is not known" {
	library
	rarog -q collect --libs -f work -f caller -f main -o full.rarog -- ./m
	rarog -q collect --libs -f 'work#100' -f caller -f main -o p.rarog -- ./m
	local plot
	for plot in flame timeline flow bars; do
		rarog -q report --svg=$plot -o $plot.svg p.rarog
		rarog -q report --svg=$plot -o full-$plot.svg full.rarog
		python3 -c '
import sys, xml.dom.minidom as dom
svg = dom.parse(sys.argv[1]).documentElement
lines = [t for t in svg.getElementsByTagName("text") if t.firstChild.data.startswith("calls are sampled: ")]
assert len(lines) == 1, lines
# within the picture and below all else
last = max(float(t.getAttribute("y")) for t in svg.getElementsByTagName("text"))
assert last == float(lines[0].getAttribute("y")) < float(svg.getAttribute("height"))' $plot.svg || fail $plot
		grep 'sampled' full-$plot.svg && fail "$plot"
	done
	grep -q '%</text>' full-bars.svg || fail "no shares"
	grep '%</text>' bars.svg && fail "shares"
	grep '>caller<' bars.svg flow.svg && fail "caller's time is not known"
	rarog -q collect --libs -g 100 -f work -f caller -f main -o none.rarog -- ./m
	exits 3 report --svg=bars -o none.svg none.rarog
	[[ $errors == *"the exclusive time of no function is known"* ]] || fail "$errors"
	[ ! -e none.svg ]
}

# b's calls of leaf() are those that are left out: what is known of it does not tell.
@test "sampling: a caller that is not seen is spoken of" {
	cat >b.c <<-'END'
		static volatile long s;
		__attribute__((noipa)) void leaf(void) { for (int i = 0; i < 2000; i++) s += i; }
		__attribute__((noipa)) void a(void) { leaf(); s++; }
		__attribute__((noipa)) void b(void) { leaf(); s++; }
		int main(void) { for (int i = 0; i < 200; i++) { a(); b(); } return 0; }
	END
	gcc -O1 -g -fno-optimize-sibling-calls -o b b.c
	rarog -q collect -f 'leaf#2' -f a -f b -f main -o p.rarog -- ./b
	rarog show p.rarog | grep -q '^an exclusive time is too long if .* none of these calls was recorded' ||
		fail "$(rarog show p.rarog)"
	run_rarog export -f json -o p.json p.rarog
	[[ $errors == *"p.rarog: calls are sampled: "* ]] || fail "$errors"
}

# marks_in_windows ENGINE: points, regions, lines and calls of 4 turns of 50 passages in all, of which those in windows are recorded
marks_in_windows() {
	cat >marks.c <<-'END'
		#include <rarog.h>
		#include <unistd.h>
		__attribute__((noinline)) int leaf(int i) { return i + (int)getpid(); }
		__attribute__((noinline)) int work(int i)
		{
			RAROG_POINT(tick);
			RAROG_BEGIN(job);
			i = leaf(i);
			RAROG_END(job);
			return i * 2;
		}
		int main(void)
		{
			int s = 0;
			for (int turn = 0; turn < 4; turn++) {
				for (int i = 0; i < 50; i++)
					s += work(i);
				usleep(60000);
			}
			return s == 1;
		}
	END
	gcc -g -O1 -I"$repo/include" -o marks marks.c
	works collect --engine "$1" --windows 30ms/1h --strategy custom --usdt 'tick' --usdt 'job' --at leaf@work --at marks.c:10 -o p.rarog -- ./marks
	[[ $errors == *"nothing lost"* ]] || fail "$errors"
	rarog show --json p.rarog | python3 -c '
import json, sys
show = json.load(sys.stdin)
got = {f["name"]: f for f in show["functions"]}
assert set(got) == {"rarog:tick", "rarog:job", "leaf@work", "marks.c:10"}, got
for f in got.values():
    assert f["count"] == 200 and f["timed"] < 200, f
    assert f["total_ns"] is None or f["name"] in ("rarog:tick", "marks.c:10") or f["timed"] == 0 or f["total_ns"] > 0, f'
	rarog show --json p.rarog | grep -q '"unbegun"' && fail "ends of what was not recorded are no wonder"
	# in all of them they are as without
	works collect --engine "$1" --windows 59m/1h --strategy custom --usdt 'tick' --usdt 'job' --at leaf@work -o p.rarog -- ./marks
	rarog show --json p.rarog | python3 -c '
import json, sys
for f in json.load(sys.stdin)["functions"]:
    assert f["count"] == f["timed"] == 200, f'
}

@test "windows: marks are counted outside of them, too" {
	local engine
	for engine in $(engines); do
		marks_in_windows "$engine"
	done
}
