#!/usr/bin/env bats
# rarog show --json: one valid object, with what its page documents.

load ../helper
load ../profiles
export TZ=UTC

@test "JSON: the functions have the documented members and the profile's numbers" {
	plain_profile
	works show --json plain.rarog
	python3 - "$output" <<-'END'
		import json, sys
		doc = json.loads(sys.argv[1])
		assert doc["profile"] == "plain.rarog" and doc["losses"] == 0 and doc["calls"] == 29
		assert doc["header"]["collector"] == "trace" and doc["is_partial"] is False
		f = {f["name"]: f for f in doc["functions"]}
		assert list(doc["functions"][0]) == ["exclusive_ns", "share", "cpu_ns", "total_ns", "count", "min_ns", "mean_ns",
		    "p50_ns", "p99_ns", "max_ns", "name", "mangled", "binary", "file", "line", "address", "sum_ns",
		    "timed", "open", "unwound", "cpu_total_ns", "waited_ns", "preempted_ns"]
		assert [f["name"] for f in doc["functions"]] == ["memcpy", "mainSort", "fallbackSort", "foo::bar(int)",
		                                                 "main", "compress"]
		m = f["mainSort"]
		assert (m["count"], m["exclusive_ns"], m["total_ns"], m["sum_ns"]) == (12, 16320, 16500, 17490)
		assert (m["min_ns"], m["mean_ns"], m["max_ns"]) == (10, 1458, 4080)
		assert (m["binary"], m["file"], m["line"]) == ("/usr/bin/bzip2", "/src/blocksort.c", 20)
		assert f["foo::bar(int)"]["mangled"] == "_ZN3foo3barEi" and f["foo::bar(int)"]["file"] is None
		assert f["fallbackSort"]["unwound"] == 3 and f["main"]["open"] == 1
		assert abs(sum(f["share"] for f in doc["functions"]) - 1) < 1e-12
	END
}

@test "JSON: every view is one valid object" {
	processes_profile
	hostile_profile
	for profile in processes hostile; do
		for view in --tree --replay --by-binary --by-thread "--callers w*" "--callees main" "--callers same"; do
			status=0
			"$RAROG" show --json $view $profile.rarog >out 2>errors.txt || status=$?
			if [ $status -eq 0 ]; then
				python3 -m json.tool out >/dev/null
			else
				grep -q "no function" errors.txt
				[ ! -s out ]
			fi
		done
	done
}

@test "JSON: losses and nodes" {
	processes_profile
	run_rarog show --tree --json processes.rarog
	python3 - "$output" <<-'END'
		import json, sys
		doc = json.loads(sys.argv[1])
		assert doc["losses"] == 12 and doc["loss_list"] == [{"what": "events", "count": 12}]
		nodes = {n["id"]: n for n in doc["nodes"]}
		for n in nodes.values():
		    inside = sum(c["inclusive_ns"] for c in nodes.values() if c["parent"] == n["id"])
		    assert abs(n["inclusive_ns"] - n["exclusive_ns"] - inside) <= 3, n
		assert {(n["name"], n["count"]) for n in nodes.values()} == {("main", 1), ("work", 5), ("work", 1), ("child", 1)}
	END
}

# keys_of_section TEXT: the keys that a table of json.md names, one a line
keys_of_section() {
	awk -v want="$1" '/^## /{on = index($0, want)} on' "$repo/doc/design/json.md" |
		grep -o '`[a-z0-9_]*[]`[]' | tr -d '`[' | sort -u
}

@test "JSON, page: why a total is not known, and what a budget left out" {
	profile budget.rarog <<-'END'
		header {"collector": "trace", "budget": {"overhead": 0.1, "thinned": 3, "off": 1}}
		location main
		location steady
		location wild
		location deep
		process 7 - 0 5000 0 "./a"
		strand 0 7 0 5000
		> main 0
		> steady 10
		< 100
		> wild 10
		< 100
		> deep 10
		> deep 10
		< 100
		< 10
		< 1000
		skipped steady 9
		skipped wild 9
		skipped deep 9
		bound steady 60 200
		bound wild 20 201
	END
	works show --json budget.rarog
	rarog report -q -o page.html budget.rarog
	python3 - "$output" page.html <<-'END'
		import base64, json, re, sys, zlib
		doc = json.loads(sys.argv[1])
		assert {k: doc["header"]["budget"][k] for k in ("thinned", "off")} == {"thinned": 3, "off": 1}
		of = {f["name"]: f for f in doc["functions"]}
		assert {n: f["no_total"] for n, f in of.items()} == {
		    "main": None, "steady": None, "wild": "unsure", "deep": "recursive"}, of
		assert {n for n, f in of.items() if f["total_ns"] is None} == {"wild", "deep"}, of
		assert of["steady"]["count"] - of["steady"]["timed"] == 9, of
		page = json.loads(zlib.decompress(base64.b64decode(re.search(r'id="data">([^<]*)<', open(sys.argv[2]).read())[1]), -15))
		assert [page["functions"]["name"][i] for i in page["unsure"]] == ["wild"], page["unsure"]
		assert json.loads(page["header"])["budget"]["off"] == 1
	END
}

@test "json.md names every key of every view" {
	local section view

	plain_profile
	while read -r section view; do
		"$RAROG" show --json $view plain.rarog | python3 -c '
import json, sys
for row in json.load(sys.stdin)[sys.argv[1]]:
    print(*row, sep="\n")' "$section" | sort -u >keys
		[ -s keys ] || fail "$section is empty"
		[ -z "$(comm -23 keys <(keys_of_section "$section"))" ] ||
			fail "$section: not in json.md: $(comm -23 keys <(keys_of_section "$section"))"
	done <<-'END'
		functions
		nodes --tree
		callers --callers memcpy
		callees --callees main
		binaries --by-binary
		threads --by-thread
		replay --replay
	END
	"$RAROG" show --json plain.rarog | python3 -c '
import json, sys
print(*json.load(sys.stdin), sep="\n")' | grep -v functions | sort -u >keys
	[ -z "$(comm -23 keys <(keys_of_section "every view"))" ] ||
		fail "heading: not in json.md: $(comm -23 keys <(keys_of_section "every view"))"
}
