"""The process under test: started, limited, killed and restarted, always on the same ports."""
import os
import re
import resource
import signal
import subprocess
import threading
import time


# Control characters, and those that change the direction of text.
UNPRINTABLE = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]")


class Died(Exception):
    """The server exited by itself."""


class Server:
    def __init__(self, binary, world, clock, patience=60):
        self.binary, self.world, self.clock, self.patience = binary, world, clock, patience
        self.ports = {}
        self.generation = 0
        self.excused_until = 0
        self.is_down = True
        self.lines = []
        self.unprintable = []
        self.process = None

    def start(self):
        plain, secure = (self.ports.get(scheme, 0) for scheme in ("http", "https"))
        self.process = subprocess.Popen(
            [self.binary, "serve", "--config", self.world.config, "--public", self.world.public, "--state",
             self.world.state, "--http", f"127.0.0.1:{plain}", "--https", f"127.0.0.1:{secure}", "--workers", "2"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env=dict({"SWIFT_BACKTRACE": "enable=no"}, **os.environ, **self.clock.environment))
        ready = threading.Event()
        self.listener = threading.Thread(target=self.listen, args=(self.process, ready), daemon=True)
        self.listener.start()
        if not ready.wait(self.patience) or self.process.poll() is not None:
            raise Died(f"it did not start, status {self.process.poll()}:\n" + "\n".join(self.telling()))
        self.generation += 1
        self.is_down = False
        self.excuse(0)

    def listen(self, process, ready):
        for line in process.stderr:
            if UNPRINTABLE.search(line):
                self.unprintable.append(line[:500])
            line = line.decode(errors="replace").strip()
            self.lines.append(line[:500])
            del self.lines[:-400]
            if match := re.search(r"listening on (https?)://.*?:(\d+)(,|$)", line):
                self.ports[match[1]] = int(match[2])
            if line.endswith(" ready"):
                ready.set()
        ready.set()

    def said(self, text):
        """Whether the ended process has logged why."""
        self.listener.join(10)
        return any(line.startswith(text) for line in self.lines)

    def telling(self):
        """Its last lines, from the beginning of a crash report if there is one."""
        start = next((index for index, line in enumerate(self.lines) if "crash" in line.lower()), len(self.lines) - 20)
        return self.lines[max(0, start):][:60]

    def check(self):
        status = self.process.poll()
        if status is not None:
            raise Died(f"it ended with status {status}:\n" + "\n".join(self.telling()))

    def number(self):
        """The process that serves, a child of the one that was started."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            return int(file.read().split()[-1])

    def send(self, number):
        self.process.send_signal(number)

    def kill(self):
        """kill -9, and a new process."""
        self.is_down = True
        self.process.kill()
        self.process.wait()
        self.world.lost_memory()
        self.start()

    def revive(self):
        """Restarts it after an exit that a fault excuses."""
        self.is_down = True
        self.process.wait()
        self.lines.clear()
        self.world.lost_memory()
        self.start()

    def stop(self):
        self.is_down = True
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)

    def limit(self, which, value):
        """Sets a soft limit of the running process and returns the old one."""
        self.check()
        before = resource.prlimit(self.number(), which)
        resource.prlimit(self.number(), which, (min(value, before[1]) if before[1] >= 0 else value, before[1]))
        return before

    def count_descriptors(self):
        return len(os.listdir(f"/proc/{self.number()}/fd"))

    def has_ended(self):
        return self.process.poll() is not None

    def address_space(self):
        with open(f"/proc/{self.number()}/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()

    def resident(self):
        with open(f"/proc/{self.number()}/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    def excuse(self, seconds):
        """Notes that a fault may keep it from answering for this many seconds."""
        self.excused_until = max(self.excused_until, time.monotonic() + seconds)

    def is_excused(self, began):
        """Whether a request at that time may have been lost."""
        return self.is_down or self.process.poll() is not None or began < self.excused_until

    def wait_until(self, condition, seconds):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True
