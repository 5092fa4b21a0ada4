/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What clang loads: where a program is compiled for `rarog collect features`, and, with
 * -rarog-features=FILE, to look at a whole program.
 */
#include "features.h"
#include "list.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/WithColor.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

using namespace llvm;

namespace
{

cl::opt<std::string> program("rarog-features", cl::desc("find the regions of these modules"));
cl::opt<std::string> wanted("rarog-wanted", cl::desc("features that are not annotated"));
cl::opt<std::string> result("rarog-result", cl::desc("what was found, as JSON"));
cl::opt<unsigned> least("rarog-least", cl::init(1),
			cl::desc("no regions of fewer instructions without a call"));
cl::opt<bool> nested("rarog-nested", cl::init(false),
		     cl::desc("regions within regions of the same features, too"));

cl::opt<bool> is_explicit("rarog-explicit", cl::init(false),
			  cl::desc("not what depends on features by chosen constants only"));

cl::opt<std::string> regions("rarog-regions", cl::desc("compile in the regions of this list"));
cl::opt<bool> nops("rarog-region-nops", cl::init(false),
		   cl::desc("no calls where they begin and end, but nops"));

/* A feature a line: name, variable, function, member, file, line; tabs between them. */
std::vector<rarog::Wanted> readWanted(StringRef text)
{
	std::vector<rarog::Wanted> all;
	SmallVector<StringRef, 16> lines;

	text.split(lines, '\n', -1, false);
	for (StringRef line : lines) {
		SmallVector<StringRef, 6> words;
		rarog::Wanted one;

		line.split(words, '\t');
		words.resize(6);
		one.name = words[0].str();
		one.variable = words[1].str();
		one.function = words[2].str();
		one.member = words[3].str();
		one.file = words[4].str();
		if (words[5].getAsInteger(10, one.line))
			one.line = 0;
		all.push_back(one);
	}
	return all;
}

/* What is known of variables newer LLVM keeps beside the instructions, whatever form the module
 * has: so it is there while variables become values. */
void beside(Module &module, bool is_beside)
{
#if LLVM_VERSION_MAJOR >= 19
	if (is_beside)
		module.convertToNewDbgValues();
	else
		module.convertFromNewDbgValues();
#else
	(void)module, (void)is_beside;
#endif
}

/* Values instead of memory, and not a block more or less. */
void promote(Function &function)
{
	DominatorTree dominators(function);
	SmallVector<AllocaInst *, 16> found;

	for (bool has_changed = true; has_changed;) {
		found.clear();
		for (Instruction &instruction : function.getEntryBlock())
			if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
				if (isAllocaPromotable(alloca))
					found.push_back(alloca);
		has_changed = !found.empty();
		if (has_changed)
			PromoteMemToReg(found, dominators);
	}
}

std::unique_ptr<MemoryBuffer> read(StringRef path)
{
	auto file = MemoryBuffer::getFile(path);

	return file ? std::move(*file) : nullptr;
}

void analyse(LLVMContext &context)
{
	std::unique_ptr<MemoryBuffer> bytes = read(program);
	std::unique_ptr<MemoryBuffer> names = wanted.empty() ? nullptr : read(wanted);
	std::error_code error;
	raw_fd_ostream stream(result, error);
	rarog::Units units;

	if (!bytes || error)
		return;
	std::unique_ptr<Module> module = units.link(bytes->getBuffer(), context);
	beside(*module, true);
	for (Function &function : *module)
		if (!function.isDeclaration())
			promote(function);
	beside(*module, false);
	rarog::Flow flow(*module);
	flow.is_explicit = is_explicit;
	flow.run(readWanted(names ? names->getBuffer() : ""));
	rarog::Regions regions(flow, *module, least, !nested);
	regions.write(stream, units);
}

/* Of a source that has changed the numbers mean something else. */
rarog::RegionList readRegions(Module &module)
{
	std::unique_ptr<MemoryBuffer> text = read(regions);
	rarog::RegionList list;
	std::string wrong =
		text ? list.read(text->getBuffer(), module) : std::string("cannot be read");

	if (!wrong.empty())
		report_fatal_error(Twine("rarog: ") + regions + " " + wrong, false);
	if (!list.elsewhere().empty())
		WithColor::warning(errs(), "rarog")
			<< regions << " is of " << module.getSourceFileName() << " in "
			<< list.elsewhere()
			<< ", not of this one: it gets no regions; compile it there, or write the "
			   "list of a program that was compiled here\n";
	return list;
}

/* Between the two passes of a module. */
std::unique_ptr<rarog::RegionList> list;

struct Features : PassInfoMixin<Features> {
	PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
	{
		if (!program.empty()) {
			analyse(module.getContext());
			return PreservedAnalyses::none();
		}
		rarog::tagModule(module);
		if (regions.empty())
			return PreservedAnalyses::none();
		list = std::make_unique<rarog::RegionList>(readRegions(module));
		if (!nops) {
			list->dropProbed();
			rarog::compileRegions(module, *list);
		}
		return PreservedAnalyses::none();
	}

	static bool isRequired()
	{
		return true;
	}
};

struct Nops : PassInfoMixin<Nops> {
	PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
	{
		if (!list || !nops)
			return PreservedAnalyses::all();
		rarog::leaveRoom(module, *list);
		return PreservedAnalyses::none();
	}

	static bool isRequired()
	{
		return true;
	}
};

void register_passes(PassBuilder &builder)
{
	builder.registerPipelineStartEPCallback(
		[](ModulePassManager &manager, OptimizationLevel) { manager.addPass(Features()); });
	builder.registerOptimizerLastEPCallback(
		[](ModulePassManager &manager, OptimizationLevel) { manager.addPass(Nops()); });
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo()
{
	return { LLVM_PLUGIN_API_VERSION, "rarog-features", RAROG_VERSION, register_passes };
}
