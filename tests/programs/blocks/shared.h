template <class T> __attribute__((noinline)) T twice(T x) { return x > 3 ? x + x : x * 2 + 1; }
int one(int), other(int);
