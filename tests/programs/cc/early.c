#include <pthread.h>
void *work(void *);
static pthread_t id;
__attribute__((constructor)) static void begin(void) { pthread_create(&id, 0, work, 0); }
void join_it(void) { pthread_join(id, 0); }
