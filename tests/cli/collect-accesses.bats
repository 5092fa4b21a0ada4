#!/usr/bin/env bats
# rarog collect --engine vex --accesses: what functions and blocks do with memory.

load helper

setup_file() {
	[ -x "${RAROG_BUILD:-$repo/build}/src/vex/rarog-vex" ] || skip "needs a build with valgrind"
}

# What each function does 1000 times stands behind its name.
write_program() {
	cat >memory.S <<-'EOF'
		.macro function name
		.globl \name
		.type \name, @function
		\name:
		.endm
		.macro end name
		.size \name, . - \name
		.endm
		.text
		function _start		# 9 calls: 9 stores of 8
		mov $1000, %ebx
		lea room(%rip), %rsi
		1:	call widths
		call changes
		call stack
		call locked
		call repeats
		call unused
		call bits
		call wide
		call strings
		dec %ebx
		jnz 1b
		mov $231, %eax
		mov $7, %edi
		syscall
		end _start
		function widths		# loads 1 2 4 8 and 8 of ret: 5, 23 bytes; stores 1 2 4 8: 4, 15
		movb (%rsi), %al
		movw (%rsi), %ax
		movl (%rsi), %eax
		movq (%rsi), %rax
		movb %al, (%rsi)
		movw %ax, (%rsi)
		movl %eax, (%rsi)
		movq %rax, (%rsi)
		ret
		end widths
		function changes	# addl, incq, adcb: load and store each; cmp, test load: 4 8 1 4 1 8; 4 8 1
		addl $1, (%rsi)
		incq (%rsi)
		adcb $0, (%rsi)
		cmpl $1, (%rsi)
		testb $1, (%rsi)
		ret
		end changes
		function stack		# push, pop; push of memory loads, too: loads 8 8 8 8, stores 8 8
		push %rax
		push (%rsi)
		pop %rax
		pop %rax
		ret
		end stack
		function locked		# each one load and one store: 4 8 1 4 16, ret
		lock incl (%rsi)
		lock xaddq %rax, (%rsi)
		xchgb %al, (%rsi)
		lock cmpxchgl %ecx, (%rsi)
		push %rbx
		xor %ebx, %ebx
		lock cmpxchg16b (%rsi)
		pop %rbx
		ret
		end locked
		function repeats	# 5 stores of 8, 3 loads and stores of 1, none, 3 pairs of loads of 1
		lea room(%rip), %rdi
		mov $5, %ecx
		rep stosq
		lea room(%rip), %rdi
		mov $3, %ecx
		rep movsb
		mov $0, %ecx
		rep stosb
		lea room(%rip), %rdi
		lea room(%rip), %rsi
		mov $3, %ecx
		repe cmpsb
		lea room(%rip), %rsi
		ret
		end repeats
		function unused		# the processor loads what nobody uses
		movl (%rsi), %eax
		movl $1, %eax
		cmpl $1, (%rsi)
		cmpl $2, (%rsi)
		andl $0, (%rsi)
		orl $-1, (%rsi)
		nopl (%rsi)
		prefetcht0 (%rsi)
		lea (%rsi), %rax
		ret
		end unused
		function bits		# of registers: nothing; of memory a load, and a store
		bt %eax, %ecx
		bts %rax, %rcx
		btc %ax, %cx
		bt %r8, %r9
		btl $1, (%rsi)
		btsl $1, (%rsi)
		ret
		end bits
		function wide		# 16 16 8 4 10 load, 16 16 8 4 10 store
		movups (%rsi), %xmm0
		movaps %xmm0, (%rsi)
		movdqa (%rsi), %xmm0
		movdqu %xmm0, (%rsi)
		movsd (%rsi), %xmm0
		movsd %xmm0, (%rsi)
		movss (%rsi), %xmm0
		movss %xmm0, (%rsi)
		fldt (%rsi)
		fstpt (%rsi)
		ret
		end wide
		function strings	# movs: both; stos: a store; lods, scas: a load
		mov %rsi, %rdi
		movsq
		stosl
		lodsw
		scasb
		lea room(%rip), %rsi
		ret
		end strings
		.data
		.balign 64
		room:	.fill 4096
	EOF
	gcc -nostdlib -static -o memory memory.S
}

# accesses: "name loads load_bytes stores store_bytes" of each function of p.rarog, per 1000
accesses() {
	rarog show --json p.rarog | python3 -c '
import json, sys
for f in json.load(sys.stdin)["functions"]:
    print(f["name"], *(f[key] / 1000 for key in ("loads", "load_bytes", "stores", "store_bytes")))' | sed 's/\.0//g' | sort
}

@test "loads and stores are those that can be read off the program" {
	write_program
	run_rarog collect --engine vex --accesses -o p.rarog -- ./memory
	expect_status 7
	accesses >got
	diff - got <<-'EOF'
		_start 0 0 9 72
		bits 3 16 1 4
		changes 6 26 3 13
		locked 7 49 6 41
		repeats 10 17 8 43
		stack 4 32 2 16
		strings 4 19 2 12
		unused 6 28 2 8
		wide 6 62 5 54
		widths 5 23 4 15
	EOF
	rarog show --json p.rarog | python3 -c '
import json, sys
shown = json.load(sys.stdin)
sums = {key: sum(f[key] for f in shown["functions"]) for key in ("loads", "stores", "load_bytes", "store_bytes")}
assert shown["header"]["parameters"] == {"follow": True, "accesses": True}, shown["header"]["parameters"]
assert [shown["header"]["totals"][key] for key in ("loads", "stores")] == [sums["loads"], sums["stores"]], sums
for key in sums:
    assert sum(b[key] for b in shown["blocks"]) == sums[key], key
of = [(b["count"], b["loads"], b["store_bytes"]) for b in shown["blocks"] if b["function"] == "repeats"]
assert (6000, 0, 40000) in of, of # rep stosq: five times and the look that it is over'
}

@test "a table of functions and of blocks has them, and only where they were counted" {
	write_program
	rarog -q collect --engine vex --accesses -o p.rarog -- ./memory || [ $? -eq 7 ]
	run_rarog show -f widths p.rarog
	[[ $output == *"loads  stores  function"*"5,000   4,000  widths"* ]] || fail "$output"
	run_rarog show --columns loads,load-bytes,stores,store-bytes -f widths p.rarog
	[[ $output == *"5,000  23,000   4,000  15,000  widths"* ]] || fail "$output"
	run_rarog show --blocks widths p.rarog
	[[ $output == *"loads   bytes  stores   bytes  line"*"5,000  23,000   4,000  15,000"* ]] || fail "$output"
	rarog show --csv p.rarog | head -1 | grep -q 'loads,load_bytes,stores,store_bytes' || fail "no columns in CSV"
	rarog -q collect --engine vex -o plain.rarog -- ./memory || [ $? -eq 7 ]
	rarog show --json plain.rarog >plain.json
	! grep -q 'loads\|stores\|accesses' plain.json || fail "$(head -c 2000 plain.json)"
	! rarog show plain.rarog | grep -q 'loads' || fail "a column of nothing"
	rarog show --json p.rarog | python3 -c '
import json, sys
with_them, without = json.load(sys.stdin), json.load(open("plain.json"))
for f in with_them["functions"] + with_them["blocks"]:
    for key in ("loads", "stores", "load_bytes", "store_bytes"):
        del f[key]
assert with_them["functions"] == without["functions"] and with_them["blocks"] == without["blocks"]'
}

@test "a forked child, and code that is made while the program runs" {
	cat >makes.c <<-'EOF'
		#include <string.h>
		#include <sys/mman.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static long room[8];
		__attribute__((noinline)) void twice(void)
		{
			__asm__ volatile("movq %%rax, %0\n movl %%eax, %0\n" : "=m"(room[0]));
		}
		int main(void)
		{
			/* mov (%rdi), %eax; ret — then mov %eax, (%rdi); ret */
			static const unsigned char codes[2][3] = { { 0x8b, 0x07, 0xc3 }, { 0x89, 0x07, 0xc3 } };
			void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			for (int i = 0; i < 20; i++) {
				memcpy(page, codes[i % 2], 3);
				((void (*)(long *))page)(room);
			}
			twice();
			if (fork() == 0) {
				twice();
				twice();
				_exit(0);
			}
			return wait(NULL) < 0;
		}
	EOF
	gcc -O1 -o makes makes.c
	run_rarog collect --engine vex --accesses -o p.rarog -- ./makes
	expect_status 0
	rarog show -n 0 --json p.rarog | python3 -c '
import json, sys
got = {f["name"]: [f[key] for key in ("loads", "load_bytes", "stores", "store_bytes")] for f in json.load(sys.stdin)["functions"]}
assert got["twice"] == [3, 24, 6, 36], got["twice"]
made = got["[generated code]"]
assert made == [30, 200, 10, 40], made # 20 returns, 10 loads of 4; 10 stores of 4'
}

@test "each function has what lackey sees" {
	command -v valgrind >/dev/null || skip "needs valgrind"
	compile recursion
	rarog -q collect --engine vex --accesses -o p.rarog -- ./recursion deep >/dev/null
	"$repo/tests/oracle/lackey-accesses" p.rarog ./recursion deep >said.txt || fail "$(cat said.txt)"
	[ "$(sed -n 's/ functions, 0 differ,.*//p' said.txt)" -gt 5 ] || fail "$(cat said.txt)"
	write_program
	rarog -q collect --engine vex --accesses -o p.rarog -- ./memory || [ $? -eq 7 ]
	"$repo/tests/oracle/lackey-accesses" p.rarog ./memory >said.txt || fail "$(cat said.txt)"
	grep -q '^10 functions, 0 differ, 2 have locked' said.txt || fail "$(cat said.txt)"
}

@test "other ways to measure refuse in a line" {
	for way in "" "--engine ebpf" blocks sample; do
		# shellcheck disable=SC2086 # words
		run_rarog collect $way --accesses -- true
		expect_status 125
		expect_error "rarog collect: --accesses is for rarog collect --engine vex"
	done
}
