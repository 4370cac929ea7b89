#ifdef __linux__
#define _GNU_SOURCE
#include "CPosix.h"
#include <fcntl.h>
#include <link.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int associated_open(const char *path, int flags, int mode) {
    return open(path, flags | O_CLOEXEC, mode);
}

int associated_open_beneath(int directory, const char *path) {
    struct open_how how = {.flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

int associated_open_itself(int directory, const char *name) {
    return openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int associated_find(int directory, const char *path) {
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

static void link_of(int fd, char link[32]) {
    snprintf(link, 32, "/proc/self/fd/%d", fd);
}

int associated_open_found(int found) {
    char link[32];
    link_of(found, link);
    return open(link, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

size_t associated_real_path(int fd, char *path, size_t size) {
    char link[32];
    link_of(fd, link);
    ssize_t count = readlink(link, path, size);
    return count > 0 ? (size_t)count : 0;
}

int associated_exchange(const char *one, const char *other) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, 2);
}

struct timespec associated_modified(const struct stat *status) {
    return status->st_mtim;
}

struct timespec associated_changed(const struct stat *status) {
    return status->st_ctim;
}

int associated_nameless_file(const char *name) {
    return memfd_create(name, MFD_CLOEXEC);
}

int associated_socket(int family, int type, int is_blocking) {
    return socket(family, type | SOCK_CLOEXEC | (is_blocking ? 0 : SOCK_NONBLOCK), 0);
}

int associated_socket_pair(int type, int ends[2]) {
    return socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends);
}

ssize_t associated_send(int fd, const void *bytes, size_t count, int more_follows) {
    return send(fd, bytes, count, MSG_NOSIGNAL | (more_follows ? MSG_MORE : 0));
}

int associated_make_event(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void associated_signal_event(int event) {
    // EAGAIN means that the counter is at its maximum, so the descriptor is readable already.
    eventfd_write(event, 1);
}

void associated_clear_event(int event) {
    eventfd_t count;
    eventfd_read(event, &count);
}

int associated_name_thread(const char *name) {
    return pthread_setname_np(pthread_self(), name);
}

// On Linux, of one thread.
int associated_lower_priority(int priority) {
    return setpriority(PRIO_PROCESS, 0, priority);
}

int associated_processor_count(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

const char *associated_own_program(void) {
    return "/proc/self/exe";
}

char **associated_environment(void) {
    return environ;
}

int associated_end_with_parent(void) {
    return prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL);
}

int associated_forbid_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL);
}

bool associated_is_fault(const siginfo_t *information) {
    return information->si_code > 0;
}

uintptr_t associated_program_start(void) {
    // The program headers follow the ELF header, which comes first in memory.
    return getauxval(AT_PHDR) - sizeof(ElfW(Ehdr));
}

int associated_set_descriptor_limit(const struct rlimit *limit) {
    return setrlimit(RLIMIT_NOFILE, limit);
}

uint64_t associated_memory_limit(void) {
    struct rlimit space, data;
    uint64_t least = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur < least) least = space.rlim_cur;
    if (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur < least) least = data.rlim_cur;
    return least;
}

void *associated_remap(void *start, size_t old_size, size_t new_size) {
    void *place = mremap(start, old_size, new_size, MREMAP_MAYMOVE);
    return place == MAP_FAILED ? NULL : place;
}

// glibc looks at the end of an arena only when a block of more than 64 KiB is freed in it, and malloc_trim only at that of the first.
void associated_trim_arena(void) {
    void *volatile block = malloc(96 * 1024);
    free(block);
}

int associated_read_clock(enum associated_clock clock, struct timespec *time) {
    static const clockid_t clocks[] = {
        [associated_clock_monotonic] = CLOCK_MONOTONIC,
        [associated_clock_monotonic_coarse] = CLOCK_MONOTONIC_COARSE,
        [associated_clock_wall] = CLOCK_REALTIME,
        [associated_clock_wall_coarse] = CLOCK_REALTIME_COARSE,
        [associated_clock_thread] = CLOCK_THREAD_CPUTIME_ID,
    };
    return clock_gettime(clocks[clock], time);
}
#endif
