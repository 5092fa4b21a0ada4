/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A call that ends a function is a jump in machine code, if nothing is left to do after it. The
 * optimiser gives a function one block that returns; where its blocks come from such a call, code
 * generation copies the return after the call (CodeGenPrepare). A counter in the block that
 * returns, or on the way there (needed if the call may leave), would keep it from that: each such
 * jump would become a call, a pop of what is kept, and a return. So that copy is made here, before
 * anything is counted: then the block of the call has a count, and after it there is nothing to
 * be counted.
 */
#include "pass.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace rarog
{

namespace
{

/* A block that does nothing but return what it was given, if anything. */
ReturnInst *only_returns(BasicBlock &block)
{
	auto *end = dyn_cast<ReturnInst>(block.getTerminator());
	const Value *value = end ? end->getReturnValue() : nullptr;
	const auto *given = dyn_cast_or_null<PHINode>(value);

	if (!end || (value && (!given || given->getParent() != &block)))
		return nullptr;
	for (const Instruction &instruction : block)
		if (&instruction != end && &instruction != value &&
		    !isa<DbgInfoIntrinsic>(instruction))
			return nullptr;
	return end;
}

const CallInst *last_call(const BasicBlock &block)
{
	return dyn_cast_or_null<CallInst>(
		block.getTerminator()->getPrevNonDebugInstruction(/* SkipPseudoOp= */ true));
}

/* What callers expect of the upper bits must have been done by the called one. */
bool widens_alike(const CallInst &call)
{
	const Function &caller = *call.getFunction();

	for (Attribute::AttrKind kind : { Attribute::ZExt, Attribute::SExt })
		if (caller.hasRetAttribute(kind) != call.hasRetAttr(kind))
			return false;
	return true;
}

/* Does @block end with a call that code generation makes a jump, if @end is after it? */
bool ends_with_jump(const BasicBlock &block, const ReturnInst &end)
{
	const auto *way = dyn_cast<BranchInst>(block.getTerminator());
	const CallInst *call = way && way->isUnconditional() ? last_call(block) : nullptr;
	const auto *value = dyn_cast_or_null<PHINode>(end.getReturnValue());

	if (!call || !call->isTailCall() || isa<IntrinsicInst>(call) || call->isInlineAsm() ||
	    !widens_alike(*call))
		return false;
	return value ? value->getIncomingValueForBlock(&block) == call && call->hasOneUse()
		     : call->use_empty();
}

bool copy_return(BasicBlock &block)
{
	ReturnInst *end = only_returns(block);
	SmallVector<BasicBlock *, 8> before;

	if (!end)
		return false;
	for (BasicBlock *from : predecessors(&block))
		if (ends_with_jump(*from, *end))
			before.push_back(from);
	for (BasicBlock *from : before)
		FoldReturnIntoUncondBranch(end, &block, from);
	if (!before.empty() && !block.hasAddressTaken() && pred_empty(&block))
		DeleteDeadBlock(&block);
	return !before.empty();
}

} // namespace

bool copyReturns(Function &function)
{
	SmallVector<BasicBlock *, 4> returns;
	bool has_changed = false;

	if (function.hasOptNone() || function.getFnAttribute("disable-tail-calls").getValueAsBool())
		return false;
	for (BasicBlock &block : function)
		if (isa<ReturnInst>(block.getTerminator()))
			returns.push_back(&block);
	for (BasicBlock *block : returns)
		has_changed |= copy_return(*block);
	return has_changed;
}

} // namespace rarog
