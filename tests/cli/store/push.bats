# rarog push and pull: profiles through the project's git remote.
load ../helper
load ../carry

# remote.git, and clones a and b of it, each with a store
three() {
	git_user
	git init -q --bare remote.git
	git clone -q remote.git a 2>/dev/null
	(cd a && history 3 && git push -q origin HEAD && rarog init -q)
	git clone -q remote.git b
	(cd b && rarog init -q)
}

# state: everything of the user's repository that an exchange may not touch
state() {
	(
		cd "$1" || exit
		git for-each-ref
		cat .git/HEAD .git/config
		sha256sum .git/index
		cat .git/FETCH_HEAD .git/shallow 2>/dev/null || true
		find .git -path .git/rarog -prune -o -type f -print | sort
		git status --porcelain --untracked-files=no
	)
}

@test "what one clone pushes the other pulls; again moves nothing" {
	three
	cd a
	measure HEAD~1 p1 p2
	measure HEAD p3
	rarog tag good HEAD
	works push
	grep -qE "^rarog: pushed 3 profiles, .*, to origin; 0 were there$" <<<"$errors" || fail "$errors"
	tip=$(git -C ../remote.git rev-parse refs/rarog/profiles)
	works push
	grep -q "pushed 0 profiles, 0 B, to origin; 3 were there" <<<"$errors" || fail "$errors"
	[ "$(git -C ../remote.git rev-parse refs/rarog/profiles)" = "$tip" ]
	cd ../b
	works pull
	grep -qE "^rarog: pulled 3 profiles, .*, from origin; 0 were there$" <<<"$errors" || fail "$errors"
	diff <(rows ../a) <(rows .)
	sound
	works pull
	grep -q "pulled 0 profiles, 0 B, from origin; 3 were there" <<<"$errors" || fail "$errors"
	git -C ../remote.git fsck --strict
}

@test "the user's refs, index, objects, FETCH_HEAD and configuration stay as they were; no hook runs" {
	three
	(cd a && measure HEAD p1 p2)
	for hook in pre-push post-commit reference-transaction post-merge; do
		printf '#!/bin/sh\ntouch %q/hook-ran\n' "$PWD" | tee a/.git/hooks/$hook >b/.git/hooks/$hook
		chmod +x a/.git/hooks/$hook b/.git/hooks/$hook
	done
	echo changed >a/file
	state a >a.before
	state b >b.before
	(cd a && rarog push -q)
	(cd b && rarog pull -q)
	diff a.before <(state a)
	diff b.before <(state b)
	[ ! -e hook-ran ]
	diff <(rows a) <(rows b)
}

@test "four push at the same time, twice: everything arrives" {
	three
	for i in 1 2 3 4; do
		git clone -q remote.git c$i
		(cd c$i && rarog init -q && measure HEAD $(seq -f "c$i-%g" 5))
	done
	for round in 1 2; do
		pushers=()
		for i in 1 2 3 4; do
			(cd c$i && "$RAROG" push >"../said$i" 2>&1; echo $? >"../status$i") 3>&- &
			pushers+=($!)
		done
		wait "${pushers[@]}"
		[ "$(cat status?)" = $'0\n0\n0\n0' ] || fail "$(cat said?)"
		for i in 1 2 3 4; do
			(cd c$i && measure HEAD~1 "again-$i")
		done
	done
	cd b
	rarog pull -q
	[ "$(rows . | wc -l)" = 24 ]
	for i in 1 2 3 4; do
		(cd ../c$i && measure HEAD "last$i" && rarog push -q)
	done
	rarog pull -q
	[ "$(rows . | wc -l)" = 28 ]
	cat ../c?/.git/rarog/catalog.db >/dev/null
	for i in 1 2 3 4; do
		[ -z "$(rows ../c$i | grep -vxFf <(rows .))" ]
	done
	sound
	git -C ../remote.git fsck --strict
}

@test "a shallow clone pushes and pulls, and is as shallow as before" {
	three
	(cd a && measure HEAD~1 p1 && measure HEAD p2 && rarog push -q)
	git clone -q --depth 1 "file://$PWD/remote.git" runner
	cd runner
	rarog init -q
	measure HEAD r1
	before=$(cat .git/shallow)
	rarog push -q
	rarog pull -q
	[ "$(rows . | wc -l)" = 3 ]
	[ "$(cat .git/shallow)" = "$before" ]
	[ "$(git rev-list --count HEAD)" = 1 ]
	cd ../b
	rarog pull -q
	diff <(rows .) <(rows ../runner)
}

@test "only what is missing is fetched where the remote can leave blobs out" {
	three
	git -C remote.git config uploadpack.allowFilter true
	(cd a && measure HEAD p1 p2 p3 && rarog push -q)
	git clone -q "file://$PWD/remote.git" c
	cd c
	rarog init -q
	rarog pull -q
	diff <(rows ../a) <(rows .)
	(cd ../a && measure HEAD~1 p4 && rarog push -q)
	run_rarog pull
	grep -qE "pulled 1 profile, .*; 3 were there" <<<"$errors" || fail "$errors"
	measure HEAD p5
	rarog push -q
	cd ../a
	rarog pull -q
	diff <(rows .) <(rows ../c)
	git -C ../remote.git fsck --strict
}

@test "a range of what is there" {
	three
	(cd a && measure HEAD~2 p1 && measure HEAD~1 p2 p3 && measure HEAD p4 && rarog push -q origin HEAD~1)
	cd b
	rarog pull -q
	[ "$(rows . | wc -l)" = 2 ]
	(cd ../a && rarog push -q)
	rm -rf .git/rarog && rarog init -q
	rarog pull -q origin HEAD
	[ "$(rows . | wc -l)" = 1 ]
	rarog pull -q origin HEAD~2..HEAD
	[ "$(rows . | wc -l)" = 3 ]
}

@test "a remote by its URL, a relative one, one that is renamed by insteadOf" {
	three
	cd a
	measure HEAD p1
	rarog push -q "file://$HOME/remote.git"
	git remote add near ../remote.git
	works push near
	git config url."$HOME/".insteadOf far:
	git remote add far far:remote.git
	works push far
	grep -q "1 were there" <<<"$errors"
}

@test "SHA-256 repositories" {
	git_user
	git init -q --object-format=sha256 --bare remote.git
	git init -q --object-format=sha256 a
	(cd a && git remote add origin ../remote.git && history 1 && git push -q origin HEAD && rarog init -q && measure HEAD p1 && rarog push -q)
	git clone -q remote.git b
	(cd b && rarog init -q && rarog pull -q)
	diff <(rows a) <(rows b)
}

@test "a remote that refuses says why; nothing is lost, nothing is left behind" {
	three
	printf '#!/bin/sh\necho no profiles here\nexit 1\n' >remote.git/hooks/pre-receive
	chmod +x remote.git/hooks/pre-receive
	cd a
	measure HEAD p1
	says 3 "rarog push: origin refuses the profiles: (pre-receive hook declined) no profiles here" push
	[ -z "$(find .git/rarog/tmp -mindepth 1)" ]
	rm ../remote.git/hooks/pre-receive
	chmod a-w ../remote.git/objects
	rarog push -q
	git remote set-url origin ../gone.git
	exits 3 push
	[ "$(wc -l <<<"$errors")" = 1 ] || fail "$errors"
	exits 3 pull
	[ "$(wc -l <<<"$errors")" = 1 ] || fail "$errors"
}

@test "no remote, an unknown one, several; no git; no store" {
	git_user
	git init -q a
	cd a
	history 1
	rarog init -q
	says 3 "rarog push: this repository has no remote; git remote add origin URL gives it one" push
	says 3 "rarog pull: 'elsewhere' is no remote of this repository; git remote shows them" pull elsewhere
	git remote add one ../x
	git remote add two ../y
	says 3 "rarog push: which remote? there are several" push
	mkdir ../plain && cd ../plain
	rarog init -q
	says 3 "rarog push: there is no git here and so no remote; rarog bundle carries profiles as a file" push
	mkdir ../none && cd ../none
	exits 3 pull
	[ "$(wc -l <<<"$errors")" = 1 ] || fail "$errors"
}

@test "what somebody damaged there is named and left out" {
	three
	(cd a && measure HEAD p1 p2 p3 && rarog push -q)
	git clone -q --bare remote.git work.git
	git -C remote.git worktree add -q --detach ../tree refs/rarog/profiles
	cd tree
	victim=$(find profiles -type f | sort | head -1)
	printf 'not a profile' >"$victim"
	row=$(find rows -type f | sort | tail -1)
	case $row in *"$(basename "$(dirname "$victim")")$(basename "$victim")"*) row=$(find rows -type f | sort | head -1) ;; esac
	sed -i 's/"bytes":[0-9]*/"bytes":7/' "$row"
	git add -A && git commit -q -m damage
	git -C ../remote.git update-ref refs/rarog/profiles "$(git rev-parse HEAD)"
	cd ../b
	exits 3 pull
	[ "$(grep -c 'is damaged there; left out$' <<<"$errors")" = 2 ] || fail "$errors"
	[ "$(rows . | wc -l)" = 1 ]
	sound
	printf '2\n' >../tree/format
	(cd ../tree && git commit -q -a -m newer && git -C ../remote.git update-ref refs/rarog/profiles "$(git rev-parse HEAD)")
	says 3 "rarog pull: origin: its profiles were pushed by a newer rarog; update this one" pull
}

@test "killed while pushing or pulling: the next one goes on" {
	three
	(cd a && measure HEAD $(seq -f p%g 80))
	for delay in 0.05 0.1 0.2; do
		(
			cd a
			"$RAROG" push -q &
			pid=$!
			sleep $delay
			kill -9 $pid 2>/dev/null || true
			wait $pid || true
		)
	done
	(cd a && rarog push -q)
	for delay in 0.05 0.1 0.2; do
		(
			cd b
			"$RAROG" pull -q &
			pid=$!
			sleep $delay
			kill -9 $pid 2>/dev/null || true
			wait $pid || true
		)
	done
	(cd b && rarog pull -q)
	diff <(rows a) <(rows b)
	(cd b && rm -rf .git/rarog/tmp && sound)
}
