/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A call returns for certain if LLVM has proven that it does (nounwind and willreturn, which it
 * never says of cancellation points), or if everything that the called function calls returns. The
 * latter is the largest set of functions with that property: all are in it until one is found that
 * is not. Loops are no concern: what ends the program while one runs is another thread or a
 * signal.
 */
#include "pass.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace rarog
{

namespace
{

/* __builtin_setjmp is an intrinsic, of which LLVM does not say so. */
bool returns_twice(const CallBase &call)
{
	return call.hasFnAttr(Attribute::ReturnsTwice) ||
	       call.getIntrinsicID() == Intrinsic::eh_sjlj_setjmp;
}

bool is_proven(const CallBase &call)
{
	return call.doesNotThrow() && call.hasFnAttr(Attribute::WillReturn);
}

using Callers = DenseMap<const Function *, SmallVector<const Function *, 4>>;

/* By calls that return if what they call returns. */
void add_caller(const Function &function, Callers &callers)
{
	for (const BasicBlock &block : function)
		for (const Instruction &instruction : block) {
			const auto *call = dyn_cast<CallBase>(&instruction);
			const Function *callee = call ? call->getCalledFunction() : nullptr;

			if (callee && !callee->isDeclaration() && !is_proven(*call))
				callers[callee].push_back(&function);
		}
}

} // namespace

bool Leaving::callMayLeave(const CallBase &call) const
{
	const Function *callee = call.getCalledFunction();

	if (returns_twice(call))
		return true; /* never assumed away: it returns more often than it is called */
	if (assume_return_)
		return call.doesNotReturn();
	if (const auto *code = dyn_cast<InlineAsm>(call.getCalledOperand()))
		return code->hasSideEffects(); /* system calls, switches of stacks */
	if (isa<IntrinsicInst>(call))
		return call.doesNotReturn();
	if (is_proven(call))
		return false;
	return !callee || callee->isDeclaration() || callee->isInterposable() ||
	       functions_.count(callee);
}

bool Leaving::mayLeave(const Instruction &instruction) const
{
	const auto *call = dyn_cast<CallBase>(&instruction);

	return call && callMayLeave(*call);
}

bool Leaving::mayLeave(const BasicBlock &block) const
{
	for (const Instruction &instruction : block)
		if (mayLeave(instruction))
			return true;
	return false;
}

bool Leaving::bodyMayLeave(const Function &function) const
{
	for (const BasicBlock &block : function)
		if (isa<ResumeInst>(block.getTerminator()) || mayLeave(block))
			return true;
	return false;
}

Leaving::Leaving(const Module &module, bool assume_return) : assume_return_(assume_return)
{
	SmallVector<const Function *, 32> found;
	Callers callers;

	for (const Function &function : module) {
		if (function.isDeclaration() || assume_return)
			continue;
		if (!bodyMayLeave(function))
			add_caller(function, callers);
		else if (functions_.insert(&function).second)
			found.push_back(&function);
	}
	while (!found.empty())
		for (const Function *caller : callers.lookup(found.pop_back_val()))
			if (functions_.insert(caller).second)
				found.push_back(caller);
}

} // namespace rarog
