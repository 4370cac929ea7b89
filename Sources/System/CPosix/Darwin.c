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
#include <sys/syslimits.h>
#include <sys/sysctl.h>
#include <unistd.h>

int associated_open(const char *path, int flags, int mode) {
    return open(path, flags | O_CLOEXEC, mode);
}

// Unlike Linux, macOS has one error for a path that leads outside and for one that may not be read. Its place decides, which can be
// found out without a permission to read.
int associated_open_beneath(int directory, const char *path) {
    int fd = openat(directory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_RESOLVE_BENEATH);
    if (fd >= 0 || errno != EACCES) return fd;
    char root[PATH_MAX], way[2 * PATH_MAX], place[PATH_MAX];
    if (fcntl(directory, F_GETPATH, root) != 0) return -1;
    snprintf(way, sizeof way, "%s/%s", root, path);
    bool leads_out = path[0] == '/' || !realpath(way, place);
    size_t count = strcmp(root, "/") == 0 ? 0 : strlen(root);
    if (!leads_out) leads_out = strncmp(root, place, count) != 0 || (place[count] != '/' && place[count] != 0);
    errno = leads_out ? EXDEV : EACCES;
    return -1;
}

int associated_open_itself(int directory, const char *name) {
    return openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int associated_find(int directory, const char *path) {
    return openat(directory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
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
    const char *folders[] = {getenv("TMPDIR"), "/tmp"};
    for (int index = 0; index < 2; index++) {
        char path[PATH_MAX];
        if (!folders[index]) continue;
        snprintf(path, sizeof path, "%s/associated.XXXXXX", folders[index]);
        int fd = mkostemp(path, O_CLOEXEC);
        if (fd < 0) continue;
        unlink(path);
        return fd;
    }
    return -1;
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

// Of a trap, the code is 0.
bool associated_is_fault(const siginfo_t *information) {
    return information->si_pid == 0;
}

uintptr_t associated_program_start(void) {
    return (uintptr_t)_dyld_get_image_header(0);
}

// The hard limit is usually "unlimited", which macOS does not take as a soft one (setrlimit(2)).
int associated_set_descriptor_limit(const struct rlimit *limit) {
    struct rlimit wanted = *limit;
    if (wanted.rlim_cur > OPEN_MAX) wanted.rlim_cur = OPEN_MAX;
    return setrlimit(RLIMIT_NOFILE, &wanted);
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

// The allocator of macOS returns by itself what is free.
void associated_trim_arena(void) {}

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
