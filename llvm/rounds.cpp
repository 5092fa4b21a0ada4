/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A loop's rounds need no counter where a variable of the program changes by the same amount in
 * each: after the loop, what it has become less what it was tells how many there were. The
 * variable must not have the same value twice: one of 64 bits never comes round, of 32
 * LLVM has to know.
 */
#include "pass.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace rarog
{

namespace
{

uint64_t magnitude(int64_t step)
{
	return step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
}

/* @next less @phi, if that is the same every time; 0: not known. */
int64_t step_to(const Value *next, const PHINode &phi, const DataLayout &layout)
{
	const auto *sum = dyn_cast<BinaryOperator>(next);

	if (const auto *place = dyn_cast<GEPOperator>(next)) {
		APInt offset(layout.getIndexTypeSizeInBits(next->getType()), 0);

		if (place->getPointerOperand() != &phi ||
		    !place->accumulateConstantOffset(layout, offset) || offset.getBitWidth() != 64)
			return 0;
		return offset.getSExtValue();
	}
	if (!sum || sum->getOpcode() != Instruction::Add || sum->getOperand(0) != &phi)
		return 0;
	const auto *amount = dyn_cast<ConstantInt>(sum->getOperand(1));
	return amount ? amount->getSExtValue() : 0;
}

/* The same on all ways back to the header, or 0. */
int64_t step_of(const PHINode &phi, const Loop &loop, const DataLayout &layout)
{
	int64_t step = 0;

	for (unsigned i = 0; i < phi.getNumIncomingValues(); i++) {
		if (!loop.contains(phi.getIncomingBlock(i))) {
			if (isa<UndefValue>(phi.getIncomingValue(i)))
				return 0;
			continue;
		}
		int64_t one = step_to(phi.getIncomingValue(i), phi, layout);

		if (one == 0 || (step != 0 && one != step))
			return 0;
		step = one;
	}
	return step;
}

/* LLVM knows that there are few rounds, or the language forbids that the variable comes round. */
bool is_never_same(PHINode &phi, int64_t step, const Loop &loop, ScalarEvolution &evolution)
{
	unsigned bits = phi.getType()->isPointerTy() ? 64 : phi.getType()->getIntegerBitWidth();

	if (bits == 64)
		return magnitude(step) <= 1 << 16;
	if (bits != 32)
		return false;
	const auto *most =
		dyn_cast<SCEVConstant>(evolution.getConstantMaxBackedgeTakenCount(&loop));
	const auto *sum = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi));
	bool is_bounded = most && most->getAPInt().getActiveBits() <= 32 &&
			  most->getAPInt().getZExtValue() <= UINT32_MAX / magnitude(step);

	return is_bounded || (sum && sum->getLoop() == &loop &&
			      (sum->hasNoUnsignedWrap() || sum->hasNoSignedWrap()));
}

bool has_type(const PHINode &phi)
{
	Type *type = phi.getType();

	return type->isIntegerTy(32) || type->isIntegerTy(64) ||
	       (type->isPointerTy() && type->getPointerAddressSpace() == 0);
}

/* Cheaper after the loop. */
unsigned value_of(const PHINode &phi, int64_t step, const Loop &loop)
{
	unsigned value = magnitude(step) == 1 ? 2 : 1;

	for (unsigned i = 0; i < phi.getNumIncomingValues(); i++)
		if (!loop.contains(phi.getIncomingBlock(i)))
			value += isa<Constant>(phi.getIncomingValue(i)) ? 2 : 0;
	return value;
}

/* The same on all ways back to the header. */
Instruction *next_of(const PHINode &phi, const Loop &loop)
{
	Value *next = nullptr;

	for (unsigned i = 0; i < phi.getNumIncomingValues(); i++) {
		Value *one = phi.getIncomingValue(i);

		if (!loop.contains(phi.getIncomingBlock(i)))
			continue;
		if (next && one != next)
			return nullptr;
		next = one;
	}
	return dyn_cast_or_null<Instruction>(next);
}

/* Where both were known after the loop, both would need a register. */
bool has_next(const Rounds &rounds, const BasicBlock &from, const DominatorTree &dominators)
{
	return rounds.next && dominators.dominates(rounds.next->getParent(), &from);
}

} // namespace

Rounds findRounds(const Loop &loop, ScalarEvolution &evolution)
{
	const DataLayout &layout = loop.getHeader()->getModule()->getDataLayout();
	Rounds found = { nullptr, nullptr, 0 };
	unsigned best = 0;

	for (PHINode &phi : loop.getHeader()->phis()) {
		int64_t step = has_type(phi) ? step_of(phi, loop, layout) : 0;
		unsigned value = step ? value_of(phi, step, loop) : 0;

		if (value > best && is_never_same(phi, step, loop, evolution)) {
			found = { &phi, next_of(phi, loop), step };
			best = value;
		}
	}
	return found;
}

void partEnds(const Rounds &rounds, const Loop &loop, DominatorTree &dominators, LoopInfo &loops)
{
	SmallVector<BasicBlock *, 8> exits;

	loop.getUniqueExitBlocks(exits);
	for (BasicBlock *exit : exits) {
		SmallVector<BasicBlock *, 8> later;

		for (BasicBlock *from : predecessors(exit))
			if (has_next(rounds, *from, dominators))
				later.push_back(from);
		if (!later.empty() && later.size() < pred_size(exit))
			SplitBlockPredecessors(exit, later, "", &dominators, &loops);
	}
}

Value *roundsBehind(IRBuilderBase &builder, const Rounds &rounds, const Loop &loop,
		    const BasicBlock &exit, const DominatorTree &dominators)
{
	bool is_later = has_next(rounds, **pred_begin(&exit), dominators);
	Type *word = builder.getInt64Ty();
	Value *now = is_later ? (Value *)rounds.next : rounds.variable;
	Value *first = rounds.variable->getIncomingValueForBlock(loop.getLoopPreheader());

	if (now->getType()->isPointerTy()) {
		now = builder.CreatePtrToInt(now, word);
		first = builder.CreatePtrToInt(first, word);
	}
	/* what it was in the last round, as above: of 32 bits, the next may have come round */
	Value *way =
		rounds.step > 0 ? builder.CreateSub(now, first) : builder.CreateSub(first, now);
	if (is_later)
		way = builder.CreateSub(way,
					ConstantInt::get(way->getType(), magnitude(rounds.step)));
	way = builder.CreateZExt(way, word);
	if (magnitude(rounds.step) != 1)
		way = builder.CreateExactUDiv(way, builder.getInt64(magnitude(rounds.step)));
	return builder.CreateAdd(way, builder.getInt64(1));
}

} // namespace rarog
