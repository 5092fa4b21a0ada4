#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of SciPy, NumPy and statsmodels for the tests of src/num.

num-peers.py > num-peers.h      writes them
num-peers.py --check num-peers.h  computes them again and compares (TAP; skipped without SciPy)
"""
import re
import sys

try:
    import numpy
    import scipy
    import statsmodels
    from scipy import integrate, optimize, stats
    from statsmodels.regression.linear_model import OLS
    from statsmodels.stats.multitest import multipletests
    from statsmodels.tools import add_constant
except ImportError as missing:
    print(f"1..1\nok 1 # SKIP {missing.name}: python3-scipy and python3-statsmodels are needed")
    sys.exit(0)

X = [9.31, 10.72, 8.05, 11.6, 10.2, 9.94, 12.83, 7.41, 10.07, 9.58, 30.0, 8.88, 10.33]
Y = [10.9, 11.35, 9.99, 12.4, 10.85, 11.62, 13.1, 9.02, 10.61, 10.75, 11.9]
TIED = [9.31, 10.2, 10.2, 11.6, 9.94, 10.72, 12.83]
PAIRS = [0.31, -0.12, 0.52, 0.27, 0.44, -0.05, 0.38, 0.61, 0.19]
P = [0.0004, 0.031, 0.0012, 0.2, 0.00041, 0.9, 0.06, 0.031, 0.008, 1.0]
ALPHA_BETA = [(0, 1), (0.5, 0.5), (0, 0), (1, 1), (1 / 3, 1 / 3), (3 / 8, 3 / 8)]


def row(values):
    return "{ " + ", ".join(f"{v:.17g}" for v in values) + " }"


def array(name, values):
    body = row(values)
    words, lines = body.split(" "), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 80:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return f"static const double {name}[{len(values)}] =\n\t" + "\n\t".join(lines) + ";"


def define(name, value):
    return f"#define {name} {value:.17g}"


def mean_difference(y, x, axis=0):
    return numpy.mean(y, axis=axis) - numpy.mean(x, axis=axis)


def samples():
    yield f"#define PEER_X_N {len(X)}"
    yield f"#define PEER_Y_N {len(Y)}"
    yield f"#define PEER_TIED_N {len(TIED)}"
    yield f"#define PEER_PAIRS_N {len(PAIRS)}"
    yield f"#define PEER_P_N {len(P)}"
    for name, values in (("x", X), ("y", Y), ("tied", TIED), ("pairs", PAIRS), ("p", P)):
        yield array("peer_" + name, values)


def quantiles():
    yield "/* scipy.stats.mstats.mquantiles: p, then types 4 to 9 by alphap and betap */"
    yield "static const struct {\n\tdouble p, type[6];\n} peer_quantiles[] = {"
    for p in (0, 0.01, 0.1, 0.25, 0.5, 0.7, 0.9, 0.99, 1):
        types = [stats.mstats.mquantiles(X, [p], alphap=a, betap=b)[0] for a, b in ALPHA_BETA]
        yield f"\t{{ {p}, {row(types)} }},"
    yield "};"


def two_samples():
    exact = stats.mannwhitneyu(Y, X, method="exact")
    tied = stats.mannwhitneyu(TIED, X, method="asymptotic", use_continuity=True)
    yield "/* scipy.stats.mannwhitneyu(y, x), exact; (tied, x), asymptotic */"
    yield define("PEER_U", exact.statistic)
    yield define("PEER_U_P", exact.pvalue)
    yield define("PEER_U_TIED", tied.statistic)
    yield define("PEER_U_TIED_P", tied.pvalue)
    even = stats.ttest_ind(numpy.arange(12), numpy.arange(12) + 2.5, equal_var=False)
    yield "/* scipy.stats.ttest_ind(equal_var=False) of 0 … 11 and 2.5 … 13.5 */"
    yield define("PEER_EVEN_P", even.pvalue)


def permutations():
    kinds = {"n_resamples": numpy.inf, "alternative": "greater"}
    yield "/* scipy.stats.permutation_test, all permutations, upper tail: tied against y; pairs */"
    test = stats.permutation_test((Y[:8], TIED), mean_difference, vectorized=True, **kinds)
    yield define("PEER_PERMUTATION_P", test.pvalue)
    test = stats.permutation_test((PAIRS,), numpy.mean, permutation_type="samples", **kinds)
    yield define("PEER_PAIRED_P", test.pvalue)


def multiples():
    for name, method in (("bh", "fdr_bh"), ("by", "fdr_by"), ("holm", "holm")):
        yield f"/* statsmodels' multipletests, {method} */"
        yield array("peer_" + name, multipletests(P, method=method)[1])


def series():
    fit = OLS(Y, add_constant(numpy.arange(len(Y)))).fit()
    yield "/* statsmodels: OLS of y on 0, 1, …, with AIC */"
    yield define("PEER_OLS_R2", fit.rsquared)
    yield define("PEER_OLS_LOG_LIKELIHOOD", fit.llf)
    yield array("peer_ols", list(fit.params) + list(fit.bse))


def second_bound(spent):
    """Look 2 of 5 at alpha/2 = 0.025 a tail: adaptive quadrature over the first z."""
    first = stats.norm.isf(spent(0.2))

    def chance(bound):
        def integrand(z):
            rest = (bound * numpy.sqrt(0.4) - z * numpy.sqrt(0.2)) / numpy.sqrt(0.2)
            return stats.norm.pdf(z) * stats.norm.sf(rest)

        return integrate.quad(integrand, -first, first, epsabs=1e-14, limit=200)[0]

    return optimize.brentq(lambda b: chance(b) - spent(0.4) + spent(0.2), 0.1, 8, xtol=1e-12)


def spending():
    yield "/* second of five bounds by scipy.integrate.quad: O'Brien-Fleming type, Pocock type */"
    yield define("PEER_OBRIEN_FLEMING_2", second_bound(
        lambda t: 2 * stats.norm.sf(stats.norm.isf(0.0125) / numpy.sqrt(t))))
    yield define("PEER_POCOCK_2", second_bound(
        lambda t: 0.025 * numpy.log(1 + (numpy.e - 1) * t)))


def header():
    yield "/* SPDX-License-Identifier: GPL-3.0-or-later */"
    yield "/*"
    yield f" * Written by num-peers.py with SciPy {scipy.__version__}, NumPy {numpy.__version__},"
    yield f" * statsmodels {statsmodels.__version__}."
    yield " */"
    yield "#ifndef RAROG_TESTS_NUM_PEERS_H\n#define RAROG_TESTS_NUM_PEERS_H\n"
    for part in (samples, quantiles, two_samples, permutations, multiples, series,
                 spending):
        yield from part()
        yield ""
    yield "#endif"


def numbers(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return [float(n) for n in re.findall(r"(?<![\w.])-?\d+\.?\d*(?:e[-+]?\d+)?(?![\w.])", text)]


def check(path):
    with open(path, encoding="utf-8") as file:
        recorded = numbers(file.read())
    computed = numbers("\n".join(header()))
    same = len(recorded) == len(computed) > 100
    for a, b in zip(recorded, computed):
        if abs(a - b) > 1e-9 * max(abs(b), 1e-6):
            print(f"# recorded {a}, computed {b}")
            same = False
    print(f"1..1\n{'ok' if same else 'not ok'} 1 recorded values are those of the peers")


if sys.argv[1:2] == ["--check"]:
    check(sys.argv[2])
else:
    print("\n".join(header()))
