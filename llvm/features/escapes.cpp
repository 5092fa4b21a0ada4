/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Feature variables whose address goes where no pointer is followed: to code of other libraries,
 * into memory that is not known, into a table, or among too many others. They are features whatever
 * code writes them, but code that reads them there is not seen.
 */
#include "features.h"
#include "words.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace rarog
{

static std::string callOf(const Function *callee)
{
	std::string name = callee ? readable(callee->getName()) : "unknown code";

	return callee && name.back() != ')' ? name + "()" : name;
}

/* How the address of @place is given away; "": it is not. */
std::string Flow::givenAway(Instruction &instruction, unsigned place)
{
	auto isIt = [&](const Value *value) {
		return value->getType()->isPointerTy() && places(value).count(place) > 0;
	};

	if (auto *store = dyn_cast<StoreInst>(&instruction))
		return isIt(store->getValueOperand()) && places(store->getPointerOperand()).empty()
			       ? "kept in memory that is not known"
			       : "";
	if (isa<PtrToIntInst>(instruction))
		return isIt(instruction.getOperand(0)) ? "made a number" : "";
	auto *call = dyn_cast<CallBase>(&instruction);
	if (!call || isa<IntrinsicInst>(call) || !callees(*call).empty())
		return "";
	for (const Use &argument : call->args())
		if (isIt(argument.get()))
			return "passed to " + callOf(call->getCalledFunction());
	return "";
}

/* Does what @value begins with have the address of @place in it? */
bool Flow::hasAddress(const Constant *value, unsigned place, unsigned depth)
{
	if (value->getType()->isPointerTy() && isAddress(value, place))
		return true;
	if (isa<GlobalValue>(value) || depth == 0)
		return false;
	for (const Use &part : value->operands())
		if (const auto *its = dyn_cast<Constant>(part.get()))
			if (hasAddress(its, place, depth - 1))
				return true;
	return false;
}

/* What the compiler keeps for itself. */
static bool isOwn(const GlobalVariable &variable)
{
	return variable.getName().str().compare(0, 5, "llvm.") == 0;
}

/* The table that has the address of @place; "": none has. */
std::string Flow::tableOf(unsigned place)
{
	for (const GlobalVariable &table : module_.globals())
		if (table.hasInitializer() && !isOwn(table) &&
		    hasAddress(table.getInitializer(), place, 6))
			return "in " + readable(table.getName());
	return "";
}

void Flow::sayGivenAway(unsigned place, const Feature &feature)
{
	std::string how = lost_.count(place) ? "among too many that a pointer may have" : "", where;

	if (how.empty())
		how = tableOf(place);
	for (Function &function : module_)
		for (Instruction &instruction : instructions(function)) {
			if (!how.empty())
				break;
			how = givenAway(instruction, place);
			where = placeOf(&instruction);
		}
	if (!how.empty())
		warnings.push_back(
			feature.name +
			" may be written and read through a pointer that is not "
			"followed (its address is " +
			how + (where.empty() ? "" : ", " + where) +
			"): it is the feature whatever code writes it, but regions that depend on "
			"such a read are missing");
}

void Flow::sayAllGivenAway()
{
	std::vector<std::pair<unsigned, unsigned>> seeds;
	std::set<unsigned> said;

	for (const auto &one : why_) /* what is in memory; places() may add to these */
		if (!one.second.via && !names_[one.first.first].empty())
			seeds.push_back(one.first);
	for (auto [place, feature] : seeds)
		if (said.insert(feature).second)
			sayGivenAway(place, features[feature]);
}

} // namespace rarog
