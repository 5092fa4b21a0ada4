// SPDX-License-Identifier: GPL-3.0-or-later
// usage: re2 FILE
// Regular expressions over the lines of a file by RE2: parsing, the DFA, the one-pass and the
// backtracking engine, replacements, sets, containers, an exception a thousand lines. The same work on
// every run.
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "re2/re2.h"
#include "re2/set.h"

namespace {

struct Counter {
	virtual ~Counter() = default;
	virtual void line(const std::string &text) = 0;
	virtual void print() const = 0;
};

class Matches : public Counter {
public:
	explicit Matches(const char *pattern) : pattern_(pattern) {}
	void line(const std::string &text) override { count_ += RE2::PartialMatch(text, pattern_); }
	void print() const override { std::printf("%-40s %ld\n", pattern_.pattern().c_str(), count_); }

private:
	RE2 pattern_;
	long count_ = 0;
};

class Words : public Counter {
public:
	void line(const std::string &text) override
	{
		re2::StringPiece rest(text);
		std::string word, number;
		while (RE2::FindAndConsume(&rest, word_, &word))
			words_[word]++;
		if (RE2::FullMatch(text, define_, &word, &number))
			defines_ += number.size();
	}
	void print() const override { std::printf("words %zu, defines %ld\n", words_.size(), defines_); }

private:
	RE2 word_{ "([A-Za-z_][A-Za-z_0-9]*)" };
	RE2 define_{ "#\\s*define\\s+(\\w+)\\s+(\\d+).*" };
	std::map<std::string, long> words_;
	long defines_ = 0;
};

class Replaced : public Counter {
public:
	void line(const std::string &text) override
	{
		std::string copy = text;
		count_ += RE2::GlobalReplace(&copy, pattern_, "\\2 \\1");
		length_ += copy.size();
	}
	void print() const override { std::printf("replaced %ld, length %ld\n", count_, length_); }

private:
	RE2 pattern_{ "(\\w+)\\s*=\\s*(\\w+)" };
	long count_ = 0, length_ = 0;
};

class Sets : public Counter {
public:
	Sets() : set_(RE2::DefaultOptions, RE2::UNANCHORED)
	{
		for (const char *pattern : { "if\\s*\\(", "for\\s*\\(", "return", "\\bsqlite3\\w+" })
			set_.Add(pattern, nullptr);
		set_.Compile();
	}
	void line(const std::string &text) override
	{
		std::vector<int> found;
		set_.Match(text, &found);
		count_ += found.size();
		if (++lines_ % 1000 == 0)
			refuse();
	}
	void print() const override { std::printf("of a set %ld, refused %ld\n", count_, refused_); }

private:
	void refuse()
	{
		try {
			throw std::runtime_error("a thousand lines");
		} catch (const std::exception &) {
			refused_++;
		}
	}
	RE2::Set set_;
	long count_ = 0, lines_ = 0, refused_ = 0;
};

} // namespace

int main(int n, char **words)
{
	std::vector<std::unique_ptr<Counter>> counters;
	std::ifstream file(n == 2 ? words[1] : "");
	std::string text;

	if (!file) {
		std::fprintf(stderr, "usage: re2 FILE\n");
		return 2;
	}
	for (const char *pattern : { "sqlite3_[a-z]+\\(", "(?i)todo|fixme", "^\\s*/\\*.*\\*/\\s*$",
				     "\\b(\\w+)\\(([^,()]*),([^,()]*)\\)" })
		if (RE2(pattern, RE2::Quiet).ok())
			counters.push_back(std::make_unique<Matches>(pattern));
	counters.push_back(std::make_unique<Words>());
	counters.push_back(std::make_unique<Replaced>());
	counters.push_back(std::make_unique<Sets>());
	while (std::getline(file, text))
		for (auto &counter : counters)
			counter->line(text);
	for (const auto &counter : counters)
		counter->print();
	return 0;
}
