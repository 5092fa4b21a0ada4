/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What depends on features. Explicitly: what is computed from a feature's value. By tables: what is
 * read from a table that nobody writes, at a place that a feature says. Implicitly: which of
 * several constants a variable has, because a feature decides it. A decision that depends on a
 * feature makes no value its own that is computed otherwise: nearly all values would be.
 */
#include "features.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

namespace rarog
{

Flow::Flow(Module &module) : module_(module), layout_(module.getDataLayout())
{
}

Flow::~Flow() = default;

Mask Flow::mask(const Value *value)
{
	return isa<Constant>(value) ? 0 : masks_[node(value)];
}

Control &Flow::control(Function &function)
{
	std::unique_ptr<Control> &control = controls_[&function];

	if (!control)
		control = std::make_unique<Control>(function);
	return *control;
}

Value *conditionOf(Instruction *terminator)
{
	if (auto *branch = dyn_cast<BranchInst>(terminator))
		return branch->isConditional() ? branch->getCondition() : nullptr;
	if (auto *choice = dyn_cast<SwitchInst>(terminator))
		return choice->getCondition();
	if (auto *jump = dyn_cast<IndirectBrInst>(terminator))
		return jump->getAddress();
	return nullptr;
}

bool Flow::flow(unsigned to, unsigned from, const Instruction *via)
{
	Mask added = masks_[from] & ~masks_[to];

	if (!added)
		return false;
	masks_[to] |= added;
	for (unsigned i = 0; i < RAROG_MAX_FEATURES; i++)
		if (added >> i & 1)
			why_.emplace(std::make_pair(to, i), Why{ from, via });
	return true;
}

bool Flow::flowCall(CallBase &call)
{
	bool has_changed = false;

	for (Function *callee : callees(call)) {
		for (Argument &argument : callee->args())
			if (argument.getArgNo() < call.arg_size() &&
			    mask(call.getArgOperand(argument.getArgNo())))
				has_changed |=
					flow(node(&argument),
					     node(call.getArgOperand(argument.getArgNo())), &call);
		for (ReturnInst *back : returns_[callee])
			if (mask(back->getReturnValue()))
				has_changed |=
					flow(node(&call), node(back->getReturnValue()), back);
	}
	/* what computes and does nothing else */
	if (isa<IntrinsicInst>(call) && call.doesNotAccessMemory() && !call.getType()->isVoidTy())
		for (Value *argument : call.args())
			if (mask(argument))
				has_changed |= flow(node(&call), node(argument), &call);
	return has_changed;
}

bool Flow::flowLoad(LoadInst &load)
{
	std::set<unsigned> from = places(load.getPointerOperand());
	bool is_table = !from.empty(), has_changed = false;
	const Value *pointer = load.getPointerOperand();

	for (unsigned place : from) {
		has_changed |= flow(node(&load), place, &load);
		is_table &= !is_written_[place];
	}
	if (is_table && mask(pointer))
		has_changed |= flow(node(&load), node(pointer), &load);
	return has_changed;
}

bool Flow::flowAt(Instruction &instruction)
{
	bool has_changed = false;

	if (auto *load = dyn_cast<LoadInst>(&instruction))
		return flowLoad(*load);
	if (auto *store = dyn_cast<StoreInst>(&instruction)) {
		if (mask(store->getValueOperand()))
			for (unsigned place : places(store->getPointerOperand()))
				if (!is_array_[place])
					has_changed |=
						flow(place, node(store->getValueOperand()), store);
		return has_changed;
	}
	if (auto *call = dyn_cast<CallBase>(&instruction))
		return flowCall(*call);
	if (instruction.isTerminator() || instruction.getType()->isVoidTy())
		return false;
	for (Value *operand : instruction.operands())
		if (!isa<Constant>(operand) && !isa<BasicBlock>(operand) && mask(operand))
			has_changed |= flow(node(&instruction), node(operand), &instruction);
	return has_changed;
}

/* Variables that are only ever one of some constants, and the decision says which. */
bool Flow::flowStores(const Control &control, const BitVector &blocks, unsigned condition,
		      Instruction &branch)
{
	bool has_changed = false;

	for (unsigned i : blocks.set_bits())
		for (Instruction &instruction : *control.blocks[i]) {
			auto *store = dyn_cast<StoreInst>(&instruction);

			if (!store || !isa<Constant>(store->getValueOperand()))
				continue;
			for (unsigned place : places(store->getPointerOperand()))
				if (!is_varied_[place] && !is_array_[place])
					has_changed |= flow(place, condition, &branch);
		}
	return has_changed;
}

/* Is it one of some constants, whatever happens? */
static bool isChoice(const Value *value, unsigned depth)
{
	if (isa<Constant>(value))
		return true;
	if (const auto *select = dyn_cast<SelectInst>(value))
		return depth > 0 && isChoice(select->getTrueValue(), depth - 1) &&
		       isChoice(select->getFalseValue(), depth - 1);
	const auto *phi = dyn_cast<PHINode>(value);
	if (!phi || depth == 0)
		return false;
	for (const Value *one : phi->incoming_values())
		if (one != phi && !isChoice(one, depth - 1))
			return false;
	return true;
}

bool Flow::flowJoin(BasicBlock &join, const Control &control, const BitVector &blocks,
		    unsigned condition, Instruction &branch)
{
	bool has_changed = false;

	for (PHINode &phi : join.phis()) {
		bool is_chosen = false;

		for (BasicBlock *from : phi.blocks())
			is_chosen |= from == branch.getParent() || blocks.test(control.index(from));
		if (is_chosen && isChoice(&phi, 8))
			has_changed |= flow(node(&phi), condition, &branch);
	}
	return has_changed;
}

bool Flow::flowDecisions(Function &function)
{
	bool has_changed = false;

	for (BasicBlock &block : function) {
		Instruction *branch = block.getTerminator();
		Value *condition = conditionOf(branch);

		if (!condition || !mask(condition))
			continue;
		const Control &its = control(function);
		BitVector blocks = its.decided(&block);
		has_changed |= flowStores(its, blocks, node(condition), *branch);
		if (BasicBlock *join = its.join(&block))
			has_changed |= flowJoin(*join, its, blocks, node(condition), *branch);
	}
	return has_changed;
}

void Flow::run(const std::vector<Wanted> &wanted)
{
	bool has_changed = true;

	points();
	seedAnnotations();
	for (const Wanted &one : wanted)
		seedWanted(one);
	for (unsigned i = 0; has_changed && i < max_rounds; i++) {
		has_changed = false;
		for (Function &function : module_) {
			for (Instruction &instruction : instructions(function))
				has_changed |= flowAt(instruction);
			if (!is_explicit)
				has_changed |= flowDecisions(function);
		}
	}
	if (has_changed)
		warnings.push_back("the flow from features was not followed to the end (" +
				   std::to_string(max_rounds) +
				   " rounds); some regions may be missing");
	for (Function &function : module_)
		for (Instruction &instruction : instructions(function))
			count(instruction);
	sayAllGivenAway();
	for (Feature &feature : features)
		if (feature.note.empty() && feature.reads == 0)
			feature.note = "is never read; no code depends on it";
}

} // namespace rarog
