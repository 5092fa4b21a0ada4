/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A call that does not return (exit(), longjmp(), an exception) leaves its block in the middle, and
 * what comes after it in the block did not run. Where code is not optimised, which is what coverage
 * is measured with, such a block is divided after the call, so that the rest has a count of its
 * own. In optimised code that would cost a counter for each call.
 */
#include "pass.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace rarog
{

namespace
{

/* Of what returns twice the rest runs more often than the call: no count could say so. */
bool divides(const CallInst &call, const Leaving &leaving)
{
	return !call.isInlineAsm() && !isa<IntrinsicInst>(call) && !call.isMustTailCall() &&
	       !call.hasFnAttr(Attribute::ReturnsTwice) && leaving.mayLeave(call);
}

unsigned line_of(const Instruction &instruction)
{
	const DebugLoc &at = instruction.getDebugLoc();

	return at ? at.getLine() : 0;
}

/* A jump or return on the call's line adds nothing that is shown. */
bool is_rest(const CallInst &call, const Instruction &next)
{
	if (isa<UnreachableInst>(next))
		return false;
	if (isa<BranchInst>(next) || isa<ReturnInst>(next))
		return line_of(next) != 0 && line_of(next) != line_of(call);
	return true;
}

} // namespace

bool divideBlocks(Function &function, const Leaving &leaving)
{
	SmallVector<Instruction *, 16> rests;

	if (!function.hasOptNone())
		return false;
	for (BasicBlock &block : function)
		for (Instruction &instruction : block) {
			const auto *call = dyn_cast<CallInst>(&instruction);
			Instruction *next = instruction.getNextNonDebugInstruction();

			if (call && next && divides(*call, leaving) && is_rest(*call, *next))
				rests.push_back(next);
		}
	for (Instruction *rest : rests) {
		const Instruction *call = rest->getPrevNonDebugInstruction();
		DebugLoc at = call->getDebugLoc();

		/* what leads there is of the call's line, not of one that may not be reached */
		SplitBlock(rest->getParent(), rest)
			->getSinglePredecessor()
			->getTerminator()
			->setDebugLoc(at);
	}
	return !rests.empty();
}

} // namespace rarog
