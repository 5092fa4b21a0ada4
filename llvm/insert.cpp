/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A counter in memory is one instruction, `incq %gs:counter(%rip)`. In an innermost loop that
 * nothing can leave unseen it is a register instead, and added to memory where the loop ends, and
 * of the loop around it a variable may tell the rounds (rounds.cpp); what a killed program loses is
 * then at most the counts of the two innermost loops it was in.
 */
#include "pass.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
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

/* Instructions for each time that a loop counts, if its counters are registers. */
constexpr unsigned SHORT = 12;

/* A counter, and where it counts. */
struct Site {
	BasicBlock *block;
	bool is_at_end;
	unsigned counter;
	uint64_t frequency; /* expected, as those of the graph's blocks */
};

bool is_same(const CmpInst &a, const CmpInst &b)
{
	return (a.getOperand(0) == b.getOperand(0) && a.getOperand(1) == b.getOperand(1)) ||
	       (a.getOperand(0) == b.getOperand(1) && a.getOperand(1) == b.getOperand(0));
}

/* Of the decision that leads to @block and nowhere else. */
const CmpInst *comparison_before(const BasicBlock &block)
{
	const BasicBlock *before = block.getSinglePredecessor();
	const auto *way = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;

	return way && way->isConditional() ? dyn_cast<CmpInst>(way->getCondition()) : nullptr;
}

/* Does @block, which calls nothing, use the flags that led to it? Its counter is after that, since
 * counting changes them. */
bool uses_flags(const BasicBlock &block)
{
	const CmpInst *made = comparison_before(block);
	bool is_used = false;

	for (const Instruction &instruction : block) {
		const auto *again = dyn_cast<CmpInst>(&instruction);

		if (isa<CallBase>(instruction) && !isa<DbgInfoIntrinsic>(instruction))
			return false;
		is_used |= made && again && is_same(*again, *made);
	}
	return is_used;
}

class Inserter
{
	Function &function_;
	GlobalVariable *counters_;
	const Options &options_;
	Type *word_;
	Value *of_thread_; /* libraries: the thread's counters, less a byte */

	/* After the variables of the function, which must stay together. */
	Instruction *start(BasicBlock &block) const
	{
		BasicBlock::iterator at = block.getFirstInsertionPt();

		while (isa<AllocaInst>(*at))
			++at;
		return &*at;
	}

	Instruction *place(const Site &site) const
	{
		return site.is_at_end || uses_flags(*site.block) ? site.block->getTerminator()
								 : start(*site.block);
	}

	Constant *counter_at(unsigned counter) const
	{
		Type *number = Type::getInt32Ty(function_.getContext());

		return ConstantExpr::getInBoundsGetElementPtr(
			counters_->getValueType(), counters_,
			ArrayRef<Constant *>{ ConstantInt::get(number, 0),
					      ConstantInt::get(number, counter) });
	}

	Value *address(IRBuilder<> &builder, unsigned counter) const
	{
		if (of_thread_)
			return builder.CreateIntToPtr(
				builder.CreateAdd(
					of_thread_,
					ConstantInt::get(word_, 8 * (uint64_t)counter - 1)),
				PointerType::get(word_, 0));
		Constant *place = counter_at(counter);

		if (options_.threads != RAROG_BLOCKS_GS)
			return place;
		return ConstantExpr::getIntToPtr(ConstantExpr::getPtrToInt(place, word_),
						 PointerType::get(word_, GS));
	}

	/* LLVM would else bring the counter to what @amount is the sum of: more instructions, and a
	 * signal handler may count between reading and writing. */
	Value *asOne(IRBuilder<> &builder, Value *amount) const
	{
		FunctionType *type = FunctionType::get(word_, { word_ }, false);
		CallInst *call = builder.CreateCall(type, InlineAsm::get(type, "", "=r,0", false),
						    { amount });

		call->setDoesNotThrow();
		call->setDoesNotAccessMemory();
		return call;
	}

	void addText(IRBuilder<> &builder, const char *text, const char *operands,
		     ArrayRef<Value *> values) const
	{
		SmallVector<Type *, 2> types;

		for (const Value *value : values)
			types.push_back(value->getType());
		FunctionType *type = FunctionType::get(builder.getVoidTy(), types, false);
		builder.CreateCall(type, InlineAsm::get(type, text, operands, true), values)
			->setDoesNotThrow();
	}

	void add(IRBuilder<> &builder, unsigned counter, Value *amount) const
	{
		if (isText()) {
			addText(builder, "addq $1, %gs:${0:c}(%rip)", "i,r,~{flags}",
				{ counter_at(counter), amount });
			return;
		}
		Value *at = address(builder, counter);

		if (options_.threads == RAROG_BLOCKS_ATOMIC) {
			builder.CreateAtomicRMW(AtomicRMWInst::Add, at, amount, MaybeAlign(8),
						AtomicOrdering::Monotonic);
			return;
		}
		if (!isa<Constant>(amount))
			amount = asOne(builder, amount);
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

	/* LLVM's own choice is a byte longer, and it would keep the order of that and what the
	 * program reads, which takes registers; its fast instruction selection (-O0) makes three of
	 * it. Where the linker goes on (LTO), its
	 * optimiser knows what a sum in memory does, and nothing of text. */
	bool isText() const
	{
		return options_.threads == RAROG_BLOCKS_GS &&
		       !function_.getParent()->getModuleFlag("Code Model") &&
		       (function_.hasOptNone() || !counters_->hasInitializer());
	}

	void count(const Site &site) const
	{
		IRBuilder<> builder(place(site));

		if (isText())
			addText(builder, "incq %gs:${0:c}(%rip)", "i,~{flags}",
				{ counter_at(site.counter) });
		else
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

	/* A line of the table of sites: label 1 runs as often as @counter says. @operand has its
	 * address. */
	std::string siteOf(unsigned counter, const char *operand) const
	{
		/* what the linker goes on with may end up in another function */
		std::string which = counters_->hasInitializer()
					    ? std::string("\n.uleb128 1\n.quad ") + operand
					    : "\n.uleb128 " + std::to_string(2 * (uint64_t)counter);

		return quoted(sectionWith(function_, RAROG_BLOCKS_SITES, "", "@progbits")) +
		       "\n.quad 1b" + which + "\n.popsection";
	}

	/* @value and 1, added by an instruction whose place is known in the linked file. LLVM would
	 * else make one of this and the loop's own variables, which takes more instructions. */
	Value *addInLoop(IRBuilder<> &builder, unsigned counter, Value *value) const
	{
		Constant *place = counter_at(counter);
		FunctionType *type = FunctionType::get(word_, { word_, place->getType() }, false);
		std::string text = "1:\taddq $$1, $0\n" + siteOf(counter, "${2:c}");
		CallInst *call = builder.CreateCall(
			type, InlineAsm::get(type, text, "=r,0,i,~{flags}", false),
			{ value, place });

		call->setDoesNotThrow();
		call->setDoesNotAccessMemory();
		return call;
	}

	/* Where @block runs as often as the counter says, without an instruction that counts. */
	void mark(BasicBlock &block, unsigned counter) const
	{
		IRBuilder<> builder(start(block));
		Constant *place = counter_at(counter);
		FunctionType *type =
			FunctionType::get(builder.getVoidTy(), { place->getType() }, false);
		std::string text = "1:\n" + siteOf(counter, "${0:c}");

		builder.CreateCall(type, InlineAsm::get(type, text, "i", true), { place })
			->setDoesNotThrow();
	}

	/* After @loop, what a variable of it says of its rounds. */
	void countRounds(const Site &site, Loop &loop, const Rounds &rounds,
			 DominatorTree &dominators, LoopInfo &loops) const
	{
		SmallVector<BasicBlock *, 8> exits;

		partEnds(rounds, loop, dominators, loops);
		loop.getUniqueExitBlocks(exits);
		for (BasicBlock *exit : exits) {
			IRBuilder<> builder(start(*exit));

			add(builder, site.counter,
			    roundsBehind(builder, rounds, loop, *exit, dominators));
		}
		mark(*site.block, site.counter);
	}

	/* Count in a variable that is zero when @loop begins and added to memory when it ends. */
	AllocaInst *countInLoop(const Site &site, const Loop &loop) const
	{
		SmallVector<BasicBlock *, 8> exits;
		IRBuilder<> builder(&*function_.getEntryBlock().begin());
		AllocaInst *sum = builder.CreateAlloca(word_);

		builder.SetInsertPoint(loop.getLoopPreheader()->getTerminator());
		builder.CreateStore(ConstantInt::get(word_, 0), sum);
		builder.SetInsertPoint(place(site));
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
			sites.push_back({ graph.blocks[i], false, counter, graph.frequencies[i] });
		} else if (!edge.is_split) {
			sites.push_back({ graph.from(edge), true, counter, edge.weight });
		} else {
			Instruction *end = graph.from(edge)->getTerminator();
			unsigned way = 0;

			while (end->getSuccessor(way) != graph.to(edge))
				way++;
			BasicBlock *between = SplitCriticalEdge(end, way, splitting);
			assert(between && "an edge that can be split");
			sites.push_back({ between, false, counter, edge.weight / 5 * 4 });
		}
	}
	return sites;
}

/* A call is at least as long as a round may be, and registers across it would have to be saved. */
unsigned code_size(const BasicBlock &block)
{
	unsigned n = 0;

	for (const Instruction &instruction : block) {
		const auto *call = dyn_cast<CallBase>(&instruction);

		if (call && !isa<IntrinsicInst>(call) && !call->isInlineAsm())
			n += SHORT;
		else
			n += !isa<PHINode>(instruction) && !isa<DbgInfoIntrinsic>(instruction);
	}
	return n;
}

/* Is much of what LLVM expects to run in @loop counting? A short round waits for its counter in
 * memory; a long one does not, and the register would be needed for something else. */
bool is_short(const Loop &loop, ArrayRef<Site> sites, const Graph &graph)
{
	double executed = 0, counted = 0;

	for (const BasicBlock *block : loop.blocks()) {
		auto known = graph.numbers.find(block);

		if (known != graph.numbers.end())
			executed += (double)graph.frequencies[known->second] * code_size(*block);
	}
	for (const Site &site : sites)
		counted += (double)site.frequency;
	return executed <= SHORT * counted;
}

/* A block before the loop and blocks after it that belong to it alone. */
bool give_it_ends(Loop &loop, DominatorTree &dominators, LoopInfo &loops)
{
	if (!loop.getLoopPreheader() &&
	    !InsertPreheaderForLoop(&loop, &dominators, &loops, nullptr, false))
		return false;
	formDedicatedExitBlocks(&loop, &dominators, &loops, nullptr, false);
	return loop.hasDedicatedExits();
}

using LoopSites = MapVector<Loop *, SmallVector<Site, 4>>;

/* Is it the header of a loop whose rounds are counted after it? */
const Rounds *rounds_of(const Graph &graph, const Site &site)
{
	auto found = graph.rounds.find(site.block);

	return site.is_at_end || found == graph.rounds.end() ? nullptr : &found->second;
}

/* The counters of each innermost loop. What is in none is counted at once. */
LoopSites sites_of_loops(const std::vector<Site> &sites, const Graph &graph,
			 const Inserter &inserter, DominatorTree &dominators, LoopInfo &loops)
{
	LoopSites chosen;

	for (const Site &site : sites) {
		Loop *loop = loops.getLoopFor(site.block);
		const Rounds *rounds = rounds_of(graph, site);

		if (rounds && give_it_ends(*loop, dominators, loops)) {
			inserter.countRounds(site, *loop, *rounds, dominators, loops);
			continue;
		}

		if (loop && loop->isInnermost())
			chosen[loop].push_back(site);
		else
			inserter.count(site);
	}
	return chosen;
}

} // namespace

bool hasSeenEnds(const Loop &loop, const Leaving &leaving)
{
	SmallVector<BasicBlock *, 8> exits;

	for (const BasicBlock *block : loop.blocks())
		if (leaving.mayLeave(*block) || isa<IndirectBrInst>(block->getTerminator()) ||
		    isa<CallBrInst>(block->getTerminator()))
			return false;
	loop.getUniqueExitBlocks(exits);
	for (BasicBlock *exit : exits)
		if (exit->isEHPad())
			return false;
	return !exits.empty();
}

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

	for (auto &[loop, of_loop] : sites_of_loops(sites, graph, inserter, dominators, loops)) {
		bool is_possible = of_loop.size() <= options.promote &&
				   is_short(*loop, of_loop, graph) && hasSeenEnds(*loop, leaving) &&
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
		inserter.count({ graph.blocks[i], false, graph.n_counters + i, 0 });
}

} // namespace rarog
