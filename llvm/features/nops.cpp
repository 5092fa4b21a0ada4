/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Room for probes at the edges of regions: five bytes of nops where the stack of open regions
 * changes. They are put in when the optimizer is done, so that they are in nobody's way; of which
 * piece an instruction is, its source location still says.
 */
#include "features.h"
#include "list.h"

#include "feature/region-file.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace rarog
{

namespace
{

using Stack = RegionList::Stack;

/* What is less was moved there by the optimizer. */
constexpr unsigned least_weight = 4;

/* Instructions of a block one after the other with the same regions open. */
struct Run {
	Instruction *first;
	Stack stack;
	unsigned weight;
};

class Room
{
	const RegionList &list_;
	InlineAsm *nops_;
	std::map<const BasicBlock *, std::vector<Run>> runs_;

	bool stackOf(const Instruction &instruction, Stack &ret) const;
	std::vector<Run> runsOf(BasicBlock &block) const;
	void inheritRuns(BasicBlock &block);
	const Stack &enters(const BasicBlock &block) const
	{
		return runs_.at(&block).front().stack;
	}
	const Stack &leaves(const BasicBlock &block) const
	{
		return runs_.at(&block).back().stack;
	}
	void put(Instruction *before);
	void putWithin(BasicBlock &block);
	void putInto(BasicBlock &block);
	bool putEdge(BasicBlock &from, BasicBlock &to);
	void putEnd(BasicBlock &block);

      public:
	Room(Module &module, const RegionList &list);
	void putIn(Function &function);
};

Room::Room(Module &module, const RegionList &list) : list_(list)
{
	auto *type = FunctionType::get(Type::getVoidTy(module.getContext()), false);

	nops_ = InlineAsm::get(type, ".byte " RAROG_REGION_NOPS_TEXT, "", true);
}

/* Between a call and the return of what it returned. */
bool isNothing(const Instruction &instruction)
{
	return isa<PHINode>(instruction) || isa<CastInst>(instruction) ||
	       isa<ExtractValueInst>(instruction) ||
	       (isa<IntrinsicInst>(instruction) &&
		cast<IntrinsicInst>(instruction).isAssumeLikeIntrinsic());
}

const ReturnInst *returnOnlyOf(const BasicBlock &block)
{
	const Instruction *last = block.getTerminator();

	if (!all_of(block, [&](const Instruction &one) { return &one == last || isNothing(one); }))
		return nullptr;
	return dyn_cast<ReturnInst>(last);
}

bool returnsIts(const ReturnInst &last, const CallInst &call)
{
	const Value *value = last.getReturnValue();
	const auto *phi = dyn_cast_or_null<PHINode>(value);

	if (phi && phi->getParent() == last.getParent() && last.getParent() != call.getParent())
		value = phi->getIncomingValueForBlock(call.getParent());
	while (value && (isa<CastInst>(value) || isa<ExtractValueInst>(value)))
		value = cast<Instruction>(value)->getOperand(0);
	return !value || isa<UndefValue>(value) || value == &call ||
	       value == call.getReturnedArgOperand();
}

/* The call at the end of @block that becomes a jump, which nops after it would forbid. */
const CallInst *jumpOf(const BasicBlock &block)
{
	const Instruction *at = block.getTerminator();
	const BasicBlock *next = block.getSingleSuccessor();
	const auto *last = dyn_cast<ReturnInst>(at);

	if (!last && next)
		last = returnOnlyOf(*next);
	do
		at = at->getPrevNode();
	while (at && isNothing(*at));
	const auto *call = dyn_cast_or_null<CallInst>(at);
	return last && call && call->isTailCall() && returnsIts(*last, *call) ? call : nullptr;
}

/* The stack of a program whose functions go on by jumps must not grow. */
bool keepsJumps(const Instruction &before)
{
	const BasicBlock &block = *before.getParent();
	const CallInst *jump = jumpOf(block);

	if (jump && jump->comesBefore(&before))
		return false;
	return !returnOnlyOf(block) ||
	       none_of(predecessors(&block), [](const BasicBlock *one) { return jumpOf(*one); });
}

void Room::put(Instruction *before)
{
	if (!keepsJumps(*before))
		return;
	IRBuilder<> builder(before);

	builder.SetCurrentDebugLocation(DebugLoc());
	builder.CreateCall(nops_)->setDoesNotThrow();
}

/* Nothing is known of what the optimizer made. */
bool Room::stackOf(const Instruction &instruction, Stack &ret) const
{
	SmallVector<const DILocation *, 8> places;

	for (const DILocation *at = instruction.getDebugLoc(); at; at = at->getInlinedAt())
		places.push_back(at);
	if (places.empty() || places.front()->getDiscriminator() == 0)
		return false;
	ret.clear();
	for (size_t i = places.size(); i-- > 0;)
		list_.add(places[i]->getDiscriminator(), ret);
	return true;
}

unsigned weightOf(const Instruction &instruction)
{
	if (isa<CallBase>(instruction))
		return isa<IntrinsicInst>(instruction) ? 1 : 2 * least_weight;
	return instruction.isTerminator() ? least_weight : 1;
}

void append(std::vector<Run> &runs, const Run &run)
{
	if (!runs.empty() && runs.back().stack == run.stack)
		runs.back().weight += run.weight;
	else
		runs.push_back(run);
}

std::vector<Run> Room::runsOf(BasicBlock &block) const
{
	std::vector<Run> all, kept;
	Stack stack;

	for (Instruction &instruction : block)
		if (!isa<PHINode>(instruction) && !isa<DbgInfoIntrinsic>(instruction) &&
		    stackOf(instruction, stack))
			append(all, { &instruction, stack, weightOf(instruction) });
	for (const Run &run : all)
		if (run.weight >= least_weight)
			append(kept, run);
	return kept.empty() ? all : kept;
}

/* Of a block that says nothing. */
void Room::inheritRuns(BasicBlock &block)
{
	Stack stack;

	for (BasicBlock *before : predecessors(&block))
		if (runs_.count(before)) {
			stack = leaves(*before);
			break;
		}
	runs_[&block] = { { block.getTerminator(), stack, 0 } };
}

void Room::putWithin(BasicBlock &block)
{
	const std::vector<Run> &runs = runs_.at(&block);

	for (size_t i = 1; i < runs.size(); i++)
		put(runs[i].first);
}

bool endsOnly(const Stack &from, const Stack &to)
{
	return to.size() < from.size() && std::equal(to.begin(), to.end(), from.begin());
}

/* Return: the ends of regions there are to be at the head of @to. */
bool Room::putEdge(BasicBlock &from, BasicBlock &to)
{
	Instruction *last = from.getTerminator();

	if (leaves(from) == enters(to))
		return false;
	if (last->getNumSuccessors() == 1) {
		put(last);
		return false;
	}
	if (endsOnly(leaves(from), enters(to)) || isa<IndirectBrInst>(last) ||
	    isa<CallBrInst>(last))
		return true;
	for (unsigned i = 0; i < last->getNumSuccessors(); i++)
		if (last->getSuccessor(i) == &to)
			if (BasicBlock *made = SplitCriticalEdge(last, i))
				put(made->getTerminator());
	return false;
}

void Room::putInto(BasicBlock &block)
{
	std::set<BasicBlock *> before(pred_begin(&block), pred_end(&block));
	std::set<Stack> stacks;
	bool is_at_head = false;

	if (block.isEHPad())
		return;
	for (BasicBlock *one : before)
		if (runs_.count(one))
			stacks.insert(leaves(*one));
	if (before.empty())
		stacks.insert(Stack());
	if (stacks.size() == 1)
		is_at_head = *stacks.begin() != enters(block);
	else
		for (BasicBlock *one : before)
			is_at_head |= runs_.count(one) && putEdge(*one, block);
	if (is_at_head)
		put(&*block.getFirstInsertionPt());
}

void Room::putEnd(BasicBlock &block)
{
	Instruction *last = block.getTerminator();

	if (isa<ReturnInst>(last) && !leaves(block).empty())
		put(last);
}

void Room::putIn(Function &function)
{
	ReversePostOrderTraversal<Function *> order(&function);
	std::vector<BasicBlock *> blocks(order.begin(), order.end());
	bool has_regions = false;

	runs_.clear();
	for (BasicBlock *block : blocks) {
		std::vector<Run> runs = runsOf(*block);

		for (const Run &run : runs)
			has_regions |= !run.stack.empty();
		if (runs.empty())
			inheritRuns(*block);
		else
			runs_[block] = runs;
	}
	if (!has_regions)
		return;
	for (BasicBlock *block : blocks) {
		putWithin(*block);
		putEnd(*block);
		putInto(*block);
	}
}

} // namespace

void leaveRoom(Module &module, const RegionList &list)
{
	Room room(module, list);

	for (Function &function : module)
		if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
		    !function.hasFnAttribute(Attribute::Naked))
			room.putIn(function);
}

} // namespace rarog
