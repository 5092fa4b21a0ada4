/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where features come from, and how they came somewhere. */
#include "features.h"
#include "words.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace rarog
{

std::string placeOf(const Instruction *instruction)
{
	const DebugLoc &at = instruction ? instruction->getDebugLoc() : DebugLoc();

	if (!at || !at.getLine())
		return "";
	return at->getFilename().str() + ":" + std::to_string(at.getLine());
}

/* Two variables of one name, most likely by mistake; @owner tells them apart. */
void Flow::sayTwice(StringRef feature, const std::string &where, const std::string &owner)
{
	std::set<std::string> &owners = owners_[feature.str()];

	if (!owners.insert(owner).second || owners.size() == 1)
		return;
	for (const Feature &one : features)
		if (one.name == feature)
			warnings.push_back(feature.str() + " is the name of two variables, at " +
					   one.where + " and " + where + ": they count as one");
}

/* A node of a feature; the same feature may have several variables. */
void Flow::seed(unsigned node, StringRef feature, const std::string &where)
{
	unsigned i = 0;

	while (i < features.size() && features[i].name != feature)
		i++;
	if (i == features.size()) {
		if (i == RAROG_MAX_FEATURES) {
			warnings.push_back("more than 64 features; " + feature.str() +
					   " is left out");
			return;
		}
		features.push_back({ feature.str(), "", "", 0, 0 });
	}
	if (features[i].where.empty())
		features[i].where = where;
	features[i].note = "";
	masks_[node] |= (Mask)1 << i;
	why_.emplace(std::make_pair(node, i), Why{ node, nullptr });
}

static std::string placeOfGlobal(const GlobalVariable &variable)
{
	SmallVector<DIGlobalVariableExpression *, 1> all;

	variable.getDebugInfo(all);
	for (DIGlobalVariableExpression *one : all)
		return one->getVariable()->getFilename().str() + ":" +
		       std::to_string(one->getVariable()->getLine());
	return "";
}

static std::string nameOf(const GlobalVariable &variable)
{
	SmallVector<DIGlobalVariableExpression *, 1> all;

	variable.getDebugInfo(all);
	return all.empty() ? variable.getName().str() : all[0]->getVariable()->getName().str();
}

void Flow::seedGlobalAnnotations()
{
	auto *all = module_.getNamedGlobal("llvm.global.annotations");

	if (!all)
		return;
	for (const Use &use : cast<ConstantArray>(all->getInitializer())->operands()) {
		auto *entry = dyn_cast<ConstantStruct>(use);
		auto *variable =
			entry ? dyn_cast<GlobalVariable>(entry->getOperand(0)->stripPointerCasts())
			      : nullptr;
		StringRef feature = entry ? featureOf(entry->getOperand(1)) : "";

		if (!variable || feature.empty())
			continue;
		std::string where = placeOfGlobal(*variable);
		sayTwice(feature, where, where + " " + nameOf(*variable));
		seed(keyOfObject(variable, variable->getValueType()), feature, where);
	}
}

/* A member is annotated wherever it is used. */
void Flow::seedAnnotation(const CallBase &call, bool is_member)
{
	StringRef feature = featureOf(call.getArgOperand(1));
	const DebugLoc &at = call.getDebugLoc();
	std::string where = placeOf(&call);
	std::set<unsigned> found;

	if (feature.empty())
		return;
	initialTargets(call.getArgOperand(0), found);
	for (unsigned place : found) {
		sayTwice(feature, where,
			 is_member ? names_[place]
				   : where + ":" + std::to_string(at ? at.getCol() : 0));
		seed(place, feature, where);
	}
}

void Flow::seedAnnotations()
{
	seedGlobalAnnotations();
	for (Function &function : module_)
		for (Instruction &instruction : instructions(function)) {
			auto *call = dyn_cast<IntrinsicInst>(&instruction);
			bool is_member =
				call && call->getIntrinsicID() == Intrinsic::ptr_annotation;

			if (is_member ||
			    (call && call->getIntrinsicID() == Intrinsic::var_annotation))
				seedAnnotation(*call, is_member);
		}
}

static bool isFile(StringRef path, StringRef wanted)
{
	return wanted.empty() || path == wanted ||
	       (endsWith(path, wanted) && endsWith(path.drop_back(wanted.size()), "/"));
}

bool Flow::seedGlobal(const Wanted &wanted)
{
	bool is_found = false;

	for (GlobalVariable &variable : module_.globals()) {
		SmallVector<DIGlobalVariableExpression *, 1> all;

		variable.getDebugInfo(all);
		for (DIGlobalVariableExpression *one : all) {
			const DIGlobalVariable *its = one->getVariable();

			if (its->getName() != wanted.variable ||
			    !isFile(its->getFilename(), wanted.file) ||
			    (wanted.line && its->getLine() != wanted.line) ||
			    (!wanted.function.empty() &&
			     (!isa<DISubprogram>(its->getScope()) ||
			      cast<DISubprogram>(its->getScope())->getName() != wanted.function)))
				continue;
			seed(keyOfObject(&variable, variable.getValueType()), wanted.name,
			     placeOfGlobal(variable));
			is_found = true;
		}
	}
	return is_found;
}

/* Values that the debug information says are the variable's; and its memory. */
bool Flow::seedLocal(const Wanted &wanted)
{
	bool is_found = false;

	for (Function &function : module_)
		for (Instruction &instruction : instructions(function)) {
			auto *note = dyn_cast<DbgVariableIntrinsic>(&instruction);
			const DILocalVariable *its = note ? note->getVariable() : nullptr;

			if (!its || its->getName() != wanted.variable ||
			    !isFile(its->getFilename(), wanted.file) ||
			    (wanted.line && its->getLine() != wanted.line) ||
			    (!wanted.function.empty() &&
			     its->getScope()->getSubprogram()->getName() != wanted.function))
				continue;
			std::string where =
				its->getFilename().str() + ":" + std::to_string(its->getLine());
			Value *value = note->getVariableLocationOp(0);
			std::set<unsigned> found;
			if (!value)
				continue;
			if (value->getType()->isPointerTy() && isa<AllocaInst>(value))
				initialTargets(value, found);
			else if (!isa<Constant>(value))
				found.insert(node(value));
			for (unsigned one : found)
				seed(one, wanted.name, where);
			is_found = true;
		}
	return is_found;
}

static const DICompositeType *findRecord(const Module &module, StringRef name)
{
	DebugInfoFinder finder;

	finder.processModule(module);
	for (const DIType *type : finder.types())
		if (const auto *record = dyn_cast<DICompositeType>(type))
			if (record->getName() == name && record->getElements().size() > 0)
				return record;
	for (const DIType *type : finder.types()) /* typedef struct { … } name; */
		if (const auto *other = dyn_cast<DIDerivedType>(type))
			if (other->getTag() == dwarf::DW_TAG_typedef && other->getName() == name)
				if (const auto *record =
					    dyn_cast_or_null<DICompositeType>(other->getBaseType()))
					return record;
	return nullptr;
}

bool Flow::seedMember(const Wanted &wanted, StringRef type, StringRef member)
{
	const DICompositeType *record = findRecord(module_, type);
	bool is_found = false;

	if (!record)
		return false;
	for (const DINode *element : record->getElements()) {
		const auto *its = dyn_cast<DIDerivedType>(element);

		if (!its || its->getName() != member)
			continue;
		for (StructType *one : module_.getIdentifiedStructTypes()) {
			StringRef name = one->getName();

			if (!name.consume_front("struct.") && !name.consume_front("class.") &&
			    !name.consume_front("union."))
				continue;
			if (name.split('.').first != type)
				continue;
			seed(keyOfType(one, (int64_t)its->getOffsetInBits() / 8), wanted.name,
			     its->getFilename().str() + ":" + std::to_string(its->getLine()));
			is_found = true;
		}
	}
	return is_found;
}

static StringRef nameOf(const DICompositeType *record, const DebugInfoFinder &finder)
{
	if (!record->getName().empty())
		return record->getName();
	for (const DIType *type : finder.types()) /* typedef struct { … } name; */
		if (const auto *other = dyn_cast<DIDerivedType>(type))
			if (other->getTag() == dwarf::DW_TAG_typedef &&
			    other->getBaseType() == record)
				return other->getName();
	return "";
}

/* A tool that knows only where the name stands (VaRA) does not say whether it is a member. */
bool Flow::seedMemberAt(const Wanted &wanted)
{
	DebugInfoFinder finder;

	finder.processModule(module_);
	for (const DIType *type : finder.types()) {
		const auto *record = dyn_cast<DICompositeType>(type);

		for (const DINode *element : record ? record->getElements() : DINodeArray()) {
			const auto *its = dyn_cast_or_null<DIDerivedType>(element);

			if (its && its->getName() == wanted.variable &&
			    its->getLine() == wanted.line &&
			    isFile(its->getFilename(), wanted.file) &&
			    seedMember(wanted, nameOf(record, finder), its->getName()))
				return true;
		}
	}
	return false;
}

void Flow::seedWanted(const Wanted &wanted)
{
	bool is_found;

	if (!wanted.member.empty()) {
		auto [type, member] = StringRef(wanted.member).rsplit('.');
		is_found = seedMember(wanted, type, member);
	} else {
		is_found = (wanted.function.empty() && seedGlobal(wanted)) ||
			   (!wanted.function.empty() && seedGlobal(wanted)) || seedLocal(wanted) ||
			   (wanted.line && seedMemberAt(wanted));
	}
	if (is_found)
		return;
	std::string what = wanted.member.empty() ? wanted.variable : wanted.member;
	for (Feature &feature : features)
		if (feature.name == wanted.name)
			return;
	features.push_back(
		{ wanted.name, "", what + " is not in the program's debug information", 0, 0 });
}

void Flow::count(Instruction &instruction)
{
	auto *load = dyn_cast<LoadInst>(&instruction);
	auto *store = dyn_cast<StoreInst>(&instruction);

	if (load || store)
		for (unsigned place :
		     places(load ? load->getPointerOperand() : store->getPointerOperand()))
			for (unsigned i = 0; i < features.size(); i++) {
				auto why = why_.find({ place, i });

				if (why != why_.end() && !why->second.via)
					(load ? features[i].reads : features[i].writes)++;
			}
	if (!load && !store) /* of values that are no memory */
		for (Value *operand : instruction.operands()) {
			auto found = values_.find(operand);

			for (unsigned i = 0; found != values_.end() && i < features.size(); i++) {
				auto why = why_.find({ found->second, i });

				if (why != why_.end() && !why->second.via)
					features[i].reads++;
			}
		}
}

static std::string verbOf(const Instruction *via)
{
	if (isa<LoadInst>(via))
		return "read";
	if (isa<StoreInst>(via))
		return "kept";
	if (isa<CallBase>(via))
		return "passed on";
	if (isa<ReturnInst>(via))
		return "returned";
	if (isa<GetElementPtrInst>(via))
		return "index of a table";
	if (isa<CmpInst>(via))
		return "compared";
	if (via->isTerminator())
		return "decides which constant";
	return "computed with";
}

std::string Flow::describe(unsigned node, const Why &why) const
{
	std::string text = why.via ? verbOf(why.via) : std::string("the feature's variable");
	std::string where = placeOf(why.via);

	if (!names_[node].empty())
		text += (isa_and_nonnull<StoreInst>(why.via) ? " in " : " ") + names_[node];
	return where.empty() ? text : where + ": " + text;
}

std::vector<std::string> Flow::chain(const Value *value, unsigned feature)
{
	std::vector<std::string> found;
	unsigned at = node(value);

	for (unsigned i = 0; i < 64; i++) {
		auto why = why_.find({ at, feature });

		if (why == why_.end())
			break;
		std::string text = describe(at, why->second);
		if (found.empty() || found.back() != text)
			found.push_back(text);
		if (!why->second.via)
			break;
		at = why->second.from;
	}
	std::reverse(found.begin(), found.end());
	return found;
}

} // namespace rarog
