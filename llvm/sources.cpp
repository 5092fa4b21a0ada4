/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Debug information does not tell a jump that somebody wrote (goto, break) from the one that ends a
 * block of statements: clang places that at the brace. So the source is looked at, while it is what
 * is compiled.
 */
#include "pass.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace llvm;

namespace rarog
{

namespace
{

struct Source {
	std::unique_ptr<MemoryBuffer> text; /* null: it cannot be read */
	std::vector<StringRef> lines;
};

std::unique_ptr<MemoryBuffer> read(const DIFile &file)
{
	SmallString<256> path(file.getDirectory());

	sys::path::append(path, file.getFilename());
	/* the folder may go by another name in debug information */
	for (StringRef name : { StringRef(path), file.getFilename() })
		if (auto buffer = MemoryBuffer::getFile(name))
			return std::move(*buffer);
	return nullptr;
}

/* What is compiled does not change meanwhile. */
const Source &source_of(const DIFile &file)
{
	static std::map<std::string, Source> known;
	auto found = known.try_emplace((file.getDirectory() + "\n" + file.getFilename()).str());
	Source &source = found.first->second;
	SmallVector<StringRef, 0> lines;

	if (!found.second)
		return source;
	source.text = read(file);
	if (source.text) {
		source.text->getBuffer().split(lines, '\n');
		source.lines.assign(lines.begin(), lines.end());
	}
	return source;
}

} // namespace

StringRef textAt(const DILocation &location)
{
	const DIFile *file = location.getFile();
	unsigned line = location.getLine(), column = location.getColumn();

	if (!file || line == 0 || column == 0)
		return "";
	const Source &source = source_of(*file);

	return line <= source.lines.size() ? source.lines[line - 1].substr(column - 1) : "";
}

} // namespace rarog
