# Repositories with profiles, for the tests of bundle, push, pull and hook: loaded after helper.

make_profile=$(dirname "$RAROG")/tests/make-profile

git_user() {
	git config --global user.name n
	git config --global user.email e@x
	git config --global init.defaultBranch main
	git config --global protocol.file.allow always
}

# history N: commits in the current repository
history() {
	local i

	for i in $(seq "$1"); do
		echo "$i" >file
		git add file
		git commit -q -m "commit $i"
	done
}

# measure REV NAME…: one profile each, kept under REV
measure() {
	local rev name

	rev=$(git rev-parse "$1")
	shift
	for name; do
		"$make_profile" "$name.rarog" <<-END
			header {"collector":"trace","detail":"calls","commit":"$rev","command":["./$name"],"machine":{"cpu":"Test CPU","cpus":2}}
			location main
			process 1 - 0 1000 0 "./$name"
			strand 0 1 0 1000
			> main 10
			< 30
		END
		"$RAROG" add -q "$name.rarog"
		rm -f "$name.rarog"
	done
}

# rows [DIRECTORY]: every row of a store: object, version, label, tags
rows() {
	sqlite3 "$(store "${1:-.}")/catalog.db" "SELECT hex(p.object), ifnull(v.name, ''), ifnull(v.subject, ''), ifnull(p.label, ''), p.flags,
		(SELECT group_concat(name) FROM (SELECT name FROM tag t WHERE t.profile = p.id ORDER BY name)),
		(SELECT group_concat(name) FROM (SELECT name FROM tag t WHERE t.version = v.id ORDER BY name))
		FROM profile p LEFT JOIN version v ON v.id = p.version ORDER BY 1, 2"
}

store() {
	[ -d "$1/.rarog" ] && echo "$1/.rarog" || (cd "$1" && echo "$(git rev-parse --path-format=absolute --git-common-dir)/rarog")
}

# sound [DIRECTORY]: fsck finds nothing and every profile can be shown
sound() {
	(
		cd "${1:-.}" || exit
		"$RAROG" fsck -q || exit
		find "$(store .)/tmp" -mindepth 1 2>/dev/null | grep . && exit 1
		true
	)
}
