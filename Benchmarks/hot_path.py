"""Fails when a request costs more than it may: system calls, memory from the heap, counted references.

    script/check-hot-path [--binary FILE]

On a connection that is kept, with the release build:
  system calls   one recv and one send for a request, and one wait between two of them (strace)
  heap           nothing is taken by a worker, however many requests come (a counter in front of malloc)
                 both with an access log too, whose worker wakes its writer some dozen times a second at most
  references     no retain, release, allocation or exclusivity check of Swift's for a request (callgrind counts calls)
A tool that is not allowed here is named, and its check is left out.
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOAD = ROOT / "Benchmarks/.build/release/load"
HOST, PATH = "shop.localhost", "/.well-known/assetlinks.json"
# What a request may cost at most, in calls. Ten thousand of them leave room for a timer now and then.
BUDGET = {"recvfrom": 1.01, "sendto": 1.01, "epoll_wait": 1.05}
FORBIDDEN = re.compile(r"swift_(retain|release|allocObject|slowAlloc|beginAccess|bridgeObject|dynamicCast)\w*")


class Server:
    """One worker, so that all requests are its."""

    def __init__(self, binary, folder, prefix=(), **environment):
        command = [*prefix, binary, "serve", "--config", ROOT / "config", "--public", ROOT / "public", "--state", folder,
                   "--http", "127.0.0.1:0", "--workers", "1"]
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env=dict(os.environ, **environment))
        for line in self.process.stderr:
            if match := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line):
                self.port = int(match[1])
            if line.endswith(" ready\n"):
                break
        else:
            sys.exit("check-hot-path: the server did not start")
        self.expected = pathlib.Path(folder) / "expected"
        self.expected.write_bytes(subprocess.check_output(
            ["curl", "-sf", "--resolve", f"{HOST}:{self.port}:127.0.0.1", f"http://{HOST}:{self.port}{PATH}"]))

    def number(self):
        """The process that serves, a child of the one that was started."""
        return int(pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()[-1])

    def ask(self, count=10**9, seconds=60):
        subprocess.run(
            [LOAD, "requests", "--port", str(self.port), "--host", HOST, "--path", PATH, "--expect", self.expected,
             "--threads", "1", "--count", str(count), "--seconds", str(seconds)],
            check=True, stdout=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def system_calls(binary, folder):
    with Server(binary, folder) as server:
        server.ask(100)
        tracer = subprocess.Popen(
            ["strace", "-f", "-c", "-p", str(server.number())], stderr=subprocess.PIPE, text=True)
        tracer.stderr.readline()
        server.ask(10_000)
        tracer.send_signal(signal.SIGINT)
        text = tracer.communicate()[1]
    if "not permitted" in text:
        return None
    calls = {line.split()[-1]: int(line.split()[3]) for line in text.splitlines() if re.match(r"\s*\d+\.\d+ ", line)
             and not line.endswith("total")}
    found = ", ".join(f"{name} {calls.get(name, 0) / 10_000:.2f}" for name in BUDGET)
    others = sum(count for name, count in calls.items() if name not in BUDGET)
    print(f"system calls per request: {found}, others {others / 10_000:.3f}")
    # The log's writer makes some eighty a second, however many requests come, and tracing makes seconds of them.
    most = 2_000 if "ASSOCIATED_ACCESS_LOG" in os.environ else 500
    return others < most and all(calls.get(name, 0) / 10_000 <= allowed for name, allowed in BUDGET.items())


def preload(folder, name):
    """A library that is loaded into the server."""
    library = f"{folder}/{name}.so"
    subprocess.run(["clang", "-O2", "-shared", "-fPIC", "-o", library, ROOT / f"Benchmarks/{name}.c"], check=True)
    return library


def heap(binary, folder):
    library, count = preload(folder, "count-allocations"), pathlib.Path(folder) / "count"
    with Server(binary, folder, LD_PRELOAD=library, COUNT_FILE=str(count)) as server:
        def taken(requests):
            server.ask(requests)
            if count.exists():
                count.unlink()
            os.kill(server.number(), signal.SIGURG)
            while not (count.exists() and count.read_text().endswith("\n")):
                time.sleep(0.01)
            return int(count.read_text())
        before = taken(1_000)
        after = taken(20_000)
    print(f"heap: {after - before} blocks taken over 20,000 requests")
    return after == before


def logged(check):
    """The same check of a server that writes an access log."""
    def with_log(binary, folder):
        os.environ["ASSOCIATED_ACCESS_LOG"] = f"{folder}/access.log"
        try:
            return check(binary, folder)
        finally:
            del os.environ["ASSOCIATED_ACCESS_LOG"]
    return with_log


def references(binary, folder):
    """Calls are counted, not sampled: what is called once for each request shows, however short it is."""
    # valgrind does not know every form of the debugging information.
    stripped = f"{folder}/associated"
    subprocess.run(["strip", "--strip-debug", "-o", stripped, binary], check=True)
    library = preload(folder, "open-without-openat2")

    def calls(count):
        output, state = f"{folder}/calls-{count}", f"{folder}/state-{count}"
        os.mkdir(state)
        with Server(stripped, state, prefix=[
                "valgrind", "--tool=callgrind", "--trace-children=yes", f"--callgrind-out-file={output}.%p",
                f"--log-file={output}.log.%p"], LD_PRELOAD=library) as server:
            server.ask(count)
            output = f"{output}.{server.number()}"
        return counted_calls(output)

    few, many = calls(1_000), calls(16_000)
    each = {name: (count - few.get(name, 0)) / 15_000 for name, count in many.items()}
    # What is done every second, or at a start that the shorter run has not seen the end of, shows as some hundredths, on a
    # busy machine as a quarter; what is done for a request is 1.
    each = {name: count for name, count in each.items() if count >= 0.5}
    found = {name: count for name, count in each.items() if FORBIDDEN.search(name)}
    print(f"references: {len(each)} functions called for a request, {len(found)} of them forbidden")
    for name, count in found.items():
        print(f"  {name}: {count:.2f} times")
    return bool(each) and not found


def counted_calls(path):
    """How often each function was called, from callgrind's output, where a name is written out once and then numbered."""
    names, calls, callee = {}, {}, None
    for line in open(path):
        if match := re.match(r"c?fn=\((\d+)\)(?: (.*))?", line):
            if match[2]:
                names[match[1]] = match[2]
            callee = names[match[1]]
        elif match := re.match(r"calls=(\d+) ", line):
            calls[callee] = calls.get(callee, 0) + int(match[1])
    return calls


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary")
    options = parser.parse_args()
    binary = options.binary or ROOT / ".build/release/associated"
    failed = []
    for name, check in (("system calls", system_calls), ("heap", heap), ("references", references),
                        ("system calls with an access log", logged(system_calls)),
                        ("heap with an access log", logged(heap))):
        with tempfile.TemporaryDirectory() as folder:
            outcome = check(binary, folder)
        if outcome is None:
            print(f"{name}: not checked, its tool is not here or not allowed")
        elif not outcome:
            failed.append(name)
    if failed:
        sys.exit(f"check-hot-path: too much: {', '.join(failed)}")


if __name__ == "__main__":
    main()
