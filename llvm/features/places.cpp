/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places in memory: a variable as a whole, or a member of a struct, whichever variable it is in
 * (all instances are one). Where a pointer to neither is used, what it may point to is looked for
 * by walking all code until nothing changes (Andersen 1994, without contexts). Elements of an array
 * are one; what is written into them is data, and nothing is taken to flow there.
 */
#include "features.h"
#include "words.h"

#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

namespace rarog
{

static const size_t MAX_TARGETS = 48; /* a pointer with more is one that nobody can follow */
static const unsigned MAX_ROUNDS = 24;

static const Value *strip(const Value *pointer)
{
	for (;;) {
		const Value *before = pointer;

		pointer = pointer->stripPointerCasts();
		if (const auto *call = dyn_cast<IntrinsicInst>(pointer))
			if (call->getIntrinsicID() == Intrinsic::ptr_annotation ||
			    call->getIntrinsicID() == Intrinsic::launder_invariant_group)
				pointer = call->getArgOperand(0);
		if (pointer == before)
			return pointer;
	}
}

unsigned Flow::newNode(std::string name)
{
	masks_.push_back(0);
	is_written_.push_back(false);
	is_varied_.push_back(false);
	is_full_.push_back(false);
	is_array_.push_back(false);
	targets_.emplace_back();
	names_.push_back(std::move(name));
	return (unsigned)masks_.size() - 1;
}

unsigned Flow::node(const Value *value)
{
	value = strip(value);
	auto found = values_.find(value);

	if (found != values_.end())
		return found->second;
	unsigned made = newNode("");
	values_[value] = made;
	return made;
}

/* Linking gives copies of one struct numbers. */
static StringRef plainName(StringRef name)
{
	StringRef rest = name.rtrim("0123456789");

	if (rest.size() < name.size() && endsWith(rest, ".") && !endsWith(rest, ".anon."))
		return rest.drop_back();
	return name;
}

static bool isArrayAt(StructType *type, int64_t offset, const DataLayout &layout)
{
	const StructLayout *its = layout.getStructLayout(type);

	return offset >= 0 && (uint64_t)offset < its->getSizeInBytes() &&
	       isa<ArrayType>(
		       type->getElementType(its->getElementContainingOffset((uint64_t)offset)));
}

unsigned Flow::keyOfType(StructType *type, int64_t offset)
{
	const void *owner = type;
	std::string name = "a member";

	if (type->hasName()) {
		StringRef plain = plainName(type->getName());

		owner = types_.try_emplace(plain).first->getKeyData();
		name = plain.str();
	}
	auto made = keys_.try_emplace(Key(owner, offset), 0);
	if (made.second) {
		made.first->second = newNode(name + "+" + std::to_string(offset));
		is_array_[made.first->second] = isArrayAt(type, offset, layout_);
	}
	return made.first->second;
}

static Type *elementOf(Type *type)
{
	while (auto *array = dyn_cast<ArrayType>(type))
		type = array->getElementType();
	return type;
}

unsigned Flow::keyOfObject(const Value *object, Type *type)
{
	bool is_array = isa<ArrayType>(type);

	type = elementOf(type);
	if (auto *record = dyn_cast<StructType>(type))
		if (!record->isOpaque())
			return keyOfType(record, 0);
	auto made = keys_.try_emplace(Key(object, 0), 0);
	if (made.second) {
		made.first->second =
			newNode(object->hasName() ? readable(object->getName()) : "a variable");
		is_array_[made.first->second] = is_array;
	}
	return made.first->second;
}

/* The member that @gep leads to: of the innermost struct. NULL: it is an element of an array. */
static StructType *memberOf(const GEPOperator &gep, const DataLayout &layout, int64_t &ret_offset)
{
	StructType *record = nullptr;

	for (auto at = gep_type_begin(gep), end = gep_type_end(gep); at != end; ++at)
		if (StructType *type = at.getStructTypeOrNull()) {
			auto index = cast<ConstantInt>(at.getOperand())->getZExtValue();

			record = type;
			ret_offset = (int64_t)layout.getStructLayout(type)->getElementOffset(
				(unsigned)index);
		}
	return record;
}

/* What @pointer is by itself. */
void Flow::initialTargets(const Value *pointer, std::set<unsigned> &ret)
{
	pointer = strip(pointer);
	if (const auto *gep = dyn_cast<GEPOperator>(pointer)) {
		int64_t offset = 0;

		if (StructType *type = memberOf(*gep, layout_, offset))
			ret.insert(keyOfType(type, offset));
		else
			initialTargets(gep->getPointerOperand(), ret);
	} else if (const auto *variable = dyn_cast<GlobalVariable>(pointer)) {
		ret.insert(keyOfObject(variable, variable->getValueType()));
	} else if (const auto *alloca = dyn_cast<AllocaInst>(pointer)) {
		ret.insert(keyOfObject(alloca, alloca->getAllocatedType()));
	}
}

/* Is @place what stands at @offset of @type, or what that begins with? */
bool Flow::isMember(Type *type, uint64_t offset, unsigned place)
{
	if (auto *array = dyn_cast<ArrayType>(type)) {
		uint64_t size = layout_.getTypeAllocSize(array->getElementType());

		return size > 0 && isMember(array->getElementType(), offset % size, place);
	}
	auto *record = dyn_cast<StructType>(type);
	if (!record || offset >= layout_.getTypeAllocSize(record))
		return false;
	const StructLayout *its = layout_.getStructLayout(record);
	unsigned member = its->getElementContainingOffset(offset);
	uint64_t from = its->getElementOffset(member);

	return (offset == from && keyOfType(record, (int64_t)offset) == place) ||
	       isMember(record->getElementType(member), offset - from, place);
}

/* In what variables begin with, addresses are of bytes. */
bool Flow::isAddress(const Constant *pointer, unsigned place)
{
	APInt bytes(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
	const auto *variable = dyn_cast<GlobalVariable>(
		pointer->stripAndAccumulateConstantOffsets(layout_, bytes, true));

	if (!variable)
		return false;
	Type *type = variable->getValueType();
	if (!isa<StructType>(elementOf(type)))
		return keyOfObject(variable, type) == place;
	return isMember(type, bytes.getZExtValue(), place);
}

std::set<unsigned> Flow::places(const Value *pointer)
{
	std::set<unsigned> found;

	initialTargets(pointer, found);
	if (!found.empty())
		return found;
	pointer = strip(pointer);
	while (const auto *gep = dyn_cast<GEPOperator>(pointer))
		pointer = strip(gep->getPointerOperand());
	return targets_[node(pointer)];
}

bool Flow::pointTo(unsigned node, const std::set<unsigned> &targets)
{
	size_t before = targets_[node].size();

	if (is_full_[node]) {
		lost_.insert(targets.begin(), targets.end());
		return false;
	}
	targets_[node].insert(targets.begin(), targets.end());
	if (targets_[node].size() > MAX_TARGETS) {
		lost_.insert(targets_[node].begin(), targets_[node].end());
		targets_[node].clear();
		is_full_[node] = true;
		return before > 0;
	}
	return targets_[node].size() > before;
}

bool Flow::pointValue(unsigned node, const Value *value)
{
	return value->getType()->isPointerTy() && pointTo(node, places(value));
}

bool Flow::pointCall(CallBase &call)
{
	bool has_changed = false;

	for (Function *callee : callees(call)) {
		for (Argument &argument : callee->args())
			if (argument.getArgNo() < call.arg_size())
				has_changed |= pointValue(node(&argument),
							  call.getArgOperand(argument.getArgNo()));
		if (call.getType()->isPointerTy())
			for (ReturnInst *back : returns_[callee])
				has_changed |= pointValue(node(&call), back->getReturnValue());
	}
	return has_changed;
}

bool Flow::pointAt(Instruction &instruction)
{
	bool has_changed = false;

	if (auto *store = dyn_cast<StoreInst>(&instruction)) {
		if (store->getValueOperand()->getType()->isPointerTy())
			for (unsigned place : places(store->getPointerOperand()))
				has_changed |= pointValue(place, store->getValueOperand());
	} else if (auto *call = dyn_cast<CallBase>(&instruction)) {
		return pointCall(*call);
	} else if (!instruction.getType()->isPointerTy()) {
		return false;
	} else if (auto *load = dyn_cast<LoadInst>(&instruction)) {
		unsigned its = node(load); /* may move targets_ */

		for (unsigned place : places(load->getPointerOperand()))
			has_changed |= pointTo(its, targets_[place]);
	} else if (isa<PHINode>(instruction) || isa<SelectInst>(instruction)) {
		for (Value *operand : instruction.operands())
			has_changed |= pointValue(node(&instruction), operand);
	}
	return has_changed;
}

/* Calls, ends, and what is written at all. */
void Flow::note(Instruction &instruction)
{
	if (auto *back = dyn_cast<ReturnInst>(&instruction))
		if (back->getReturnValue())
			returns_[instruction.getFunction()].push_back(back);
}

void Flow::points()
{
	bool has_changed = true;

	for (Function &function : module_)
		if (!function.isDeclaration() &&
		    function.hasAddressTaken(nullptr, true, true, true))
			taken_[function.getFunctionType()].push_back(&function);
	for (Function &function : module_)
		for (Instruction &instruction : instructions(function))
			note(instruction);
	for (unsigned i = 0; has_changed && i < MAX_ROUNDS; i++) {
		has_changed = false;
		for (Function &function : module_)
			for (Instruction &instruction : instructions(function))
				has_changed |= pointAt(instruction);
	}
	if (has_changed)
		warnings.push_back("what pointers point to was not followed to the end; some "
				   "regions may be missing");
	for (Function &function : module_)
		for (Instruction &instruction : instructions(function))
			if (auto *store = dyn_cast<StoreInst>(&instruction))
				for (unsigned place : places(store->getPointerOperand())) {
					is_written_[place] = true;
					if (!isa<Constant>(store->getValueOperand()))
						is_varied_[place] = true;
				}
}

SmallVector<Function *, 2> Flow::callees(CallBase &call)
{
	if (auto *callee = dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts()))
		return callee->isDeclaration() ? SmallVector<Function *, 2>()
					       : SmallVector<Function *, 2>{ callee };
	auto found = taken_.find(call.getFunctionType());

	if (call.isInlineAsm() || found == taken_.end())
		return {};
	return SmallVector<Function *, 2>(found->second.begin(), found->second.end());
}

bool Flow::isTaken(const Function &function) const
{
	auto found = taken_.find(function.getFunctionType());

	return found != taken_.end() && is_contained(found->second, &function);
}

} // namespace rarog
