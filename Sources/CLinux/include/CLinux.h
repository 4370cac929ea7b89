// The Linux calls that Glibc's Swift overlay does not expose, and the variadic ones that Swift cannot call.
// GNU-only declarations stay in CLinux.c: a header that defines _GNU_SOURCE breaks debug builds.
#pragma once
#include <stdint.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>

int associated_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
