#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of SciPy, NumPy and statsmodels for test-model.c.

model-peers.py > model-peers.h        writes them
model-peers.py --check model-peers.h  computes them again and compares (TAP; skipped without SciPy)
"""
import re
import sys

try:
    import numpy
    import pandas
    import scipy
    import statsmodels
    from scipy import integrate, optimize, signal, stats
    from statsmodels.nonparametric.kernel_regression import KernelReg
    from statsmodels.regression.linear_model import OLS, WLS
    from statsmodels.robust import norms
    from statsmodels.robust.robust_linear_model import RLM
except ImportError as missing:
    print(f"1..1\nok 1 # SKIP {missing.name}: python3-scipy and python3-statsmodels are needed")
    sys.exit(0)

X = numpy.array([1, 2, 3, 5, 8, 9, 12, 14, 15, 20, 22, 25, 31, 36, 40, 41, 47, 52, 60, 64], dtype=float)
NOISE = numpy.array([3, -5, 8, 1, -9, 4, 7, -2, -6, 5, 11, -8, 2, -3, 6, -7, 9, -4, 1, -10], dtype=float)
Y = 40 + 3.5 * X + 0.08 * X**2 + NOISE

ones, log = numpy.ones(len(X)), numpy.log(X)
FAMILIES = {
    "constant": ([ones], None), "logarithmic": ([ones, log], None), "linear": ([ones, X], None),
    "linearithmic": ([ones, X * log], None), "power": ([ones, log], lambda b, x: numpy.exp(b[0]) * x ** b[1]),
    "exponential": ([ones, X], lambda b, x: numpy.exp(b[0] + b[1] * x)),
    "quadratic": ([ones, X, X**2], None), "cubic": ([ones, X, X**2, X**3], None)}
CURVES = {
    "constant": lambda b, x: b[0], "logarithmic": lambda b, x: b[0] + b[1] * numpy.log(x),
    "linear": lambda b, x: b[0] + b[1] * x, "linearithmic": lambda b, x: b[0] + b[1] * x * numpy.log(x),
    "power": lambda b, x: b[0] * x ** b[1], "exponential": lambda b, x: b[0] * b[1] ** x,
    "quadratic": lambda b, x: numpy.polyval(b[::-1], x), "cubic": lambda b, x: numpy.polyval(b[::-1], x)}


def row(values):
    return "{ " + ", ".join(f"{v:.17g}" for v in values) + " }"


def array(name, values):
    words, lines = row(values).split(" "), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 80:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return f"static const double {name}[{len(values)}] =\n\t" + "\n\t".join(lines) + ";"


def family(name):
    columns, curve = FAMILIES[name]
    matrix = numpy.column_stack(columns)
    logs = curve is not None
    b = OLS(numpy.log(Y) if logs else Y, matrix).fit().params
    fitted = curve(b, X) if logs else matrix @ b
    if logs:
        b = [numpy.exp(b[0]), numpy.exp(b[1]) if name == "exponential" else b[1]]
    rss = numpy.sum((Y - fitted) ** 2)
    r2 = 1 - rss / numpy.sum((Y - Y.mean()) ** 2)
    n, k = len(X), len(columns) + 1
    aicc = n * numpy.log(rss / n) + 2 * k + 2 * k * (k + 1) / (n - k - 1)
    mean = integrate.quad(lambda x: CURVES[name](b, x), 7, 55, epsabs=0, epsrel=1e-12)[0] / 48
    return list(b) + [0] * (4 - len(b)), r2, aicc, mean


WINDOWS = ("boxcar", "triang", "blackman", "hamming", "bartlett", "parzen", "bohman", "blackmanharris", "nuttall",
           "barthann")
RULES = ("auto", "doane", "fd", "rice", "scott", "sqrt", "sturges")
OUTLIERS = Y.copy()
OUTLIERS[[4, 11, 17]] += [500, -300, 900]
SKEWED = numpy.exp(numpy.sort(stats.norm.ppf((numpy.arange(200) + 0.5) / 200)))
WEIGHTS = 1 + numpy.arange(len(X)) % 3
LINE = numpy.column_stack([ones, X])
POWERS = {"power": (lambda x, a, b: a * x ** b, (10, 1)),
          "exponential": (lambda x, a, b: a * b ** x, (60, 1.03)),
          "shifted-power": (lambda x, a, b, c: a + b * x ** c, (40, 1, 1.5))}


def nonlinear(name, **how):
    curve, start = POWERS[name]
    b, covariance = optimize.curve_fit(curve, X, Y, p0=start, ftol=1e-15, xtol=1e-15, gtol=1e-15, maxfev=10000, **how)
    error = numpy.sqrt(numpy.diag(covariance))
    return list(b) + [0] * (3 - len(b)), list(error) + [0] * (3 - len(b))


def smooth(kind, width, centre):
    rolling = pandas.Series(Y).rolling(width, center=centre, min_periods=1, win_type=None if kind == "median" else kind)
    return rolling.median() if kind == "median" else rolling.mean()


def smoothed():
    yield "\n/* scipy.signal.get_window(name, 7 and 8, fftbins=False) */"
    for width in (7, 8):
        yield array(f"peer_windows_{width}", numpy.concatenate(
            [signal.get_window(name, width, fftbins=False) for name in WINDOWS]))
    yield "\n/* len(numpy.histogram_bin_edges()) - 1 of X and of log-normal quantiles */"
    yield array("peer_bins_x", [len(numpy.histogram_bin_edges(X, rule)) - 1 for rule in RULES])
    yield array("peer_skewed", SKEWED)
    yield array("peer_bins_skewed", [len(numpy.histogram_bin_edges(SKEWED, rule)) - 1 for rule in RULES])
    yield "\n/* pandas.Series.rolling(), .ewm() */"
    yield array("peer_triang", smooth("triang", 5, True))
    yield array("peer_hamming_even", smooth("hamming", 6, True))
    yield array("peer_trailing", smooth("parzen", 4, False))
    yield array("peer_median", smooth("median", 5, True))
    yield array("peer_median_even", smooth("median", 4, False))
    yield array("peer_ewm_span", pandas.Series(Y).ewm(span=4).mean())
    yield array("peer_ewm_halflife", pandas.Series(Y).ewm(halflife=2).mean())
    yield "\n/* statsmodels' KernelReg, normal kernel: bandwidth 6 and those it finds */"
    for kind in ("ll", "lc"):
        yield array(f"peer_kernel_{kind}", KernelReg(Y, X, "c", reg_type=kind, bw=[6]).fit(X)[0])
    with_noise = Y + 4 * NOISE
    yield array("peer_noisy", with_noise)
    # its AIC of lines takes the trace of means
    for how, kind in (("cv_ls", "ll"), ("aic", "lc")):
        yield f"#define PEER_BANDWIDTH_{how.upper()} {KernelReg(with_noise, X, 'c', reg_type=kind, bw=how).bw[0]:.6g}"


def fits():
    yield "\n/* scipy.optimize.curve_fit: power, exponential, shifted-power; b, errors */"
    for name in POWERS:
        b, error = nonlinear(name)
        yield array(f"peer_{name.replace('-', '_')}", list(b) + list(error))
    yield "\n/* WLS, weights 1 2 3 1 …: b and errors of a line */"
    fit = WLS(Y, LINE, WEIGHTS).fit()
    yield array("peer_weighted", list(fit.params) + list(fit.bse))
    yield "\n/* OLS of a quadratic at x = 30 and 100: mean, its interval, that of one observation, 95 % */"
    fit = OLS(Y, numpy.column_stack([ones, X, X**2])).fit()
    frame = fit.get_prediction(numpy.array([[1, x, x * x] for x in (30, 100)])).summary_frame()
    for k, x in enumerate((30, 100)):
        yield array(f"peer_band_{x}", frame.iloc[k][["mean", "mean_ci_lower", "mean_ci_upper", "obs_ci_lower",
                                                     "obs_ci_upper"]])
    yield array("peer_interval", numpy.asarray(fit.conf_int()).ravel())
    yield "\n/* RLM with three outliers: b, errors (H1), scale */"
    yield array("peer_outliers", OUTLIERS)
    for name, norm in (("huber", norms.HuberT()), ("tukey", norms.TukeyBiweight())):
        start = None if name == "huber" else RLM(OUTLIERS, LINE, M=norms.HuberT()).fit(maxiter=500, tol=1e-13).params
        fit = RLM(OUTLIERS, LINE, M=norm).fit(maxiter=500, tol=1e-13, **({} if start is None else {"start_params": start}))
        yield array(f"peer_{name}", list(fit.params) + list(fit.bse) + [fit.scale])


def header():
    yield "/* SPDX-License-Identifier: GPL-3.0-or-later */"
    yield "/*"
    yield f" * Written by model-peers.py with SciPy {scipy.__version__}, NumPy {numpy.__version__},"
    yield f" * statsmodels {statsmodels.__version__}, pandas {pandas.__version__}."
    yield " */"
    yield "#ifndef RAROG_TESTS_MODEL_PEERS_H\n#define RAROG_TESTS_MODEL_PEERS_H\n"
    yield "/* clang-format off */\n"
    yield f"#define PEER_N {len(X)}"
    yield array("peer_x", X)
    yield array("peer_y", Y)
    yield "\n/* OLS (of logarithms for power and exponential), r2 and AICc of y, quad over 7 … 55 */"
    yield "static const struct {\n\tconst char *name;\n\tdouble b[4], r2, aicc, mean;\n} peer_families[] = {"
    for name in FAMILIES:
        b, r2, aicc, mean = family(name)
        yield f"\t{{ \"{name}\", {row(b)}, {r2:.17g}, {aicc:.17g}, {mean:.17g} }},"
    yield "};"
    n = int(numpy.ceil(numpy.log2(len(X)))) + 1
    yield f"\n/* scipy.stats.binned_statistic, {n} bins */"
    yield array("peer_buckets", stats.binned_statistic(X, Y, "mean", n)[0])
    yield "\n/* mean of the neighbours, window of 3 */"
    yield array("peer_moving", [Y[max(0, i - 1):i + 2].mean() for i in range(len(X))])
    moving = [Y[max(0, i - 1):i + 2].mean() for i in range(len(X))]
    grid = numpy.union1d(X[(X > 7) & (X < 55)], [7, 55])
    yield f"#define PEER_MOVING_MEAN {integrate.trapezoid(numpy.interp(grid, X, moving), grid) / 48:.17g}"
    yield from smoothed()
    yield from fits()
    yield "/* clang-format on */\n\n#endif"


def numbers(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return [float(n) for n in re.findall(r"(?<![\w.])-?\d+\.?\d*(?:e[-+]?\d+)?(?![\w.])", text)]


def check(path):
    with open(path, encoding="utf-8") as file:
        recorded = numbers(file.read())
    computed = numbers("\n".join(header()))
    same = len(recorded) == len(computed) > 100
    for a, b in zip(recorded, computed):
        if abs(a - b) > 1e-8 * max(abs(b), 1e-6):
            print(f"# recorded {a}, computed {b}")
            same = False
    print(f"1..1\n{'ok' if same else 'not ok'} 1 recorded values are those of the peers")


if sys.argv[1:2] == ["--check"]:
    check(sys.argv[2])
else:
    print("\n".join(header()))
