#!/usr/bin/env bats
# rarog collect --overhead: probes stay within a part of the program's own time.

load ../helper
load ../collect-helper

# measured PROFILE: how each function of the profile was, whose weight changed: NAME HOW
measured() {
	rarog export --format json "$1" | python3 -c '
import json, sys
p = json.load(sys.stdin)
for m in p["measured"]:
    if (m["reason"] or "").startswith("overhead"):
        print(p["locations"][m["location"]]["name"], m["how"])'
}

counts() {
	rarog show -n 0 --json "$1" | python3 -c '
import json, sys
for f in json.load(sys.stdin)["functions"]:
    print(f["name"], f["count"])'
}

@test "overhead: threads, signals and forks do what they do, whatever is taken out and put in" {
	program sample/busy -o program -g -O1 -pthread
	local budget
	./program 2000 >wanted 2>/dev/null
	for budget in 0.1% 3% 100%; do
		rarog -q collect --overhead "$budget" -o p.rarog -- ./program 2000 >got 2>/dev/null
		diff wanted got
		rarog show p.rarog >/dev/null
	done
}

@test "overhead: what was never off is counted exactly, however it was thinned" {
	program sample/busy -o program -g -O1 -pthread
	local budget name n
	for budget in 0.2% 5% 1000%; do
		rarog -q collect --overhead "$budget" -o p.rarog -- ./program 1000 2>own >/dev/null
		measured p.rarog >how
		counts p.rarog >seen
		while read -r name n; do
			if grep -q "^$name 3$" how; then
				[ "$(awk -v f="$name" '$1 == f { print $2 }' seen)" -le "$n" ]
			else
				grep -qx "$name $n" seen
			fi
		done <own
		[ "$(wc -l <own)" -eq 2 ]
	done
}

@test "overhead: what was thinned, since when, and how sure its total is, is in the profile" {
	program sample/busy -o program -g -O1 -pthread
	rarog collect --overhead 2% -o p.rarog -- ./program 3000 2>err >/dev/null
	grep -q 'probes took about .* function.* thinned' err
	rarog export --format json p.rarog >p.json
	python3 - <<-'END'
		import json
		p = json.load(open("p.json"))
		b = p["header"]["budget"]
		assert b["overhead"] == 0.02 and b["changes"] > 0 and b["ran_ns"] > 0, b
		assert f"{b['thinned']} functions thinned, {b['off']} off at times" in open("err").read().replace("function ", "functions "), b
		note = "".join(n["text"] for n in p["notes"] if n["key"] == "overhead")
		epochs = [tuple(map(int, line.split())) for line in note.splitlines()]
		names = {p["locations"][e[1]]["name"] for e in epochs}
		assert "always" in names, names
		assert b["changes"] == sum(e[0] > 0 for e in epochs), (b, len(epochs))
		totals = {s["location"]: s["total_ticks"] for s in p["summaries"] if s["strand"] is None}
		for bound in p["bounds"]:
		    assert bound["what"] == "total", bound
		    assert bound["least"] <= totals[bound["location"]] <= bound["most"], bound
	END
}

@test "overhead: the budget goes on when processes end, with what they had run" {
	program sample/heirs -o program -g -O1
	rarog -q collect --overhead 5% -o p.rarog -- ./program 1000000 >ran
	rarog export --format json p.rarog | python3 -c '
import json, sys
b = json.load(sys.stdin)["header"]["budget"]
ran = int(open("ran").read())
assert 0.7 * ran < b["ran_ns"] < 1.5 * ran, (b, ran)'
}

@test "overhead: first calls of threads are recorded as seldom as others" {
	program sample/firsts -o program -g -O1 -pthread
	rarog -q collect --overhead 5% -o p.rarog -- ./program 1000
	rarog export --format json p.rarog | python3 -c '
import json, sys
p = json.load(sys.stdin)
name = lambda s: p["locations"][s["location"]]["name"]
of = [s for s in p["summaries"] if name(s) == "once"]
main = max(s["count"] for s in of)
threads = [s for s in of if s["strand"] is not None and s["count"] < main / 10]
all = next(s for s in of if s["strand"] is None)
assert all["timed"] < all["count"] / 3, all
assert sum(s["timed"] for s in threads) < 3 * 1000 * all["timed"] / all["count"], len(threads)'
}

@test "overhead: of what was off at times it is said that there was more" {
	program sample/heirs -o program -g -O1
	rarog -q collect --overhead 0.1% -o p.rarog -- ./program 1000000 >ran
	measured p.rarog | grep -x 'hot 3'
	rarog show p.rarog | grep -q 'at least that time:.* hot'
	rarog show -n 0 --json p.rarog | python3 -c '
import json, sys
of = {f["name"]: f for f in json.load(sys.stdin)["functions"]}
assert {n for n, f in of.items() if f["off_at_times"]} == {"hot"}, of
assert of["hot"]["exclusive_ns"] is None, of
assert of["hot"]["count"] < 6000000, of'
}

@test "overhead: of a recursion that was thinned no total is told: all durations are more than its time" {
	local budget
	cat >fib.c <<-'END'
		#include <stdlib.h>
		__attribute__((noinline, noipa)) long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
		int main(int c, char **v) { return fib(atoi(v[1])) < c; }
	END
	gcc -O1 -g fib.c -o fib
	for budget in 0.1% 20%; do
		rarog -q collect --overhead "$budget" -o p.rarog -- ./fib 32
		measured p.rarog | grep '^fib '
		# where few calls are recorded, that is why
		rarog show p.rarog | grep -Eq '^(recursive, and|too few of its calls) .* the total is not known: fib$'
		rarog show -n 0 --json p.rarog | python3 -c '
import json, sys
p = json.load(sys.stdin)
of = {f["name"]: f for f in p["functions"]}
assert of["fib"]["total_ns"] is None and not of["fib"].get("total_least_ns"), of
assert of["fib"]["no_total"] in ("recursive", "unsure") and of["main"]["no_total"] is None, of
assert 0 < of["main"]["total_ns"] <= p["header"]["end"]["wall_ns"], of'
	done
}

@test "overhead: neither the page nor check has a total of a thinned recursion, at a fixed rate either" {
	cat >fib.c <<-'END'
		#include <stdlib.h>
		__attribute__((noinline, noipa)) long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
		int main(int c, char **v) { return fib(atoi(v[1])) < c; }
	END
	gcc -O1 -g fib.c -o fib
	rarog -q collect --overhead 20% -o budget.rarog -- ./fib 30
	rarog -q collect --func 'fib#10' --func main -o rate.rarog -- ./fib 24
	rarog -q collect -o all.rarog -- ./fib 24
	rarog show rate.rarog | grep -q '^recursive, and only some calls were recorded, so the total is not known: fib$'
	rarog check --force --json rate.rarog rate.rarog >check.json || true
	for p in budget rate all; do
		rarog -q report -o $p.html $p.rarog
		rarog show -n 0 --json $p.rarog >$p.json
	done
	python3 - <<-'END'
		import base64, json, re, zlib
		for name in ("budget", "rate", "all"):
		    of = {f["name"]: f for f in json.load(open(f"{name}.json"))["functions"]}
		    assert (of["fib"]["total_ns"] is None) == (name != "all"), (name, of["fib"])
		    text = re.search(r'id="data"[^>]*>([^<]*)<', open(f"{name}.html").read()).group(1)
		    page = json.loads(zlib.decompress(base64.b64decode(text), -15))["functions"]
		    total = dict(zip(page["name"], page["total"]))
		    assert (total["fib"] is None) == (name != "all"), (name, total)
		    assert total["main"] > 0, total
		notes = json.load(open("check.json"))
		assert "1 function is unknown" in json.dumps(notes), notes
	END
}

# Which calls are left out depends on how long they take: exits with 4 if none was, or too many to tell a total, this time.
@test "overhead: the mean is that of all calls, and the total is within its bounds" {
	local status=4
	program sample/firsts -o program -g -O1 -pthread
	for _ in {1..30}; do
		rarog -q collect --overhead 5% -o p.rarog -- ./program 300
		rarog show -n 0 --json p.rarog >shown.json
		status=0
		python3 - <<-'END' || status=$?
			import json, sys
			f = next(f for f in json.load(open("shown.json"))["functions"] if f["name"] == "once")
			if f["total_ns"] is None: sys.exit(4)  # its interval is wider
			assert abs(f["mean_ns"] - f["total_ns"] / f["count"]) <= 2, f
			assert bool(f.get("quantiles_pooled")) == (f.get("total_least_ns") is not None), f
			least, most = f.get("total_least_ns"), f.get("total_most_ns")
			assert least is None or least <= f["total_ns"], f
			assert most is None or f["total_ns"] <= most, f
			if f["timed"] == f["count"]: sys.exit(4)
			assert least is not None, f
		END
		[ "$status" -eq 4 ] || break
	done
	[ "$status" -eq 0 ]
}

@test "overhead: without it, a user whose program is slowed down much is told of it" {
	program sample/busy -o program -g -O1 -pthread
	rarog collect -o p.rarog -- ./program 1000 2>err >/dev/null
	grep -q 'overhead 10% bounds that' err
}

# refuses TEXT OPTION…
refuses() {
	local status=0

	rarog collect "${@:2}" -- true 2>err || status=$?
	[ "$status" -eq 125 ]
	grep -qF -- "$1" err
}

@test "overhead: what contradicts it is refused in one line" {
	local engine
	refuses "expected a percentage" --overhead much
	refuses "expected a percentage" --overhead 0%
	refuses "expected a percentage" --overhead 2000%
	refuses "leave out --overhead" --overhead 5% --detail=count
	refuses "or --overhead" --overhead 5% --within main
	refuses "exclude each other" --overhead 5% --windows 10ms/1s
	refuses "leave out --sample-calls" --overhead 5% --sample-calls 10
	for engine in ebpf stap vex; do
		refuses "--overhead is for rarog collect --engine inline" --overhead 5% --engine "$engine"
	done
}
