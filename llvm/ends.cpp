/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a thread is in when its process ends decides whether counts are missing. Before calls that
 * may last long (waiting.cpp) or not come back (the list below), it says so to the runtime
 * (__rarog_note(), src/blocks/counter-file.h), and that it is back after them. No such call is in
 * a loop that counts in registers, and each has its way out of the function in the graph: what
 * is in there has counted all.
 */
#include "pass.h"

#include <linux/prctl.h>
#include <sched.h>

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IRBuilder.h>

#include "blocks/counter-file.h"

using namespace llvm;

namespace rarog
{

namespace
{

constexpr char NOTE[] = "__rarog_note", NOTE_JUMP[] = "__rarog_note_jump",
	       NOTE_CANCEL[] = "__rarog_note_cancel", NOTE_FILTER[] = "__rarog_note_filter";

/* What to say before and after a call. */
struct Notes {
	/* NOTHING, … FILTER: with its arguments; or of rarog_counter_note */
	int before, behind;
};

constexpr int NOTHING = -1, JUMP = -2, COMPILED_JUMP = -3, CANCEL = -4, FILTER = -5;

bool is_told(const Notes &notes)
{
	return notes.before != NOTHING || notes.behind != NOTHING;
}

constexpr Notes NONE = { NOTHING, NOTHING };
constexpr Notes WAITS = { RAROG_COUNTER_MAY_WAIT, RAROG_COUNTER_IS_BACK };
constexpr Notes ENDS = { RAROG_COUNTER_ENDS_PROCESS, RAROG_COUNTER_GOES_ON };
constexpr Notes ABORTS = { RAROG_COUNTER_ABORTS, RAROG_COUNTER_GOES_ON };
constexpr Notes ENDS_THREAD = { RAROG_COUNTER_ENDS_THREAD, NOTHING };
/* What runs after it are clean-ups. */
constexpr Notes LEAVES_THREAD = { RAROG_COUNTER_LEAVES_THREAD, NOTHING };
constexpr Notes CANCELS = { CANCEL, NOTHING };
/* Of system calls, perhaps. */
constexpr Notes FILTERS = { FILTER, NOTHING };
constexpr Notes JUMPS = { RAROG_COUNTER_JUMPS, NOTHING };
constexpr Notes JUMPS_BACK = { JUMP, NOTHING };
/* __builtin_longjmp() */
constexpr Notes JUMPS_BACK_COMPILED = { COMPILED_JUMP, NOTHING };
constexpr Notes THROWS = { RAROG_COUNTER_THROWS, NOTHING };
/* The child, which ends, speaks as its parent. */
constexpr Notes RETURNS_TWICE = { NOTHING, RAROG_COUNTER_GOES_ON };

/* A child for which the runtime makes no file: nothing is called when it begins. */
constexpr Notes SHARES = { RAROG_COUNTER_SHARES, RAROG_COUNTER_GOES_ON };

/* exit() is none of them: it runs more of the program, and the runtime comes last. */
Notes of_name(StringRef name)
{
	return StringSwitch<Notes>(name)
		.Cases("_exit", "_Exit", "quick_exit", "daemon", ENDS)
		.Cases("abort", "__assert_fail", "_ZSt9terminatev", ABORTS)
		.Cases("execl", "execle", "execlp", "execv", "execve", "execveat", ENDS)
		.Cases("execvp", "execvpe", "fexecve", ENDS)
		.Cases("pthread_exit", "thrd_exit", LEAVES_THREAD)
		.Case("pthread_cancel", CANCELS)
		.Cases("longjmp", "_longjmp", "siglongjmp", "__longjmp_chk", JUMPS_BACK)
		.Case("llvm.eh.sjlj.longjmp", JUMPS_BACK_COMPILED)
		.Cases("setcontext", "swapcontext", JUMPS)
		.Cases("__cxa_throw", "__cxa_rethrow", THROWS)
		.Case("vfork", RETURNS_TWICE)
		.Cases("_Fork", "clone", SHARES)
		.Default(mayWait(name) ? WAITS : NONE);
}

constexpr uint64_t PRCTL = 157;

/* A system call by its number: exit, exit_group and the like, fork. */
Notes of_number(const Value *number)
{
	const auto *known = dyn_cast<ConstantInt>(number);

	switch (known ? known->getZExtValue() : UINT64_MAX) {
	case 231: /* exit_group */
	case 59:  /* execve */
		return ENDS;
	case 60: /* exit */
		return ENDS_THREAD;
	case 58: /* vfork */
		return RETURNS_TWICE;
	case 56:  /* clone */
	case 57:  /* fork */
	case 435: /* clone3 */
		return SHARES;
	case PRCTL:
	case 317: /* seccomp */
	case UINT64_MAX:
		return FILTERS;
	case 202: /* futex: atomic::wait() of C++, inline */
		return WAITS;
	default:
		return NONE;
	}
}

/* Of prctl(): PR_SET_SECCOMP, or not known. */
bool may_filter(const CallBase &call)
{
	const auto *option =
		call.arg_size() > 0 ? dyn_cast<ConstantInt>(call.getArgOperand(0)) : nullptr;

	return call.arg_size() > 2 && (!option || option->getZExtValue() == PR_SET_SECCOMP);
}

bool is_filter(const CallBase &call, StringRef name)
{
	return name == "seccomp_load" || (name == "prctl" && may_filter(call));
}

/* Does the parent wait, as far as that is written there? */
bool waits_for_child(const CallBase &call)
{
	for (const Value *argument : call.args())
		if (const auto *flags = dyn_cast<ConstantInt>(argument))
			if (flags->getZExtValue() & CLONE_VFORK)
				return true;
	return false;
}

Notes of_call(const CallBase &call, const Function &callee)
{
	StringRef name = callee.getName();

	if (name == "clone" && !callee.isVarArg()) /* the program's own: a common word */
		return NONE;
	if (is_filter(call, name))
		return FILTERS;

	Notes notes = name == "syscall" && call.arg_size() > 0 ? of_number(call.getArgOperand(0))
							       : of_name(name);

	return notes.before == RAROG_COUNTER_SHARES && waits_for_child(call) ? RETURNS_TWICE
									     : notes;
}

Notes notes_of(const CallBase &call)
{
	const auto *callee = dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());

	if (!callee || !callee->isDeclaration() || call.isMustTailCall())
		return NONE;
	return of_call(call, *callee);
}

void say(int what, Instruction *before)
{
	if (what != NOTHING)
		sayToRuntime(
			NOTE,
			ConstantInt::get(Type::getInt32Ty(before->getContext()), (unsigned)what),
			before);
}

/* The runtime finds the stack pointer where libraries have it, which is four words further on than
 * where the compiler has it: frame, place in the code, stack. */
constexpr int64_t STACK_IN_COMPILED = -4 * 8;

/* As the kernel sees it: numbers and addresses; 0 for what is missing, or is no such thing. */
Value *word_of(IRBuilder<> &builder, const CallBase &call, unsigned i)
{
	Value *argument = i < call.arg_size() ? call.getArgOperand(i) : nullptr;

	if (argument && argument->getType()->isPointerTy())
		return builder.CreatePtrToInt(argument, builder.getInt64Ty());
	if (argument && argument->getType()->isIntegerTy())
		return builder.CreateZExtOrTrunc(argument, builder.getInt64Ty());
	return builder.getInt64(0);
}

void say_cancel(CallBase &call)
{
	IRBuilder<> builder(&call);

	builder.SetCurrentDebugLocation(DebugLoc());
	sayToRuntime(NOTE_CANCEL, { word_of(builder, call, 0) }, &call);
}

/* The number is an argument of syscall() only. */
void say_filter(CallBase &call)
{
	StringRef name = call.getCalledOperand()->stripPointerCasts()->getName();
	IRBuilder<> builder(&call);
	unsigned first = name == "syscall";
	Value *number = builder.getInt64(name == "prctl" ? PRCTL : RAROG_COUNTER_SOME_FILTER);

	builder.SetCurrentDebugLocation(DebugLoc());
	if (first > 0)
		number = word_of(builder, call, 0);
	sayToRuntime(NOTE_FILTER,
		     { number, word_of(builder, call, first), word_of(builder, call, first + 1),
		       word_of(builder, call, first + 2) },
		     &call);
}

void say_before(int what, CallBase &call)
{
	if (what == FILTER)
		return say_filter(call);
	if (what == CANCEL)
		return say_cancel(call);
	if (what != JUMP && what != COMPILED_JUMP)
		return say(what, &call);
	if (call.arg_size() == 0 || !call.getArgOperand(0)->getType()->isPointerTy())
		return say(RAROG_COUNTER_JUMPS, &call);
	IRBuilder<> builder(&call);
	Type *byte = builder.getInt8Ty();
	Value *buffer = builder.CreatePointerCast(call.getArgOperand(0), PointerType::get(byte, 0));

	if (what == COMPILED_JUMP)
		buffer = builder.CreateGEP(byte, buffer, builder.getInt64(STACK_IN_COMPILED));
	sayToRuntime(NOTE_JUMP, buffer, &call);
}

/* An exception, of std::thread::join(), ends the wait, too. */
void say_behind_exceptions(Function &function)
{
	for (BasicBlock &block : function) {
		const LandingPadInst *pad = block.getLandingPadInst();

		if (pad && pad->getNumClauses() > 0)
			say(RAROG_COUNTER_IS_BACK, startOf(block));
	}
}

/* What comes to the block after an invoke from elsewhere is not away either. */
void say_behind(int what, CallBase &call)
{
	if (isa<CallInst>(call)) {
		if (!isa<UnreachableInst>(call.getNextNode()))
			say(what, call.getNextNode());
	} else {
		say(what, startOf(*call.getSuccessor(0)));
	}
}

/* What runs where no runtime is linked, whose own takes this one's place. */
Function *note_of(Module &module, StringRef name, ArrayRef<Type *> arguments)
{
	FunctionType *type =
		FunctionType::get(Type::getVoidTy(module.getContext()), arguments, false);

	if (Function *known = module.getFunction(name))
		return known;
	Function *note = Function::Create(type, GlobalValue::WeakAnyLinkage, name, module);

	ReturnInst::Create(module.getContext(), BasicBlock::Create(module.getContext(), "", note));
	note->setVisibility(GlobalValue::HiddenVisibility);
	note->setDSOLocal(true);
	note->setDoesNotThrow();
	return note;
}

} // namespace

void sayToRuntime(StringRef name, ArrayRef<Value *> arguments, Instruction *before)
{
	IRBuilder<> builder(before);
	SmallVector<Type *, 4> types;

	for (Value *argument : arguments)
		types.push_back(argument->getType());
	builder.SetCurrentDebugLocation(DebugLoc());
	builder.CreateCall(note_of(*before->getModule(), name, types), arguments)
		->setDoesNotThrow();
}

void noteEnds(Function &function)
{
	SmallVector<CallBase *, 8> calls;

	/* the program's own function of such a name: a call of it as libc's is not away */
	if (!function.hasLocalLinkage() && is_told(of_name(function.getName())))
		say(RAROG_COUNTER_GOES_ON, startOf(function.getEntryBlock()));
	for (BasicBlock &block : function)
		for (Instruction &instruction : block)
			if (auto *call = dyn_cast<CallBase>(&instruction))
				if (is_told(notes_of(*call)))
					calls.push_back(call);
	for (CallBase *call : calls) {
		Notes notes = notes_of(*call);

		say_before(notes.before, *call);
		say_behind(notes.behind, *call);
	}
	say_behind_exceptions(function);
}

} // namespace rarog
