// The attempts of the probe's library. Each attempt is one line of the report. If an attempt is made on every socket of the
// process, one success counts; otherwise the first failure that does not come from the filter is reported.

extension Probe {
    static let source = """
        #define _GNU_SOURCE
        #include <arpa/inet.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <netinet/tcp.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mman.h>
        #include <sys/socket.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        #include <sys/uio.h>
        #include <sys/un.h>
        #include <sys/wait.h>
        #include <unistd.h>

        static int report;
        // Descriptors that were open before the server began belong to the test process.
        static char inherited[256];

        static int isOwnSocket(int fd) {
            struct stat status;
            return !inherited[fd] && fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
        }

        static void say(const char *name, int number) {
            char line[64];
            int count = snprintf(line, sizeof line, "%s %d\\n", name, number);
            write(report, line, count);
        }

        static void sayFailed(const char *name, int failed) { say(name, failed ? errno : 0); }

        static struct sockaddr_in inside;
        static struct sockaddr_un other;
        static char text[] = "forged";

        enum Attempt {
            TO_ADDRESS, TO_PATH, MESSAGE, MESSAGES, STOP_READING, STOP, OPENED, OPENED_MESSAGE, OPENED_MESSAGES, OPTION,
            CONNECT, BIND, LISTEN, OWNER, SIGNAL, FLAGS, RECEIVE, COUNT
        };
        static const char *names[COUNT] = {
            "sendto-address", "sendto-path", "sendmsg", "sendmmsg", "shutdown-read", "shutdown", "sendto-fastopen",
            "sendmsg-fastopen", "sendmmsg-fastopen", "setsockopt-fastopen", "connect", "bind", "listen", "fcntl-owner",
            "fcntl-signal", "fcntl-flags", "recvmsg"
        };

        static long sendMessage(int fd, void *name, socklen_t size, int flags, int many) {
            struct iovec part = {text, sizeof text};
            struct mmsghdr message = {
                .msg_hdr = {.msg_name = name, .msg_namelen = size, .msg_iov = &part, .msg_iovlen = 1}};
            return many ? sendmmsg(fd, &message, 1, flags) : sendmsg(fd, &message.msg_hdr, flags);
        }

        static long on(int fd, enum Attempt attempt) {
            int one = 1, quiet = MSG_NOSIGNAL | MSG_DONTWAIT;
            char byte;
            struct iovec part = {&byte, 1};
            struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
            switch (attempt) {
            case TO_ADDRESS: return sendto(fd, text, sizeof text, quiet, (void *)&inside, sizeof inside);
            case TO_PATH: return sendto(fd, text, sizeof text, quiet, (void *)&other, sizeof other);
            case MESSAGE: return sendMessage(fd, &other, sizeof other, quiet, 0);
            case MESSAGES: return sendMessage(fd, &other, sizeof other, quiet, 1);
            case STOP_READING: return shutdown(fd, SHUT_RD);
            case STOP: return shutdown(fd, SHUT_RDWR);
            case OPENED: return sendto(fd, text, sizeof text, quiet | MSG_FASTOPEN, (void *)&inside, sizeof inside);
            case OPENED_MESSAGE: return sendMessage(fd, &inside, sizeof inside, quiet | MSG_FASTOPEN, 0);
            case OPENED_MESSAGES: return sendMessage(fd, &inside, sizeof inside, quiet | MSG_FASTOPEN, 1);
            case OPTION: return setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &one, sizeof one);
            case CONNECT: return connect(fd, (void *)&inside, sizeof inside);
            case BIND: return bind(fd, (void *)&inside, sizeof inside);
            case LISTEN: return listen(fd, 1);
            case OWNER: return fcntl(fd, F_SETOWN, getppid());
            case SIGNAL: return fcntl(fd, F_SETSIG, SIGURG);
            case FLAGS: return fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC);
            case RECEIVE: return recvmsg(fd, &message, MSG_DONTWAIT);
            case COUNT: break;
            }
            return 0;
        }

        /// On every socket, in this order: a blocked operation can be repeated on another one.
        static void outward(void) {
            for (int attempt = 0; attempt < COUNT; attempt++) {
                int outcome = -1;
                for (int fd = 3; fd < 256; fd++) {
                    if (!isOwnSocket(fd)) continue;
                    int number = on(fd, attempt) >= 0 || errno == EINPROGRESS ? 0 : errno;
                    if (outcome == -1 || number == 0 || (outcome == EPERM && number != EPERM)) {
                        if (outcome != 0) outcome = number;
                    }
                }
                say(names[attempt], outcome);
            }
            // Calls without an address only reach what a socket is connected to.
            for (int fd = 3; fd < 256; fd++) {
                if (!isOwnSocket(fd)) continue;
                struct iovec part = {text, sizeof text};
                write(fd, text, sizeof text);
                writev(fd, &part, 1);
            }
            sayFailed("kill", kill(getppid(), 0) < 0);
        }

        static void attempt(int number) {
            sayFailed("shadow", open("/etc/shadow", O_RDONLY) < 0);
            sayFailed("passwd", open("/etc/passwd", O_RDONLY) < 0);
            sayFailed("write", open("/tmp/.probe", O_WRONLY | O_CREAT | O_EXCL, 0600) < 0);
            unlink("/tmp/.probe");
            // The signal may have interrupted an allocation, so nothing is allocated here.
            static char places[4096];
            if (getenv("PROBE_PLACES")) strncpy(places, getenv("PROBE_PLACES"), sizeof places - 1);
            for (char *place = strtok(places, ":"); place; place = strtok(0, ":")) {
                char name[64];
                snprintf(name, sizeof name, "write:%s", strrchr(place, '/') + 1);
                sayFailed(name, open(place, O_WRONLY | O_CREAT, 0600) < 0);
            }
            sayFailed("report", open(getenv("PROBE_REPORT"), O_RDONLY) < 0);
            sayFailed("socket", socket(AF_INET, SOCK_STREAM, 0) < 0);
            int fd = socket(AF_INET, SOCK_STREAM, 0);
            sayFailed("reach", fd < 0 || connect(fd, (void *)&inside, sizeof inside) < 0);
            fd = socket(AF_INET, SOCK_STREAM, 0);
            sayFailed("offer", fd < 0 || listen(fd, 1) < 0);
            sayFailed("datagrams", socket(AF_INET, SOCK_DGRAM, 0) < 0);
            sayFailed("pair", socketpair(AF_UNIX, SOCK_DGRAM, 0, (int[2]){0}) < 0);
            sayFailed("code", mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
            sayFailed("root", setuid(0) < 0);
            outward();
            // The library's fork would wait for the allocator, in which the signal may have arrived.
            pid_t child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
            if (child == 0) _exit(0);
            sayFailed("fork", child < 0);
            if (child > 0) waitpid(child, 0, 0);
            // Last, because a successful attempt does not return: the new program writes the end.
            char *script = "echo program 0 >>\\"$0\\"; echo end >>\\"$0\\"";
            char *words[] = {"/bin/sh", "-c", script, getenv("PROBE_REPORT"), 0};
            execve(words[0], words, (char *[]){0});
            sayFailed("program", 1);
            write(report, "end\\n", 4);
        }

        __attribute__((constructor)) static void begin(void) {
            for (int fd = 0; fd < 256; fd++) inherited[fd] = fcntl(fd, F_GETFD) >= 0;
            // What its parent gives to a server is the server's own: the fourth word, and the numbers behind colons and commas.
            const char *given = getenv("ASSOCIATED_INHERITED");
            int words = 0;
            for (; given && *given; given++) {
                if ((*given == ' ' && ++words == 3) || *given == ':' || *given == ',') inherited[atoi(given + 1) & 255] = 0;
            }
            report = open(getenv("PROBE_REPORT"), O_WRONLY | O_APPEND);
            inside.sin_family = AF_INET;
            inside.sin_port = htons(atoi(getenv("PROBE_PORT")));
            inside.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            other.sun_family = AF_UNIX;
            strncpy(other.sun_path, getenv("PROBE_PATH"), sizeof other.sun_path - 1);
            signal(SIGWINCH, attempt);
            sigset_t signals;
            sigemptyset(&signals);
            sigaddset(&signals, SIGWINCH);
            sigprocmask(SIG_UNBLOCK, &signals, 0);
        }
        """
}
