#ifdef __APPLE__
#include "CPosix.h"
#include <crt_externs.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mach-o/dyld.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/event.h>
#include <sys/mman.h>
#include <sys/stdio.h>
#include <sys/sysctl.h>
#include <unistd.h>

int associated_open(const char *path, int flags, int mode) {
    return open(path, flags | O_CLOEXEC, mode);
}

// O_RESOLVE_BENEATH came with macOS 26, and older kernels ignore it. The place of the open file decides instead.
int associated_open_beneath(int directory, const char *path) {
    char root[PATH_MAX], place[PATH_MAX];
    int fd = openat(directory, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return -1;
    int is_known = fcntl(directory, F_GETPATH, root) == 0 && fcntl(fd, F_GETPATH, place) == 0;
    size_t count = is_known ? strlen(root) : 0;
    if (count == 1) count = 0; // "/"
    if (is_known && path[0] != '/' && strncmp(root, place, count) == 0 && (place[count] == '/' || place[count] == 0)) return fd;
    close(fd);
    errno = EXDEV;
    return -1;
}

int associated_open_itself(int directory, const char *name) {
    return openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int associated_find(int directory, const char *path) {
    return openat(directory, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

int associated_open_found(int found) {
    return fcntl(found, F_DUPFD_CLOEXEC, 0);
}

size_t associated_real_path(int fd, char *path, size_t size) {
    char place[PATH_MAX];
    if (fcntl(fd, F_GETPATH, place) != 0 || strlen(place) > size) return 0;
    memcpy(path, place, strlen(place));
    return strlen(place);
}

int associated_exchange(const char *one, const char *other) {
    return renamex_np(one, other, RENAME_SWAP);
}

struct timespec associated_modified(const struct stat *status) {
    return status->st_mtimespec;
}

struct timespec associated_changed(const struct stat *status) {
    return status->st_ctimespec;
}

int associated_nameless_file(const char *name) {
    (void)name;
    char path[PATH_MAX];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/associated.XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) unlink(path);
    return fd;
}

static int prepare(int fd, int is_blocking) {
    int one = 1;
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && (is_blocking || fcntl(fd, F_SETFL, O_NONBLOCK) == 0)
        && setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &one, sizeof one) == 0)
        return 0;
    return -1;
}

int associated_socket(int family, int type, int is_blocking) {
    int fd = socket(family, type, 0);
    if (fd < 0 || prepare(fd, is_blocking) == 0) return fd;
    close(fd);
    return -1;
}

int associated_socket_pair(int type, int ends[2]) {
    if (socketpair(AF_UNIX, type, 0, ends) != 0) return -1;
    if (prepare(ends[0], 1) == 0 && prepare(ends[1], 1) == 0) return 0;
    close(ends[0]);
    close(ends[1]);
    return -1;
}

ssize_t associated_send(int fd, const void *bytes, size_t count, int more_follows) {
    (void)more_follows;
    return send(fd, bytes, count, 0);
}

int associated_make_event(void) {
    int queue = kqueue();
    struct kevent event;
    EV_SET(&event, 0, EVFILT_USER, EV_ADD | EV_CLEAR, 0, 0, NULL);
    if (queue < 0) return -1;
    if (fcntl(queue, F_SETFD, FD_CLOEXEC) == 0 && kevent(queue, &event, 1, NULL, 0, NULL) == 0) return queue;
    close(queue);
    return -1;
}

void associated_signal_event(int event) {
    struct kevent change;
    EV_SET(&change, 0, EVFILT_USER, 0, NOTE_TRIGGER, 0, NULL);
    kevent(event, &change, 1, NULL, 0, NULL);
}

void associated_clear_event(int event) {
    struct kevent found;
    struct timespec now = {0, 0};
    kevent(event, NULL, 0, &found, 1, &now);
}

int associated_name_thread(const char *name) {
    return pthread_setname_np(name);
}

int associated_lower_priority(int priority) {
    return setpriority(PRIO_DARWIN_THREAD, 0, priority > 0 ? PRIO_DARWIN_BG : 0);
}

int associated_processor_count(void) {
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static char own_program[PATH_MAX];

static void find_own_program(void) {
    uint32_t size = sizeof own_program;
    if (_NSGetExecutablePath(own_program, &size) != 0) own_program[0] = 0;
}

const char *associated_own_program(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_own_program);
    return own_program;
}

char **associated_environment(void) {
    return *_NSGetEnviron();
}

// There is no such signal on macOS.
int associated_end_with_parent(void) {
    return 0;
}

int associated_forbid_dumps(void) {
    struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none);
}

uintptr_t associated_program_start(void) {
    return (uintptr_t)_dyld_get_image_header(0);
}

uint64_t associated_memory_limit(void) {
    uint64_t bytes = 0;
    size_t size = sizeof bytes;
    struct rlimit space;
    if (sysctlbyname("hw.memsize", &bytes, &size, NULL, 0) != 0) bytes = UINT64_MAX;
    return getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur < bytes ? space.rlim_cur : bytes;
}

void *associated_remap(void *start, size_t old_size, size_t new_size) {
    void *place = mmap(NULL, new_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (place == MAP_FAILED) return NULL;
    memcpy(place, start, old_size < new_size ? old_size : new_size);
    munmap(start, old_size);
    return place;
}

// The allocator of macOS returns what is free by itself, and so does the kernel with code.
void associated_trim_heap(void) {}
void associated_trim_always(void) {}
void associated_trim_arena(void) {}
void associated_release_code(void) {}

int associated_read_clock(enum associated_clock clock, struct timespec *time) {
    static const clockid_t clocks[] = {
        [associated_clock_monotonic] = CLOCK_MONOTONIC_RAW,
        [associated_clock_monotonic_coarse] = CLOCK_MONOTONIC_RAW_APPROX,
        [associated_clock_wall] = CLOCK_REALTIME,
        [associated_clock_wall_coarse] = CLOCK_REALTIME,
        [associated_clock_thread] = CLOCK_THREAD_CPUTIME_ID,
    };
    return clock_gettime(clocks[clock], time);
}
#endif
