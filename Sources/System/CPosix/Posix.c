#include "CPosix.h"
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <unistd.h>

int associated_start_thread(uintptr_t *thread, size_t stack_bytes, void *(*body)(void *), void *argument) {
    pthread_attr_t attributes;
    pthread_t handle;
    int result = pthread_attr_init(&attributes);
    if (result != 0) return result;
    result = pthread_attr_setstacksize(&attributes, stack_bytes);
    if (result == 0) result = pthread_create(&handle, &attributes, body, argument);
    pthread_attr_destroy(&attributes);
    if (result == 0) *thread = (uintptr_t)handle;
    return result;
}

int associated_join_thread(uintptr_t thread) {
    return pthread_join((pthread_t)thread, NULL);
}

int associated_detach_thread(uintptr_t thread) {
    return pthread_detach((pthread_t)thread);
}

int associated_spawn(pid_t *process, const char *program, char *const *arguments, char *const *environment,
                     const int *descriptors, int count) {
    posix_spawn_file_actions_t actions;
    int problem = posix_spawn_file_actions_init(&actions);
    if (problem != 0) return problem;
    for (int number = 0; number < count && problem == 0; number++)
        problem = posix_spawn_file_actions_adddup2(&actions, descriptors[number], number);
    if (problem == 0) problem = posix_spawnp(process, program, &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return problem;
}

void associated_handle_fault(int number, void (*handler)(int, siginfo_t *, void *)) {
    struct sigaction present, wanted = {.sa_flags = SA_SIGINFO};
    if (sigaction(number, NULL, &present) != 0 || present.sa_flags & SA_SIGINFO || present.sa_handler != SIG_DFL) return;
    wanted.sa_sigaction = handler;
    sigaction(number, &wanted, NULL);
}

uintptr_t associated_fault_address(const siginfo_t *information) {
    return (uintptr_t)information->si_addr;
}

int associated_descriptor_limit(struct rlimit *limit) {
    return getrlimit(RLIMIT_NOFILE, limit);
}

int associated_memory_file(const void *bytes, size_t count) {
    int file = associated_nameless_file("associated settings");
    if (file >= 0 && write(file, bytes, count) != (ssize_t)count) {
        close(file);
        return -1;
    }
    return file;
}

void *associated_mirror(size_t size) {
    int file = associated_nameless_file("associated log");
    if (file < 0) return NULL;
    void *start = MAP_FAILED;
    if (ftruncate(file, (off_t)size) == 0) start = mmap(NULL, size * 2, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (start != MAP_FAILED) {
        int access = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_FIXED;
        if (mmap(start, size, access, flags, file, 0) == MAP_FAILED
            || mmap((char *)start + size, size, access, flags, file, 0) == MAP_FAILED) {
            munmap(start, size * 2);
            start = MAP_FAILED;
        }
    }
    close(file);
    return start == MAP_FAILED ? NULL : start;
}
