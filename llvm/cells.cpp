/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * As the counters beside them: through GS, the slot, or in one place. Which cell is only known when
 * the program runs.
 */
#include "pass.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>

using namespace llvm;

namespace rarog
{

/* LLVM's name for "relative to GS". */
constexpr unsigned GS = 256;

Cells::Cells(Function &function, GlobalVariable *counters, const Options &options)
    : counters_(counters), threads_(options.threads),
      word_(Type::getInt64Ty(function.getContext())),
      of_thread_(options.threads == RAROG_BLOCKS_SLOT ? findCounters(function, counters) : nullptr)
{
}

Value *Cells::address(IRBuilderBase &builder, Value *cell) const
{
	if (of_thread_) {
		Value *distance =
			builder.CreateSub(builder.CreateShl(cell, 3), ConstantInt::get(word_, 1));

		return builder.CreateIntToPtr(builder.CreateAdd(of_thread_, distance),
					      PointerType::get(word_, 0));
	}
	if (threads_ != RAROG_BLOCKS_GS)
		return builder.CreateInBoundsGEP(counters_->getValueType(), counters_,
						 { ConstantInt::get(word_, 0), cell });
	return builder.CreateIntToPtr(builder.CreateAdd(ConstantExpr::getPtrToInt(counters_, word_),
							builder.CreateShl(cell, 3)),
				      PointerType::get(word_, GS));
}

void Cells::add(IRBuilderBase &builder, Value *cell, Value *amount) const
{
	Value *at = address(builder, cell);

	if (threads_ == RAROG_BLOCKS_ATOMIC) {
		builder.CreateAtomicRMW(AtomicRMWInst::Add, at, amount, MaybeAlign(8),
					AtomicOrdering::Monotonic);
		return;
	}
	builder.CreateStore(builder.CreateAdd(builder.CreateLoad(word_, at), amount), at);
}

void Cells::raise(IRBuilderBase &builder, Value *cell, Value *value) const
{
	Value *at = address(builder, cell);

	if (threads_ == RAROG_BLOCKS_ATOMIC) {
		builder.CreateAtomicRMW(AtomicRMWInst::UMax, at, value, MaybeAlign(8),
					AtomicOrdering::Monotonic);
		return;
	}
	Value *known = builder.CreateLoad(word_, at);
	builder.CreateStore(builder.CreateSelect(builder.CreateICmpUGT(value, known), value, known),
			    at);
}

} // namespace rarog
