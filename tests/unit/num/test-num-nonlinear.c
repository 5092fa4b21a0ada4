/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The 27 problems of NIST StRD, by differences and from their second start. */
#include "nist-nonlinear.h"
#include "num-check.h"
#include "num/nonlinear.h"
#include "unit.h"

static double misra1a(const double b[], const double x[])
{
	return b[0] * (1 - exp(-b[1] * x[0]));
}

static double misra1b(const double b[], const double x[])
{
	return b[0] * (1 - pow(1 + b[1] * x[0] / 2, -2));
}

static double misra1c(const double b[], const double x[])
{
	return b[0] * (1 - pow(1 + 2 * b[1] * x[0], -0.5));
}

static double misra1d(const double b[], const double x[])
{
	return b[0] * b[1] * x[0] / (1 + b[1] * x[0]);
}

static double chwirut(const double b[], const double x[])
{
	return exp(-b[0] * x[0]) / (b[1] + b[2] * x[0]);
}

static double lanczos(const double b[], const double x[])
{
	return b[0] * exp(-b[1] * x[0]) + b[2] * exp(-b[3] * x[0]) + b[4] * exp(-b[5] * x[0]);
}

static double bell(double x, double height, double centre, double width)
{
	return height * exp(-pow(x - centre, 2) / (width * width));
}

static double gauss(const double b[], const double x[])
{
	return b[0] * exp(-b[1] * x[0]) + bell(x[0], b[2], b[3], b[4]) +
	       bell(x[0], b[5], b[6], b[7]);
}

static double danwood(const double b[], const double x[])
{
	return b[0] * pow(x[0], b[1]);
}

static double kirby2(const double b[], const double x[])
{
	return (b[0] + (b[1] + b[2] * x[0]) * x[0]) / (1 + (b[3] + b[4] * x[0]) * x[0]);
}

static double cubics(const double b[], const double x[])
{
	return (b[0] + (b[1] + (b[2] + b[3] * x[0]) * x[0]) * x[0]) /
	       (1 + (b[4] + (b[5] + b[6] * x[0]) * x[0]) * x[0]);
}

static double nelson(const double b[], const double x[])
{
	return b[0] - b[1] * x[0] * exp(-b[2] * x[1]);
}

static double mgh17(const double b[], const double x[])
{
	return b[0] + b[1] * exp(-x[0] * b[3]) + b[2] * exp(-x[0] * b[4]);
}

static double roszman(const double b[], const double x[])
{
	return b[0] - b[1] * x[0] - atan(b[2] / (x[0] - b[3])) / M_PI;
}

static double wave(double x, double period, double c, double s)
{
	return c * cos(2 * M_PI * x / period) + s * sin(2 * M_PI * x / period);
}

static double enso(const double b[], const double x[])
{
	return b[0] + wave(x[0], 12, b[1], b[2]) + wave(x[0], b[3], b[4], b[5]) +
	       wave(x[0], b[6], b[7], b[8]);
}

static double mgh09(const double b[], const double x[])
{
	return b[0] * (x[0] * x[0] + x[0] * b[1]) / (x[0] * x[0] + x[0] * b[2] + b[3]);
}

static double rat42(const double b[], const double x[])
{
	return b[0] / (1 + exp(b[1] - b[2] * x[0]));
}

static double rat43(const double b[], const double x[])
{
	return b[0] / pow(1 + exp(b[1] - b[2] * x[0]), 1 / b[3]);
}

static double mgh10(const double b[], const double x[])
{
	return b[0] * exp(b[1] / (x[0] + b[2]));
}

static double eckerle4(const double b[], const double x[])
{
	return b[0] / b[1] * exp(-0.5 * pow((x[0] - b[2]) / b[1], 2));
}

static double bennett5(const double b[], const double x[])
{
	return b[0] * pow(b[1] + x[0], -1 / b[2]);
}

/* In the order of nist_nonlinear. */
static double (*const models[])(const double b[], const double x[]) = {
	misra1a, chwirut, chwirut, lanczos, gauss,   gauss, danwood,  misra1b, kirby2,
	cubics,  nelson,  mgh17,   lanczos, lanczos, gauss, misra1c,  misra1d, roszman,
	enso,    mgh09,   cubics,  misra1a, rat42,   mgh10, eckerle4, rat43,   bennett5
};

static double value(const void *arg, const double b[], size_t i)
{
	size_t k = *(const size_t *)arg, row = nist_nonlinear[k].columns + 1;

	return models[k](b, nist_nonlinear[k].data + i * row + 1);
}

/* Significant digits on which the worst of them agrees. */
static double digits(size_t n, const double a[], const double b[])
{
	double least = 15;

	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			least = fmin(least, -log10(fabs(a[i] - b[i]) / fabs(b[i])));
	return fmax(0, least);
}

static double solve(size_t k, int start, double *ret_errors)
{
	size_t n = nist_nonlinear[k].n, p = nist_nonlinear[k].p;
	rarog_cleanup(rarog_freep) double *y = calloc(n, sizeof(double));
	double b[9], covariance[81], error[9];
	struct rarog_nonlinear problem = { .n = n, .p = p, .y = y, .value = value, .arg = &k };
	struct rarog_nonlinear_fit fit;

	assert_non_null(y);
	for (size_t i = 0; i < n; i++)
		y[i] = nist_nonlinear[k].data[i * (nist_nonlinear[k].columns + 1)];
	memcpy(b, nist_nonlinear[k].start[start], sizeof(b));
	*ret_errors = 0;
	if (rarog_nonlinear_fit(&problem, b, covariance, &fit) < 0)
		return 0;
	for (size_t i = 0; i < p; i++)
		error[i] = sqrt(covariance[i * p + i]);
	*ret_errors = digits(p, error, nist_nonlinear[k].error);
	return digits(p, b, nist_nonlinear[k].b);
}

TEST(nist)
{
	size_t good[2] = { 0 }, good_errors = 0;

	for (size_t k = 0; k < RAROG_COUNT(nist_nonlinear); k++) {
		double errors[2], first = solve(k, 0, &errors[0]), second = solve(k, 1, &errors[1]);

		print_message("%s: %.1f digits from start 1, %.1f from start 2, errors %.1f\n",
			      nist_nonlinear[k].name, first, second, errors[1]);
		good[0] += first >= 6;
		good[1] += second >= 6;
		good_errors += errors[1] >= 4;
	}
	print_message("6 digits on %zu of 27 from start 1, %zu from start 2; errors 4 on %zu\n",
		      good[0], good[1], good_errors);
	assert_true(good[1] >= 25);
	assert_true(good_errors >= 25);
}

static double line(const void *arg, const double b[], size_t i)
{
	return b[0] + b[1] * ((const double *)arg)[i];
}

static double undefined(const void *arg, const double b[], size_t i)
{
	(void)arg;
	(void)i;
	return log(-fabs(b[0]));
}

TEST(refused)
{
	static const double y[] = { 1, 2, 3 }, bad[] = { 1, NAN, 3 }, x[] = { 1, 2, 3 };
	struct rarog_nonlinear problem = { .n = 3, .p = 2, .y = y, .value = line, .arg = x };
	struct rarog_nonlinear_fit fit;
	double b[2] = { 0.5, 0.5 }, covariance[4];

	assert_int_equal(rarog_nonlinear_fit(&problem, b, covariance, &fit), 0);
	assert_true(fabs(b[0]) < 1e-6 && fabs(b[1] - 1) < 1e-6);
	problem.n = 1;
	assert_refused(rarog_nonlinear_fit(&problem, b, covariance, &fit), -EDOM, "too few");
	problem.n = 3;
	problem.y = bad;
	assert_refused(rarog_nonlinear_fit(&problem, b, covariance, &fit), -EINVAL, "y");
	problem.y = y;
	problem.value = undefined;
	assert_refused(rarog_nonlinear_fit(&problem, b, covariance, &fit), -EDOM, "no minimum");
}
