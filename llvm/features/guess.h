/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files that guess which variable keeps which option. */
#ifndef RAROG_LLVM_GUESS_H
#define RAROG_LLVM_GUESS_H

#include "features.h"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>

namespace rarog
{

struct Option {
	int64_t value;    /* what is returned for it */
	std::string name; /* "": it has only a letter */
	bool has_value;
	const llvm::GlobalVariable *flag; /* set directly; NULL: it is returned */
};

/* What is written where only an option leads. */
class Written
{
	llvm::Module &module_;
	llvm::DebugInfoFinder finder_;
	std::set<std::string> seen_;

	void add(const Option &option, const std::string &variable, const std::string &function,
		 const std::string &member, llvm::StringRef file, unsigned line);
	void noteLocal(const Option &option, const llvm::DILocalVariable &variable);
	void noteMember(const Option &option, const llvm::StructType &type, unsigned element);
	void noteCall(const Option &option, const llvm::CallBase &call);
	bool isValue(const llvm::Value *value) const;
	void noteAt(const Option &option, llvm::Instruction &it);

      public:
	std::vector<Guess> found;
	std::set<const llvm::Value *> skipped; /* what says which option it is */
	bool skips_pointers = false;           /* local ones: they go on in the argument */
	bool wants_calls = false;              /* only what a call returned is an option's value */

	explicit Written(llvm::Module &module) : module_(module)
	{
		finder_.processModule(module);
	}
	/* What @pointer points to. */
	void note(const Option &option, const llvm::Value *pointer);
	void noteIn(const Option &option, const llvm::BasicBlock &block);
	/* What is reached through @first only. */
	void noteFrom(const Option &option, const llvm::BasicBlock *first,
		      const llvm::DominatorTree &dominators);
	/* What the cases of @branch lead to. */
	void noteCases(llvm::SwitchInst &branch, const std::vector<Option> &options);
};

/* The text that @pointer points to; "": none that is known. */
std::string textAt(const llvm::Value *pointer);

void guessGetopt(llvm::Module &module, Written &written);

/* Of programs that read their arguments themselves. */
void guessOwn(llvm::Module &module, Written &written);

/* Digits that lead to one variable are its values; -f is --force. */
void joinGuesses(std::vector<Guess> &guesses);

} // namespace rarog

#endif
