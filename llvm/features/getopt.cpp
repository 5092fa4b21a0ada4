/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What getopt(), getopt_long() and the switch on what they return tell of options. */
#include "guess.h"
#include "words.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace rarog
{

/* "ab:c": b has a value. */
static void readLetters(const Value *text, std::vector<Option> &options)
{
	std::string all = textAt(text);

	for (size_t i = 0; i < all.size(); i++)
		if (isalnum((unsigned char)all[i]))
			options.push_back(
				{ all[i], "", i + 1 < all.size() && all[i + 1] == ':', nullptr });
}

/* A table of a function is copied to its stack first. */
static const Constant *tableOf(const Value *pointer)
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
static void readNames(const Value *pointer, std::vector<Option> &options)
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

static void follow(CallBase &call, const std::vector<Option> &options, Written &written)
{
	std::vector<Value *> todo = { &call };

	written.skipped.clear();
	while (!todo.empty()) {
		Value *value = todo.back();

		todo.pop_back();
		if (!written.skipped.insert(value).second)
			continue;
		for (User *user : value->users())
			if (isa<PHINode>(user) || isa<CastInst>(user))
				todo.push_back(user);
	}
	for (const Value *value : written.skipped)
		for (const User *user : value->users())
			if (auto *branch = dyn_cast<SwitchInst>(const_cast<User *>(user)))
				written.noteCases(*branch, options);
}

static std::vector<Option> optionsOf(const CallBase &call)
{
	std::vector<Option> options, letters;

	if (call.arg_size() > 3)
		readNames(call.getArgOperand(3), options);
	readLetters(call.getArgOperand(2), letters);
	for (const Option &letter : letters)
		if (none_of(options, [&](const Option &option) {
			    return option.value == letter.value && !option.flag;
		    }))
			options.push_back(letter);
	return options;
}

void guessGetopt(Module &module, Written &written)
{
	for (Function &function : module)
		for (Instruction &instruction : instructions(function)) {
			auto *call = dyn_cast<CallBase>(&instruction);
			const Function *callee = call ? call->getCalledFunction() : nullptr;

			if (!callee || !beginsWith(callee->getName(), "getopt") ||
			    call->arg_size() < 3)
				continue;
			std::vector<Option> options = optionsOf(*call);
			for (const Option &option : options)
				if (option.flag)
					written.note(option, option.flag);
			follow(*call, options, written);
		}
}

} // namespace rarog
