// Counts what the server's workers take from the heap, for script/check-hot-path. Loaded in front of the C library
// (LD_PRELOAD); the counts of all threads named "worker …" are written to the file COUNT_FILE at SIGURG and at the end.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_ulong count;
static __thread int is_worker;

static void note(void) {
    // Threads are named soon after they begin; what they take before that is no request's.
    if (is_worker == 0) {
        char name[16] = "";
        pthread_getname_np(pthread_self(), name, sizeof name);
        if (strncmp(name, "worker ", 7) == 0) is_worker = 1;
    }
    if (is_worker) atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

static void report(int unused) {
    (void)unused;
    const char *path = getenv("COUNT_FILE");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (file < 0) return;
    char text[32];
    int length = snprintf(text, sizeof text, "%lu\n", atomic_load(&count));
    if (write(file, text, (size_t)length) != length) _exit(3);
    close(file);
}

__attribute__((constructor)) static void begin(void) {
    signal(SIGURG, report);
}

void *malloc(size_t size) {
    static void *(*next)(size_t);
    if (!next) next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    note();
    return next(size);
}

void *realloc(void *block, size_t size) {
    static void *(*next)(void *, size_t);
    if (!next) next = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
    note();
    return next(block, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    static int (*next)(void **, size_t, size_t);
    if (!next) next = (int (*)(void **, size_t, size_t))dlsym(RTLD_NEXT, "posix_memalign");
    note();
    return next(block, alignment, size);
}
