void use(void *p, ...);
int table(int n) { int small[16]; use(small); return small[n]; }
int several(int n) { char a[100], b[8]; long c; use(a, b, &c); while (n-- > 0) use(b); return a[n & 7] + (int)c; }
int variable(int n) { char line[n + 1]; use(line); return line[n]; }
int inside(int n) { for (int i = 0; i < n; i++) { char line[i + 1]; use(line); } return n; }
