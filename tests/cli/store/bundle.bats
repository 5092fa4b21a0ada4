# rarog bundle: profiles as one file.
load ../helper
load ../carry

two_clones() {
	git_user
	git init -q a
	cd a || return
	history 4
	rarog init -q
	measure HEAD~2 p1 p2
	measure HEAD p3 p4 p5
	cd ..
	git clone -q a b
	(cd b && rarog init -q)
}

@test "all of a store: rows, versions, labels and tags arrive; again adds nothing" {
	two_clones
	cd a
	rarog tag good HEAD
	rarog tag fine "$(git rev-parse HEAD~2)"
	works bundle create ../x.bundle
	grep -q "^rarog: ../x.bundle has 5 profiles, " <<<"$errors"
	cd ../b
	works bundle import ../x.bundle
	grep -qE "^rarog: added 5 profiles, .*; 0 were there$" <<<"$errors" || fail "$errors"
	diff <(rows ../a) <(rows .)
	[ "$(rows . | grep -c good)" = 3 ]
	sound
	works bundle import ../x.bundle
	grep -qE "^rarog: added 0 profiles, .*; 5 were there$" <<<"$errors" || fail "$errors"
	diff <(rows ../a) <(rows .)
}

@test "a range, a revision, a profile" {
	two_clones
	cd a
	for what in "HEAD~3..HEAD~1 2" "HEAD 3" "0@i 1" "HEAD~3..HEAD 5"; do
		rarog bundle create -q ../x.bundle ${what% *}
		rm -rf ../b/.git/rarog
		(cd ../b && rarog init -q && rarog bundle import -q ../x.bundle)
		[ "$(rows ../b | wc -l)" = "${what#* }" ] || fail "$what: $(rows ../b)"
	done
	says 3 "rarog bundle: there are no profiles to put into ../y.bundle" bundle create ../y.bundle HEAD~1
	[ ! -e ../y.bundle ]
}

@test "commits that the other clone does not have are listed with their subject" {
	two_clones
	cd a
	history 1
	measure HEAD new
	rarog bundle create -q ../x.bundle
	cd ../b
	rarog bundle import -q ../x.bundle
	rows . | grep -q '|commit 1|'
	diff <(rows ../a) <(rows .)
}

@test "the same profile under two versions is in the bundle once" {
	two_clones
	cd a
	object=$(sqlite3 .git/rarog/catalog.db 'select hex(object) from profile limit 1' | tr A-F a-f)
	rarog export --format json "$object" >/dev/null
	cp ".git/rarog/objects/${object:0:2}/${object:2}" copy.rarog
	rarog bundle create -q ../five.bundle
	rarog add -q --force --version HEAD~1 copy.rarog
	[ "$(rows . | wc -l)" = 6 ]
	rarog bundle create -q ../x.bundle
	[ "$(stat -c %s ../x.bundle)" -lt $(($(stat -c %s ../five.bundle) + 900)) ]
	cd ../b
	rarog bundle import -q ../x.bundle
	diff <(rows ../a) <(rows .)
	sound
}

@test "cut off anywhere: what is whole is kept, the rest comes with the whole file" {
	two_clones
	(cd a && rarog bundle create -q ../x.bundle)
	size=$(stat -c %s x.bundle)
	cd b
	for cut in 0 10 31 32 100 $((size / 3)) $((size / 2)) $((size - 33)) $((size - 32)) $((size - 1)); do
		rm -rf .git/rarog && rarog init -q
		head -c "$cut" ../x.bundle >cut.bundle
		exits 3 bundle import -q cut.bundle
		[ "$(wc -l <<<"$errors")" = 1 ] || fail "$errors"
		if [ "$cut" -lt 32 ]; then
			expect_error "rarog bundle: cut.bundle: not a bundle of rarog"
		else
			kept=$(rows . | wc -l)
			expect_error "rarog bundle: cut.bundle: it is cut off after $kept of 5 profiles; these are kept, importing the whole file adds the rest"
		fi
		sound
		rarog bundle import -q ../x.bundle
		diff <(rows ../a) <(rows .)
	done
	[ "$kept" = 5 ]
}

@test "one changed byte anywhere: never a wrong row, one clear line" {
	two_clones
	(cd a && rarog bundle create -q ../x.bundle)
	rows a >expected
	cd b
	for seed in $(seq 40); do
		python3 - "$seed" <<-'END'
			import random, sys
			random.seed(int(sys.argv[1]))
			data = bytearray(open("../x.bundle", "rb").read())
			data[random.randrange(len(data))] ^= 1 << random.randrange(8)
			open("bad.bundle", "wb").write(data)
		END
		rm -rf .git/rarog && rarog init -q
		run_rarog bundle import -q bad.bundle
		if [ "$status" = 0 ]; then
			diff ../expected <(rows .)
		else
			expect_status 3
			[ "$(grep -vc '; left out$' <<<"$errors")" = 1 ] || fail "$errors"
			[ -z "$(rows . | grep -vxFf ../expected)" ]
			[ "$(rows . | wc -l)" -lt 5 ] || grep -q 'cut off after 5' <<<"$errors"
		fi
		sound
	done
}

@test "killed while importing: whole portions are there, the next import adds the rest" {
	git_user
	git init -q a && cd a && history 1 && rarog init -q
	measure HEAD $(seq -f p%g 150)
	rarog bundle create -q ../x.bundle
	git clone -q . ../b && cd ../b
	for delay in 0.02 0.05 0.1 0.2; do
		rarog init -q
		"$RAROG" bundle import -q ../x.bundle &
		pid=$!
		sleep $delay
		kill -9 $pid 2>/dev/null || true
		wait $pid || true
		rm -f .git/rarog/tmp/*
		sound
	done
	rarog bundle import -q ../x.bundle
	diff <(rows ../a) <(rows .)
}

@test "without git: labels are versions" {
	git_user
	mkdir a b
	cd a && rarog init -q && compile leaf
	rarog collect -q --label v1 -- ./leaf >/dev/null
	rarog collect -q --label v2 -- ./leaf >/dev/null
	rarog bundle create -q ../x.bundle v1..v2
	[ "$(rows . | wc -l)" = 2 ]
	cd ../b && rarog init -q && rarog bundle import -q ../x.bundle
	[ "$(rows . | cut -d'|' -f2)" = v2 ] || fail "$(rows .)"
}

@test "packed profiles, with few descriptors: bundle, push, import under another version" {
	local i

	two_clones
	cd a
	for i in $(seq 40); do
		echo "{\"collector\":\"trace\",\"commit\":\"$(git rev-parse HEAD)\",\"command\":[\"./p$i\"],\"machine\":{\"cpu\":\"Test CPU\"}}" |
			sed 's/^/header /' | "$make_profile" "p$i.rarog"
	done
	rarog add -q p*.rarog
	rarog gc -q
	[ -z "$(find "$(store .)/objects" -type f)" ]
	ulimit -S -n 32
	works bundle create ../x.bundle
	git init -q --bare ../remote
	works push ../remote
	cd ../b
	works bundle import ../x.bundle
	diff <(rows ../a) <(rows .)
	rarog gc -q
	# the same objects, asked for under the versions of another store
	sqlite3 "$(store .)/catalog.db" "PRAGMA foreign_keys = ON; UPDATE profile SET version = NULL, tree = NULL"
	works bundle import ../x.bundle
	grep -q "^rarog: added 45 profiles" <<<"$errors" || fail "$errors"
	sound
}

@test "what is no bundle, or is damaged, is refused with one line" {
	two_clones
	cd a
	head -c 5000 /dev/urandom >noise
	says 3 "rarog bundle: noise: not a bundle of rarog" bundle import noise
	says 3 "rarog bundle: missing: cannot open: No such file or directory" bundle import missing
	exits 2 bundle
	says 2 "rarog bundle: bundle cannot 'destroy'; it can create and import" bundle destroy x
	exits 3 bundle create no/such/x.bundle
	exits 3 bundle create /dev/full/x
	rarog bundle create -q x.bundle
	python3 -c '
import struct
d = bytearray(open("x.bundle", "rb").read()); d[8] = 9; open("new.bundle", "wb").write(d)'
	says 3 "rarog bundle: new.bundle: its head is damaged; nothing was imported" bundle import new.bundle
	cd .. && mkdir none && cd none
	exits 3 bundle import ../x.bundle
	[ "$(wc -l <<<"$errors")" = 1 ]
}
