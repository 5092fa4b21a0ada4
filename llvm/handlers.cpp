/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A child that a signal's handler forks, and that returns from it, goes on with what its parent has
 * counted in registers. So handlers tell the runtime where they return: functions of a handler's
 * type whose address is taken where handlers are installed, or that call fork(). Whether it was the
 * kernel that called them the runtime sees.
 */
#include "pass.h"

#include <llvm/IR/Instructions.h>
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
	for (BasicBlock &block : function) {
		Instruction *end = block.getTerminator();

		if (isa<ReturnInst>(end) && !block.getTerminatingMustTailCall())
			sayToRuntime("__rarog_note_returns", { place_of_return(end) }, end);
	}
}

} // namespace rarog
