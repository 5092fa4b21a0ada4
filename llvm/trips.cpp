/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A variable of each natural loop counts the rounds since it was entered. It is 0 wherever control
 * is outside of the loop: each place that the loop leads to takes it over, and sets it to 0. So
 * nothing has to be known of how that place was reached, no edge is split (indirect jumps, landing
 * pads), and the graph stays as it is; where control came from elsewhere, an entry of 0 rounds is
 * counted, which is not read.
 *
 * setjmp may return while an entry of a loop elsewhere in the function has not ended: it ends
 * there. Variables of such functions, and of those with asm goto, stay in memory.
 */
#include "pass.h"

#include "blocks/counter-file.h"
#include "blocks/trips-cells.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>

using namespace llvm;

namespace rarog
{

namespace
{

/* Not by a jump to setjmp. */
bool ends(const Loop &loop)
{
	SmallVector<BasicBlock *, 8> exits;

	loop.getExitBlocks(exits);
	return !exits.empty();
}

class Counting
{
	const Cells &cells_;
	bool stays_;
	Type *word_;
	AllocaInst *rounds_;
	unsigned first_; /* cell of the loop */

	ConstantInt *number(uint64_t value) const
	{
		return ConstantInt::get(cast<IntegerType>(word_), value);
	}
	Value *cell(unsigned which) const
	{
		return number((uint64_t)first_ + which);
	}
	Value *load(IRBuilder<> &builder) const
	{
		return builder.CreateLoad(word_, rounds_, stays_);
	}

	/* Of an entry of no rounds 0, which raises nothing. */
	void raise(IRBuilder<> &builder, unsigned which, Value *rounds, Value *value) const
	{
		Value *is_none = builder.CreateICmpEQ(rounds, number(0));

		cells_.raise(builder, cell(which), builder.CreateSelect(is_none, number(0), value));
	}

      public:
	Counting(Function &function, const Cells &cells, unsigned first, bool stays)
	    : cells_(cells), stays_(stays), word_(Type::getInt64Ty(function.getContext())),
	      first_(first)
	{
		IRBuilder<> builder(&*function.getEntryBlock().begin());

		rounds_ = builder.CreateAlloca(word_);
		builder.SetInsertPoint(startOf(function.getEntryBlock()));
		builder.CreateStore(number(0), rounds_, stays_);
	}

	/* If it may become a register. */
	AllocaInst *variable() const
	{
		return stays_ ? nullptr : rounds_;
	}

	void goRound(BasicBlock &header) const
	{
		IRBuilder<> builder(startOf(header));

		builder.CreateStore(builder.CreateAdd(load(builder), number(1)), rounds_, stays_);
	}

	void end(Instruction *before) const
	{
		IRBuilder<> builder(before);
		Value *rounds = load(builder);
		Value *zeros =
			builder.CreateBinaryIntrinsic(Intrinsic::ctlz, rounds, builder.getFalse());
		Value *bucket = builder.CreateSub(number(64), zeros);
		Value *is_long = builder.CreateICmpUGT(bucket, number(RAROG_TRIPS_BUCKETS));

		bucket = builder.CreateSelect(is_long, number(RAROG_TRIPS_BUCKETS), bucket);
		cells_.add(builder, builder.CreateAdd(bucket, cell(RAROG_TRIPS_NONE)), number(1));
		cells_.add(builder, cell(RAROG_TRIPS_SUM), rounds);
		raise(builder, RAROG_TRIPS_MOST, rounds,
		      builder.CreateOr(rounds, number(RAROG_COUNTER_EXTREME)));
		raise(builder, RAROG_TRIPS_LEAST, rounds, builder.CreateNot(rounds));
		builder.CreateStore(number(0), rounds_, stays_);
	}
};

void count(const Loop &loop, const Counting &counting, ArrayRef<Instruction *> returns)
{
	SmallVector<BasicBlock *, 8> exits;

	counting.goRound(*loop.getHeader());
	loop.getUniqueExitBlocks(exits);
	for (BasicBlock *exit : exits)
		counting.end(startOf(*exit));
	for (Instruction *instruction : returns)
		if (!loop.contains(instruction->getParent()))
			counting.end(instruction);
}

} // namespace

Trips::Trips(Function &function, const Graph &graph)
{
	bool may_jump = !secondReturns(function).empty();
	DominatorTree dominators(function);
	LoopInfo loops(dominators);

	for (uint32_t i = 0; i < graph.blocks.size(); i++) {
		const Loop *loop = loops.getLoopFor(graph.blocks[i]);

		if (loop && loop->getHeader() == graph.blocks[i] && (may_jump || ends(*loop))) {
			headers_.push_back(graph.blocks[i]);
			numbers_.push_back(i);
		}
	}
}

unsigned Trips::cells() const
{
	return (unsigned)headers_.size() * RAROG_TRIPS_CELLS;
}

std::string Trips::record() const
{
	std::string bytes = numberBytes(numbers_.size());
	uint32_t before = 0;

	for (uint32_t number : numbers_) {
		bytes += numberBytes(number - before);
		before = number;
	}
	return bytes;
}

void Trips::insert(Function &function, const Cells &cells, unsigned first) const
{
	DominatorTree dominators(function);
	LoopInfo loops(dominators);
	SmallVector<Instruction *, 4> returns = secondReturns(function);
	std::vector<AllocaInst *> variables;

	for (BasicBlock *header : headers_) {
		Counting counting(function, cells, first,
				  !returns.empty() || losesValues(function));

		count(*loops.getLoopFor(header), counting, returns);
		if (counting.variable())
			variables.push_back(counting.variable());
		first += RAROG_TRIPS_CELLS;
	}
	if (!variables.empty())
		PromoteMemToReg(variables, dominators);
}

} // namespace rarog
