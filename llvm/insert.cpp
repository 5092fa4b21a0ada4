/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A counter in memory is one instruction, `addq $1, %gs:counter(%rip)`. In an innermost loop that
 * nothing can leave unseen it is a register instead, and added to memory where the loop ends; what
 * a killed program loses is then at most the counts of the innermost loop it was in.
 */
#include "pass.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

using namespace llvm;

namespace rarog
{

namespace
{

/* LLVM's name for "relative to GS". */
constexpr unsigned GS = 256;

/* A counter, and where it counts. */
struct Site {
	BasicBlock *block;
	bool is_at_end;
	unsigned counter;
};

class Inserter
{
	Function &function_;
	GlobalVariable *counters_;
	const Options &options_;
	Type *word_;
	Value *of_thread_; /* libraries: the thread's counters, less a byte */

	/* Behind the variables of the function, which must stay together. */
	Instruction *start(BasicBlock &block) const
	{
		BasicBlock::iterator at = block.getFirstInsertionPt();

		while (isa<AllocaInst>(*at))
			++at;
		return &*at;
	}

	Value *address(IRBuilder<> &builder, unsigned counter) const
	{
		Type *number = builder.getInt32Ty();

		if (of_thread_)
			return builder.CreateIntToPtr(
				builder.CreateAdd(
					of_thread_,
					ConstantInt::get(word_, 8 * (uint64_t)counter - 1)),
				PointerType::get(word_, 0));
		Constant *place = ConstantExpr::getInBoundsGetElementPtr(
			counters_->getValueType(), counters_,
			ArrayRef<Constant *>{ ConstantInt::get(number, 0),
					      ConstantInt::get(number, counter) });

		if (options_.threads != RAROG_BLOCKS_GS)
			return place;
		return ConstantExpr::getIntToPtr(ConstantExpr::getPtrToInt(place, word_),
						 PointerType::get(word_, GS));
	}

	void add(IRBuilder<> &builder, unsigned counter, Value *amount) const
	{
		Value *at = address(builder, counter);

		if (options_.threads == RAROG_BLOCKS_ATOMIC) {
			builder.CreateAtomicRMW(AtomicRMWInst::Add, at, amount, MaybeAlign(8),
						AtomicOrdering::Monotonic);
			return;
		}
		builder.CreateStore(builder.CreateAdd(builder.CreateLoad(word_, at), amount), at);
	}

      public:
	Inserter(Function &function, GlobalVariable *counters, const Options &options)
	    : function_(function), counters_(counters), options_(options),
	      word_(Type::getInt64Ty(function.getContext())),
	      of_thread_(options.threads == RAROG_BLOCKS_SLOT ? findCounters(function, counters)
							      : nullptr)
	{
	}

	void count(const Site &site) const
	{
		IRBuilder<> builder(site.is_at_end ? site.block->getTerminator()
						   : start(*site.block));

		add(builder, site.counter, ConstantInt::get(word_, 1));
	}

	/* What is special in inline assembler, as itself. */
	static std::string quoted(const std::string &text)
	{
		std::string result;

		for (char c : text)
			result += c == '$' ? std::string("$$") : std::string(1, c);
		return result;
	}

	/* @value and 1, added by an instruction whose place is known in the linked file. LLVM would
	 * else make one of this and the loop's own variables, which takes more instructions. */
	Value *addInLoop(IRBuilder<> &builder, unsigned counter, Value *value) const
	{
		Constant *place = ConstantExpr::getInBoundsGetElementPtr(
			counters_->getValueType(), counters_,
			ArrayRef<Constant *>{ builder.getInt32(0), builder.getInt32(counter) });
		FunctionType *type = FunctionType::get(word_, { word_, place->getType() }, false);
		/* what the linker goes on with may end up in another function */
		std::string which = counters_->hasInitializer()
					    ? "\n.uleb128 1\n.quad ${2:c}"
					    : "\n.uleb128 " + std::to_string(2 * (uint64_t)counter);
		std::string text =
			"1:\taddq $$1, $0\n" +
			quoted(sectionWith(function_, RAROG_BLOCKS_SITES, "", "@progbits")) +
			"\n.quad 1b" + which + "\n.popsection";
		CallInst *call = builder.CreateCall(
			type, InlineAsm::get(type, text, "=r,0,i,~{flags}", false),
			{ value, place });

		call->setDoesNotThrow();
		call->setDoesNotAccessMemory();
		return call;
	}

	/* Count in a variable that is zero when @loop begins and added to memory when it ends. */
	AllocaInst *countInLoop(const Site &site, const Loop &loop) const
	{
		SmallVector<BasicBlock *, 8> exits;
		IRBuilder<> builder(&*function_.getEntryBlock().begin());
		AllocaInst *sum = builder.CreateAlloca(word_);

		builder.SetInsertPoint(loop.getLoopPreheader()->getTerminator());
		builder.CreateStore(ConstantInt::get(word_, 0), sum);
		builder.SetInsertPoint(site.is_at_end ? site.block->getTerminator()
						      : start(*site.block));
		builder.CreateStore(
			addInLoop(builder, site.counter, builder.CreateLoad(word_, sum)), sum);
		loop.getUniqueExitBlocks(exits);
		for (BasicBlock *exit : exits) {
			builder.SetInsertPoint(start(*exit));
			add(builder, site.counter, builder.CreateLoad(word_, sum));
		}
		return sum;
	}
};

/* Splits edges, so this comes first. */
std::vector<Site> find_sites(const Graph &graph)
{
	CriticalEdgeSplittingOptions splitting;
	std::vector<Site> sites;

	splitting.setMergeIdenticalEdges();
	for (size_t i = 0; i < graph.edges.size(); i++) {
		const struct rarog_flow_edge &edge = graph.edges[i];
		auto counter = (unsigned)sites.size();

		if (edge.state != RAROG_FLOW_COUNTED)
			continue;
		if (i < graph.blocks.size()) {
			sites.push_back({ graph.blocks[i], false, counter });
		} else if (!edge.is_split) {
			sites.push_back({ graph.from(edge), true, counter });
		} else {
			Instruction *end = graph.from(edge)->getTerminator();
			unsigned way = 0;

			while (end->getSuccessor(way) != graph.to(edge))
				way++;
			BasicBlock *between = SplitCriticalEdge(end, way, splitting);
			assert(between && "an edge that can be split");
			sites.push_back({ between, false, counter });
		}
	}
	return sites;
}

bool can_keep_in_register(Loop &loop, const Leaving &leaving)
{
	SmallVector<BasicBlock *, 8> exits;

	for (BasicBlock *block : loop.blocks())
		if (leaving.mayLeave(*block) || isa<IndirectBrInst>(block->getTerminator()) ||
		    isa<CallBrInst>(block->getTerminator()))
			return false;
	loop.getUniqueExitBlocks(exits);
	for (BasicBlock *exit : exits)
		if (exit->isEHPad())
			return false;
	return !exits.empty();
}

/* A block before the loop and blocks behind it that belong to it alone. */
bool give_it_ends(Loop &loop, DominatorTree &dominators, LoopInfo &loops)
{
	if (!loop.getLoopPreheader() &&
	    !InsertPreheaderForLoop(&loop, &dominators, &loops, nullptr, false))
		return false;
	formDedicatedExitBlocks(&loop, &dominators, &loops, nullptr, false);
	return loop.hasDedicatedExits();
}

using LoopSites = MapVector<Loop *, SmallVector<Site, 4>>;

/* The counters of each innermost loop. What is in none is counted in memory at once. */
LoopSites sites_of_loops(const std::vector<Site> &sites, const Inserter &inserter, LoopInfo &loops)
{
	LoopSites chosen;

	for (const Site &site : sites) {
		Loop *loop = loops.getLoopFor(site.block);

		if (loop && loop->isInnermost())
			chosen[loop].push_back(site);
		else
			inserter.count(site);
	}
	return chosen;
}

} // namespace

void insertCounters(Function &function, const Graph &graph, GlobalVariable *counters,
		    const Leaving &leaving, const Options &options)
{
	std::vector<Site> sites = find_sites(graph);

	if (sites.empty() && options.placement != RAROG_BLOCKS_BOTH)
		return;
	Inserter inserter(function, counters, options);
	DominatorTree dominators(function);
	LoopInfo loops(dominators);
	std::vector<AllocaInst *> sums;

	for (auto &[loop, of_loop] : sites_of_loops(sites, inserter, loops)) {
		bool is_possible = of_loop.size() <= options.promote &&
				   can_keep_in_register(*loop, leaving) &&
				   give_it_ends(*loop, dominators, loops);

		for (const Site &site : of_loop) {
			if (is_possible)
				sums.push_back(inserter.countInLoop(site, *loop));
			else
				inserter.count(site);
		}
	}
	if (!sums.empty())
		PromoteMemToReg(sums, dominators);
	if (options.placement != RAROG_BLOCKS_BOTH)
		return;
	for (unsigned i = 0; i < graph.blocks.size(); i++)
		inserter.count({ graph.blocks[i], false, graph.n_counters + i });
}

} // namespace rarog
