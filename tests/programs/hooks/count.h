extern long calls[4];
long list_find(long n);
long list_push(long n);
long shared_twice(long n);
