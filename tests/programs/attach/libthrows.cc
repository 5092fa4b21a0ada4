__attribute__((noinline)) static long throws(long x) { if (x >= 0) throw x; return x; }
__attribute__((noinline)) static long catches(long x) { try { return throws(x); } catch (long n) { return n + 5; } }
extern "C" long thrower(long x) { return catches(x) + 1; }
