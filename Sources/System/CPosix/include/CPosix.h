// Calls of the C library that Swift cannot make, or that differ between Linux (Linux.c) and macOS (Darwin.c).
// Declarations that need _GNU_SOURCE stay in Linux.c: a header that defines it breaks debug builds.
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>

int associated_open(const char *path, int flags, int mode);
// Opens a file for reading, if neither `..` nor a link leads out of the directory. The error is EXDEV otherwise.
int associated_open_beneath(int directory, const char *path);
int associated_open_itself(int directory, const char *name);
// Resolves a path and its links. On Linux the file is not opened.
int associated_find(int directory, const char *path);
// Opens what `associated_find` has found.
int associated_open_found(int found);
// The path of an open file without links, as the kernel states it. Returns its length, 0 if there is none.
size_t associated_real_path(int fd, char *path, size_t size);
// Exchanges two paths in one step.
int associated_exchange(const char *one, const char *other);
struct timespec associated_modified(const struct stat *status);
struct timespec associated_changed(const struct stat *status);
// A file without a name, closed in child processes.
int associated_nameless_file(const char *name);
// Such a file with content; its position is behind it.
int associated_memory_file(const void *bytes, size_t count);
// Memory that is mapped twice in a row.
void *associated_mirror(size_t size);

int associated_socket(int family, int type, int is_blocking);
int associated_socket_pair(int type, int ends[2]);
ssize_t associated_send(int fd, const void *bytes, size_t count, int more_follows);

// A descriptor that is readable after a signal, until it is cleared.
int associated_make_event(void);
void associated_signal_event(int event);
void associated_clear_event(int event);

int associated_start_thread(uintptr_t *thread, size_t stack_bytes, void *(*body)(void *), void *argument);
int associated_join_thread(uintptr_t thread);
int associated_detach_thread(uintptr_t thread);
int associated_name_thread(const char *name);
int associated_lower_priority(int priority);
int associated_processor_count(void);

// Names this program for posix_spawn, also after its file was replaced.
const char *associated_own_program(void);
char **associated_environment(void);
// Starts a program that is looked up in PATH, with these descriptors as 0, 1 and so on.
int associated_spawn(pid_t *process, const char *program, char *const *arguments, char *const *environment,
                     const int *descriptors, int count);
// Has the kernel end this process with its parent, where the kernel can do that.
int associated_end_with_parent(void);
int associated_forbid_dumps(void);
// Lets a signal call a function, unless a function is called already.
void associated_handle_fault(int number, void (*handler)(int, siginfo_t *, void *));
// Whether the kernel has sent the signal because of an address, and no process.
bool associated_is_fault(const siginfo_t *information);
uintptr_t associated_fault_address(const siginfo_t *information);
uintptr_t associated_program_start(void);

int associated_descriptor_limit(struct rlimit *limit);
int associated_set_descriptor_limit(const struct rlimit *limit);
// The least of the limits of this process, and of the machine's memory.
uint64_t associated_memory_limit(void);
void *associated_remap(void *start, size_t old_size, size_t new_size);
void associated_trim_arena(void);

// The coarse clocks may be some milliseconds behind.
enum associated_clock {
    associated_clock_monotonic,
    associated_clock_monotonic_coarse,
    associated_clock_wall,
    associated_clock_wall_coarse,
    associated_clock_thread,
};
int associated_read_clock(enum associated_clock clock, struct timespec *time);
