/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What clang and opt load: -fpass-plugin=FILE, with -fplugin=FILE before if options follow. */
#include "pass.h"

#include <llvm/IR/GlobalIFunc.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/WithColor.h>
#if __has_include(<llvm/TargetParser/Triple.h>)
#include <llvm/TargetParser/Triple.h>
#else
#include <llvm/ADT/Triple.h>
#endif

using namespace llvm;

namespace
{

cl::opt<rarog_blocks_placement> placement(
	"rarog-placement", cl::desc("where block counters go"), cl::init(RAROG_BLOCKS_TREE),
	cl::values(clEnumValN(RAROG_BLOCKS_TREE, "tree", "complement of a spanning tree"),
		   clEnumValN(RAROG_BLOCKS_EVERY, "every", "each block"),
		   clEnumValN(RAROG_BLOCKS_PATTERNS, "patterns",
			      "each block whose count does not follow from a pattern"),
		   clEnumValN(RAROG_BLOCKS_BOTH, "both", "both, to compare them")));

cl::opt<rarog_blocks_threads> threads(
	"rarog-threads", cl::desc("how threads share block counters"), cl::init(RAROG_BLOCKS_GS),
	cl::values(clEnumValN(RAROG_BLOCKS_GS, "own", "each has its own"),
		   clEnumValN(RAROG_BLOCKS_ATOMIC, "atomic", "locked instructions"),
		   clEnumValN(RAROG_BLOCKS_RELAXED, "relaxed", "counts may be lost")));

cl::opt<unsigned> promote("rarog-promote", cl::init(8),
			  cl::desc("counters of an innermost loop that are kept in registers"));

cl::opt<bool> assume_return("rarog-assume-return", cl::init(false),
			    cl::desc("count as if every call returned"));

cl::opt<bool> keep_records("rarog-keep-metadata", cl::init(false),
			   cl::desc("strip leaves what is known of blocks"));

cl::opt<bool> write_ir("rarog-ir", cl::init(false),
		       cl::desc("keep blocks' code as text, for the report"));

enum LoopCounts { LOOP_SUMS, LOOP_TRIPS };

cl::opt<LoopCounts> loops("rarog-loops", cl::desc("what is counted of loops"), cl::init(LOOP_SUMS),
			  cl::values(clEnumValN(LOOP_SUMS, "sums", "what follows from blocks"),
				     clEnumValN(LOOP_TRIPS, "trips", "rounds of each entry")));

cl::opt<bool> paths("rarog-paths", cl::init(false),
		    cl::desc("count how often each path through a function is taken"));

bool is_counted(const Function &function)
{
	return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
	       !function.hasFnAttribute(Attribute::Naked) &&
	       !function.hasFnAttribute(Attribute::NoProfile) &&
	       function.getName().substr(0, 8) != "__rarog_";
}

/* What @function calls by name. */
void add_called(const Function &function, SmallVectorImpl<const Function *> &open)
{
	for (const BasicBlock &block : function)
		for (const Instruction &instruction : block)
			if (const auto *call = dyn_cast<CallBase>(&instruction))
				if (const Function *callee = call->getCalledFunction())
					open.push_back(callee);
}

/* They, and what they call, run before anything is relocated and threads have storage. */
DenseSet<const Function *> resolvers(const Module &module)
{
	SmallVector<const Function *, 8> open;
	DenseSet<const Function *> found;

	for (const GlobalIFunc &ifunc : module.ifuncs())
		if (const Function *function = ifunc.getResolverFunction())
			open.push_back(function);
	while (!open.empty()) {
		const Function *function = open.pop_back_val();

		if (found.insert(function).second)
			add_called(*function, open);
	}
	return found;
}

/* A signal's handler that jumps out of a loop would take its registers' counts away. */
unsigned promote_of(const Module &module)
{
	static const char *const jumps[] = { "siglongjmp", "__sigsetjmp", "sigsetjmp",
					     "sigaltstack" };

	for (const char *name : jumps)
		if (module.getFunction(name))
			return 0;
	return promote;
}

/* The distance that GS holds is that of the program's counters; what may become a library has one
 * of its own. */
rarog_blocks_threads threads_of(const Module &module)
{
	bool is_library = module.getPICLevel() != PICLevel::NotPIC &&
			  module.getPIELevel() == PIELevel::Default;

	return threads == RAROG_BLOCKS_GS && is_library ? RAROG_BLOCKS_SLOT : threads;
}

/* GS is not free elsewhere. What is not counted is still to be compiled. */
bool can_count(const Module &module)
{
	Triple target(module.getTargetTriple());

	if (target.getArch() == Triple::x86_64 && !target.isX32() && target.isOSLinux())
		return true;
	WithColor::warning(errs(), "rarog")
		<< module.getSourceFileName()
		<< ": only blocks of 64-bit x86 code for Linux can be counted\n";
	return false;
}

struct BlockCounters : PassInfoMixin<BlockCounters> {
	PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses)
	{
		if (rarog::Companions::has(module) || !can_count(module))
			return PreservedAnalyses::all();
		auto &functions =
			analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
		rarog::Options options = { placement,           threads_of(module),
					   promote_of(module),  assume_return,
					   keep_records,        write_ir,
					   loops == LOOP_TRIPS, paths };
		rarog::Leaving leaving(module, assume_return);
		DenseSet<const Function *> excluded = resolvers(module);

		rarog::Companions companions(module, options);
		for (Function &function : module)
			if (is_counted(function) && !excluded.count(&function))
				instrument(function, functions, leaving, options, companions);
		companions.finish();
		return PreservedAnalyses::none();
	}

	void instrument(Function &function, FunctionAnalysisManager &analyses,
			const rarog::Leaving &leaving, const rarog::Options &options,
			rarog::Companions &companions)
	{
		bool is_divided = rarog::divideBlocks(function, leaving);

		if (rarog::copyReturns(function) || is_divided)
			analyses.invalidate(function, PreservedAnalyses::none());
		rarog::Graph graph(function, analyses, leaving, options);
		unsigned n = graph.n_counters;

		if (options.placement == RAROG_BLOCKS_BOTH)
			n += (unsigned)graph.blocks.size();
		rarog::Probes probes(function, graph, options, analyses);
		GlobalVariable *counters = companions.counters(function, n + probes.cells());
		companions.record(function, counters,
				  rarog::recordOf(function, graph, companions.texts()),
				  probes.record());
		if (options.write_ir)
			companions.ir(function, rarog::textOf(function, graph));
		probes.insert(function, counters, n);
		rarog::insertCounters(function, graph, counters, leaving, options);
		rarog::noteEnds(function);
	}

	static bool isRequired()
	{
		return true;
	}
};

void register_passes(PassBuilder &builder)
{
	builder.registerOptimizerLastEPCallback([](ModulePassManager &manager, OptimizationLevel) {
		manager.addPass(BlockCounters());
	});
	builder.registerPipelineParsingCallback([](StringRef name, ModulePassManager &manager,
						   ArrayRef<PassBuilder::PipelineElement>) {
		if (name != "rarog-blocks")
			return false;
		manager.addPass(BlockCounters());
		return true;
	});
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo()
{
	return { LLVM_PLUGIN_API_VERSION, "rarog-blocks", RAROG_VERSION, register_passes };
}
