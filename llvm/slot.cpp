/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a thread counts in a library. A word of thread-local storage, the slot, says how far its
 * counters are from those of the linker, plus one; zero is a thread that was never here. Whatever
 * created it, the function that it enters first asks the runtime, which keeps all registers.
 */
#include "pass.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

using namespace llvm;

namespace rarog
{

namespace
{

/* One for all objects of a library. */
GlobalVariable *slot_of(Module &module)
{
	Type *word = Type::getInt64Ty(module.getContext());

	if (GlobalVariable *known = module.getNamedGlobal(SLOT))
		return known;
	auto *slot = new GlobalVariable(module, word, false, GlobalValue::WeakAnyLinkage,
					ConstantInt::get(word, 0), SLOT, nullptr,
					GlobalValue::InitialExecTLSModel);
	slot->setVisibility(GlobalValue::HiddenVisibility);
	slot->setDSOLocal(true);
	slot->setAlignment(Align(8));
	return slot;
}

/* What runs where no runtime is linked, whose own takes this one's place: all count in one place.
 */
Function *enter_of(Module &module)
{
	if (Function *known = module.getFunction(ENTER))
		return known;
	Function *enter =
		Function::Create(FunctionType::get(Type::getVoidTy(module.getContext()), false),
				 GlobalValue::WeakAnyLinkage, ENTER, module);
	IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", enter));

	builder.CreateStore(builder.getInt64(1), slot_of(module));
	builder.CreateRetVoid();
	enter->setVisibility(GlobalValue::HiddenVisibility);
	enter->setDSOLocal(true);
	enter->setCallingConv(CallingConv::PreserveAll);
	enter->setDoesNotThrow();
	return enter;
}

/* LLVM wants them in the first block: elsewhere each costs a frame that changes its size. */
SmallVector<AllocaInst *, 16> variables_of(Function &function)
{
	SmallVector<AllocaInst *, 16> variables;

	for (Instruction &instruction : function.getEntryBlock())
		if (auto *variable = dyn_cast<AllocaInst>(&instruction))
			if (variable->isStaticAlloca())
				variables.push_back(variable);
	return variables;
}

} // namespace

Value *findCounters(Function &function, GlobalVariable *counters)
{
	LLVMContext &context = function.getContext();
	SmallVector<AllocaInst *, 16> variables = variables_of(function);
	BasicBlock *body = &function.getEntryBlock();
	BasicBlock *known = BasicBlock::Create(context, "", &function, body);
	BasicBlock *first = BasicBlock::Create(context, "", &function, known);
	BasicBlock *ask = BasicBlock::Create(context, "", &function);
	GlobalVariable *slot = slot_of(*function.getParent());
	MDNode *rarely = MDBuilder(context).createBranchWeights(1, 1 << 20);
	IRBuilder<> builder(first);
	Type *word = builder.getInt64Ty();

	for (AllocaInst *variable : variables)
		variable->moveBefore(*first, first->end());
	Value *said = builder.CreateLoad(word, slot);
	builder.CreateCondBr(builder.CreateICmpEQ(said, ConstantInt::get(word, 0)), ask, known,
			     rarely);
	builder.SetInsertPoint(ask);
	builder.CreateCall(enter_of(*function.getParent()))
		->setCallingConv(CallingConv::PreserveAll);
	Value *asked = builder.CreateLoad(word, slot);
	builder.CreateBr(known);
	builder.SetInsertPoint(known);
	PHINode *distance = builder.CreatePHI(word, 2);
	distance->addIncoming(said, first);
	distance->addIncoming(asked, ask);
	Value *of_thread = builder.CreateAdd(distance, ConstantExpr::getPtrToInt(counters, word));
	builder.CreateBr(body);
	return of_thread;
}

} // namespace rarog
