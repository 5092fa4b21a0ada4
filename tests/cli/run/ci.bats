# The snippets in examples/ci: their shell lines are run in shallow clones, as a CI runner would.
load ../helper
load ../carry

ci_lines=$repo/tests/tools/ci-lines

# runner NAME: a fresh shallow clone
runner() {
	git clone -q --depth 1 "file://$HOME/remote.git" "$1"
}

run_snippet() {
	"$ci_lines" "$repo/examples/ci/$1.yml" >"$HOME/$1.sh"
	grep -q "^rarog push" "$HOME/$1.sh"
	grep -q "^rarog run" "$HOME/$1.sh"
	PATH=$(dirname "$RAROG"):$PATH sh -eu "$HOME/$1.sh"
}

project() {
	git_user
	git init -q --bare remote.git
	git clone -q remote.git dev 2>/dev/null
	cd dev || return
	cp "$conformance/programs/leaf.c" "$conformance/programs/expect.h" .
	cat >.rarog.yml <<-'END'
		build: gcc -O1 -g -o leaf leaf.c
		jobs:
		  - command: ./leaf
	END
	git add . && git commit -q -m one && git push -q origin HEAD
	cd ..
}

@test "every snippet: two runs on fresh runners, the profiles are at the remote and in the artifact" {
	project
	for snippet in github gitlab; do
		for round in 1 2; do
			echo "/* $snippet $round */" >>dev/leaf.c
			(cd dev && git commit -q -a -m "$snippet $round" && git push -q origin HEAD)
			runner "r-$snippet-$round"
			(cd "r-$snippet-$round" && run_snippet $snippet >../said 2>&1) || fail "$snippet: $(cat said)"
			[ -s "r-$snippet-$round/profiles.bundle" ]
		done
	done
	(cd dev && rarog init -q --no-settings && rarog pull -q)
	[ "$(rows dev | cut -d'|' -f2 | sort -u | wc -l)" = 4 ] || fail "$(rows dev)"
	git clone -q remote.git other
	(cd other && rarog init -q --no-settings && rarog bundle import -q ../r-github-2/profiles.bundle)
	[ "$(rows other | wc -l)" -ge 1 ]
	[ -z "$(rows other | grep -vxFf <(rows dev))" ]
}
