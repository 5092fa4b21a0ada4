# rarog import: profiles of Perun. The oracle is tests/tools/check-import, which sums the JSON up by
# itself; the profiles are made by tests/tools/make-perun. With RAROG_PERUN_PROFILES naming a
# directory of real .perf files, these are compared too.
load ../helper

make_perun=$repo/tests/tools/make-perun
check_import=$repo/tests/tools/check-import

git_repository() {
	git init -q . && git config user.name n && git config user.email e@x
	for i in 1 2 3 4; do
		echo $i >file && git add file && GIT_COMMITTER_DATE="$((1700000000 + i)) +0000" git commit -q -m "commit $i"
	done
}

# compare FILE [UNIT_NS]: imported to x.rarog, the sums are those of the JSON
compare() {
	works import -q -o x.rarog "$1" ${2:+--unit us}
	rarog show --json -n 0 x.rarog >show.json
	rarog export --format json x.rarog >export.json
	"$check_import" "$1" show.json export.json ${2:+1000}
}

@test "every collector in every form: the sums are those of the JSON" {
	"$make_perun" data
	for file in data/*.perf; do
		compare "$file" >said || fail "$file: $(tail -3 said)"
	done
	compare data/timed-columns-2026-11-20-10-20-30.perf.gz
	grep -q '3 functions' <(compare data/timed-columns-2026-11-20-10-20-30.perf)
	compare data/tracer-columns-2026-11-20-10-20-30.perf | grep -qE '[1-9][0-9]+ events, 1 markers'
	compare data/tracer-columns-2026-11-20-10-20-30.perf 1000 | grep -q ' 0 events'
}

@test "Perun's own profiles are imported, and equal what Python reads" {
	[ -n "${RAROG_PERUN_PROFILES:-}" ] || skip "RAROG_PERUN_PROFILES names no directory of .perf files"
	find "$RAROG_PERUN_PROFILES" -name '*.perf' >list
	[ -s list ]
	while read -r file; do
		compare "$file" || fail "$file"
	done <list
}

@test "the original comes out byte by byte" {
	"$make_perun" data
	for file in data/memory-global*.perf data/sampled-columns*.perf; do
		rarog import -q -o x.rarog "$file"
		rarog export --format original x.rarog -o back
		cmp "$file" back
	done
	compile leaf
	run_rarog collect -q -o own.rarog -- ./leaf
	says 3 "rarog export: own.rarog was not imported: it has no original" export --format original own.rarog
}

@test "who measured what, where and when" {
	"$make_perun" data
	TZ=UTC rarog import -q -o x.rarog data/sampled-columns*.perf
	rarog export --format json x.rarog >export.json
	python3 - <<-'END'
		import json
		h = json.load(open("export.json"))["header"]
		assert h["collector"] == "sample" and h["engine"] == "perun", h
		assert h["job"] == {"command": "./prog", "arguments": "-x 'a b'", "workload": "in put",
		                    "parameters": {"sampling": 1}}, h["job"]
		m = h["machine"]
		assert m["cpu"] == "Some CPU" and m["cpu_signature"] == "GenuineIntel-6-158-10" and m["cpus"] == 4
		assert abs(m["memory_bytes"] - 7.7 * 2**30) < 1, m
		assert h["started_ns"] == 1795170030 * 10**9, h["started_ns"]
		assert h["imported"]["from"] == "perun" and h["imported"]["models"] == 1
	END
}

@test "a repository: every profile under its commit; once more adds nothing" {
	git_repository
	rarog init -q
	mapfile -t commits < <(git rev-list HEAD)
	"$make_perun" data "${commits[@]}"
	works import data/.perun
	[ "$errors" = "rarog: imported 16 profiles" ] || fail "$errors"
	db=.git/rarog/catalog.db
	[ "$(sqlite3 $db 'select group_concat(n, " ") from (select count(*) n from profile p join version v on v.id = p.version group by v.name order by n)')" = "3 4 4 5" ]
	[ "$(sqlite3 $db 'select count(*) from profile where flags & 8')" = 16 ]
	for commit in "${commits[@]}"; do
		[ "$(sqlite3 $db "select count(*) > 0 from profile p join version v on v.id = p.version where v.name = '$commit'")" = 1 ]
	done
	works import data
	[ "$errors" = "rarog: imported 0 profiles, 16 were there" ] || fail "$errors"
}

@test "commits that are not here; --version" {
	git_repository
	rarog init -q
	"$make_perun" data 0123456789012345678901234567890123456789
	works import data/.perun
	[ "$errors" = "rarog: imported 16 profiles, 16 of commits that are not here (they belong to none)" ] || fail "$errors"
	works import --version HEAD~1 data/timed-global*.perf
	[ "$(sqlite3 .git/rarog/catalog.db 'select v.name from profile p join version v on v.id = p.version')" = "$(git rev-parse HEAD~1)" ]
	says 3 "rarog import: 'nonsense' names no version" import --version nonsense data/timed-global*.perf
}

@test "damage: what cannot be read is named, the rest is imported" {
	git_repository
	rarog init -q
	mapfile -t commits < <(git rev-list HEAD)
	"$make_perun" data "${commits[@]}"
	index=data/.perun/objects/${commits[0]:0:2}/${commits[0]:2}
	head -c $(($(stat -c %s "$index") - 20)) "$index" >short && mv short "$index"
	index=data/.perun/objects/${commits[1]:0:2}/${commits[1]:2}
	first=$(python3 -c 'import sys; d=open(sys.argv[1],"rb").read(); print(d[16:36].hex())' "$index")
	object=data/.perun/objects/${first:0:2}/${first:2}
	chmod u+w "$object"
	head -c 500 "$object" >short && mv short "$object"
	exits 3 import data/.perun
	grep -q "index is cut off in entry" <<<"$errors"
	grep -q "$object: it is cut off after 500 bytes; left out" <<<"$errors"
	grep -q "rarog: imported 14 profiles" <<<"$errors" || fail "$errors"
	tail -1 <<<"$errors" | grep -qx "rarog import: 2 could not be read; the others were imported"
}

@test "bad input: one line that names the thing" {
	git_repository
	rarog init -q
	: >empty
	echo '{"a": 1}' >other.json
	echo '{"resources": {"f#0": {"amount": [1, 2], "order": [1]}}, "resource_type_map": {"f#0": {"uid": "f"}}}' >uneven
	echo '{"resources": {"f#0": {"amount": [1]}}, "resource_type_map": {}}' >untyped
	printf '{"resources": {' >short
	head -c 3000 /dev/urandom >noise
	while IFS='|' read -r file message; do
		says 3 "rarog import: $message" import $file
	done <<-'END'
		empty|empty: not a profile of Perun
		other.json|other.json: not a profile of Perun: it has no resources, global or snapshots
		uneven|uneven: resources, f#0: order has 1 values and others 2
		untyped|untyped: resource_type_map has no f#0
		short|short:1:15: string or '}' expected near end of file
		missing|missing: cannot open: No such file or directory
		.|.: no profiles of Perun: neither .perf files nor a repository
	END
	exits 3 import noise
	[ "$(wc -l <<<"$errors")" = 1 ]
	exits 2 import
	exits 2 import -o a b c
	[ "$(sqlite3 .git/rarog/catalog.db 'select count(*) from profile')" = 0 ]
}

@test "amounts that are no sums are counted and kept" {
	echo '{"header": {"type": "mixed", "units": {"mixed(time delta)": "us"}}, "resources": {"f#0": {"amount": [1, -5, "2.5", 1e300, NaN]}},
		"resource_type_map": {"f#0": {"uid": "f", "type": "mixed", "subtype": "time delta"}}}' >odd.perf
	works import -o x.rarog odd.perf
	[ "$errors" = "rarog: imported 1 profile, 3 amounts that cannot be summed up (they are in the note)" ] || fail "$errors"
	[ "$(rarog show --json x.rarog | python3 -c 'import json,sys; f=json.load(sys.stdin)["functions"][0]; print(f["count"], f["timed"], f["sum_ns"])')" = "5 2 3500" ]
}

@test "without git a label is the version: import and add" {
	"$make_perun" data
	rarog init -q
	rarog import -q --label v1 data/timed-columns*.perf
	rarog import -q --label v2 data/sampled-columns*.perf
	rarog import -q -o x.rarog data/memory-columns*.perf
	rarog add -q --label v3 x.rarog
	[ "$(sqlite3 .rarog/catalog.db 'select v.name from profile p join version v on v.id = p.version order by p.id')" = $'v1\nv2\nv3' ]
	[ "$(rarog log --oneline | wc -l)" -ge 3 ]
	exits 3 import --label 'not good' data/timed-columns*.perf
	[ "$(wc -l <<<"$errors")" = 1 ]
}

@test "samples are samples: they are no calls, and a check does not count them exactly" {
	"$make_perun" data
	file=$(ls data/sampled-columns*.perf)
	rarog import -q -o a.rarog "$file"
	works show a.rarog
	[[ $output == *" samples in "* && $output != *[0-9]" calls of "* ]] || fail "$output"
	run_rarog check a.rarog a.rarog
	[[ $status == 4 && $output == "the runs do not tell"* ]] || fail "$status $output"
	[[ $output != *"counted exactly"* && $output == *"only numbers of samples are known"* ]] || fail "$output"
}

@test "a folder of profiles: all of them, the broken one is named" {
	git_repository
	rarog init >/dev/null
	"$make_perun" data
	mkdir folder
	cp data/sampled-columns*.perf data/memory-global*.perf folder
	run_rarog import folder
	[[ $errors == *"imported $(find folder -name '*.perf' | wc -l) profiles"* ]] || fail "$errors"
	echo '{' >folder/broken.perf
	exits 3 import folder
	[[ $errors == *"folder/broken.perf"*"left out"* ]] || fail "$errors"
}

@test "a folder of folders of profiles: those below, too, but nothing hidden" {
	git_repository
	rarog init >/dev/null
	"$make_perun" data
	mkdir -p all/a/b all/.hidden all/empty
	cp data/sampled-columns*.perf all/a/b
	cp data/memory-global*.perf all/a
	cp data/timed-columns*.perf all/.hidden
	works import all
	[[ $errors == *"imported $(find all/a -name '*.perf' | wc -l) profiles"* ]] || fail "$errors"
	says 3 "rarog import: all/empty: no profiles of Perun: neither .perf files nor a repository" import all/empty
}
