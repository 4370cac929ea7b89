#define _GNU_SOURCE
#include "CLinux.h"
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int associated_accept(int listener, struct sockaddr_storage *peer, socklen_t *length) {
    return accept4(listener, (struct sockaddr *)peer, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int associated_open(const char *path, int flags, int mode) {
    return open(path, flags | O_CLOEXEC, mode);
}

int associated_name_thread(const char *name) {
    return pthread_setname_np(pthread_self(), name);
}

int associated_processor_count(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

void *associated_remap(void *start, size_t old_size, size_t new_size) {
    return mremap(start, old_size, new_size, MREMAP_MAYMOVE);
}

int associated_duplicate(int fd) {
    return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

int associated_adopt(int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) return -1;
    return fcntl(fd, F_SETFD, FD_CLOEXEC);
}

int associated_open_beneath(int directory, const char *path) {
    struct open_how how = {.flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

int associated_lead_to(int listener, uint32_t first, uint32_t count) {
    struct sock_filter choose[] = {
        {.code = BPF_LD | BPF_W | BPF_ABS, .k = (uint32_t)(SKF_AD_OFF + SKF_AD_RANDOM)},
        {.code = BPF_ALU | BPF_MOD | BPF_K, .k = count},
        {.code = BPF_ALU | BPF_ADD | BPF_K, .k = first},
        {.code = BPF_RET | BPF_A},
    };
    struct sock_fprog program = {.len = sizeof choose / sizeof choose[0], .filter = choose};
    return setsockopt(listener, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof program);
}

int associated_lead_nowhere(int listener) {
    int unused = 0;
    return setsockopt(listener, SOL_SOCKET, SO_DETACH_REUSEPORT_BPF, &unused, sizeof unused);
}

int associated_unsent(int fd) {
    int count = 0;
    return ioctl(fd, SIOCOUTQ, &count) == 0 ? count : 0;
}

int associated_set_dumpable(int flag) {
    return prctl(PR_SET_DUMPABLE, (unsigned long)flag, 0UL, 0UL, 0UL);
}

int associated_dumpable(void) {
    return prctl(PR_GET_DUMPABLE, 0UL, 0UL, 0UL, 0UL);
}

void associated_trim_heap(void) {
    malloc_trim(0);
}
