/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How counters and records get into the object file. They are written in assembler, because LLVM
 * cannot be told that a section has no bytes in the file (counters) or is not loaded (records,
 * which strip takes away with debug information). Where LLVM goes on with the module (LTO), or
 * records shall stay, they are variables like others: passes that drop, copy or rename functions
 * then treat them rightly.
 */
#include "pass.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Metadata.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

using namespace llvm;

namespace rarog
{

namespace
{

constexpr char MARK[] = "rarog.blocks";

/* Written for the linker to go on with. Set by clang before the first pass, and still there when
 * the linker calls the second. */
bool is_for_lto(const Module &module)
{
	return module.getModuleFlag("ThinLTO") || module.getModuleFlag("EnableSplitLTOUnit");
}

/* Between quotes, for the assembler: octal, which no following character can become part of. */
void escape(StringRef bytes, std::string &text)
{
	for (unsigned char c : bytes) {
		if (isPrint((char)c) && c != '"' && c != '\\') {
			text += (char)c;
			continue;
		}
		text += '\\';
		text += (char)('0' + (c >> 6));
		text += (char)('0' + (c >> 3 & 7));
		text += (char)('0' + (c & 7));
	}
}

/* Modules are joined (llvm-link), and so is their assembler, where names are to stay apart. */
std::string label_of(const Module &module, const Function &function, unsigned number)
{
	std::string owner = module.getModuleIdentifier() + '\n' + module.getSourceFileName() +
			    '\n' + function.getName().str();

	return ".L__rarog_counters." + utostr(number) + "." + utohexstr(xxHash64(owner));
}

uint32_t first_word(size_t size)
{
	if (size >= RAROG_RECORD_MOST)
		report_fatal_error("rarog: a function is too large to be counted");
	return (uint32_t)size | RAROG_BLOCKS_VERSION << 24;
}

void add_number(std::string &bytes, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		bytes.push_back((char)(value | 0x80));
	bytes.push_back((char)value);
}

} // namespace

std::string sectionWith(const Function &function, const char *name, const char *flags,
			const char *type)
{
	const Comdat *comdat = function.getComdat();
	std::string text = std::string(".pushsection ") + name + ",\"" + flags +
			   (comdat ? "G\"," : "\",") + type;

	if (!comdat)
		return text;
	text += ",\"";
	escape(comdat->getName(), text);
	return text + (comdat->getSelectionKind() == Comdat::Any ? "\",comdat" : "\"");
}

Companions::Companions(Module &module, const Options &options)
    : module_(module), options_(options), are_variables_(is_for_lto(module))
{
	module.getOrInsertNamedMetadata(MARK);
}

bool Companions::has(const Module &module)
{
	return module.getNamedMetadata(MARK);
}

/* A variable that lives and dies with @function. */
GlobalVariable *Companions::variable(Function &function, Constant *value, bool is_constant,
				     const char *section, const char *prefix)
{
	auto *made = new GlobalVariable(module_, value->getType(), is_constant,
					GlobalValue::PrivateLinkage, value,
					Twine(prefix) + function.getName());

	made->setSection(section);
	if (function.hasComdat())
		made->setComdat(function.getComdat());
	return made;
}

GlobalVariable *Companions::counters(Function &function, unsigned n)
{
	auto *type = ArrayType::get(Type::getInt64Ty(function.getContext()), n);

	if (are_variables_) {
		GlobalVariable *made = variable(function, Constant::getNullValue(type), false,
						RAROG_BLOCKS_COUNTERS, "__rarog_counters.");

		made->setAlignment(Align(8));
		return made;
	}
	std::string name = label_of(module_, function, number_++);
	text_ += sectionWith(function, RAROG_BLOCKS_COUNTERS, "aw", "@nobits");
	text_ +=
		"\n.p2align 3\n" + name + ":\n.zero " + utostr(8 * (uint64_t)n) + "\n.popsection\n";
	auto *made = new GlobalVariable(module_, type, false, GlobalValue::ExternalLinkage, nullptr,
					"\01" + name);
	made->setDSOLocal(true);
	made->setAlignment(Align(8));
	return made;
}

/* Both know their place by its distance from the record. */
void Companions::recordVariable(Function &function, GlobalVariable *counters, StringRef bytes)
{
	LLVMContext &context = function.getContext();
	Type *word = Type::getInt32Ty(context), *address = Type::getInt64Ty(context);
	Constant *body = ConstantDataArray::getString(context, bytes, false);
	StructType *type = StructType::get(context, { word, word, body->getType() }, true);
	GlobalVariable *record = variable(function, Constant::getNullValue(type), true,
					  RAROG_BLOCKS_MAP, "__rarog_record.");
	Constant *here = ConstantExpr::getInBoundsGetElementPtr(
		type, record,
		ArrayRef<Constant *>{ ConstantInt::get(word, 0), ConstantInt::get(word, 1) });
	Constant *distance = ConstantExpr::getSub(ConstantExpr::getPtrToInt(counters, address),
						  ConstantExpr::getPtrToInt(here, address));
	Constant *size = ConstantInt::get(word, first_word(bytes.size() + 8));

	record->setInitializer(
		ConstantStruct::get(type, { size, ConstantExpr::getTrunc(distance, word), body }));
	record->setAlignment(Align(1));
	used_.push_back(record);
}

/* Where the linker still drops and moves, they go with the record; so they do where all of it is
 * loaded. */
bool Companions::haveOwnTexts() const
{
	return are_variables_ || options_.keep_records;
}

Texts &Companions::texts()
{
	if (haveOwnTexts())
		texts_.clear();
	return texts_;
}

std::string Companions::namesLabel() const
{
	return ".L__rarog_names." + utohexstr(xxHash64(module_.getModuleIdentifier() + '\n' +
						       module_.getSourceFileName()));
}

void Companions::record(Function &function, GlobalVariable *counters, StringRef body,
			StringRef probes)
{
	std::string name = counters->getName().ltrim('\01').str();
	bool is_absolute = !haveOwnTexts();
	char settings = (char)(options_.placement | options_.threads << 2 |
			       (is_absolute ? RAROG_RECORD_IS_ABSOLUTE : 0) |
			       (options_.count_trips ? RAROG_RECORD_HAS_TRIPS : 0) |
			       (options_.count_paths ? RAROG_RECORD_HAS_PATHS : 0));
	std::string rest = is_absolute ? "" : texts_.bytes();

	if (!probes.empty())
		add_number(rest, body.size());
	rest += body;
	rest += probes;

	if (are_variables_) {
		recordVariable(function, counters, settings + rest);
		return;
	}
	text_ += sectionWith(function, is_absolute ? RAROG_BLOCKS_DEBUG_MAP : RAROG_BLOCKS_MAP,
			     is_absolute ? "" : "a", "@progbits");
	text_ += "\n.long " +
		 utostr(first_word(RAROG_RECORD_HEAD + (is_absolute ? sizeof(uint64_t) : 0) +
				   rest.size())) +
		 "\n.long " + (is_absolute ? namesLabel() : name + "-.") + "\n.byte " +
		 utostr((unsigned)settings) + (is_absolute ? "\n.quad " + name : "") +
		 "\n.ascii \"";
	escape(rest, text_);
	text_ += "\"\n.popsection\n";
}

void Companions::ir(Function &function, StringRef text)
{
	if (are_variables_)
		return;
	text_ += sectionWith(function, RAROG_BLOCKS_IR, "", "@progbits");
	text_ += "\n.ascii \"";
	escape(text, text_);
	text_ += "\"\n.popsection\n";
}

void Companions::finish()
{
	if (!text_.empty() && !haveOwnTexts()) {
		text_ += std::string(".pushsection ") + RAROG_BLOCKS_NAMES + ",\"\",@progbits\n" +
			 namesLabel() + ":\n.ascii \"";
		escape(texts_.bytes(), text_);
		text_ += "\"\n.popsection\n";
	}
	if (!text_.empty())
		module_.appendModuleInlineAsm(text_);
	appendToUsed(module_, used_);
}

} // namespace rarog
