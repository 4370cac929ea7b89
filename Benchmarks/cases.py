"""What is measured about a single host."""

import json
import os
import re
import statistics
import subprocess
import time
from typing import NamedTuple

from peers import DOCUMENT, HOST, ROOT, Associated, Caddy, Nginx
from targets import absolute, against, figure, ratios

LOAD = ROOT / "Benchmarks/.build/release/load"
PAGES = {"page-1k.html": 1_000, "page-100k.html": 100_000, "page-10m.html": 10_000_000}
FULL, RESUMED = "TLS 1.3 full handshake", "TLS 1.3 resumed"


class WrongAnswer(Exception):
    pass


class Outcome(NamedTuple):
    """What a client has seen: answers, answers per second, and how long they took, in milliseconds."""

    requests: int
    rate: float
    p50: float
    p99: float


def wrk(peer, path, seconds, tls=False, close=False, connections=32):
    """As wrk sees it. It does not look into answers, so one is compared before each run."""
    url = f"{'https' if tls else 'http'}://{HOST}:{peer.tls if tls else peer.plain}{path}"
    expected = (peer.folder / "root" / path[1:]).read_bytes()
    if subprocess.check_output(["curl", "-skf", url]) != expected:
        raise WrongAnswer(f"{peer.name} answers {url} with something else")
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "30s", url]
    text = subprocess.check_output(command + (["-H", "Connection: close"] if close else []), text=True)
    if re.search(r"Non-2xx|Socket errors: connect [1-9]|timeout [1-9]", text):
        raise WrongAnswer(f"{peer.name}: {text}")
    def milliseconds(share):
        value, unit = re.search(rf"^ +{share}% +([\d.]+)(us|ms|s|m)$", text, re.M).groups()
        return float(value) * {"us": 0.001, "ms": 1, "s": 1_000, "m": 60_000}[unit]
    return Outcome(int(re.search(r"(\d+) requests in", text)[1]), float(re.search(r"Requests/sec: +([\d.]+)", text)[1]),
                   milliseconds(50), milliseconds(99))


def load(peer, mode, *options, tls=True, tolerant=False):
    """Requests of our own client, which compares each answer. What went wrong ends the run, but where it is the question."""
    # Of an option that is given twice the client takes the first.
    command = [LOAD, mode, *map(str, options), "--port", str(peer.tls if tls else peer.plain), "--host", HOST,
               "--path", DOCUMENT, "--expect", peer.folder / "root" / DOCUMENT[1:]]
    if tls:
        command += ["--ca", peer.folder / "cert.pem"]
    result = json.loads(subprocess.check_output(command))
    if result["errors"] and not tolerant:
        raise WrongAnswer(f"{peer.name}: {result['errors']}")
    return result


def handshakes(peer, seconds, resume=False):
    result = load(peer, "connections", "--seconds", seconds, "--threads", 8, *(["--resume"] if resume else []))
    wanted = result["requests"] - 8 if resume else 0
    if resume and result["resumed"] < wanted or not resume and result["resumed"]:
        raise WrongAnswer(f"{peer.name}: {result['resumed']} of {result['requests']} were resumed")
    return Outcome(result["requests"], result["requests"] / result["seconds"], result["p50"], result["p99"])


WORK = {
    "plain keep-alive": lambda peer, seconds: wrk(peer, DOCUMENT, seconds),
    "plain close": lambda peer, seconds: wrk(peer, DOCUMENT, seconds, close=True),
    "TLS 1.3 keep-alive": lambda peer, seconds: wrk(peer, DOCUMENT, seconds, tls=True),
    FULL: handshakes,
    RESUMED: lambda peer, seconds: handshakes(peer, seconds, resume=True),
}


def cpu_microseconds(peer, work, seconds):
    """For each answer; `work` says how many there were."""
    before = peer.cpu_nanoseconds()
    count = work(peer, seconds)
    return (peer.cpu_nanoseconds() - before) / count / 1_000


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" + "---:|" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print(flush=True)


def measure(folder, work, repetitions, seconds, with_caddy=True):
    """By kind of work and peer: microseconds and what the client has seen, one of each for each repetition; and the memory of
    each peer in the end. With one repetition only the first kind of work has a second before it that does not count."""
    peers = [Associated(folder)] + [Nginx(folder, kind) for kind in Nginx.kinds]
    if with_caddy:
        peers.append(Caddy(folder))
    numbers = {name: {peer.name: [] for peer in peers} for name in work}
    outcomes = {name: {peer.name: [] for peer in peers} for name in work}
    try:
        for repetition in range(repetitions):
            for number, (name, job) in enumerate(work.items()):
                # Another one begins each time, so that no peer always comes after the same neighbour.
                for peer in peers[repetition % len(peers):] + peers[:repetition % len(peers)]:
                    def ask(peer, seconds):
                        outcomes[name][peer.name].append(job(peer, seconds))
                        return outcomes[name][peer.name][-1].requests
                    if repetition == 0 and (number == 0 or repetitions > 1):
                        job(peer, 1)
                    numbers[name][peer.name].append(cpu_microseconds(peer, ask, seconds))
        megabytes = {peer.name: peer.resident_kilobytes() / 1024 for peer in peers}
    finally:
        for peer in peers:
            peer.stop()
    return numbers, outcomes, megabytes


def report(numbers, outcomes, megabytes):
    names = list(megabytes)
    print("Processor time of the server, µs per request:\n")
    table(["work"] + names, [[work] + [figure(by[name], 1) for name in names] for work, by in numbers.items()])
    print("associated in ratio to:\n")
    rows, targets = [], []
    for work, by in numbers.items():
        row = [work]
        for name in names[1:]:
            row.append(against(work, name, ratios(by["associated"], by[name]), targets))
        rows.append(row)
    table(["work"] + names[1:], rows)
    print("What the clients saw, who share the processors with the server:\n")
    rows = []
    for work, by in outcomes.items():
        for name in names:
            def seen(field, digits):
                values = [getattr(outcome, field) for outcome in by[name]]
                if name == names[0]:
                    return figure(values, digits)
                ours = [getattr(outcome, field) for outcome in by[names[0]]]
                return f"{figure(values, digits)}, ours {statistics.median(ratios(ours, values)):.2f}"
            rows.append([work, name, seen("rate", 0), seen("p50", 2), seen("p99", 2)])
    table(["work", "server", "requests/s", "p50 ms", "p99 ms"], rows)
    print("Memory after all of it, MB:\n")
    table(names, [[f"{megabytes[name]:.1f}" for name in names]])
    return {"microseconds": numbers, "targets": targets, "MB": megabytes, "clients": {
        work: {name: [outcome._asdict() for outcome in seen] for name, seen in by.items()} for work, by in outcomes.items()}}


def requests(folder, is_quick):
    return report(*measure(folder, WORK, 1 if is_quick else 7, 1 if is_quick else 4))


def log(folder, is_quick):
    """Plain keep-alive with and without an access log in a file."""
    work = "plain keep-alive"
    peers = [Associated(folder), Associated(folder, access_log="json"), Associated(folder, access_log="combined"),
             Nginx(folder, "nginx files"), Nginx(folder, "nginx files", access_log="json"),
             Nginx(folder, "nginx files", access_log="json", buffer="64k")]
    numbers = {peer.name: [] for peer in peers}
    lost = dict.fromkeys(numbers, 0)
    repetitions, seconds = (1, 1) if is_quick else (7, 4)
    try:
        for repetition in range(repetitions):
            for peer in peers[repetition % len(peers):] + peers[:repetition % len(peers)]:
                if repetition == 0:
                    WORK[work](peer, 1)
                lines = Lines(peer)
                counted = 0

                def job(peer, seconds):
                    nonlocal counted
                    counted = WORK[work](peer, seconds).requests
                    return counted
                numbers[peer.name].append(cpu_microseconds(peer, job, seconds))
                lost[peer.name] += max(0, counted - lines.taken(counted))
    finally:
        for peer in peers:
            peer.stop()
    print("Processor time of the server, µs per request, and requests without a line:\n")
    table(["", "µs", "missing"], [[name, figure(values), lost[name]] for name, values in numbers.items()])
    rows, targets = [], []
    for ours, theirs in (("associated json", "nginx files json"), ("associated json", "nginx files json buffered"),
                         ("associated json", "associated"), ("associated", "nginx files")):
        rows.append([f"{ours} / {theirs}", against(f"{ours}, {work}", theirs, ratios(numbers[ours], numbers[theirs]), targets)])
    table(["", "ratio"], rows)
    return {"microseconds": numbers, "missing": lost, "targets": targets}


class Lines:
    """The lines that a peer's access log gets from now on; what was there before is thrown away."""

    def __init__(self, peer):
        self.path = getattr(peer, "access_log", None)
        if self.path:
            os.truncate(self.path, 0)

    def taken(self, expected):
        """As many as there are, once there are as many as expected or a second has passed."""
        until = time.monotonic() + 1.5
        while self.path:
            count = self.path.read_bytes().count(b"\n")
            if count >= expected or time.monotonic() > until:
                os.truncate(self.path, 0)
                return count
            time.sleep(0.05)
        return expected


def pages(folder, is_quick):
    work = {}
    for name, size in PAGES.items():
        connections = 4 if size > 1_000_000 else 32
        for tls in (False,) if is_quick else (False, True):
            work[f"{'TLS ' if tls else ''}{name[5:-5]}"] = (
                lambda peer, seconds, name=name, tls=tls, connections=connections:
                wrk(peer, f"/{name}", seconds, tls=tls, connections=connections))
    return report(*measure(folder, work, 1 if is_quick else 5, 1 if is_quick else 3, with_caddy=False))


class Held:
    """Connections that only cost, while it is open."""

    def __init__(self, peer, tls, idle, slow):
        command = [LOAD, "hold", "--port", str(peer.tls if tls else peer.plain), "--host", HOST, "--path", DOCUMENT,
                   "--expect", peer.folder / "root" / DOCUMENT[1:], "--idle", str(idle), "--slow", str(slow)]
        if tls:
            command += ["--ca", peer.folder / "cert.pem"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "held\n":
            raise WrongAnswer("the idle connections could not be made")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate("")


def idle(folder, is_quick):
    count, slow = (2_000, 200) if is_quick else (10_000, 200)
    repetitions, seconds = (1, 2) if is_quick else (5, 5)
    # Silence is allowed for longer here, or it would end in the middle of a run.
    limits = {"idleTimeoutMilliseconds": 600_000}
    rows, targets, result = [], [], {}
    for tls in (False, True):
        quiet, loaded = [], []
        with Associated(folder, limits=limits) as peer:
            def p99():
                return load(peer, "paced", "--threads", 1, "--rate", 500, "--seconds", seconds, tls=tls)["p99"]
            p99()
            for _ in range(repetitions):
                quiet.append(p99())
                with Held(peer, tls, count, slow):
                    loaded.append(p99())
        name = "TLS" if tls else "plain"
        result[name] = {"quiet": quiet, "loaded": loaded}
        rows.append([name, figure(quiet, 3), figure(loaded, 3),
                     against("beside idle connections", f"alone, {name}", ratios(loaded, quiet), targets)])
    print(f"p99 in ms of a client that asks 500 times a second, alone and next to {count} idle connections and {slow} "
          "that send one byte a second:\n")
    table(["", "alone", "next to them", "ratio"], rows)
    return dict(result, targets=targets)


def memory(folder, is_quick):
    idle_count = 1_000 if is_quick else 5_000
    rows, targets, result = [], [], {}
    peers = [lambda: Associated(folder, limits={"idleTimeoutMilliseconds": 600_000}),
             lambda: Nginx(folder, "nginx files"), lambda: Caddy(folder)]
    for make in peers:
        with make() as peer:
            start = peer.resident_kilobytes()
            load(peer, "connections", "--count", 50)
            before = peer.resident_kilobytes()
            with Held(peer, True, idle_count, 0):
                each = (peer.resident_kilobytes() - before) / idle_count
            time.sleep(0.5)
            rows.append([peer.name, f"{start / 1024:.1f}", f"{each:.1f}", f"{peer.resident_kilobytes() / 1024:.1f}"])
            result[peer.name] = {"start": start, "idle connection": each}
            if peer.name == "associated":
                absolute("MB at start", start / 1024, 25, targets)
                absolute("KB per idle TLS connection", each, 14, targets)
    table(["", "MB at start", f"KB for each of {idle_count} idle TLS connections", "MB when they are gone"], rows)

    rows = []
    amounts = [("requests, sixteen at a time", "pipeline", False, 100_000 if is_quick else 1_000_000),
               ("connections", "connections", False, 20_000 if is_quick else 1_000_000),
               ("handshakes", "connections", True, 2_000 if is_quick else 100_000)]
    with Associated(folder) as peer:
        for name, mode, tls, count in amounts:
            def some(count):
                return load(peer, mode, "--count", count, "--seconds", 3_600, "--threads", 4, tls=tls)["requests"]
            some(count // 10)
            first = peer.resident_kilobytes()
            done = some(count)
            last = peer.resident_kilobytes()
            rows.append([f"{done} {name}", first, last, last - first])
            result[name] = {"count": done, "before": first, "after": last}
            absolute(f"KB more after {done} {name}", last - first, 512, targets)
    print("Resident memory in KB before and after, once a tenth of it had been done:\n")
    table(["", "before", "after", "growth"], rows)
    return dict(result, targets=targets)
