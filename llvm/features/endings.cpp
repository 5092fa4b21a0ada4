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

bool Endings::mayJump(const CallBase &call) const
{
	const Function *callee = calleeOf(call);

	return callee && (jumps_.count(callee) || isJump(callee->getName()));
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

/* Is something new known of how what @function calls may leave it? */
bool Endings::findLeaving(const Function &function)
{
	size_t before = throws_.size() + jumps_.size();

	for (const BasicBlock &block : function) {
		if (isa<ResumeInst>(block.getTerminator()))
			throws_.insert(&function);
		for (const Instruction &instruction : block) {
			const auto *call = dyn_cast<CallBase>(&instruction);

			if (!call || isa<IntrinsicInst>(call))
				continue;
			if (mayJump(*call))
				jumps_.insert(&function);
			if (!isa<InvokeInst>(call) && mayThrow(*call))
				throws_.insert(&function);
		}
	}
	if (function.doesNotThrow())
		throws_.erase(&function);
	return throws_.size() + jumps_.size() != before;
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

const BasicBlock *Endings::handlerOf(const Instruction *stop, Ending &ret) const
{
	const auto *invoke = dyn_cast_or_null<InvokeInst>(stop);

	if (!invoke || !mayThrow(*invoke))
		return nullptr;
	if (!mayJump(*invoke))
		ret = Ending::Never;
	return invoke->getUnwindDest();
}

bool isTermination(const Instruction *stop)
{
	const auto *call = dyn_cast_or_null<CallBase>(stop);
	const Function *callee = call ? calleeOf(*call) : nullptr;

	return callee && callee->getName() == "__clang_call_terminate";
}

/* Of what is known of the functions that it calls so far. */
Ending Endings::find(const Function &function) const
{
	SmallVector<const BasicBlock *, 16> open = { &function.getEntryBlock() };
	SmallPtrSet<const BasicBlock *, 16> seen(open.begin(), open.end());
	Ending all = Ending::Never, its;
	auto goOn = [&](const BasicBlock *next) {
		if (seen.insert(next).second)
			open.push_back(next);
	};

	while (!open.empty()) {
		const BasicBlock *block = open.pop_back_val();
		const Instruction *stop = stopOf(*block, its);

		if (!stop)
			for_each(successors(block), goOn);
		if (const BasicBlock *handler = handlerOf(stop, its))
			goOn(handler);
		if (stop)
			all = std::max(all, its);
	}
	return all;
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
			has_changed |= findLeaving(*one.first);
	}
	for (bool has_changed = true; has_changed;) {
		has_changed = false;
		for (auto &[function, known] : of_) {
			Ending found = std::max(known, find(*function));

			has_changed |= found != known;
			known = found;
		}
	}
}

} // namespace rarog
