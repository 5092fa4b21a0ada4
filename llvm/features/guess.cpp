/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which variable keeps which option, as far as getopt(), getopt_long() and the switch on what they
 * return tell: what is written where only the case of a letter leads. These are guesses, for people
 * to confirm.
 */
#include "features.h"
#include "words.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/ValueTracking.h>

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace rarog
{

namespace
{

struct Option {
	int64_t value;    /* what is returned for it */
	std::string name; /* "": it has only a letter */
	bool has_value;
	const GlobalVariable *flag; /* set directly; NULL: it is returned */
};

class Guesser
{
	Module &module_;
	DebugInfoFinder finder_;
	std::set<std::string> seen_;

	void letters(const Value *text, std::vector<Option> &options);
	const Constant *tableOf(const Value *pointer);
	void names(const Value *pointer, std::vector<Option> &options);
	void follow(CallBase &call, std::vector<Option> &options);
	void lookAt(SwitchInst &branch, const std::set<const Value *> &returned,
		    const std::vector<Option> &options);
	void lookAt(const Option &option, Instruction &it, const std::set<const Value *> &returned);
	void note(const Option &option, const Value *pointer);
	void noteLocal(const Option &option, const DILocalVariable &variable);
	void noteMember(const Option &option, const StructType &type, unsigned element);
	void add(const Option &option, const std::string &variable, const std::string &function,
		 const std::string &member, StringRef file, unsigned line);

      public:
	std::vector<Guess> found;

	explicit Guesser(Module &module) : module_(module)
	{
		finder_.processModule(module);
	}
	void run();
};

std::string textAt(const Value *pointer)
{
	StringRef text;

	return pointer && getConstantStringInfo(pointer, text) ? text.str() : "";
}

/* "ab:c": b has a value. */
void Guesser::letters(const Value *text, std::vector<Option> &options)
{
	std::string all = textAt(text);

	for (size_t i = 0; i < all.size(); i++)
		if (isalnum((unsigned char)all[i]))
			options.push_back(
				{ all[i], "", i + 1 < all.size() && all[i + 1] == ':', nullptr });
}

/* A table of a function is copied to its stack first. */
const Constant *Guesser::tableOf(const Value *pointer)
{
	const Value *object = pointer->stripInBoundsConstantOffsets();

	if (const auto *table = dyn_cast<GlobalVariable>(object))
		return table->hasInitializer() ? table->getInitializer() : nullptr;
	for (const User *user : object->users())
		for (const User *copy : isa<BitCastInst>(user) ? user->users() : object->users())
			if (const auto *move = dyn_cast<MemCpyInst>(copy))
				if (const auto *from = dyn_cast<GlobalVariable>(
					    move->getSource()->stripPointerCasts()))
					return from->hasInitializer() ? from->getInitializer()
								      : nullptr;
	return nullptr;
}

/* struct option { name, has_arg, flag, val } */
void Guesser::names(const Value *pointer, std::vector<Option> &options)
{
	const Constant *table = tableOf(pointer);
	unsigned n = table && isa<ArrayType>(table->getType())
			     ? (unsigned)cast<ArrayType>(table->getType())->getNumElements()
			     : 0;

	for (unsigned i = 0; i < n; i++) {
		const auto *row = dyn_cast_or_null<ConstantStruct>(table->getAggregateElement(i));
		unsigned last = row ? row->getNumOperands() - 1 : 0; /* padding may follow */

		while (last > 3 && !isa<ConstantInt>(row->getOperand(last)))
			last--;
		if (!row || last < 3)
			continue;
		std::string name = textAt(row->getOperand(0));
		const auto *has_value = dyn_cast<ConstantInt>(row->getOperand(1));
		const auto *value = dyn_cast<ConstantInt>(row->getOperand(last));
		const GlobalVariable *flag = nullptr;
		for (unsigned k = 2; k < last; k++)
			if (row->getOperand(k)->getType()->isPointerTy())
				flag = dyn_cast<GlobalVariable>(
					row->getOperand(k)->stripPointerCasts());
		if (!name.empty() && has_value && value)
			options.push_back(
				{ value->getSExtValue(), name, !has_value->isZero(), flag });
	}
}

void Guesser::add(const Option &option, const std::string &variable, const std::string &function,
		  const std::string &member, StringRef file, unsigned line)
{
	bool is_letter = option.value > 0 && option.value < 128 && isAlnum((char)option.value);
	std::string letter = is_letter ? std::string(1, (char)option.value) : "";
	std::string key = option.name + "\t" + letter + "\t" + variable + "\t" + member;

	if (seen_.insert(key).second)
		found.push_back({ option.name, letter, option.has_value, variable, function, member,
				  file.str(), line });
}

void Guesser::noteMember(const Option &option, const StructType &type, unsigned element)
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
void Guesser::note(const Option &option, const Value *pointer)
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

void Guesser::noteLocal(const Option &option, const DILocalVariable &variable)
{
	add(option, variable.getName().str(), variable.getScope()->getSubprogram()->getName().str(),
	    "", variable.getFilename(), variable.getLine());
}

void Guesser::lookAt(const Option &option, Instruction &it, const std::set<const Value *> &returned)
{
	if (auto *store = dyn_cast<StoreInst>(&it))
		note(option, store->getPointerOperand());
	auto *value = dyn_cast<DbgValueInst>(&it);
	if (value && !value->getVariable()->isArtificial() &&
	    !returned.count(value->getVariableLocationOp(0)))
		noteLocal(option, *value->getVariable());
}

/* What only the case of an option gets to. */
void Guesser::lookAt(SwitchInst &branch, const std::set<const Value *> &returned,
		     const std::vector<Option> &options)
{
	DominatorTree dominators(*branch.getFunction());

	for (auto &one : branch.cases())
		for (const Option &option : options) {
			if (option.flag || option.value != one.getCaseValue()->getSExtValue())
				continue;
			for (BasicBlock &block : *branch.getFunction()) {
				if (!dominators.dominates(one.getCaseSuccessor(), &block))
					continue;
				for (Instruction &it : block)
					lookAt(option, it, returned);
			}
		}
}

void Guesser::follow(CallBase &call, std::vector<Option> &options)
{
	std::vector<Value *> todo = { &call };
	std::set<const Value *> returned;

	while (!todo.empty()) {
		Value *value = todo.back();

		todo.pop_back();
		if (!returned.insert(value).second)
			continue;
		for (User *user : value->users())
			if (isa<PHINode>(user) || isa<CastInst>(user))
				todo.push_back(user);
	}
	for (const Value *value : returned)
		for (const User *user : value->users())
			if (auto *branch = dyn_cast<SwitchInst>(const_cast<User *>(user)))
				lookAt(*branch, returned, options);
}

void Guesser::run()
{
	for (Function &function : module_)
		for (Instruction &instruction : instructions(function)) {
			auto *call = dyn_cast<CallBase>(&instruction);
			const Function *callee = call ? call->getCalledFunction() : nullptr;
			std::vector<Option> options;

			if (!callee || !beginsWith(callee->getName(), "getopt") ||
			    call->arg_size() < 3)
				continue;
			if (call->arg_size() > 3)
				names(call->getArgOperand(3), options);
			for (const Option &option : options)
				if (option.flag)
					note(option, option.flag);
			std::vector<Option> short_ones;
			letters(call->getArgOperand(2), short_ones);
			for (const Option &letter : short_ones) {
				bool is_named = false;
				for (const Option &option : options)
					is_named |= option.value == letter.value && !option.flag;
				if (!is_named)
					options.push_back(letter);
			}
			follow(*call, options);
		}
}

} // namespace

std::vector<Guess> guessOptions(Module &module)
{
	Guesser guesser(module);

	guesser.run();
	return guesser.found;
}

} // namespace rarog
