#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/vfs.h>
#include <sys/ioctl.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int associated_accept(int listener, struct sockaddr_storage *peer, socklen_t *length) {
    return accept4(listener, (struct sockaddr *)peer, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int associated_duplicate(int fd) {
    return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

long associated_file_system(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? (long)(uint32_t)status.f_type : -1;
}

int associated_unsent(int fd) {
    int count = 0;
    return ioctl(fd, SIOCOUTQ, &count) == 0 ? count : 0;
}

int associated_prctl(int option, unsigned long first, unsigned long second) {
    return prctl(option, first, second, 0UL, 0UL);
}

int associated_set_user(uid_t user) {
    return setresuid(user, user, user);
}

int associated_set_group(gid_t group) {
    return setresgid(group, group, group);
}

// In files, and for the calling thread only: the function of the C library changes the groups of all threads, and waits for each.
int associated_act_as(uid_t user, gid_t group, const gid_t *groups, size_t count) {
    if (syscall(SYS_setgroups, count, groups) != 0) return -1;
    setfsgid(group);
    setfsuid(user);
    if ((gid_t)setfsgid((gid_t)-1) == group && (uid_t)setfsuid((uid_t)-1) == user) return 0;
    errno = EPERM;
    return -1;
}

int associated_users(uid_t users[3]) {
    return getresuid(&users[0], &users[1], &users[2]);
}

int associated_groups(gid_t groups[3]) {
    return getresgid(&groups[0], &groups[1], &groups[2]);
}

int associated_set_capabilities(uint64_t effective, uint64_t permitted) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct data[2] = {
        {.effective = (uint32_t)effective, .permitted = (uint32_t)permitted},
        {.effective = (uint32_t)(effective >> 32), .permitted = (uint32_t)(permitted >> 32)},
    };
    return (int)syscall(SYS_capset, &header, data);
}

int associated_capabilities(uint64_t *effective, uint64_t *permitted) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct data[2];
    int result = (int)syscall(SYS_capget, &header, data);
    if (result != 0) return result;
    *effective = data[0].effective | (uint64_t)data[1].effective << 32;
    *permitted = data[0].permitted | (uint64_t)data[1].permitted << 32;
    return 0;
}

int associated_landlock_version(void) {
    return (int)syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_CREATE_RULESET_VERSION);
}

int associated_landlock_create(const void *attributes, size_t size) {
    return (int)syscall(SYS_landlock_create_ruleset, attributes, size, 0U);
}

int associated_landlock_allow(int ruleset, int place, uint64_t access) {
    struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = place};
    return (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0U);
}

// LANDLOCK_RULE_NET_PORT and LANDLOCK_ACCESS_NET_CONNECT_TCP, which the headers of older kernels do not have.
int associated_landlock_allow_connecting(int ruleset, uint16_t port) {
    struct { uint64_t allowed_access, port; } rule = {.allowed_access = 1 << 1, .port = port};
    return (int)syscall(SYS_landlock_add_rule, ruleset, 2, &rule, 0U);
}

int associated_landlock_enforce(int ruleset) {
    return (int)syscall(SYS_landlock_restrict_self, ruleset, 0U);
}

int associated_open_place(const char *path) {
    return open(path, O_PATH | O_CLOEXEC);
}

int associated_filter_calls(const void *instructions, unsigned short count, unsigned int flags) {
    struct sock_fprog program = {.len = count, .filter = (struct sock_filter *)instructions};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

uint32_t associated_architecture(void) {
#if defined(__x86_64__)
    return AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    return AUDIT_ARCH_AARCH64;
#else
    return 0;
#endif
}

int associated_adopt(int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) return -1;
    return fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void associated_trim_heap(void) {
    malloc_trim(0);
}

// Without a fixed threshold, the arenas keep twice as much as the largest block that was ever freed.
void associated_trim_always(void) {
    mallopt(M_TRIM_THRESHOLD, 256 * 1024);
}

// What is not writable is as it is in the file, so the kernel can drop it and read it again.
static int release_segments(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        uintptr_t start = object->dlpi_addr + segment->p_vaddr, first = start & ~(page - 1);
        madvise((void *)first, start + segment->p_memsz - first, MADV_DONTNEED);
    }
    return 0;
}

void associated_release_code(void) {
    dl_iterate_phdr(release_segments, NULL);
}

const char *associated_signal_name(int number) {
    return sigabbrev_np(number);
}

// Another thread may hold any lock, so the child makes plain system calls only. clone is fork without the handlers of the C library.
pid_t associated_start(const char *path, char *const *arguments, char *const *environment, const int *kept, int count,
                       const int *blocked, int blocked_count, int reports) {
    pid_t parent = getpid();
    sigset_t all, before, mask;
    sigemptyset(&mask);
    for (int index = 0; index < blocked_count; index++) sigaddset(&mask, blocked[index]);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = (pid_t)syscall(SYS_clone, (unsigned long)SIGCHLD, 0UL, 0UL, 0UL, 0UL);
    int number = errno;
    if (child == 0) {
        setpgid(0, 0);
        // Before the program is opened, which may take long.
        prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL);
        if (syscall(SYS_getppid) != parent) _exit(127);
        for (int index = 0; index < count; index++) fcntl(kept[index], F_SETFD, 0);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        execve(path, arguments, environment);
        char text[] = "ERRNO=000\n";
        for (int digit = 8, rest = errno; digit > 5; digit--, rest /= 10) text[digit] = (char)('0' + rest % 10);
        send(reports, text, sizeof text - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        _exit(127);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return child;
}
