#!/usr/bin/env bats
# rarog show --replay, on profiles of runs that never happened: what is printed is compared to the letter.

load ../helper
load ../profiles
export TZ=UTC

@test "--replay shows all calls in their order" {
	plain_shows --replay <<-'END'
		       seconds   thread    duration │ call
		   0.000001010      100             │ main() {
		   0.000001015      100             │   compress() {
		   0.000001022      100             │     mainSort() {
		   0.000001032      100       30 ns │       memcpy();
		   0.000001072      100       30 ns │       memcpy();
		   0.000005010      101             │ fallbackSort() {
		   0.000005102      100    4.080 us │     } /* mainSort */
		   0.000005109      100             │     mainSort() {
		   0.000005110      101             │   memcpy() {
		   0.000006109      100             │       mainSort() {
		   0.000006119      100       10 ns │         mainSort();
		   0.000006429      100      320 ns │       } /* mainSort */
		   0.000006529      100    1.420 us │     } /* mainSort */
		   0.000006530      100    3.000 us │     fallbackSort();  /* left by an exception or longjmp */
		   0.000009542      100    8.527 us │   } /* compress */
		   0.000009547      100             │   compress() {
		   0.000009554      100             │     mainSort() {
		   0.000009564      100       30 ns │       memcpy();
		   0.000009604      100       30 ns │       memcpy();
		   0.000013634      100    4.080 us │     } /* mainSort */
		   0.000013641      100             │     mainSort() {
		   0.000014641      100             │       mainSort() {
		   0.000014651      100       10 ns │         mainSort();
		   0.000014961      100      320 ns │       } /* mainSort */
		   0.000015061      100    1.420 us │     } /* mainSort */
		   0.000015062      100    3.000 us │     fallbackSort();  /* left by an exception or longjmp */
		   0.000018074      100    8.527 us │   } /* compress */
		   0.000018079      100             │   compress() {
		   0.000018086      100             │     mainSort() {
		   0.000018096      100       30 ns │       memcpy();
		   0.000018136      100       30 ns │       memcpy();
		   0.000022166      100    4.080 us │     } /* mainSort */
		   0.000022173      100             │     mainSort() {
		   0.000023173      100             │       mainSort() {
		   0.000023183      100       10 ns │         mainSort();
		   0.000023493      100      320 ns │       } /* mainSort */
		   0.000023593      100    1.420 us │     } /* mainSort */
		   0.000023594      100             │     fallbackSort() {
		   0.000025110      101    20.00 us │   } /* memcpy */
		   0.000025210      101             │   memcpy() {
		   0.000026594      100    3.000 us │     } /* fallbackSort */  /* left by an exception or longjmp */
		   0.000026606      100    8.527 us │   } /* compress */
		   0.000026706      100      500 ns │   foo::bar(int);  /* still open at the end */
		   0.000027206      100    26.20 us │ } /* main */  /* still open at the end */
		   0.000045210      101    20.00 us │   } /* memcpy */
		   0.000045220      101    40.21 us │ } /* fallbackSort */
	END
}

@test "--replay --depth hides what is deeper" {
	plain_shows --replay --depth 2 --thread 100 <<-'END'
		       seconds   thread    duration │ call
		   0.000001010      100             │ main() {
		   0.000001015      100    8.527 us │   compress();
		   0.000009547      100    8.527 us │   compress();
		   0.000018079      100    8.527 us │   compress();
		   0.000026706      100      500 ns │   foo::bar(int);  /* still open at the end */
		   0.000027206      100    26.20 us │ } /* main */  /* still open at the end */
	END
}

@test "replay: long calls with what called them" {
	plain_shows --replay --min-time 4us <<-'END'
		       seconds   thread    duration │ call
		   0.000001010      100             │ main() {
		   0.000001015      100             │   compress() {
		   0.000001022      100    4.080 us │     mainSort();
		   0.000009542      100    8.527 us │   } /* compress */
		   0.000009547      100             │   compress() {
		   0.000009554      100    4.080 us │     mainSort();
		   0.000018074      100    8.527 us │   } /* compress */
		   0.000018079      100             │   compress() {
		   0.000018086      100    4.080 us │     mainSort();
		   0.000005010      101             │ fallbackSort() {
		   0.000005110      101    20.00 us │   memcpy();
		   0.000026606      100    8.527 us │   } /* compress */
		   0.000027206      100    26.20 us │ } /* main */  /* still open at the end */
		   0.000025210      101    20.00 us │   memcpy();
		   0.000045220      101    40.21 us │ } /* fallbackSort */
	END
}

@test "replay: one function and what is below" {
	plain_shows --replay --func mainSort --depth 2 <<-'END'
		       seconds   thread    duration │ call
		   0.000001022      100             │ mainSort() {
		   0.000001032      100       30 ns │   memcpy();
		   0.000001072      100       30 ns │   memcpy();
		   0.000005102      100    4.080 us │ } /* mainSort */
		   0.000005109      100             │ mainSort() {
		   0.000006109      100      320 ns │   mainSort();
		   0.000006529      100    1.420 us │ } /* mainSort */
		   0.000009554      100             │ mainSort() {
		   0.000009564      100       30 ns │   memcpy();
		   0.000009604      100       30 ns │   memcpy();
		   0.000013634      100    4.080 us │ } /* mainSort */
		   0.000013641      100             │ mainSort() {
		   0.000014641      100      320 ns │   mainSort();
		   0.000015061      100    1.420 us │ } /* mainSort */
		   0.000018086      100             │ mainSort() {
		   0.000018096      100       30 ns │   memcpy();
		   0.000018136      100       30 ns │   memcpy();
		   0.000022166      100    4.080 us │ } /* mainSort */
		   0.000022173      100             │ mainSort() {
		   0.000023173      100      320 ns │   mainSort();
		   0.000023593      100    1.420 us │ } /* mainSort */
	END
}

@test "replay: a range of time" {
	plain_shows --replay --from 9us --to 14us <<-'END'
		       seconds   thread    duration │ call
		   0.000001010      100             │ main() {
		   0.000001015      100             │   compress() {
		   0.000006530      100    3.000 us │     fallbackSort();  /* left by an exception or longjmp */
		   0.000009542      100    8.527 us │   } /* compress */
		   0.000009547      100             │   compress() {
		   0.000009554      100             │     mainSort() {
		   0.000009564      100       30 ns │       memcpy();
		   0.000009604      100       30 ns │       memcpy();
		   0.000013634      100    4.080 us │     } /* mainSort */
		   0.000014000      100             │   } /* compress */  /* goes on */
		   0.000014000      100             │ } /* main */  /* goes on */
	END
}

@test "--replay --csv has a row for each call" {
	plain_profile
	prints show --replay --csv --func compress plain.rarog <<-'END'
		process,thread,start_ns,duration_ns,exclusive_ns,depth,end,name,mangled,binary,file,line
		100,100,1032,30,30,3,returned,memcpy,memcpy,/lib/libc.so.6,,
		100,100,1072,30,30,3,returned,memcpy,memcpy,/lib/libc.so.6,,
		100,100,1022,4080,4020,2,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,6119,10,10,4,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,6109,320,310,3,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,5109,1420,1100,2,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,6530,3000,3000,2,unwound,fallbackSort,fallbackSort,/usr/bin/bzip2,/src/blocksort.c,300
		100,100,1015,8527,27,1,returned,compress,compress,/usr/bin/bzip2,/src/bzip2.c,100
		100,100,9564,30,30,3,returned,memcpy,memcpy,/lib/libc.so.6,,
		100,100,9604,30,30,3,returned,memcpy,memcpy,/lib/libc.so.6,,
		100,100,9554,4080,4020,2,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,14651,10,10,4,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,14641,320,310,3,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,13641,1420,1100,2,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,15062,3000,3000,2,unwound,fallbackSort,fallbackSort,/usr/bin/bzip2,/src/blocksort.c,300
		100,100,9547,8527,27,1,returned,compress,compress,/usr/bin/bzip2,/src/bzip2.c,100
		100,100,18096,30,30,3,returned,memcpy,memcpy,/lib/libc.so.6,,
		100,100,18136,30,30,3,returned,memcpy,memcpy,/lib/libc.so.6,,
		100,100,18086,4080,4020,2,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,23183,10,10,4,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,23173,320,310,3,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,22173,1420,1100,2,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,23594,3000,3000,2,unwound,fallbackSort,fallbackSort,/usr/bin/bzip2,/src/blocksort.c,300
		100,100,18079,8527,27,1,returned,compress,compress,/usr/bin/bzip2,/src/bzip2.c,100
	END
}

@test "replay merges threads by time and shows the gap" {
	processes_profile
	prints show --replay processes.rarog <<-'END'
		parent --flag
		2023-11-14 22:13:20 · 3.478 ms · 2 processes · 3 threads · 9 calls of 3 functions
		LOST: 12 events; counts and times below are too low; leave out what is called most (--exclude)

		       seconds   thread    duration │ call
		   0.000000043       10             │ main() {
		   0.000000478       10    304.3 us │   work();
		   0.000305261       10             │   work() {
		   0.000434784       12      435 ns │ work();
		   0.000435436       12             │ LOST: 12 events are missing here
		   0.000609610       10    304.3 us │   } /* work */
		   0.000610044       10             │   work() {
		   0.000869566       11             │ child() {
		   0.000869710       11      145 ns │   work();
		   0.000869856       11      290 ns │ } /* child */
		   0.000914393       10    304.3 us │   } /* work */
		   0.000914827       10    304.3 us │   work();
		   0.001219610       10    304.3 us │   work();
		   0.001523992       10    1.524 ms │ } /* main */
	END
}

@test "hostile names in a replay" {
	hostile_profile
	prints show --replay --width 100 hostile.rarog <<-'END'
		pro\x1bgram "x"
		2023-11-14 22:13:20 · 100.0 us · 10 calls of 10 functions

		       seconds    duration │ call
		   0.000000000             │ sp ace;semi() {
		   0.000000010             │   quo"te\back() {
		   0.000000020             │     ctl\x1b[31mred\x07\x0anewline() {
		   0.000000030             │       bad\xff\xfeutf8() {
		   0.000000040             │         über::größe() {
		   0.000000050             │           bidi\u{202e}override() {
		   0.000000060             │             =cmd|calc,comma() {
		   0.000000070             │               same() {
		   0.000000071        1 ns │                 same();
		   0.000000082      100 ns │                 std::map<std::vector<int, s…ator<int> >, int>::at(int);
		   0.000000192      122 ns │               } /* same */
		   0.000000202      142 ns │             } /* =cmd|calc,comma */
		   0.000000212      162 ns │           } /* bidi\u{202e}override */
		   0.000000222      182 ns │         } /* über::größe */
		   0.000000232      202 ns │       } /* bad\xff\xfeutf8 */
		   0.000000242      222 ns │     } /* ctl\x1b[31mred\x07\x0anewline */
		   0.000000252      242 ns │   } /* quo"te\back */
		   0.000000262      262 ns │ } /* sp ace;semi */
	END
}

@test "replay of no calls" {
	empty_profile
	prints show --replay empty.rarog <<-'END'
		true
		2023-11-14 22:13:20 · 10 ns · 0 calls of 0 functions

		       seconds    duration │ call
		no calls
	END
}

@test "a replay in CSV has the calls of the profile" {
	plain_profile
	run_rarog show --json plain.rarog
	printf '%s\n' "$output" >show.json
	works show --replay --csv plain.rarog -o out
	sed -i '1s/,name,/,function,/' out
	"$check_export" csv out show.json
}
