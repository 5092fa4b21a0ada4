/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that read their arguments themselves: a switch on a character of a text in which a dash
 * has been found, a test of one for a digit, and comparisons of a text with "--name".
 */
#include "guess.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InstIterator.h>

using namespace llvm;

namespace rarog
{

/* The character that @value is; NULL: it is none that is read from memory. */
static const LoadInst *characterOf(const Value *value)
{
	while (const auto *cast = dyn_cast<CastInst>(value))
		value = cast->getOperand(0);
	const auto *load = dyn_cast<LoadInst>(value);
	return load && load->getType()->isIntegerTy(8) ? load : nullptr;
}

static const ICmpInst *testOf(const BranchInst &branch)
{
	return branch.isConditional() ? dyn_cast<ICmpInst>(branch.getCondition()) : nullptr;
}

/* Where @branch goes if the two sides of its comparison with @number are equal; NULL: it compares
 * with something else. */
static const BasicBlock *whereEqual(const BranchInst &branch, int64_t number)
{
	const ICmpInst *test = testOf(branch);
	const auto *constant = test ? dyn_cast<ConstantInt>(test->getOperand(1)) : nullptr;

	if (!constant || !test->isEquality() || constant->getSExtValue() != number)
		return nullptr;
	return branch.getSuccessor(test->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1);
}

/* Where @branch goes if a character is a dash. */
static const BasicBlock *whereDash(const BranchInst &branch)
{
	const BasicBlock *there = whereEqual(branch, '-');

	return there && characterOf(testOf(branch)->getOperand(0)) ? there : nullptr;
}

/* … if its comparison of a character with @number is true, which it makes by @with_sign or the same
 * without signs. */
static const BasicBlock *whereTrue(const BranchInst &branch, ICmpInst::Predicate with_sign,
				   int64_t number)
{
	const ICmpInst *test = testOf(branch);
	const auto *constant = test ? dyn_cast<ConstantInt>(test->getOperand(1)) : nullptr;

	if (!constant || constant->getSExtValue() != number || !characterOf(test->getOperand(0)) ||
	    test->getSignedPredicate() != with_sign)
		return nullptr;
	return branch.getSuccessor(0);
}

static bool isBehind(const BasicBlock &block, const DominatorTree &dominators,
		     function_ref<const BasicBlock *(const BranchInst &)> where)
{
	return any_of(*block.getParent(), [&](const BasicBlock &one) {
		const auto *branch = dyn_cast<BranchInst>(one.getTerminator());
		const BasicBlock *there = branch ? where(*branch) : nullptr;

		return there && dominators.dominates(there, &block);
	});
}

static void lookAtSwitch(SwitchInst &branch, const DominatorTree &dominators, Written &written)
{
	const LoadInst *character = characterOf(branch.getCondition());
	std::vector<Option> options;

	if (!character || !isBehind(*branch.getParent(), dominators, whereDash))
		return;
	for (const auto &one : branch.cases()) {
		int64_t value = one.getCaseValue()->getSExtValue();

		if (value > 0 && value < 128 && isAlnum((char)value))
			options.push_back({ value, "", false, nullptr });
	}
	written.skipped = { character, branch.getCondition() };
	written.noteCases(branch, options);
}

/* c >= '0' && c <= '9', and then a function reads the number */
static void lookAtDigits(const BranchInst &branch, const DominatorTree &dominators,
			 Written &written)
{
	const BasicBlock *there = whereTrue(branch, ICmpInst::ICMP_SLE, '9');
	const BasicBlock &block = *branch.getParent();
	auto whereNotLess = [](const BranchInst &one) {
		return whereTrue(one, ICmpInst::ICMP_SGE, '0');
	};

	if (!there || !isBehind(block, dominators, whereDash) ||
	    !isBehind(block, dominators, whereNotLess))
		return;
	written.wants_calls = true;
	for (char digit = '0'; digit <= '9'; digit++)
		written.noteIn({ digit, "", false, nullptr }, *there);
	written.wants_calls = false;
}

/* "--name" */
static std::string nameIn(const CallBase &call)
{
	for (unsigned i = 0; i < 2; i++) {
		std::string text = textAt(call.getArgOperand(i));

		if (text.size() > 2 && text.compare(0, 2, "--") == 0 &&
		    all_of(text, [](char c) { return isAlnum(c) || c == '-' || c == '_'; }))
			return text.substr(2);
	}
	return "";
}

static void lookAtComparison(const CallBase &call, const DominatorTree &dominators,
			     Written &written)
{
	const Function *callee = call.getCalledFunction();
	bool compares = callee && callee->getName() == "strcmp" && call.arg_size() == 2;
	std::string name = compares ? nameIn(call) : "";

	for (const User *test : call.users())
		for (const User *user : test->users()) {
			const auto *branch = dyn_cast<BranchInst>(user);
			const BasicBlock *there = branch ? whereEqual(*branch, 0) : nullptr;

			if (there && !name.empty())
				written.noteFrom({ 0, name, false, nullptr }, there, dominators);
		}
}

void guessOwn(Module &module, Written &written)
{
	written.skipped.clear();
	written.skips_pointers = true;
	for (Function &function : module) {
		if (function.isDeclaration())
			continue;
		DominatorTree dominators(function);
		for (Instruction &instruction : instructions(function))
			if (auto *branch = dyn_cast<SwitchInst>(&instruction))
				lookAtSwitch(*branch, dominators, written);
			else if (const auto *test = dyn_cast<BranchInst>(&instruction))
				lookAtDigits(*test, dominators, written);
			else if (const auto *call = dyn_cast<CallBase>(&instruction))
				lookAtComparison(*call, dominators, written);
	}
}

} // namespace rarog
