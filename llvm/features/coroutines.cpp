/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Coroutines: what goes on after a suspension may be in another thread, on another stack, or
 * nowhere, so regions, which belong to a frame of a stack, are not compiled in there.
 */
#include "features.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace rarog
{

bool isCoroutine(const Function &function)
{
	return any_of(instructions(function), [](const Instruction &instruction) {
		const auto *call = dyn_cast<IntrinsicInst>(&instruction);

		return call && call->getIntrinsicID() == Intrinsic::coro_begin;
	});
}

/* NULL: it is not known. */
static const Function *calleeOf(const CallBase &call)
{
	return dyn_cast<Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
}

static bool callsOne(const Function &function, const FunctionSet &wanted)
{
	return any_of(instructions(function), [&wanted](const Instruction &instruction) {
		const auto *call = dyn_cast<CallBase>(&instruction);

		return call && wanted.count(calleeOf(*call)) > 0;
	});
}

void keepApart(Module &module, FunctionSet leading)
{
	for (bool has_changed = true; has_changed;) {
		has_changed = false;
		for (Function &function : module)
			if (leading.count(&function) == 0 && callsOne(function, leading))
				has_changed = leading.insert(&function).second;
	}
	for (Function &function : module) {
		if (!isCoroutine(function))
			continue;
		for (Instruction &instruction : instructions(function))
			if (auto *call = dyn_cast<CallBase>(&instruction))
				if (leading.count(calleeOf(*call)) > 0)
					call->setIsNoInline();
	}
}

} // namespace rarog
