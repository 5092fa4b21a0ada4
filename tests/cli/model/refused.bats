#!/usr/bin/env bats
# rarog model: what it cannot make a model of, in one line each.

load ../helper
load ../model-helper

@test "bad input: one line each" {
	local n

	runs
	run_of same-1 10 80
	run_of same-2 10 80
	"$make_profile" sums.rarog <<'END'
header {"collector":"trace"}
detail summary
location f
process 1 - 0 100 0 ./p
strand 0 1 0
> f 0
< 10
END
	"$make_profile" time.rarog <<'END'
header {"collector":"time","command":["./p"],"job":{"command":"./p","collector":"time","workload":{"name":"w","number":5}},"end":{"wall_ns":100}}
process 1 - 0 100 0 ./p
END
	works model --x workload f same-*.rarog
	[[ $output == *"no model: workload is always 10; runs with other values are needed"* ]] || fail "$output"
	works model f ./[0-9]*-1.rarog
	[[ $output == *"each n was measured once; repeats would tell noise"* ]] || fail "$output"
	works model f ./[0-9]*.rarog
	[[ $output != *"measured once"* ]] || fail "$output"
	works model --x workload f 10-1.rarog 20-1.rarog
	[[ $output == *"workload has 2 values only, 10 and 20; a model needs 3"* ]] || fail "$output"
	while IFS='@' read -r words status expected; do
		run_rarog model $words
		[ "$(wc -l <errors.txt)" = 1 ] || fail "$words: not one line: $errors"
		[[ $errors == *"$expected"* ]] || fail "$words: $errors"
		expect_status "$status"
	done <<'END'
sums.rarog@3@sums.rarog: no single calls are kept in it; rarog collect --args FUNC keeps them
10-1.rarog time.rarog@3@profiles of different collectors, trace and time, do not make one model; --collector chooses one
--x workload sums.rarog@3@sums.rarog: its workload has no number
--x order --y cpu 10-1.rarog@3@--y cpu: single calls have wall, exclusive, instructions or blocks
--x order --y instructions 10-1.rarog@3@times were measured by call
--x n f 10-1.rarog@3@no function f has wall by n
--x n 10-1.rarog@3@no function has wall by n
--x= 10-1.rarog@2@--x: a name is missing
--y= 10-1.rarog@2@--y: a name is missing
kernel-regression --ridge -1 10-1.rarog@2@--ridge: '-1' is below 0
--y nosuch 10-1.rarog 20-1.rarog 40-1.rarog@3@it knows no nosuch
--family cubist 10-1.rarog@2@--family: 'cubist' is none
--at n=many 10-1.rarog@2@--at: 'many' is no number
--at foo=3 --x workload f 10-1.rarog@2@--at: foo is not x, which is workload
moving-average --decay alpha=0.3 f 10-1.rarog@2@--decay: goes with --moving ema
moving-average --moving ema --decay alpha=2 f 10-1.rarog@2@--decay: 'alpha=2' is none
moving-average --moving smm --window parzen f 10-1.rarog@2@--window: goes with --moving sma
--decay alpha=0.3 --moving ema f 10-1.rarog@2@--moving: is for rarog model moving-average
--bucket-number 3 f 10-1.rarog@2@--bucket-number: is for rarog model regressogram
regressogram --bucket-number 3 --bucket-method fd f 10-1.rarog@2@do not go together
--family linear,kernel f 10-1.rarog@2@--family: kernel has no formula to be compared
--steps 4 f 10-1.rarog@2@--steps: --method full has no parts
kernel-regression -q 4 f 10-1.rarog@2@from 0 to 3
--at 3 --csv f 10-1.rarog@2@--at: has no column of --csv
f g 10-1.rarog@3@'g' names no profile, tag or version, and 'f' is the function
--decay 3 10-1.rarog@2@--decay: '3'
--bandwidth wide 10-1.rarog@2@--bandwidth: 'wide'
--json --csv 10-1.rarog@2@--json and --csv do not go together
./missing.rarog@3@missing.rarog
END
}

@test "what has no logarithm: one point is left out and counted; of more the family does not apply" {
	perf_of zero 0:1 1:10 2:17 4:24 8:31 16:38
	perf_of below -8:1 -4:1 -2:1 1:10 2:17 4:24 8:31 16:38
	works model f zero.rarog --means --family logarithmic
	[[ $output == *"1 of 6 points have no logarithm (not above 0) and are left out"* ]] || fail "$output"
	works model f zero.rarog --means --family logarithmic --json
	is 'm["f"]["pieces"][0]["left_out"]' 1
	works model f below.rarog --means --family logarithmic
	[[ $output == *"no model: logarithmic: 3 of 8 points have no logarithm of x"* ]] || fail "$output"
	# and is no candidate among all
	works model f below.rarog --means --json
	is '"logarithmic" in [c["family"] for c in m["f"]["pieces"][0]["candidates"]]' False
}
