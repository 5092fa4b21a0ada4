/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From LLVM's blocks to the flow of src/blocks. Edges whose count is that of a block (the only one
 * out of it, or into it) are blind: a counter of their own says nothing new. The others can be
 * counted at the end of a block that has no other way on, or in a block of their own; where LLVM
 * cannot make one (indirect jumps, landing pads) they are blind as well, and the blocks at their
 * ends are counted.
 */
#include "pass.h"

#include "blocks/flow-patterns.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace rarog
{

static uint64_t frequency(BasicBlock &block, FunctionAnalysisManager &analyses)
{
	auto &frequencies = analyses.getResult<BlockFrequencyAnalysis>(*block.getParent());

	return frequencies.getBlockFreq(&block).getFrequency();
}

/* A quarter more for the jump that a block in between may cost. */
static uint64_t split_weight(BasicBlock &from, BasicBlock &to, FunctionAnalysisManager &analyses)
{
	auto &likely = analyses.getResult<BranchProbabilityAnalysis>(*from.getParent());
	uint64_t weight = likely.getEdgeProbability(&from, &to).scale(frequency(from, analyses));

	return weight > UINT64_MAX - weight / 4 ? weight : weight + weight / 4;
}

static bool can_split(const BasicBlock &from, const BasicBlock &to)
{
	const Instruction *end = from.getTerminator();

	return !isa<IndirectBrInst>(end) && !isa<CallBrInst>(end) && !to.isEHPad();
}

void Graph::addEdge(BasicBlock &from, BasicBlock &to, bool is_only, bool leaves,
		    FunctionAnalysisManager &analyses, const Options &options)
{
	struct rarog_flow_edge edge = { RAROG_FLOW_OUT(numbers[&from]), RAROG_FLOW_IN(numbers[&to]),
					RAROG_FLOW_BLIND, false, 0 };
	bool is_a_block = (is_only && !leaves) || to.getUniquePredecessor();

	if (!is_a_block && options.placement != RAROG_BLOCKS_EVERY &&
	    options.placement != RAROG_BLOCKS_PATTERNS && (is_only || can_split(from, to))) {
		edge.state = RAROG_FLOW_FREE;
		edge.is_split = !is_only;
		edge.weight =
			is_only ? frequency(from, analyses) : split_weight(from, to, analyses);
	}
	edges.push_back(edge);
}

/* A jump or return alone says nothing that is shown. */
static bool may_stop(const BasicBlock &block, const Leaving &leaving)
{
	bool may_have_left = false;

	for (const Instruction &instruction : block) {
		if (may_have_left && !isa<DbgInfoIntrinsic>(instruction) &&
		    !instruction.isTerminator())
			return true;
		may_have_left |= leaving.mayLeave(instruction);
	}
	return false;
}

void Graph::addBlock(BasicBlock &block, FunctionAnalysisManager &analyses, const Leaving &leaving,
		     const Options &options)
{
	SmallSetVector<BasicBlock *, 8> next(succ_begin(&block), succ_end(&block));
	bool leaves = leaving.mayLeave(block);

	stops.push_back(leaves && may_stop(block, leaving));
	for (BasicBlock *to : next)
		addEdge(block, *to, next.size() == 1, leaves, analyses, options);
	if (leaves || next.empty())
		edges.push_back({ RAROG_FLOW_OUT(numbers[&block]), RAROG_FLOW_OUTSIDE,
				  RAROG_FLOW_BLIND, false, 0 });
}

static uint64_t entries_of(const Loop &loop, FunctionAnalysisManager &analyses)
{
	uint64_t entries = 0;

	for (BasicBlock *from : predecessors(loop.getHeader()))
		if (!loop.contains(from))
			entries += split_weight(*from, *loop.getHeader(), analyses);
	return entries;
}

/* A loop around loops cannot have its counters in registers. If a variable tells its rounds, they
 * cost some four instructions where it ends, and nothing in the loop. What a killed program loses
 * is to be little: of deeper nests the two innermost levels. */
void Graph::findLoops(Function &function, FunctionAnalysisManager &analyses, const Leaving &leaving)
{
	auto &loops = analyses.getResult<LoopAnalysis>(function);

	for (Loop *loop : loops.getLoopsInPreorder()) {
		bool is_second = !loop->isInnermost() && all_of(*loop, [](const Loop *inner) {
			return inner->isInnermost();
		});

		if (!is_second || !hasSeenEnds(*loop, leaving))
			continue;
		Rounds found =
			findRounds(*loop, analyses.getResult<ScalarEvolutionAnalysis>(function));
		uint64_t cost = 4 * entries_of(*loop, analyses);
		uint64_t &weight = edges[numbers[loop->getHeader()]].weight;

		if (found.variable && cost < weight) {
			weight = cost;
			rounds[loop->getHeader()] = found;
		}
	}
}

Graph::Graph(Function &function, FunctionAnalysisManager &analyses, const Leaving &leaving,
	     const Options &options)
{
	bool is_every = options.placement == RAROG_BLOCKS_EVERY;

	for (BasicBlock &block : function) {
		uint32_t number = (uint32_t)blocks.size();

		numbers[&block] = number;
		blocks.push_back(&block);
		frequencies.push_back(frequency(block, analyses));
		edges.push_back({ RAROG_FLOW_IN(number), RAROG_FLOW_OUT(number),
				  is_every ? RAROG_FLOW_COUNTED : RAROG_FLOW_FREE, false,
				  frequencies.back() });
	}
	if (options.promote > 0 &&
	    (options.placement == RAROG_BLOCKS_TREE || options.placement == RAROG_BLOCKS_BOTH))
		findLoops(function, analyses, leaving);
	edges.push_back({ RAROG_FLOW_OUTSIDE, RAROG_FLOW_IN(0), RAROG_FLOW_BLIND, false, 0 });
	for (BasicBlock *block : blocks)
		addBlock(*block, analyses, leaving, options);
	flow = { blocks.size(), edges.size(), edges.data() };
	if (options.placement == RAROG_BLOCKS_PATTERNS &&
	    rarog_flow_find_patterns(&flow, nullptr) < 0)
		report_fatal_error("rarog: out of memory");
	if (rarog_flow_place(&flow) < 0)
		report_fatal_error("rarog: out of memory");
	n_counters = 0;
	for (const struct rarog_flow_edge &edge : edges)
		n_counters += edge.state == RAROG_FLOW_COUNTED;
}

} // namespace rarog
