/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls after which their function only returns: the optimizer may make jumps of them, and the end
 * of a region after such a call forbids that. That matters where jumps come back to the function:
 * each turn would need more stack.
 */
#include "features.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace rarog
{

namespace
{

/* The blocks from a call to a return; none: something happens between. */
class Way
{
	const CallInst &call_;
	SmallPtrSet<const Value *, 8> made_; /* of what it returned */
	SmallPtrSet<const BasicBlock *, 8> seen_;

	bool isNothing(const Instruction &instruction);
	bool follow(const BasicBlock &block, BasicBlock::const_iterator at);

      public:
	std::vector<const BasicBlock *> blocks;

	explicit Way(const CallInst &call) : call_(call)
	{
		made_.insert(&call);
		follow(*call.getParent(), std::next(call.getIterator()));
	}
};

/* Of a function that calls itself the optimizer also makes a loop that sums up. */
bool Way::isNothing(const Instruction &instruction)
{
	bool is_itself = call_.getCalledFunction() == call_.getFunction();

	if (isa<IntrinsicInst>(instruction) &&
	    cast<IntrinsicInst>(instruction).isAssumeLikeIntrinsic())
		return true;
	if (instruction.isTerminator())
		return isa<BranchInst>(instruction) || isa<SwitchInst>(instruction);
	if (instruction.mayHaveSideEffects())
		return false;
	if (none_of(instruction.operands(), [&](const Use &use) { return made_.count(use.get()); }))
		return true;
	made_.insert(&instruction);
	return is_itself || !isa<BinaryOperator>(instruction);
}

bool Way::follow(const BasicBlock &block, BasicBlock::const_iterator at)
{
	bool is_way = false;

	for (; at != block.end() && !isa<ReturnInst>(*at); ++at)
		if (!isNothing(*at))
			return false;
	if (at != block.end())
		is_way = true;
	else
		for (const BasicBlock *next : successors(&block))
			if (seen_.insert(next).second)
				is_way |= follow(*next, next->begin());
	if (is_way)
		blocks.push_back(&block);
	return is_way;
}

/* What is in the frame of the caller must outlive the call. */
bool hasFrame(const CallInst &call)
{
	return any_of(call.args(), [](const Use &use) {
		return use->getType()->isPointerTy() &&
		       isa<AllocaInst>(getUnderlyingObject(use.get()));
	});
}

bool mayJump(const CallInst &call)
{
	const Function &function = *call.getFunction();

	if (call.isMustTailCall())
		return true;
	return !isa<IntrinsicInst>(call) && !call.isInlineAsm() && !call.isNoTailCall() &&
	       !call.doesNotReturn() && !hasFrame(call) && !function.hasOptNone() &&
	       function.getFnAttribute("disable-tail-calls").getValueAsString() != "true";
}

} // namespace

Jumps::Jumps(Flow &flow, Module &module)
{
	for (Function &function : module)
		for (Instruction &instruction : instructions(function)) {
			auto *call = dyn_cast<CallInst>(&instruction);

			if (!call || !mayJump(*call))
				continue;
			Way way(*call);
			if (way.blocks.empty())
				continue;
			SmallVector<Function *, 2> callees = flow.callees(*call);
			if (callees.empty() && call->isIndirectCall())
				callees.push_back(nullptr);
			all_.push_back({ call, way.blocks });
			targets_[call].append(callees.begin(), callees.end());
			next_[&function].insert(callees.begin(), callees.end());
		}
}

/* NULL is a function that is not known. */
bool Jumps::comesBack(const CallInst *call) const
{
	SmallVector<const Function *, 16> left(targets_.lookup(call));
	std::set<const Function *> seen;

	while (!left.empty()) {
		const Function *one = left.pop_back_val();
		auto found = next_.find(one);

		if (!one || one == call->getFunction())
			return true;
		if (seen.insert(one).second && found != next_.end())
			left.append(found->second.begin(), found->second.end());
	}
	return false;
}

void Jumps::visitCircles(function_ref<void(CallInst &, ArrayRef<const BasicBlock *>)> visit) const
{
	for (const auto &[call, blocks] : all_)
		if (!call->isMustTailCall() && comesBack(call)) /* regions end before such a call */
			visit(*call, blocks);
}

} // namespace rarog
