/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A child that a signal's handler forks, and that returns from it, goes on with what its parent has
 * counted in registers. So handlers tell the runtime where they return: functions of a handler's
 * type whose address is taken where handlers are installed, or that call fork(). Whether it was the
 * kernel that called them the runtime sees.
 */
#include "pass.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IRBuilder.h>

using namespace llvm;

namespace rarog
{

namespace
{

/* void (int), or with what SA_SIGINFO adds. */
bool has_type(const Function &function)
{
	const FunctionType *type = function.getFunctionType();
	unsigned n = type->getNumParams();

	return type->getReturnType()->isVoidTy() && !type->isVarArg() && (n == 1 || n == 3) &&
	       type->getParamType(0)->isIntegerTy(32) &&
	       (n == 1 ||
		(type->getParamType(1)->isPointerTy() && type->getParamType(2)->isPointerTy()));
}

bool installs(const Module &module)
{
	static const char *const names[] = { "signal",      "sigaction",     "bsd_signal", "sigset",
					     "sysv_signal", "__sysv_signal", "ssignal" };

	for (const char *name : names)
		if (module.getFunction(name))
			return true;
	return false;
}

bool forks(const Function &function)
{
	for (const BasicBlock &block : function)
		for (const Instruction &instruction : block) {
			const auto *call = dyn_cast<CallBase>(&instruction);
			const Function *callee = call ? call->getCalledFunction() : nullptr;

			if (callee && callee->getName() == "fork")
				return true;
		}
	return false;
}

bool may_handle(const Function &function)
{
	return has_type(function) &&
	       ((function.hasAddressTaken() && installs(*function.getParent())) || forks(function));
}

using Calls = SmallVector<const CallInst *, 4>;

void add_call_before(const Instruction &end, Calls &calls)
{
	const auto *call = dyn_cast_or_null<CallInst>(end.getPrevNonDebugInstruction());

	if (call && call->isTailCall() && !isa<IntrinsicInst>(call))
		calls.push_back(call);
}

/* The calls that are the last thing that is done before @end: a jump may take their place, also
 * where several share the return. */
void add_last_calls(const ReturnInst &end, Calls &calls)
{
	if (end.getPrevNonDebugInstruction())
		return add_call_before(end, calls);
	for (const BasicBlock *before : predecessors(end.getParent()))
		if (before->getUniqueSuccessor())
			add_call_before(*before->getTerminator(), calls);
}

void add_last_calls(const Function &function, Calls &calls)
{
	for (const BasicBlock &block : function)
		if (const auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
			add_last_calls(*end, calls);
}

/* Do such calls lead back to the function? Functions may call each other that way for ever, as
 * states of a machine do: if anything followed, the stack would have no end. Whoever is called by a
 * pointer may be any of them. */
bool may_come_again(const ReturnInst &end)
{
	SmallPtrSet<const Function *, 8> seen;
	Calls calls;

	add_last_calls(end, calls);
	while (!calls.empty()) {
		const CallInst *call = calls.pop_back_val();
		const Function *callee = call->getCalledFunction();

		if (callee == end.getFunction() || (!callee && !call->isInlineAsm()))
			return true;
		if (callee && seen.insert(callee).second)
			add_last_calls(*callee, calls);
	}
	return false;
}

bool may_say(const BasicBlock &block)
{
	const auto *end = dyn_cast<ReturnInst>(block.getTerminator());

	return end && !block.getTerminatingMustTailCall() && !may_come_again(*end);
}

/* Where the kernel's frame begins if it has called the function. */
Value *place_of_return(Instruction *before)
{
	IRBuilder<> builder(before);

	builder.SetCurrentDebugLocation(DebugLoc());
	return builder.CreateIntrinsic(Intrinsic::addressofreturnaddress,
				       { PointerType::get(builder.getInt8Ty(), 0) }, {});
}

} // namespace

void noteHandlers(Function &function)
{
	if (!may_handle(function))
		return;
	for (BasicBlock &block : function)
		if (may_say(block))
			sayToRuntime("__rarog_note_returns",
				     { place_of_return(block.getTerminator()) },
				     block.getTerminator());
}

} // namespace rarog
