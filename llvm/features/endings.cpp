/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How functions end: some never do, as they end the program or go on for ever, whether they are
 * declared so or not; some only by an exception, longjmp() or the end of their thread. What a
 * function calls may do so out of a loop without end, too.
 */
#include "features.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace rarog
{

static bool isJump(StringRef name)
{
	static const char *const jumps[] = { "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk",
					     "llvm.eh.sjlj.longjmp" };

	return is_contained(jumps, name);
}

/* What throws, and nothing else: of the ABI of C++, and of libstdc++. */
static bool isThrow(StringRef name)
{
	return name.take_front(6) == "__cxa_" || name.take_front(8) == "_Unwind_" ||
	       (name.take_front(4) == "_ZSt" && name.contains("__throw_"));
}

static const Function *calleeOf(const CallBase &call)
{
	return dyn_cast<Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
}

Ending Endings::ofCall(const CallBase &call) const
{
	const Function *callee = calleeOf(call);
	auto found = of_.find(callee);

	if (found != of_.end())
		return found->second;
	if (!call.doesNotReturn())
		return Ending::Returns;
	return call.doesNotThrow() && !(callee && isJump(callee->getName())) ? Ending::Never
									     : Ending::Leaves;
}

/* A function that is not known may do what its declaration does not rule out. The end of a handler
 * may throw only if the exception's destructor does, which nobody writes. */
bool Endings::mayThrow(const CallBase &call) const
{
	const Function *callee = calleeOf(call);
	auto found = of_.find(callee);

	return !call.doesNotThrow() && !(callee && callee->getName() == "__cxa_end_catch") &&
	       (found == of_.end() || throws_.count(found->first));
}

/* What is declared not to return, and not known, may do so by longjmp() if it may throw. */
bool Endings::mayJump(const CallBase &call) const
{
	const Function *callee = calleeOf(call);

	if (callee && (jumps_.count(callee) || isJump(callee->getName())))
		return true;
	return !of_.count(callee) && call.doesNotReturn() && !call.doesNotThrow() &&
	       !(callee && isThrow(callee->getName()));
}

bool Endings::mayBeLeft(const BasicBlock &block,
			function_ref<bool(const BasicBlock *)> leadsOut) const
{
	bool is_closed = block.getParent()->doesNotThrow();
	Ending how;
	const Instruction *stop = stopOf(block, how);

	for (const Instruction &instruction : block) {
		const auto *call = dyn_cast<CallBase>(&instruction);
		const auto *invoke = dyn_cast<InvokeInst>(&instruction);

		if (call && !isa<IntrinsicInst>(call) &&
		    (mayJump(*call) || (mayThrow(*call) &&
					(invoke ? leadsOut(invoke->getUnwindDest()) : !is_closed))))
			return true;
		if (&instruction == stop)
			return false;
	}
	return false;
}

/* What @function calls in @blocks may leave it. */
void Endings::findLeaving(const Function &function, ArrayRef<const BasicBlock *> blocks)
{
	for (const BasicBlock *block : blocks) {
		Ending how;
		const Instruction *stop = stopOf(*block, how);

		if (stop && isa<ResumeInst>(stop) && !function.doesNotThrow())
			throws_.insert(&function);
		for (const Instruction &instruction : *block) {
			const auto *call = dyn_cast<CallBase>(&instruction);

			if (call && !isa<IntrinsicInst>(call) && mayJump(*call))
				jumps_.insert(&function);
			if (call && !isa<IntrinsicInst>(call) && !isa<InvokeInst>(call) &&
			    mayThrow(*call) && !function.doesNotThrow())
				throws_.insert(&function);
			if (&instruction == stop)
				break;
		}
	}
}

const Instruction *Endings::stopOf(const BasicBlock &block, Ending &ret) const
{
	for (const Instruction &instruction : block) {
		const auto *call = dyn_cast<CallBase>(&instruction);

		if (!call)
			continue;
		ret = ofCall(*call);
		if (ret != Ending::Returns)
			return call;
	}
	ret = isa<ReturnInst>(block.getTerminator())   ? Ending::Returns
	      : isa<ResumeInst>(block.getTerminator()) ? Ending::Leaves
						       : Ending::Never;
	return succ_empty(&block) ? block.getTerminator() : nullptr;
}

SmallVector<const BasicBlock *, 4> Endings::after(const BasicBlock &block, Ending &ret) const
{
	const Instruction *stop = stopOf(block, ret), *last = block.getTerminator();
	const auto *invoke = dyn_cast<InvokeInst>(last);
	SmallVector<const BasicBlock *, 4> found;

	if (stop && stop != last)
		return found;
	for (const BasicBlock *next : successors(&block))
		if (invoke && next == invoke->getUnwindDest() ? mayThrow(*invoke) : !stop)
			found.push_back(next);
	if (stop && invoke && mayThrow(*invoke) && !mayJump(*invoke))
		ret = Ending::Never;
	return found;
}

bool isTermination(const Instruction *stop)
{
	const auto *call = dyn_cast_or_null<CallBase>(stop);
	const Function *callee = call ? calleeOf(*call) : nullptr;

	return callee && callee->getName() == "__clang_call_terminate";
}

/* What control gets to, of what is known of the functions that it calls so far. */
SmallVector<const BasicBlock *, 16> Endings::reached(const Function &function) const
{
	SmallVector<const BasicBlock *, 16> found = { &function.getEntryBlock() };
	SmallPtrSet<const BasicBlock *, 16> seen(found.begin(), found.end());
	Ending its;

	for (size_t i = 0; i < found.size(); i++)
		for (const BasicBlock *next : after(*found[i], its))
			if (seen.insert(next).second)
				found.push_back(next);
	return found;
}

/* Is something new known of how @function ends? */
bool Endings::learn(const Function &function)
{
	SmallVector<const BasicBlock *, 16> blocks = reached(function);
	size_t before = throws_.size() + jumps_.size();
	Ending known = of_[&function], all = known, its;

	findLeaving(function, blocks);
	for (const BasicBlock *block : blocks) {
		after(*block, its);
		all = std::max(all, its);
	}
	of_[&function] = all;
	return all != known || throws_.size() + jumps_.size() != before;
}

/* How it ends is in its assembly. */
static bool isNaked(const Function &function)
{
	return function.hasFnAttribute(Attribute::Naked);
}

/* Until one is known to end, it does not: so what only calls itself never ends. */
Endings::Endings(const Module &module)
{
	for (const Function &function : module)
		if (!function.isDeclaration())
			of_[&function] = isCoroutine(function) || isNaked(function)
						 ? Ending::Returns
						 : Ending::Never;
	for (bool has_changed = true; has_changed;) {
		has_changed = false;
		for (const auto &one : of_)
			has_changed |= learn(*one.first);
	}
}

} // namespace rarog
