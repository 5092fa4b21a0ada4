/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which variable keeps which option: what is written where only the option leads, as far as
 * getopt() and the switch on what it returns tell, or the program's own look at its arguments.
 * These are guesses, for people to confirm.
 */
#include "guess.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace rarog
{

std::string textAt(const Value *pointer)
{
	StringRef text;

	return pointer && getConstantStringInfo(pointer, text) ? text.str() : "";
}

void Written::add(const Option &option, const std::string &variable, const std::string &function,
		  const std::string &member, StringRef file, unsigned line)
{
	bool is_letter = option.value > 0 && option.value < 128 && isAlnum((char)option.value);
	std::string letter = is_letter ? std::string(1, (char)option.value) : "";
	std::string key = option.name + "\t" + letter + "\t" + variable + "\t" + member;

	if (seen_.insert(key).second)
		found.push_back({ option.name,
				  letter,
				  option.has_value,
				  variable,
				  function,
				  member,
				  file.str(),
				  line,
				  {},
				  {} });
}

void Written::noteMember(const Option &option, const StructType &type, unsigned element)
{
	uint64_t offset = module_.getDataLayout()
				  .getStructLayout(const_cast<StructType *>(&type))
				  ->getElementOffset(element);
	StringRef name = type.hasName() ? type.getName() : "";

	if (!name.consume_front("struct.") && !name.consume_front("class."))
		return;
	name = name.split('.').first;
	for (const DIType *its : finder_.types()) {
		const auto *record = dyn_cast<DICompositeType>(its);

		for (const DINode *one : record ? record->getElements() : DINodeArray()) {
			const auto *member = dyn_cast_or_null<DIDerivedType>(one);

			if (member && member->getOffsetInBits() == 8 * offset &&
			    (record->getName() == name || record->getName().empty()) &&
			    !member->getName().empty()) {
				add(option, "", "", (name + "." + member->getName()).str(),
				    member->getFilename(), member->getLine());
				return;
			}
		}
	}
}

/* What @pointer points to. */
void Written::note(const Option &option, const Value *pointer)
{
	const auto *element = dyn_cast<GEPOperator>(pointer);

	if (element && element->hasAllConstantIndices() && element->getNumIndices() == 2)
		if (auto *type = dyn_cast<StructType>(element->getSourceElementType()))
			return noteMember(option, *type,
					  (unsigned)cast<ConstantInt>(element->getOperand(2))
						  ->getZExtValue());
	const auto *variable = dyn_cast<GlobalVariable>(pointer->stripInBoundsConstantOffsets());
	SmallVector<DIGlobalVariableExpression *, 1> all;

	if (!variable || variable->isDeclaration())
		return;
	variable->getDebugInfo(all);
	for (DIGlobalVariableExpression *one : all)
		add(option, one->getVariable()->getName().str(), "", "",
		    one->getVariable()->getFilename(), one->getVariable()->getLine());
}

void Written::noteLocal(const Option &option, const DILocalVariable &variable)
{
	add(option, variable.getName().str(), variable.getScope()->getSubprogram()->getName().str(),
	    "", variable.getFilename(), variable.getLine());
}

/* Is @value made of an argument of its function? @seen: what was looked at. */
static bool isOfArgument(const Value *value, SmallPtrSetImpl<const Value *> &seen)
{
	const auto *from = dyn_cast<Instruction>(value);

	if (isa<Argument>(value))
		return true;
	if (!from || !seen.insert(from).second)
		return false;
	if (!isa<BinaryOperator>(from) && !isa<CastInst>(from) && !isa<SelectInst>(from) &&
	    !isa<PHINode>(from))
		return false;
	return any_of(from->operands(),
		      [&](const Use &use) { return isOfArgument(use.get(), seen); });
}

/* set_level(c - '0'): the variable is written there. */
void Written::noteCall(const Option &option, const CallBase &call)
{
	const Function *callee = call.getCalledFunction();

	if (!callee || callee->isDeclaration() || callee->isVarArg())
		return;
	for (const Instruction &it : instructions(*callee)) {
		const auto *store = dyn_cast<StoreInst>(&it);
		SmallPtrSet<const Value *, 16> seen;

		if (store && isOfArgument(store->getValueOperand(), seen) &&
		    isa<GlobalVariable>(store->getPointerOperand()->stripInBoundsConstantOffsets()))
			note(option, store->getPointerOperand());
	}
}

bool Written::isValue(const Value *value) const
{
	while (const auto *cast = dyn_cast<CastInst>(value))
		value = cast->getOperand(0);
	return !wants_calls || isa<CallBase>(value);
}

void Written::noteAt(const Option &option, Instruction &it)
{
	const auto *store = dyn_cast<StoreInst>(&it);
	const auto *local = dyn_cast<DbgValueInst>(&it);
	const Value *value = local ? local->getVariableLocationOp(0) : nullptr;

	if (store && isValue(store->getValueOperand()))
		note(option, store->getPointerOperand());
	if (value && !local->getVariable()->isArtificial() && !skipped.count(value) &&
	    !(skips_pointers && value->getType()->isPointerTy()) && isValue(value))
		noteLocal(option, *local->getVariable());
	if (const auto *call = dyn_cast<CallBase>(&it))
		noteCall(option, *call);
}

void Written::noteIn(const Option &option, const BasicBlock &block)
{
	for (Instruction &it : const_cast<BasicBlock &>(block))
		noteAt(option, it);
}

void Written::noteFrom(const Option &option, const BasicBlock *first,
		       const DominatorTree &dominators)
{
	for (const BasicBlock &block : *first->getParent())
		if (dominators.dominates(first, &block))
			noteIn(option, block);
}

void Written::noteCases(SwitchInst &branch, const std::vector<Option> &options)
{
	DominatorTree dominators(*branch.getFunction());

	for (auto &one : branch.cases())
		for (const Option &option : options)
			if (!option.flag && option.value == one.getCaseValue()->getSExtValue())
				noteFrom(option, one.getCaseSuccessor(), dominators);
}

std::vector<Guess> guessOptions(Module &module)
{
	Written written(module);

	guessGetopt(module, written);
	guessOwn(module, written);
	joinGuesses(written.found);
	return written.found;
}

} // namespace rarog
