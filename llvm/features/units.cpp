/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All modules of a program as one. */
#include "features.h"
#include "words.h"

#include <cstring>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Linker/Linker.h>

using namespace llvm;

namespace rarog
{

/* Which numbers the pieces of each function have, before functions of one name become one. */
void Units::note(Module &module)
{
	auto number = (unsigned)all.size();
	unsigned next = 1;

	all.push_back({ module.getSourceFileName(), "", 0 });
	for (const DICompileUnit *unit : module.debug_compile_units())
		all.back() = { unit->getFilename().str(), unit->getDirectory().str(), 0 };
	for (unsigned i = 0; i < number; i++)
		if (all[i].name == all.back().name && all[i].directory == all.back().directory)
			warnings.push_back(all[i].name +
					   " is in the program twice, compiled differently: its "
					   "regions are not measured; compile copies of the file");
	for (Function &function : module) {
		if (function.isDeclaration() || function.hasAvailableExternallyLinkage())
			continue;
		std::string name = function.getName().str();
		if (function.hasLocalLinkage())
			function.setName(name + ".rarog." + Twine(number));
		names_[function.getName()] = name;
		copies_[function.getName()].push_back({ number, next });
		next = visitPieces(function, next, [](Instruction &, unsigned) {});
	}
	all.back().pieces = next;
}

/* The first definition counts, as in an archive. */
static void dropDefined(Module &module, const Module &program)
{
	for (Function &function : module) {
		const Function *other = program.getFunction(function.getName());

		if (function.isStrongDefinitionForLinker() && !function.hasLocalLinkage() &&
		    other && other->isStrongDefinitionForLinker()) {
			function.deleteBody();
			function.setComdat(nullptr);
		}
	}
	for (GlobalVariable &variable : module.globals()) {
		const GlobalVariable *other = program.getNamedGlobal(variable.getName());

		if (variable.isStrongDefinitionForLinker() && !variable.hasLocalLinkage() &&
		    !variable.hasAppendingLinkage() && other &&
		    other->isStrongDefinitionForLinker()) {
			variable.setInitializer(nullptr);
			variable.setComdat(nullptr);
			variable.setLinkage(GlobalValue::ExternalLinkage);
		}
	}
}

static uint64_t readLittleEndian(StringRef bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
	return value;
}

/* The next module's bitcode; "": there is none. */
static StringRef nextModule(StringRef &bytes)
{
	const size_t head = 16;

	while (bytes.size() > head && !beginsWith(bytes, RAROG_FEATURE_MAGIC))
		bytes = bytes.drop_front(8);
	if (bytes.size() <= head)
		return "";
	uint64_t size = readLittleEndian(bytes.substr(8));
	if (size > bytes.size() - head)
		return "";
	StringRef code = bytes.substr(head, size);
	bytes = bytes.drop_front(std::min(bytes.size(), (size_t)(head + ((size + 7) & ~7ull))));
	return code;
}

std::unique_ptr<Module> Units::link(StringRef bytes, LLVMContext &context)
{
	auto program = std::make_unique<Module>("program", context);
	Linker linker(*program);

	for (StringRef code = nextModule(bytes); !code.empty(); code = nextModule(bytes)) {
		Expected<std::unique_ptr<Module>> module =
			parseBitcodeFile(MemoryBufferRef(code, "module"), context);

		if (!module) {
			warnings.push_back("a module cannot be read: " +
					   toString(module.takeError()));
			continue;
		}
		if (all.empty()) {
			program->setDataLayout((*module)->getDataLayout());
			program->setTargetTriple((*module)->getTargetTriple());
		}
		(*module)->setModuleInlineAsm("");
		note(**module);
		dropDefined(**module, *program);
		std::string name = all.back().name;
		if (linker.linkInModule(std::move(*module)))
			warnings.push_back(name + " cannot be put together with the others");
	}
	return program;
}

ArrayRef<Copy> Units::copies(const Function &function) const
{
	auto found = copies_.find(function.getName());

	return found == copies_.end() ? ArrayRef<Copy>() : ArrayRef<Copy>(found->second);
}

StringRef Units::name(const Function &function) const
{
	auto found = names_.find(function.getName());

	return found == names_.end() ? function.getName() : StringRef(found->second);
}

} // namespace rarog
