/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arguments and results of every class of the calling convention must come through a probe
 * untouched: float, double, more than 8 of them, long double (x87), _Complex, __int128, small and
 * large structures, mixed ones, 128-bit and (with -mavx) 256-bit, 512-bit vectors; also the
 * rounding modes.
 */
#include "expect.h"
#include <complex.h>
#include <fenv.h>
#include <immintrin.h>
#include <stdarg.h>
#include <string.h>

struct two_longs {
	long a, b;
};
struct mixed {
	double d;
	long l;
};
struct two_doubles {
	double x, y;
};
struct three {
	long a, b, c;
};
struct small {
	char c[3];
};

TRACED float f_float(float a, float b)
{
	CALLED();
	return a / b;
}

TRACED double f_nine(double a, double b, double c, double d, double e, double f, double g, double h,
		     double i, double j)
{
	CALLED();
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

TRACED long double f_long_double(long double a, double b)
{
	CALLED();
	return a / (long double)b;
}

TRACED double complex f_complex(double complex a, double complex b)
{
	CALLED();
	return a * b;
}

TRACED long double complex f_long_complex(long double complex a, long double b)
{
	CALLED();
	return a + b * I; /* st(0) and st(1) */
}

TRACED float complex f_float_complex(float complex a)
{
	CALLED();
	return a * a;
}

TRACED unsigned __int128 f_int128(unsigned __int128 a, unsigned long b)
{
	CALLED();
	return a * b + 7;
}

TRACED struct two_longs f_two_longs(struct two_longs v)
{
	CALLED();
	return (struct two_longs){ v.b, v.a + 1 };
}

TRACED struct mixed f_mixed(struct mixed v)
{
	CALLED();
	return (struct mixed){ (double)v.l, (long)v.d };
}

TRACED struct two_doubles f_two_doubles(struct two_doubles v)
{
	CALLED();
	return (struct two_doubles){ v.y, v.x * 2 };
}

TRACED struct three f_three(long a)
{
	CALLED();
	return (struct three){ a, a * 2, a * 3 };
}

TRACED struct small f_small(struct small v)
{
	CALLED();
	return (struct small){ { v.c[2], v.c[1], v.c[0] } };
}

TRACED __m128 f_m128(__m128 a, __m128 b)
{
	CALLED();
	return _mm_mul_ps(a, b);
}

TRACED __m128i f_m128i(__m128i a, __m128i b, long c)
{
	CALLED();
	return _mm_add_epi64(_mm_add_epi64(a, b), _mm_set1_epi64x(c));
}

TRACED __m128 f_ten_m128(__m128 a, __m128 b, __m128 c, __m128 d, __m128 e, __m128 f, __m128 g,
			 __m128 h, __m128 i, __m128 j)
{
	CALLED();
	__m128 sum = _mm_add_ps(_mm_sub_ps(a, b), _mm_sub_ps(c, d));

	sum = _mm_add_ps(sum, _mm_mul_ps(_mm_sub_ps(e, f), _mm_sub_ps(g, h)));
	return _mm_div_ps(sum, _mm_add_ps(i, j));
}

struct four_floats {
	float a, b, c, d;
};

TRACED struct four_floats f_four_floats(struct four_floats v, struct four_floats w)
{
	CALLED();
	return (struct four_floats){ v.d - w.a, v.c - w.b, v.b - w.c, v.a - w.d };
}

/* al says how many vector registers hold arguments. */
TRACED long double f_varargs(int n, ...)
{
	long double sum = 0;
	va_list list;

	CALLED();
	va_start(list, n);
	for (int i = 0; i < n; i++) {
		sum = sum * 3 + va_arg(list, double);
		sum += va_arg(list, long double);
		sum -= va_arg(list, struct two_doubles).y;
	}
	va_end(list);
	return sum;
}

#ifdef __AVX512F__
TRACED __m512d f_m512(__m512d a, __m512d b, __mmask8 mask)
{
	CALLED();
	return _mm512_mask_add_pd(a, mask, a, b);
}

TRACED void widest(void)
{
	__m512d v = CALL(f_m512, _mm512_set_pd(1, 2, 3, 4, 5, 6, 7, 8), _mm512_set1_pd(0.25), 0x5a);
	double out[8];

	_mm512_storeu_pd(out, v);
	for (int i = 0; i < 8; i++)
		printf("m512 %g\n", out[i]);
}
#else
TRACED void widest(void)
{
}
#endif

#ifdef __AVX__
TRACED __m256d f_m256(__m256d a, __m256d b)
{
	CALLED();
	return _mm256_add_pd(_mm256_mul_pd(a, b), _mm256_set1_pd(0.5));
}

TRACED void wide(void)
{
	__m256d v = CALL(f_m256, _mm256_set_pd(1, 2, 3, 4), _mm256_set_pd(5, 6, 7, 8));
	double out[4];

	_mm256_storeu_pd(out, v);
	printf("m256 %g %g %g %g\n", out[0], out[1], out[2], out[3]);
}
#else
TRACED void wide(void)
{
}
#endif

TRACED void set_rounding(int mode)
{
	CALLED();
	fesetround(mode);
}

TRACED double rounded(double a, double b)
{
	CALLED();
	return a / b;
}

TRACED int bits_of(double d)
{
	union {
		double d;
		unsigned long l;
	} u = { d };

	CALLED();
	return (int)(u.l & 0xffff);
}

TRACED void rounding(void)
{
	static const int mode[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };

	for (int i = 0; i < 4; i++) {
		volatile double third;

		DO(set_rounding, mode[i]);
		third = CALL(rounded, 1, 3);
		printf("rounding %d %x\n", i, (unsigned)CALL(bits_of, third));
	}
	DO(set_rounding, FE_TONEAREST);
}

TRACED void scalars(int i)
{
	double complex z = CALL(f_complex, i + 2 * I, 3 - i * I);
	long double complex w = CALL(f_long_complex, i, 2.5L);
	float complex c = CALL(f_float_complex, (float)i + 1 * I);
	unsigned __int128 wide_int =
		CALL(f_int128, ((unsigned __int128)1 << 70) + (unsigned)i, 12345);

	printf("%.9g %.17g %.21Lg\n", (double)CALL(f_float, (float)i, 7),
	       CALL(f_nine, i, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5),
	       CALL(f_long_double, i, 7));
	printf("%g %g %Lg %Lg %g %g\n", creal(z), cimag(z), creall(w), cimagl(w), (double)crealf(c),
	       (double)cimagf(c));
	printf("%lx %lx\n", (unsigned long)(wide_int >> 64), (unsigned long)wide_int);
}

TRACED void structures(int i)
{
	struct two_longs a = CALL(f_two_longs, (struct two_longs){ i, 5 });
	struct mixed b = CALL(f_mixed, (struct mixed){ 2.5 + i, 9 });
	struct two_doubles c = CALL(f_two_doubles, (struct two_doubles){ i, 0.25 });
	struct three d = CALL(f_three, i);
	struct small e = CALL(f_small, (struct small){ { 'a', 'b', 'c' } });
	struct four_floats h = CALL(f_four_floats, (struct four_floats){ 1, 2, 3, (float)i },
				    (struct four_floats){ 5, 6, 7, 8 });
	struct two_doubles pair = { 1, i };
	long double va = CALL(f_varargs, 4, 1.5, 2.5L, pair, 3.5, 4.5L, pair, 5.5, 6.5L, pair, 7.5,
			      8.5L, pair);
	float f[4];

	_mm_storeu_ps(f,
		      CALL(f_ten_m128, _mm_set1_ps(1), _mm_set_ps(1, 2, 3, 4), _mm_set1_ps(3),
			   _mm_set1_ps(4), _mm_set1_ps(5), _mm_set_ps(9, 8, 7, 6), _mm_set1_ps(7),
			   _mm_set1_ps(8), _mm_set1_ps((float)i), _mm_set1_ps(10)));
	printf("%g %g %g %g %.10Lg %g %g %g %g\n", (double)f[0], (double)f[1], (double)f[2],
	       (double)f[3], va, (double)h.a, (double)h.b, (double)h.c, (double)h.d);
	_mm_storeu_ps(f, CALL(f_m128, _mm_set_ps(1, 2, 3, (float)i), _mm_set1_ps(1.5f)));
	printf("%ld %ld %g %ld %g %g %ld %ld %ld %.3s\n", a.a, a.b, b.d, b.l, c.x, c.y, d.a, d.b,
	       d.c, e.c);
	printf("%g %g %g %g %lld\n", (double)f[0], (double)f[1], (double)f[2], (double)f[3],
	       (long long)_mm_cvtsi128_si64(
		       CALL(f_m128i, _mm_set1_epi64x(i), _mm_set1_epi64x(2), 3)));
}

int main(void)
{
	for (int i = 0; i < 5; i++) {
		scalars(i);
		structures(i);
		wide();
		widest();
	}
	rounding();
	expect_print();
	return 0;
}
