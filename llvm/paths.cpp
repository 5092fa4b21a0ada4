/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which path control takes (src/blocks/path-number.h) is a value that flows with it: of each block
 * what comes in, of each way that plus what the way adds. LLVM makes registers, copies and
 * additions of it where it likes, so ways need no blocks of their own, those of indirect jumps and
 * to landing pads neither. A path that is cut is counted where the next one begins; control that
 * comes there without ending a path counts in a word that is not read. The last block of a path
 * that ends counts it when control comes there, so that it does not matter how the block is left.
 *
 * Paths that something leaves in the middle (exit, exceptions to other functions, longjmp) are not
 * counted. Functions in which setjmp returns twice have none: the value would be that of elsewhere.
 */
#include "pass.h"

#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;

namespace rarog
{

namespace
{

/* How often blocks and ways are expected to be taken; those decide what is added where. */
struct Weights {
	std::vector<uint64_t> blocks, ways;

	Weights(Function &function, const Graph &graph, const rarog_path_numbers &numbers,
		FunctionAnalysisManager &analyses)
	{
		auto &often = analyses.getResult<BlockFrequencyAnalysis>(function);
		auto &likely = analyses.getResult<BranchProbabilityAnalysis>(function);

		for (uint32_t i = 0; i < numbers.n_blocks; i++) {
			uint64_t frequency = often.getBlockFreq(graph.blocks[i]).getFrequency();

			blocks.push_back(frequency);
			for (uint32_t k = numbers.first_way[i]; k < numbers.first_way[i + 1]; k++)
				ways.push_back(
					likely.getEdgeProbability(graph.blocks[i],
								  graph.blocks[numbers.ways[k].to])
						.scale(frequency));
		}
	}
};

/* The code of one function. */
class Tracing
{
	const Graph &graph_;
	const rarog_path_numbers &numbers_;
	const std::vector<uint64_t> &offsets_;
	const Cells &cells_;
	uint64_t first_; /* cell: the one that is not read; path 0 is after it */
	Type *word_;
	std::vector<Value *> in_;      /* of each block */
	std::vector<PHINode *> ended_; /* where paths were cut: cell of the one that was */

	ConstantInt *number(uint64_t value) const
	{
		return ConstantInt::get(cast<IntegerType>(word_), value);
	}
	bool isOnly(uint32_t block) const
	{
		return numbers_.first_way[block + 1] - numbers_.first_way[block] == 1;
	}

	/* @value and @more, where @block ends. */
	Value *plus(uint32_t block, uint64_t more) const
	{
		IRBuilder<> builder(graph_.blocks[block]->getTerminator());

		return more == 0 ? in_[block] : builder.CreateAdd(in_[block], number(more));
	}

	PHINode *flow(uint32_t block) const
	{
		BasicBlock *at = graph_.blocks[block];

		return PHINode::Create(word_, (unsigned)pred_size(at), "", &*at->begin());
	}

	/* Paths are cut on a way here that is not the only one of its source. */
	bool isEnd(uint32_t block) const
	{
		for (const BasicBlock *from : predecessors(graph_.blocks[block])) {
			auto known = graph_.numbers.find(from);
			const rarog_path_way *way = known == graph_.numbers.end()
							    ? nullptr
							    : find(known->second, block);

			if (way && way->is_cut && !isOnly(known->second))
				return true;
		}
		return false;
	}

	/* NULL: never taken. */
	const rarog_path_way *find(uint32_t from, uint32_t to) const
	{
		if (numbers_.n_paths[from] == 0)
			return nullptr;
		for (uint32_t k = numbers_.first_way[from]; k < numbers_.first_way[from + 1]; k++)
			if (numbers_.ways[k].to == to)
				return &numbers_.ways[k];
		return nullptr;
	}

	/* What comes along a way from @from, and which path ends with it. */
	void join(uint32_t from, uint32_t to, Value *&value, Value *&ended) const
	{
		const rarog_path_way *way = find(from, to);

		value = number(0);
		ended = number(first_);
		if (!way)
			return;
		if (!way->is_cut) {
			value = plus(from, way->value + offsets_[from] - offsets_[to]);
			return;
		}
		value = number(numbers_.begins[to] - offsets_[to]);
		if (!isOnly(from))
			ended = plus(from, first_ + 1 + way->value + offsets_[from]);
	}

	void fill(uint32_t block) const
	{
		DenseMap<const BasicBlock *, std::pair<Value *, Value *>> known;
		auto *in = dyn_cast<PHINode>(in_[block]);

		if (!in || in->getParent() != graph_.blocks[block])
			return;
		for (BasicBlock *from : predecessors(graph_.blocks[block])) {
			auto &values = known[from];

			if (!values.first)
				join(graph_.numbers.lookup(from), block, values.first,
				     values.second);
			in->addIncoming(values.first, from);
			if (ended_[block])
				ended_[block]->addIncoming(values.second, from);
		}
	}

	void count(uint32_t block) const
	{
		BasicBlock &code = *graph_.blocks[block];
		uint32_t first = numbers_.first_way[block];
		IRBuilder<> builder(startOf(code));

		if (ended_[block])
			cells_.add(builder, ended_[block], number(1));
		if (first == numbers_.first_way[block + 1])
			cells_.add(
				builder,
				builder.CreateAdd(in_[block], number(first_ + 1 + offsets_[block])),
				number(1));
		if (!isOnly(block) || !numbers_.ways[first].is_cut)
			return;
		builder.SetInsertPoint(code.getTerminator());
		cells_.add(builder,
			   plus(block, first_ + 1 + numbers_.ways[first].value + offsets_[block]),
			   number(1));
	}

	void keepInMemory() const
	{
		for (uint32_t i = 1; i < numbers_.n_blocks; i++) {
			if (in_[i])
				DemotePHIToStack(cast<PHINode>(in_[i]));
			if (ended_[i])
				DemotePHIToStack(ended_[i]);
		}
	}

      public:
	Tracing(const Graph &graph, const rarog_path_numbers &numbers,
		const std::vector<uint64_t> &offsets, const Cells &cells, unsigned first,
		Type *word)
	    : graph_(graph), numbers_(numbers), offsets_(offsets), cells_(cells), first_(first),
	      word_(word), in_(numbers.n_blocks), ended_(numbers.n_blocks)
	{
	}

	void run()
	{
		in_[0] = number(numbers_.begins[0] - offsets_[0]);
		for (uint32_t i = 1; i < numbers_.n_blocks; i++) {
			if (numbers_.n_paths[i] == 0)
				continue;
			in_[i] = flow(i);
			ended_[i] = isEnd(i) ? flow(i) : nullptr;
		}
		for (uint32_t i = 1; i < numbers_.n_blocks; i++)
			if (in_[i])
				fill(i);
		for (uint32_t i = 0; i < numbers_.n_blocks; i++)
			if (in_[i])
				count(i);
		if (losesValues(*graph_.blocks[0]->getParent()))
			keepInMemory();
	}
};

} // namespace

Paths::Paths(Function &function, const Graph &graph, FunctionAnalysisManager &analyses)
    : graph_(graph), numbers_()
{
	int r = secondReturns(function).empty()
			? rarog_path_numbers_make(&graph.flow, RAROG_PATHS_MOST, &numbers_)
			: -E2BIG;

	if (r == -ENOMEM)
		report_fatal_error("rarog: out of memory");
	if (r < 0)
		return;
	Weights weights(function, graph, numbers_, analyses);

	offsets_.resize(numbers_.n_blocks);
	if (rarog_path_numbers_place(&numbers_, weights.ways.data(), weights.blocks.data(),
				     offsets_.data()) < 0)
		report_fatal_error("rarog: out of memory");
}

Paths::~Paths()
{
	rarog_path_numbers_release(&numbers_);
}

unsigned Paths::cells() const
{
	return numbers_.n == 0 ? 0 : (unsigned)numbers_.n + 1;
}

std::string Paths::record() const
{
	return numberBytes(numbers_.n);
}

void Paths::insert(Function &function, const Cells &cells, unsigned first) const
{
	if (numbers_.n > 0)
		Tracing(graph_, numbers_, offsets_, cells, first,
			Type::getInt64Ty(function.getContext()))
			.run();
}

} // namespace rarog
