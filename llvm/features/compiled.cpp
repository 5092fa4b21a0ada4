/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Regions that are compiled in: where the stack of open regions changes from one piece of code to
 * the next, calls that begin and end them. Which regions are open in which piece a list says, which
 * rarog feature regions --write made of the program as it was compiled before; pieces have the same
 * numbers each time that a source is compiled.
 */
#include "features.h"
#include "list.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace rarog
{

namespace
{

using Stack = RegionList::Stack;

class Insertion
{
	Module &module_;
	const RegionList &list_;
	FunctionCallee begin_, end_, settle_;
	bool is_used_ = false;

	/* Of one function. */
	Function *function_ = nullptr;
	Value *frame_ = nullptr;
	DenseMap<const BasicBlock *, Stack> at_, after_; /* in a block, and where it ends */
	std::map<Instruction *, Stack> calls_;           /* through pointers */
	std::set<unsigned> all_;
	std::map<unsigned, const BasicBlock *> decisions_;
	std::unique_ptr<DominatorTree> dominators_;

	bool isBefore(const BasicBlock *block, unsigned region) const;
	Value *frame();
	void call(IRBuilder<> &builder, FunctionCallee callee, unsigned region);
	void change(Instruction *before, const Stack &from, const Stack &to,
		    const BasicBlock *into = nullptr);
	bool read(unsigned first);
	void insertEdges(BasicBlock &block);
	void insertEdge(BasicBlock &block, unsigned number);
	void insertEnd(BasicBlock &block);
	void insertCalls();
	void settle(Instruction *before, const Stack &keep);

      public:
	Insertion(Module &module, const RegionList &list);
	void insert(Function &function, unsigned first);
	bool isUsed() const
	{
		return is_used_;
	}
	bool hasFrame() const
	{
		return frame_ != nullptr;
	}
};

Insertion::Insertion(Module &module, const RegionList &list) : module_(module), list_(list)
{
	LLVMContext &context = module.getContext();
	Type *none = Type::getVoidTy(context), *number = Type::getInt32Ty(context);
	Type *pointer = PointerType::get(Type::getInt8Ty(context), 0);

	begin_ = module.getOrInsertFunction("__rarog_region_begin", none, number, pointer);
	end_ = module.getOrInsertFunction("__rarog_region_end", none, number, pointer);
	settle_ = module.getOrInsertFunction("__rarog_region_settle", none, pointer);
	for (FunctionCallee one : { begin_, end_, settle_ })
		cast<Function>(one.getCallee())->setDoesNotThrow();
}

/* Where the return address is; of a function that was inlined, that of the one around it. */
Value *Insertion::frame()
{
	if (frame_)
		return frame_;
	Type *pointer = PointerType::get(Type::getInt8Ty(module_.getContext()), 0);
	Function *where =
		Intrinsic::getDeclaration(&module_, Intrinsic::addressofreturnaddress, { pointer });
	IRBuilder<> builder(&*function_->getEntryBlock().getFirstInsertionPt());

	frame_ = builder.CreateCall(where);
	return frame_;
}

void Insertion::call(IRBuilder<> &builder, FunctionCallee callee, unsigned region)
{
	is_used_ = true;
	builder.CreateCall(callee, { builder.getInt32(region), frame() });
}

/* Is it on the way to the decision, in a loop that the region goes on in? Control that comes there
 * first has not begun it. */
bool Insertion::isBefore(const BasicBlock *block, unsigned region) const
{
	auto found = decisions_.find(region);

	return block && found != decisions_.end() && dominators_->dominates(block, found->second);
}

void Insertion::change(Instruction *before, const Stack &from, const Stack &to,
		       const BasicBlock *into)
{
	size_t common = 0;

	while (common < from.size() && common < to.size() && from[common] == to[common])
		common++;
	if (common == from.size() && common == to.size())
		return;
	frame();
	IRBuilder<> builder(before);
	for (size_t i = from.size(); i-- > common;)
		call(builder, end_, from[i]);
	for (size_t i = common; i < to.size(); i++)
		if (!isBefore(into, to[i]))
			call(builder, begin_, to[i]);
}

/* Is anything open in the function? */
bool Insertion::read(unsigned first)
{
	at_.clear();
	after_.clear();
	calls_.clear();
	all_.clear();
	decisions_.clear();
	visitPieces(*function_, first, [this](Instruction &instruction, unsigned number) {
		auto *call = dyn_cast<CallBase>(&instruction);
		const Stack &stack = list_.at(number);

		all_.insert(stack.begin(), stack.end());
		for (unsigned region : list_.decidedAt(number))
			decisions_[region] = instruction.getParent();
		if (call && call->isIndirectCall()) {
			calls_[call] = stack;
			if (call->isTerminator())
				after_[call->getParent()] = stack;
		} else {
			at_[call ? call->getParent() : instruction.getParent()] = stack;
		}
	});
	for (BasicBlock &block : *function_) {
		if (!at_.count(&block)) /* it is a call alone */
			at_[&block] = after_[&block];
		if (!after_.count(&block))
			after_[&block] = at_[&block];
	}
	return !all_.empty();
}

/* What may have been open when control came from elsewhere: an exception, longjmp(). */
void Insertion::settle(Instruction *before, const Stack &keep)
{
	frame();
	IRBuilder<> builder(before);

	builder.CreateCall(settle_, { frame() });
	for (unsigned region : all_)
		if (!is_contained(keep, region))
			call(builder, end_, region);
}

void Insertion::insertEdge(BasicBlock &block, unsigned number)
{
	Instruction *last = block.getTerminator();
	BasicBlock *next = last->getSuccessor(number);
	const Stack from = after_[&block], to = at_[next];

	if (from == to || next->isEHPad())
		return;
	if (last->getNumSuccessors() == 1)
		return change(last, from, to, next);
	if (next->getSinglePredecessor())
		return change(&*next->getFirstInsertionPt(), from, to, next);
	if (!isa<IndirectBrInst>(last) && !isa<CallBrInst>(last))
		if (BasicBlock *made = SplitCriticalEdge(last, number))
			return change(made->getTerminator(), from, to, next);
	settle(&*next->getFirstInsertionPt(), to);
}

void Insertion::insertEdges(BasicBlock &block)
{
	for (unsigned i = 0; i < block.getTerminator()->getNumSuccessors(); i++)
		insertEdge(block, i);
}

void Insertion::insertEnd(BasicBlock &block)
{
	Instruction *last = block.getTerminator();

	if (!isa<ReturnInst>(last) && !isa<ResumeInst>(last))
		return;
	if (CallInst *call = block.getTerminatingMustTailCall())
		last = call;
	change(last, after_[&block], Stack());
}

void Insertion::insertCalls()
{
	for (auto &[instruction, stack] : calls_) {
		const Stack around = at_[instruction->getParent()];

		if (stack == around)
			continue;
		if (instruction->isTerminator()) {
			change(instruction, around, stack);
		} else if (!cast<CallInst>(instruction)->isMustTailCall()) {
			change(instruction, around, stack);
			change(instruction->getNextNode(), stack, around);
		}
	}
}

bool comesTwice(const Instruction &instruction)
{
	const auto *call = dyn_cast<CallInst>(&instruction);

	return call && call->hasFnAttr(Attribute::ReturnsTwice);
}

void Insertion::insert(Function &function, unsigned first)
{
	SmallVector<BasicBlock *, 32> blocks;
	SmallVector<Instruction *, 4> twice;

	function_ = &function;
	frame_ = nullptr;
	dominators_ = std::make_unique<DominatorTree>(function);
	bool has_regions = read(first);
	for (BasicBlock &block : function) {
		blocks.push_back(&block);
		for (Instruction &instruction : block)
			if (comesTwice(instruction))
				twice.push_back(&instruction);
	}
	for (BasicBlock *block : blocks)
		if (block->isEHPad() && isa<LandingPadInst>(block->getFirstNonPHI()))
			settle(&*block->getFirstInsertionPt(), at_[block]);
	for (Instruction *call : twice)
		settle(call->getNextNode(), at_[call->getParent()]);
	if (!has_regions)
		return;
	insertCalls();
	for (BasicBlock *block : blocks) {
		insertEnd(*block);
		insertEdges(*block);
	}
}

} // namespace

void compileRegions(Module &module, const RegionList &list)
{
	Insertion insertion(module, list);
	FunctionSet framed;
	unsigned next = 1;

	for (Function &function : module) {
		if (function.isDeclaration() || function.hasAvailableExternallyLinkage())
			continue;
		unsigned first = next;
		next = visitPieces(function, next, [](Instruction &, unsigned) {});
		if (function.hasFnAttribute(Attribute::Naked) || isCoroutine(function))
			continue;
		insertion.insert(function, first);
		if (insertion.hasFrame())
			framed.insert(&function);
	}
	if (!framed.empty())
		keepApart(module, framed);
	list.name(module, insertion.isUsed());
}

} // namespace rarog
