/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of functions and files, as records say them. */
#include "pass.h"

#include <llvm/Support/ErrorHandling.h>

using namespace llvm;

namespace rarog
{

uint32_t Texts::number(StringRef text)
{
	auto known = numbers_.try_emplace(text, (uint32_t)texts_.size());

	if (known.second)
		texts_.push_back(known.first->getKey());
	return known.first->getValue();
}

void Texts::clear()
{
	texts_.clear();
	numbers_.clear();
}

/* Their size, little-endian, and they. */
std::string Texts::bytes() const
{
	std::vector<char *> v;
	rarog_coder s;

	for (StringRef text : texts_)
		v.push_back(const_cast<char *>(text.data())); /* keys of a map end with 0 */
	rarog_texts texts = { v.data(), (uint32_t)v.size(), (uint32_t)v.size(), 0 };
	rarog_coder_write(&s);
	rarog_texts_code(&s, &texts);
	if (rarog_coder_finish(&s) < 0)
		report_fatal_error("rarog: out of memory");
	auto size = (uint32_t)s.n + 4;
	std::string result;
	for (unsigned i = 0; i < 4; i++)
		result.push_back((char)(size >> 8 * i));
	result.append((const char *)s.bytes, s.n);
	free(s.bytes);
	return result;
}

} // namespace rarog
