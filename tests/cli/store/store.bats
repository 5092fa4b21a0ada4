#!/usr/bin/env bats
# status, log, add, rm, tag, diff, fsck and gc on stores in real git repositories. The profiles are
# of runs that never happened.

load ../helper
load ../repositories

head_of() {
	git rev-parse "${1:-HEAD}"
}

# three commits, the first and the last with profiles
history() {
	repository r
	rarog --quiet init --no-settings
	made a.rarog "$(head_of)"
	commit second
	commit third
	made b.rarog "$(head_of)" ',"label":"b"'
	made c.rarog "$(head_of)" ',"label":"c"'
	rarog --quiet add a.rarog b.rarog c.rarog
}

@test "status lists HEAD's profiles with the numbers that name them" {
	history
	works status
	[ "$(sed -n 1p <<<"$output")" = "on main at $(git rev-parse --short=10 HEAD) third" ] || fail "$output"
	[[ "$(sed -n 2p <<<"$output")" == "3 profiles in the store, "*"; machine class "* ]] || fail "$output"
	[ "$(grep -cE '^[0-9]@i +2023-11-14 22:13 +trace +./prog -x  w ' <<<"$output")" -eq 2 ] || fail "$output"
	[ "$(grep -c 'other machine' <<<"$output")" -eq 2 ] || fail "$output"
	run_rarog status --json
	[ "$(field profiles.1.name)" = "1@i" ]
	[ "$(field profiles.1.label)" = "c" ]
	[ "$(field profiles.1.profile)" = "$(stored c)" ]
	[ "$(field profiles.1.bytes)" = "$(stat -c %s c.rarog)" ]
	[ "$(field version)" = "$(head_of)" ]
	run_rarog status HEAD~2 --json
	[ "$(field profiles.0.name)" = "0@HEAD~2" ]
	[ "$(field profiles.0.profile)" = "$(stored "")" ]
	run_rarog status HEAD~1
	[[ "$output" == *"no profile of this version"* ]] || fail "$output"
	exits 3 status nosuch
}

@test "status --sort changes the order, not the numbers" {
	history
	made d.rarog "$(head_of)" ',"label":"a label that takes more room than the others do"'
	rarog --quiet add d.rarog
	run_rarog status --sort size --json
	[ "$(field profiles.0.name)" = "2@i" ]
	[ "$(rarog --config status.sort=size status --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["profiles"][0]["name"])')" = "0@i" ]
}

@test "log is git's history with what the commits carry" {
	history
	works log --format '%checksum% %profiles% %desc%'
	[ "$(sed 's/^\* //' <<<"$output")" = "$(git log --format='%H %s' | awk 'BEGIN { n["third"] = 2; n["first"] = 1 } { print $1, n[$2] + 0, $2 }')" ] || fail "$output"
	run_rarog log --oneline -n 2
	[ "$(wc -l <<<"$output")" -eq 2 ]
	[[ "$(sed -n 1p <<<"$output")" == "* $(git rev-parse --short=10 HEAD) third [2 profiles, "*"]" ]] || fail "$output"
	run_rarog log --measured --oneline
	[ "$(awk '{ print $2 }' <<<"$output" | tr '\n' ' ')" = "third first " ] || fail "$output"
	run_rarog log --measured --oneline -n 1
	[ "$(wc -l <<<"$output")" -eq 1 ]
	run_rarog log HEAD~2..HEAD --reverse --json
	[ "$(field commits.0.subject)" = second ]
	[ "$(field commits.1.n_profiles)" = 2 ]
	[ "$(field commits.1.collectors.trace)" = 2 ]
	[ "$(field commits.1.bytes)" = "$(cat b.rarog c.rarog | wc -c)" ]
	run_rarog log --profiles HEAD
	[ "$(grep -c ' ./prog -x ' <<<"$output")" -eq 3 ] || fail "$output"
	echo x >other.c
	git add other.c
	git commit -q -m other
	run_rarog log --oneline -- other.c
	[ "$(wc -l <<<"$output")" -eq 1 ]
	exits 3 log nosuch..HEAD
	exits 2 log --format '%cheksum%'
	[[ "$errors" == *"did you mean checksum?" ]] || fail "$errors"
}

@test "log draws the graph" {
	repository r
	rarog --quiet init --no-settings
	git checkout -q -b side
	commit left
	git checkout -q main
	GIT_AUTHOR_DATE="1700000010 +0000" GIT_COMMITTER_DATE="1700000010 +0000" git commit -q --allow-empty -m right
	GIT_AUTHOR_DATE="1700000020 +0000" GIT_COMMITTER_DATE="1700000020 +0000" git merge -q --no-ff -m both side
	run_rarog log --format %desc%
	diff - <(echo "$output") <<-'END'
		* both
		|\
		* | right
		| * left
		|/
		* first
	END
	run_rarog log --first-parent --format %desc%
	[ "$output" = $'* both\n* right\n* first' ] || fail "$output"
}

@test "add: the header's version, another by force, all or none" {
	history
	made d.rarog "$(head_of HEAD~1)" ',"label":"d"'
	works add d.rarog
	d=$(stored d)
	[[ "$output" == "${d:0:10} of $(git rev-parse --short=10 HEAD~1)" ]] || fail "$output"
	run_rarog add d.rarog
	[[ "$output" == *", was there" ]] || fail "$output"
	exits 3 add --version HEAD d.rarog
	[[ "$errors" == *"--force"* ]] || fail "$errors"
	works add --version HEAD --force d.rarog
	# names none: HEAD
	made e.rarog
	run_rarog add e.rarog
	[[ "$output" == *" of $(git rev-parse --short=10 HEAD)" ]] || fail "$output"
	# one that is none: nothing is added
	made f.rarog "$(head_of)" ',"label":"f"'
	echo "no profile" >g.rarog
	before=$(rarog status --json)
	exits 3 add f.rarog g.rarog
	[[ "$errors" == *g.rarog* ]] || fail "$errors"
	[ "$(rarog status --json)" = "$before" ]
	[ -e f.rarog ]
}

@test "pending profiles: listed, shown, added, removed" {
	history
	mkdir -p .git/rarog/pending
	made .git/rarog/pending/x.rarog "$(head_of)" ',"label":"x"'
	touch -d 2020-01-01 .git/rarog/pending/x.rarog
	made .git/rarog/pending/y.rarog "$(head_of)" ',"label":"y"'
	run_rarog status
	[[ "$output" == *"0@p "*x.rarog*"1@p "*y.rarog* ]] || fail "$output"
	works show --json 1@p
	[ "$(field header.label)" = y ]
	works add 0@p-1@p
	[ -z "$(ls .git/rarog/pending)" ]
	[ "$(rarog log -n 1 --no-graph --format '%profiles%')" = 4 ]
	made .git/rarog/pending/z.rarog "$(head_of)"
	works rm 0@p
	[ -z "$(ls .git/rarog/pending)" ]
	exits 3 rm 0@p
}

@test "show, report and export take every name of a profile" {
	history
	c=$(stored c)
	rarog tag mine 1@i
	for name in 1@i 1@main "${c:0:12}" "profile:$c" mine c.rarog ./c.rarog; do
		works show --json "$name"
		[ "$(field header.label)" = c ] || fail "$name"
	done
	run_rarog show --json HEAD~2
	[ "$(field header.commit)" = "$(head_of HEAD~2)" ]
	exits 3 show HEAD~1
	[[ "$errors" == *"has no profile"* ]] || fail "$errors"
	exits 3 show 7@i
	[[ "$errors" == *"from 0 to 1"* ]] || fail "$errors"
	exits 3 show missing.rarog
	[[ "$errors" == *"missing.rarog"*"No such file"* ]] || fail "$errors"
	works export 1@i --format json -o out.json
	works -c profile.name=%cmd%-%label% report 1@i
	[ -s prog-c.html ] || fail "$(ls)"
	cd ..
	exits 3 show HEAD
}

@test "rm: by number, range, hash; a version only when asked for" {
	history
	exits 3 rm HEAD
	[[ "$errors" == *"'HEAD' is a version"* ]] || fail "$errors"
	works rm -n 0@i-1@i
	[ "$(grep -c '^would remove' <<<"$output")" -eq 2 ]
	[ "$(rarog log -n 1 --no-graph --format '%profiles%')" = 2 ]
	exits 3 rm 0@i 5@i
	[ "$(rarog log -n 1 --no-graph --format '%profiles%')" = 2 ]
	works rm 0@i-1@i
	[ "$(rarog log -n 1 --no-graph --format '%profiles%')" = 0 ]
	works rm --version HEAD~2
	run_rarog log --measured
	[ -z "$output" ]
	exits 2 rm
}

@test "tags: set, listed, removed, kept by gc" {
	history
	rarog tag stable HEAD~2
	rarog tag best 0@i
	run_rarog tag
	[[ "$output" == *"best "*" profile "*"stable "*" version "* || "$output" == *"stable "*"best "* ]] || fail "$output"
	run_rarog tag --json
	[ "$(python3 -c 'import json,sys; print(sorted(t["name"] for t in json.load(sys.stdin)))' <<<"$output")" = "['best', 'stable']" ]
	rarog --quiet gc --keep 1 --now
	[ "$(rarog log --no-graph --format '%desc%%profiles%' | tr '\n' ' ')" != "" ]
	works show best
	works show stable
	works tag -d best best
	exits 3 show best
	exits 3 tag -d best HEAD
	exits 3 tag 'a..b' HEAD
}

@test "diff: job, machine and every member that differs" {
	repository r
	rarog --quiet init --no-settings
	made a.rarog "$(head_of)"
	made b.rarog "$(head_of)"
	works diff a.rarog b.rarog
	[ "$output" = "comparable: the same job, collector and machine" ] || fail "$output"
	"$(dirname "$RAROG")/tests/make-profile" c.rarog <<-'END'
		header {"command":["./prog","-y"],"collector":"trace","machine":{"architecture":"x86_64","cpu":"Other","cpus":4,"kernel":"6.1"}}
	END
	works diff a.rarog c.rarog --json
	[ "$(field same_job)" = False ]
	[ "$(field comparable)" = nothing ]
	python3 -c 'import json, sys; all = json.load(sys.stdin); d = {r["member"]: (r["group"], r["a"], r["b"]) for r in all["differences"]}
assert [r["aspect"] for r in all["reasons"]] == ["job", "job", "collector", "machine"], all
assert d["machine.cpu"] == ("machine", "Test", "Other"), d
assert d["machine.cpus"] == ("machine", "2", "4"), d
assert d["commit"][0] == "version" and d["commit"][2] is None, d
assert "machine.kernel" not in d and "collector" not in d, d' <<<"$output"
	run_rarog diff a.rarog c.rarog
	[ "$(sed -n 1,2p <<<"$output")" = "not comparable"$'\n'"  different arguments: '-x' and '-y'" ] || fail "$output"
	grep -qx '  machines of different classes: cpu Test and Other, cpus 2 and 4' <<<"$output" || fail "$output"
	run_rarog diff --all a.rarog b.rarog
	grep -qE '^machine +machine.kernel +6.1 +6.1$' <<<"$output" || fail "$output"
	exits 2 diff a.rarog
}

@test "fsck: a damaged profile is named, put aside, and the rest works" {
	history
	works fsck
	[[ "$output" == "3 profiles, 3 objects, "*": 0 faults" ]] || fail "$output"
	b=$(stored b) c=$(stored c)
	chmod u+w ".git/rarog/objects/${b:0:2}/${b:2}"
	printf x | dd of=".git/rarog/objects/${b:0:2}/${b:2}" bs=1 seek=40 conv=notrunc status=none
	exits 3 fsck --json
	[ "$(field faults)" = 1 ]
	[ "$(field findings.0.kind)" = damaged ]
	[[ "$(field findings.0.thing)" == "$b"* ]]
	run_rarog fsck
	[ "$output" = "damaged $b: its bytes are not those that were stored; rarog fsck --repair moves it aside
$(tail -n 2 <<<"$output")" ] || fail "$output"
	works fsck --repair
	[ "$(head -n 1 <<<"$output")" = "damaged $b: its bytes are not those that were stored; moved to quarantine and marked" ] ||
		fail "$output"
	run_rarog status
	[[ "$output" == *damaged* ]] || fail "$output"
	works show "${c:0:12}"
	exits 3 show "${b:0:12}"
	works fsck
}

@test "fsck --rebuild: a lost catalogue comes back from the profiles" {
	history
	before=$(rarog log --format '%checksum% %profiles% %bytes%')
	echo garbage >.git/rarog/catalog.db
	rm -f .git/rarog/catalog.db-*
	exits 3 status
	[[ "$errors" == *fsck* ]] || fail "$errors"
	works fsck --rebuild
	[ "$(rarog log --format '%checksum% %profiles% %bytes%')" = "$before" ]
}

@test "gc: nothing goes without a rule, rules from settings and options" {
	history
	works gc --now
	[[ "$output" == "removed 0 profiles, 0 objects,"* ]] || fail "$output"
	run_rarog gc -n --keep 1
	[[ "$output" == "would remove 1 profiles,"* ]] || fail "$output"
	rarog -c gc.keep=1 --quiet gc --now
	[ "$(rarog log --no-graph --format '%profiles%' | tr '\n' ' ')" = "1 0 1 " ]
	# packed: one is the base of the other
	[ "$(find .git/rarog/objects -type f | wc -l)" -eq 0 ]
	[ "$(find .git/rarog/packs -name '*.pack' | wc -l)" -eq 1 ]
	rarog --quiet fsck
	run_rarog gc --sizes --json
	[ "$(field profiles.number)" = 2 ]
	[ "$(field loose.number)" = 0 ]
}

@test "read-only store: reading works, writing says why not" {
	[ "$(id -u)" -ne 0 ] || skip "root writes everywhere"
	history
	chmod -R a-w .git/rarog
	works status
	exits 3 rm 0@i
	chmod -R u+w .git/rarog
}

@test "a store of a newer version is refused with one line" {
	history
	sqlite3 .git/rarog/catalog.db 'PRAGMA user_version = 9999'
	exits 3 status
	[ "$(wc -l <<<"$errors")" -eq 1 ]
	[[ "$errors" == *newer* ]] || fail "$errors"
	exits 3 fsck --rebuild
	[[ "$errors" == *newer* ]] || fail "$errors"
	[ "$(sqlite3 .git/rarog/catalog.db 'PRAGMA user_version')" = 9999 ]
}

@test "a catalogue that is gone or empty is no new store" {
	local n

	history
	n=$(sqlite3 .git/rarog/catalog.db 'SELECT count(DISTINCT object) FROM profile')
	for how in rm truncate; do
		rm -f .git/rarog/catalog.db*
		[ $how = rm ] || : >.git/rarog/catalog.db
		for command in status init "gc --dry-run" fsck; do
			exits 3 $command
			[[ "$errors$output" == *"rarog fsck --rebuild"* ]] || fail "$command: $errors"
		done
		works fsck --rebuild
		[ "$(sqlite3 .git/rarog/catalog.db 'SELECT count(DISTINCT object) FROM profile')" = "$n" ]
	done
}

@test "a full file system: what is in the store can be read, and gc says what it needs" {
	mkdir small
	mount -t tmpfs -o size=4m tmpfs small 2>/dev/null || skip "needs leave to mount"
	compile leaf
	cp leaf small
	(
		cd small
		git init -q .
		rarog init >/dev/null 2>&1
		rarog -q collect -- ./leaf >/dev/null
		dd if=/dev/zero of=fill bs=1k status=none 2>/dev/null
		rarog status && rarog show && rarog fsck && rarog gc
		rm fill
		rarog gc
	) >said 2>&1 || true
	umount -l small
	grep -q "1 profile in the store" said || fail "$(cat said)"
	grep -q "1 profiles\?, 1 objects\?, .* 0 faults" said || fail "$(cat said)"
	grep -q "rarog gc: .*its file system is full" said || fail "$(cat said)"
	! grep -q "I/O error\|rarog init" said || fail "$(cat said)"
}

@test "fsck --rebuild without the old catalogue says that tags are gone" {
	history
	rm .git/rarog/catalog.db*
	works fsck --rebuild
	[[ $output == *"there was no old one, so tags, and versions to which profiles were assigned later, are gone"* ]] ||
		fail "$output"
}

@test "fsck --rebuild says whether all of the old catalogue could be read" {
	history
	works tag good HEAD
	works fsck --rebuild
	[[ $output == *"the old one is kept"* && $output != *"may be gone"* ]] || fail "$output"
	works tag
	[[ $output == *good* ]] || fail "$output"
	for how in empty short garbage; do
		rm -f .git/rarog/catalog.db-*
		case $how in
		empty) : >.git/rarog/catalog.db ;;
		short) truncate -s 20000 .git/rarog/catalog.db ;;
		garbage) head -c 8192 /dev/zero >.git/rarog/catalog.db ;;
		esac
		works fsck --rebuild
		[[ $output == *"not all of it can be read: tags, and versions to which profiles were assigned later, may be gone"* ]] ||
			fail "$how: $output"
	done
}
