#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of functions with random parameters that prints what it is called with.

  random-signatures.py make SEED c|c++ FUNCTIONS > program.c
      prints a line for each value of each call: FUNCTION NUMBER PATH BITS
  random-signatures.py paths SEED c|c++ FUNCTIONS
      the options of rarog collect that capture these values
  random-signatures.py compare EXPORTED PRINTED
      EXPORTED is what rarog export -f json says of a run, PRINTED what the program printed;
      what was captured must be what was printed. Exit status 1 if any value is wrong, or none is there.
"""
import collections
import json
import random
import re
import sys

SCALARS = [
    ("signed char", "i"), ("unsigned char", "u"), ("short", "i"), ("unsigned short", "u"),
    ("int", "i"), ("unsigned", "u"), ("long", "i"), ("unsigned long", "u"), ("long long", "i"),
    ("unsigned long long", "u"), ("_Bool", "b"), ("char", "c"), ("float", "f"), ("double", "d"),
    ("enum some", "e"), ("void *", "p"), ("int *", "p"), ("float", "f"), ("double", "d"),
]
OPAQUE = ["long double", "__int128", "unsigned __int128", "_Complex float", "_Complex double",
          "vec16", "_Complex long double"]

HEAD = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
%s
enum some { LOW = -5, ZERO = 0, HIGH = 70000 };
typedef float vec16 __attribute__((vector_size(16)));
typedef unsigned long long word;
static word bits(double d) { word w; memcpy(&w, &d, 8); return w; }
static __attribute__((noinline)) void say(const char *f, int n, const char *what, word value)
{
	printf("%%s %%d %%s %%llu\\n", f, n, what, value);
}
static __attribute__((noinline)) void keep(const void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}
static word state = %dULL;
static word next(void)
{
	state ^= state << 13; state ^= state >> 7; state ^= state << 17;
	return state;
}
static char texts[8][64] = { "", "a", "bb", "some text", "a longer text that is in memory" };
"""


class Struct:
    def __init__(self, rng, number, cxx):
        self.name = "struct s%d" % number
        self.fields = []  # (path, c type, kind, declaration)
        self.packed = rng.random() < 0.1
        self.union = rng.random() < 0.1
        self.kind = rng.choice(["", "", "", "destructor", "copy", "virtual"]) if cxx else ""
        if self.kind and self.union:
            self.kind = ""
        for i in range(rng.choice([1, 1, 2, 2, 3, 4, 6, 9])):
            kind = rng.random()
            c, k = rng.choice([s for s in SCALARS if s[1] != "b" or not self.union])
            if kind < 0.1 and not self.union:
                self.fields.append(("m%d" % i, "unsigned", "u%d" % rng.randint(1, 20), None))
            elif kind < 0.2:
                self.fields.append((None, c, "array", "%s m%d[%d];" % (c, i, rng.randint(1, 3))))
            else:
                self.fields.append(("m%d" % i, c, k, None))

    def define(self):
        lines = ["%s%s %s {" % ("union" if self.union else "struct",
                                " __attribute__((packed))" if self.packed else "",
                                self.name.split()[1])]
        for path, c, kind, text in self.fields:
            if text:
                lines.append("\t" + text)
            elif kind[0] == "u" and len(kind) > 1:
                lines.append("\tunsigned %s : %s;" % (path, kind[1:]))
            else:
                lines.append("\t%s%s%s;" % (c, "" if c.endswith("*") else " ", path))
        short = self.name.split()[1]
        if self.kind == "destructor":
            lines.append("\t~%s() { state += 0; }" % short)
        if self.kind == "copy":
            lines.append("\t%s() {}\n\t%s(const %s &o) { memcpy((void *)this, (const void *)&o, sizeof(*this)); }"
                         % (short, short, short))
        if self.kind == "virtual":
            lines.append("\tvirtual void nothing() { state += 0; }")
        lines.append("};")
        if self.union:
            self.name = "union " + short
        return "\n".join(lines)

    def scalars(self):
        for path, c, kind, text in self.fields:
            if path:
                yield path, c, kind


def make_value(c, kind):
    if kind[0] in "iuce":
        return "(%s)next()" % c
    if kind == "b":
        return "(next() & 1)"
    if kind == "f":
        return "(float)((int)next() / 64)"
    if kind == "d":
        return "((long)next() / 64 * 0.5)"
    return "(%s)(next() & 1 ? (void *)texts[next() %% 8] : (void *)(size_t)next())" % c


def bits_of(expression, kind):
    if kind[0] in "fd":
        return "bits((double)(%s))" % expression
    if kind == "p":
        return "(word)(size_t)(%s)" % expression
    if kind[0] == "i" or kind == "e":
        return "(word)(long long)(%s)" % expression
    if kind == "c":
        return "(word)(unsigned char)(%s)" % expression
    return "(word)(%s)" % expression


class Function:
    def __init__(self, rng, number, structs, cxx):
        self.name = "fn_%d" % number
        self.cxx = cxx
        self.static = rng.random() < 0.4
        self.variadic = rng.random() < 0.1
        self.method = cxx and rng.random() < 0.3
        self.params = []  # (name, declared type, kind, object)
        for i in range(rng.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12])):
            name, what = "p%d" % i, rng.random()
            if what < 0.15 and structs:
                s = rng.choice(structs)
                self.params.append((name, s.name, "struct", s))
            elif what < 0.25 and structs:
                s = rng.choice(structs)
                self.params.append((name, s.name + " *", "to", s))
            elif what < 0.32:
                self.params.append((name, rng.choice(OPAQUE), "opaque", None))
            elif what < 0.42:
                self.params.append((name, "const char *", "text", None))
            elif what < 0.55 and cxx:
                c, k = rng.choice([("const std::string &", "string"), ("std::string", "string"),
                                   ("std::vector<int> &", "vector"), ("const double &", "dref"),
                                   ("std::vector<std::string>", "vector"), ("short &&", "iref"),
                                   ("std::string *", "p")])
                self.params.append((name, c, k, None))
            else:
                c, k = rng.choice(SCALARS)
                self.params.append((name, c, k, None))
        choice = rng.random()
        self.returns, self.returned = "void", None
        self.used = rng.random() < 0.7
        if choice < 0.5:
            self.returns, self.returned = rng.choice(SCALARS)
        elif choice < 0.75 and structs:
            self.struct = rng.choice(structs)
            self.returns, self.returned = self.struct.name, "struct"
        elif choice < 0.85:
            self.returns, self.returned = rng.choice(OPAQUE), "opaque"

    def paths(self):
        """(path, expression in the function, kind)"""
        for name, c, kind, s in self.params:
            if kind == "struct":
                for path, t, k in s.scalars():
                    yield "%s.%s" % (name, path), "%s.%s" % (name, path), k
            elif kind == "to":
                yield name, name, "p"
                for path, t, k in s.scalars():
                    yield "%s->%s" % (name, path), "%s->%s" % (name, path), k
            elif kind == "text":
                yield name, "strlen(%s)" % name, "u"
            elif kind == "string" or kind == "vector":
                yield name, "%s.size()" % name, "u"
                yield name + ".size()", "%s.size()" % name, "u"
            elif kind == "dref":
                yield name, name, "d"
            elif kind == "iref":
                yield name, name, "i"
            elif kind != "opaque":
                yield name, name, kind
        if self.method:
            yield "this", "this", "p"
            yield "this->tag", "this->tag", "i"

    def result_paths(self):
        if self.returned == "struct":
            for path, t, k in self.struct.scalars():
                yield "return.%s" % path, "result.%s" % path, k
        elif self.returned and self.returned != "opaque":
            yield "return", "result", self.returned

    def define(self):
        params = ", ".join("%s %s" % (c, name) for name, c, kind, s in self.params)
        if self.variadic and self.params and not self.cxx:
            params += ", ..."
        body = ["\tstatic int calls;", "\tint n = ++calls;"]
        for path, expression, kind in self.paths():
            body.append('\tsay("%s", n, "%s", %s);' % (self.name, path, bits_of(expression, kind)))
        if self.returned:
            if self.returned == "struct":
                body.append("\t%s result = make_%s();" % (self.returns, self.returns.split()[1]))
            elif self.returned == "opaque":
                body.append("\t%s result; memset(&result, 1, sizeof(result));" % self.returns)
            else:
                body.append("\t%s result = %s;" % (self.returns, make_value(self.returns, self.returned)))
            for path, expression, kind in self.result_paths():
                body.append('\tsay("%s", n, "%s", %s);' % (self.name, path, bits_of(expression, kind)))
            body.append("\treturn result;")
        text = "{\n%s\n}" % "\n".join(body)
        if self.method:
            return "struct object_%s { int tag; __attribute__((noinline)) %s %s(%s); };\n%s object_%s::%s(%s)\n%s" % (
                self.name, self.returns, self.name, params, self.returns, self.name, self.name, params, text)
        return "%s__attribute__((noinline)) %s %s(%s)\n%s" % (
            "static " if self.static else "", self.returns, self.name, params or ("void" if not self.cxx else ""), text)

    def call(self):
        lines, args = ["\t{"], []
        for name, c, kind, s in self.params:
            if kind == "struct":
                lines.append("\t\t%s %s = make_%s();" % (c, name, c.split()[1]))
            elif kind == "to":
                lines.append("\t\t%s %s_ = make_%s(); %s %s = &%s_;" % (
                    c[:-2], name, c.split()[1], c, name, name))
            elif kind == "opaque":
                lines.append("\t\t%s %s; memset(&%s, 1, sizeof(%s));" % (c, name, name, name))
            elif kind == "text":
                lines.append("\t\tconst char *%s = texts[next() %% 5];" % name)
            elif kind == "string":
                lines.append("\t\tstd::string %s(next() %% 40, 'x');" % name)
            elif kind == "vector":
                t = c.replace("&", "").replace("const", "").strip()
                lines.append("\t\t%s %s(next() %% 40);" % (t, name))
            elif kind == "dref":
                lines.append("\t\tdouble %s = (int)next() * 0.25;" % name)
            elif kind == "iref":
                lines.append("\t\tshort %s = (short)next();" % name)
            else:
                lines.append("\t\t%s %s = %s;" % (c, name, make_value(c, kind)))
            args.append("std::move(%s)" % name if kind == "iref" else name)
        if self.variadic and self.params and not self.cxx:
            args += ["1.5", "7"]
        call = "%s(%s)" % (self.name, ", ".join(args))
        if self.method:
            lines.append("\t\tobject_%s object = { (int)next() };" % self.name)
            call = "object." + call
        if self.returned and self.used:
            lines.append("\t\t%s result = %s; keep(&result);" % (self.returns, call))
        else:
            lines.append("\t\t%s;" % call)
        lines.append("\t}")
        return "\n".join(lines)


def build(seed, language, n):
    rng = random.Random(seed)
    cxx = language == "c++"
    structs = [Struct(rng, i, cxx) for i in range(12)]
    text = [HEAD % ("#include <string>\n#include <vector>\n#include <utility>\n#define _Bool bool" if cxx else "",
                    rng.getrandbits(60) | 1)]
    if cxx:
        text[0] = text[0].replace("_Complex", "__complex__")
    for s in structs:
        text.append(s.define())
        maker = ["static __attribute__((noinline)) %s make_%s(void)\n{\n\t%s s;\n\tmemset((char *)&s + %s, 0, sizeof(s) - %s);" % (
            s.name, s.name.split()[1], s.name, 8 if s.kind == "virtual" else 0, 8 if s.kind == "virtual" else 0)]
        for path, c, kind in s.scalars():
            maker.append("\ts.%s = %s;" % (path, make_value(c, kind[0])))
        maker.append("\treturn s;\n}")
        text.append("\n".join(maker))
    functions = [Function(rng, i, structs, cxx) for i in range(n)]
    text += [f.define() for f in functions]
    text.append("int main(void)\n{\n\tfor (int i = 0; i < 3; i++) {\n%s\n\t}\n\treturn 0;\n}" % "\n".join(
        f.call() for f in functions))
    source = "\n\n".join(text)
    if cxx:
        source = source.replace("_Complex ", "__complex__ ")
    return source, functions


def options(functions):
    for f in functions:
        symbol = "object_%s::%s" % (f.name, f.name) if f.method else f.name
        seen = 0
        for path, expression, kind in f.paths():
            seen += 1
            if seen <= 13:
                yield "--arg=%s:%s" % (symbol, path)
        for i, (path, expression, kind) in enumerate(f.result_paths()):
            if i < 13:
                yield "--arg=%s:%s" % (symbol, path)


def compare(exported, printed):
    profile = json.load(open(exported))
    arguments = profile["arguments"]
    names = [l["demangled"] or l["name"] for l in profile["locations"]]
    wanted = {}
    for line in open(printed):
        function, number, path, value = line.split()
        wanted[function, int(number), path] = int(value)

    def function_of(argument):
        return re.findall(r"\bfn_\d+", names[argument["location"]].split("(")[0])[-1]

    right, wrong = 0, 0
    kinds = collections.Counter()
    for v in profile["values"]:
        if arguments[v["argument"]]["name"] in ("instructions", "blocks"):
            continue  # what the call cost, which no program can print
        argument = arguments[v["argument"]]
        key = function_of(argument), v["number"], argument["name"]
        if key not in wanted or wanted[key] != v["value"]:
            wrong += 1
            if wrong < 20:
                print("wrong:", key, argument["type"], "captured", v["value"], "printed", wanted.get(key))
        else:
            right += 1
            kinds[argument["type"]] += 1
            del wanted[key]
    unread = sum(s["unknown"] for s in profile["argument_sums"])
    print("%d values right, %d wrong, %d of %d printed were not captured, %d could not be read" % (
        right, wrong, len(wanted), right + len(wanted), unread))
    missing = collections.Counter((key[0], key[2]) for key in wanted)
    if "-v" in sys.argv:
        for key in missing:
            print("not captured:", *key)
    return 1 if wrong or not right else 0


def main():
    if sys.argv[1] == "compare":
        sys.exit(compare(sys.argv[2], sys.argv[3]))
    source, functions = build(int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
    if sys.argv[1] == "make":
        print(source)
    else:
        print("\n".join(options(functions)))


main()
