// Linux calls that Glibc's Swift overlay does not expose, and variadic ones that Swift cannot call.
// Declarations that need _GNU_SOURCE stay in CLinux.c: a header that defines it breaks debug builds.
#pragma once
#include "CPosix.h"
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/un.h>

int associated_accept(int listener, struct sockaddr_storage *peer, socklen_t *length);
int associated_duplicate(int fd);
long associated_file_system(const char *path);
int associated_unsent(int fd);
// Starts a program, and does not wait until it has been opened. A child that cannot open it reports "ERRNO=NUMBER\n" and exits with 127.
pid_t associated_start(const char *path, char *const *arguments, char *const *environment, const int *kept, int count,
                       const int *blocked, int blocked_count, int reports);
int associated_adopt(int fd);
void associated_trim_heap(void);
void associated_trim_always(void);
void associated_release_code(void);
const char *associated_signal_name(int number);

int associated_prctl(int option, unsigned long first, unsigned long second);
int associated_set_user(uid_t user);
int associated_set_group(gid_t group);
int associated_act_as(uid_t user, gid_t group, const gid_t *groups, size_t count);
int associated_users(uid_t users[3]);
int associated_groups(gid_t groups[3]);
int associated_set_capabilities(uint64_t effective, uint64_t permitted);
int associated_capabilities(uint64_t *effective, uint64_t *permitted);
int associated_landlock_version(void);
int associated_landlock_create(const void *attributes, size_t size);
int associated_landlock_allow(int ruleset, int place, uint64_t access);
int associated_landlock_allow_connecting(int ruleset, uint16_t port);
int associated_landlock_enforce(int ruleset);
int associated_open_place(const char *path);
int associated_filter_calls(const void *instructions, unsigned short count, unsigned int flags);
uint32_t associated_architecture(void);
