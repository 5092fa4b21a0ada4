__attribute__((noinline)) static void thrower(int x, void (*f)(int)) { f(x); if (x) throw x; }
extern "C" __attribute__((visibility("default"))) int
guarded(int x, void (*f)(int)) { try { thrower(x, f); } catch (int e) { return e; } return 0; }
