/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pieces of code get numbers, as discriminators of their source locations: the optimizer carries
 * them wherever it moves or copies the code, drops them where code of two pieces becomes one, and
 * they end in the line table. No instruction depends on them.
 */
#include "features.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace rarog
{

static bool isAlone(const Instruction &instruction)
{
	const auto *call = dyn_cast<CallBase>(&instruction);

	return call && call->isIndirectCall();
}

unsigned visitPieces(Function &function, unsigned first,
		     function_ref<void(Instruction &, unsigned)> visit)
{
	unsigned n = first;

	for (BasicBlock &block : function) {
		for (Instruction &instruction : block) {
			bool is_alone = isAlone(instruction);

			n += is_alone;
			visit(instruction, n);
			n += is_alone;
		}
		n++;
	}
	return n;
}

static void tag(Instruction &instruction, unsigned number)
{
	const DebugLoc &at = instruction.getDebugLoc();

	if (!at || isa<DbgInfoIntrinsic>(instruction))
		return;
	auto *scope = cast<DILocalScope>(at.getScope());
	LLVMContext &context = instruction.getContext();
	auto *block = DILexicalBlockFile::get(context, scope, scope->getFile(), number);
	instruction.setDebugLoc(
		DILocation::get(context, at.getLine(), at.getCol(), block, at.getInlinedAt()));
}

StringRef featureOf(const Value *text)
{
	const auto *variable = dyn_cast<GlobalVariable>(text->stripPointerCasts());
	const auto *bytes = variable && variable->hasInitializer()
				    ? dyn_cast<ConstantDataArray>(variable->getInitializer())
				    : nullptr;

	if (const auto *expression = dyn_cast<ConstantExpr>(text))
		if (!bytes && expression->getNumOperands() > 0 && expression->getOperand(0) != text)
			return featureOf(expression->getOperand(0));
	if (!bytes || !bytes->isCString())
		return "";
	StringRef name = bytes->getAsCString();
	return name.consume_front(RAROG_FEATURE_PREFIX) ? name : StringRef("");
}

/* They have told what they had to, and would keep variables in memory. */
static void dropAnnotations(Module &module)
{
	SmallVector<CallBase *, 16> found;

	for (Function &function : module)
		for (BasicBlock &block : function)
			for (Instruction &instruction : block)
				if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
					if ((call->getIntrinsicID() == Intrinsic::var_annotation ||
					     call->getIntrinsicID() == Intrinsic::ptr_annotation) &&
					    !featureOf(call->getArgOperand(1)).empty())
						found.push_back(call);
	for (CallBase *call : found) {
		if (!call->getType()->isVoidTy())
			call->replaceAllUsesWith(call->getArgOperand(0));
		call->eraseFromParent();
	}
}

/* The same of globals: they are in a list, which makes them look used. */
static void dropGlobalAnnotations(Module &module)
{
	GlobalVariable *list = module.getNamedGlobal("llvm.global.annotations");
	SmallVector<Constant *, 16> kept;

	if (!list || !list->hasInitializer())
		return;
	auto *all = dyn_cast<ConstantArray>(list->getInitializer());
	if (!all)
		return;
	for (Value *one : all->operands())
		if (featureOf(cast<Constant>(one)->getOperand(1)).empty())
			kept.push_back(cast<Constant>(one));
	if (kept.size() == all->getNumOperands())
		return;
	if (!kept.empty()) {
		auto *type = ArrayType::get(all->getType()->getElementType(), kept.size());
		auto *rest = new GlobalVariable(module, type, list->isConstant(),
						list->getLinkage(), ConstantArray::get(type, kept));

		rest->setSection(list->getSection());
		rest->takeName(list);
	}
	list->eraseFromParent();
	if (all->use_empty())
		all->destroyConstant();
	for (GlobalVariable &variable : module.globals())
		variable.removeDeadConstantUsers();
}

static std::string quoted(StringRef bytes)
{
	static const char digits[] = "01234567";
	std::string text;

	for (unsigned char c : bytes)
		if (c >= ' ' && c < 127 && c != '"' && c != '\\') {
			text += (char)c;
		} else {
			text += '\\';
			text += digits[c >> 6];
			text += digits[c >> 3 & 7];
			text += digits[c & 7];
		}
	return text;
}

static std::string littleEndian(uint64_t value)
{
	std::string text;

	for (unsigned i = 0; i < 8; i++)
		text += (char)(value >> 8 * i & 255);
	return text;
}

/* In no memory of the program, and linkers put those of all objects one after the other. */
static void keep(Module &module)
{
	SmallString<0> code;
	raw_svector_ostream stream(code);

	WriteBitcodeToFile(module, stream);
	std::string head = RAROG_FEATURE_MAGIC + littleEndian(code.size());
	code.resize((code.size() + 7) & ~(size_t)7);
	std::string text = ".pushsection " RAROG_FEATURE_SECTION ",\"\",@progbits\n.p2align 3\n";
	text += ".ascii \"" + quoted(head) + "\"\n";
	for (size_t at = 0; at < code.size(); at += 4096)
		text += ".ascii \"" + quoted(code.str().substr(at, 4096)) + "\"\n";
	module.appendModuleInlineAsm(text + ".popsection\n");
}

void tagModule(Module &module)
{
	unsigned next = 1;

	for (Function &function : module)
		if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage())
			next = visitPieces(function, next, tag);
	keep(module);
	dropAnnotations(module);
	dropGlobalAnnotations(module);
}

} // namespace rarog
