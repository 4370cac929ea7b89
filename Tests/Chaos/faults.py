"""Faults of the server itself: its configuration, certificates, process, clock and resources."""
import os
import resource
import signal
import subprocess
import time


class Faults:
    """A method is one fault; afterwards the server can serve again."""

    # The relative frequency of a fault; 1 by default.
    weights = {"edit": 12, "break_file": 6, "page": 4, "rotate": 4, "kill": 1, "settings": 1, "remove": 2}

    def __init__(self, world, server, clock, disk):
        self.world, self.server, self.clock, self.disk = world, server, clock, disk

    def names(self):
        return [name for name in vars(type(self)) if name[0] != "_" and name not in ("names", "weights")]

    def edit(self, dice):
        tenant = dice.choice(self.world.tenants)
        kind = dice.randrange(3)
        if kind == 0:
            self.world.write(tenant)
        elif kind == 1:
            self.world.replace(tenant)
        else:
            self.world.dribble(tenant, dice)

    def break_file(self, dice):
        """Truncated, or not an app file at all."""
        tenant = dice.choice(self.world.tenants)
        if dice.random() < 0.5:
            self.world.cut(tenant, dice)
        else:
            self.world.spoil(tenant, dice)

    def remove(self, dice):
        self.world.remove(dice.choice(self.world.tenants))

    def page(self, dice):
        self.world.change_page(dice.choice(self.world.secure))

    def rotate(self, dice):
        # For a moment the key and the certificate do not match.
        self.server.excuse(3)
        self.world.rotate(dice.choice(self.world.secure), dice)
        self.server.excuse(3)

    def settings(self, dice):
        """A running server keeps its settings, and a restart must still work."""
        self.world.touch_settings(dice)
        self.server.send(signal.SIGHUP)
        time.sleep(0.1)
        (self.world.config / "server.json").unlink(missing_ok=True)

    def hangup_storm(self, dice):
        for _ in range(dice.randrange(20, 300)):
            self.server.send(signal.SIGHUP)
            if dice.random() < 0.05:
                time.sleep(0.01)

    def kill(self, dice):
        """kill -9 at any moment, and a restart. Edits continue until then."""
        self.edit(dice)
        time.sleep(dice.random() * 0.2)
        self.server.kill()

    def stop(self, dice):
        """SIGTERM, as in an update."""
        status = self.server.stop()
        if status != 0:
            raise RuntimeError(f"the server ended with status {status} on SIGTERM")
        self.world.lost_memory()
        self.server.start()

    def pause(self, dice):
        """The whole process is paused, like a virtual machine that is moved."""
        self.server.send(signal.SIGSTOP)
        time.sleep(dice.random() * 2)
        self.server.send(signal.SIGCONT)

    def few_descriptors(self, dice):
        """No descriptors beyond those that are open."""
        self.server.excuse(20)
        count = self.server.count_descriptors() + dice.randrange(0, 10)
        before = self.server.limit(resource.RLIMIT_NOFILE, count)
        time.sleep(1 + dice.random() * 2)
        self.server.limit(resource.RLIMIT_NOFILE, before[0])
        self.server.excuse(2)

    def little_memory(self, dice):
        """Hardly any address space left. The process may exit without memory; the next one must work."""
        self.server.excuse(20)
        size = self.server.address_space() + dice.choice([1, 4, 16, 64]) * 1_048_576
        before = self.server.limit(resource.RLIMIT_AS, size)
        tenant = dice.choice(self.world.tenants)
        self.world.write(tenant)
        time.sleep(1 + dice.random())
        if not self.server.has_ended():
            self.server.limit(resource.RLIMIT_AS, before[0] if before[0] >= 0 else resource.RLIM_INFINITY)
            self.server.excuse(2)
            return "lived"
        status, said = self.server.process.wait(), self.server.said("associated: exiting, out of memory")
        self.server.revive()
        if status == 71 and said:
            return "exited, out of memory, and said so"
        # Without room for a stack or a thread, the kernel or the C library ends the process without a message.
        if status in (-signal.SIGSEGV, -signal.SIGKILL, 127):
            return f"ended by the system, status {status}"
        raise RuntimeError(f"without memory it ended with status {status}" + ("" if said else ", and did not say why"))

    def full_disk(self, dice):
        """No space for the state; what is served does not depend on it."""
        with self.world.lock:
            self.world.is_state_writable = False
        with self.disk.full():
            for _ in range(5):
                self.edit(dice)
                time.sleep(0.2)
        # Change something afterwards, so that the state is saved again; only then it counts.
        self.edit(dice)
        time.sleep(1)
        with self.world.lock:
            self.world.is_state_writable = True

    def clock_jump(self, dice):
        """The wall clock jumps, until the next jump."""
        self.clock.jump(dice.choice([-10 * 365, -30, -1, 0, 0, 1, 30, 10 * 365]) * 86_400 + dice.randrange(-5000, 5000))


class Clock:
    """The library that moves the server's wall clock."""

    def __init__(self, folder, source):
        self.path = folder / "clock"
        self.path.write_bytes(bytes(8))
        library = folder / "clock.so"
        compiled = subprocess.run(["clang", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"])
        self.is_there = compiled.returncode == 0
        self.environment = {"LD_PRELOAD": str(library), "CHAOS_CLOCK": str(self.path)} if self.is_there else {}

    def jump(self, seconds):
        with open(self.path, "r+b") as file:
            file.write(seconds.to_bytes(8, "little", signed=True))


class Disk:
    """A small file system for the state if run as root; otherwise a limit on the size of files."""

    SIZE = "64m"

    def __init__(self, state, server):
        self.state, self.server = state, server
        self.is_mounted = os.geteuid() == 0 and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={Disk.SIZE}", "chaos", state], stderr=subprocess.DEVNULL).returncode == 0

    def full(self):
        return _Filled(self) if self.is_mounted else _Limited(self.server)

    def end(self):
        if self.is_mounted:
            subprocess.run(["umount", "-l", self.state])


class _Filled:
    def __init__(self, disk):
        self.path = disk.state / "ballast"

    def __enter__(self):
        with open(self.path, "wb", buffering=0) as file:
            for size in (65_536, 4_096, 1):
                try:
                    while file.write(bytes(size)):
                        pass
                except OSError:
                    pass

    def __exit__(self, *_):
        self.path.unlink(missing_ok=True)


class _Limited:
    def __init__(self, server):
        self.server = server

    def __enter__(self):
        self.before = self.server.limit(resource.RLIMIT_FSIZE, 1024)

    def __exit__(self, *_):
        if self.server.process.poll() is None:
            self.server.limit(resource.RLIMIT_FSIZE, resource.RLIM_INFINITY)
