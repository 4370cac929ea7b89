"""What is measured about a single host."""

import json
import re
import statistics
import subprocess
import time

from peers import DOCUMENT, HOST, ROOT, Associated, Caddy, Nginx

LOAD = ROOT / "Benchmarks/.build/release/load"
PAGES = {"page-1k.html": 1_000, "page-100k.html": 100_000, "page-10m.html": 10_000_000}
FULL, RESUMED = "TLS 1.3 full handshake", "TLS 1.3 resumed"

# From the project's design: processor time per request in ratio to nginx, lower is better.
TARGETS = {
    ("plain keep-alive", "nginx files"): 0.85, ("plain keep-alive", "nginx return"): 0.95,
    ("plain close", "nginx files"): 0.95, ("plain close", "nginx return"): 1.00,
    ("TLS 1.3 keep-alive", "nginx files"): 0.70, ("TLS 1.3 keep-alive", "nginx return"): 0.80,
    (FULL, "nginx files"): 0.82, (FULL, "nginx return"): 0.85,
    (RESUMED, "nginx files"): 0.85, (RESUMED, "nginx return"): 0.88,
}
CADDY_TARGET = 0.25


class WrongAnswer(Exception):
    pass


def wrk(peer, path, seconds, tls=False, close=False, connections=32):
    """Requests that wrk got answers to. It does not look into them, so one is compared before each run."""
    url = f"{'https' if tls else 'http'}://{HOST}:{peer.tls if tls else peer.plain}{path}"
    expected = (peer.folder / "root" / path[1:]).read_bytes()
    if subprocess.check_output(["curl", "-skf", url]) != expected:
        raise WrongAnswer(f"{peer.name} answers {url} with something else")
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", url]
    text = subprocess.check_output(command + (["-H", "Connection: close"] if close else []), text=True)
    if re.search(r"Non-2xx|Socket errors: connect [1-9]|timeout [1-9]", text):
        raise WrongAnswer(f"{peer.name}: {text}")
    return int(re.search(r"(\d+) requests in", text)[1])


def load(peer, mode, *options, tls=True):
    """Requests of our own client, which compares each answer."""
    command = [LOAD, mode, "--port", str(peer.tls if tls else peer.plain), "--host", HOST, "--path", DOCUMENT,
               "--expect", peer.folder / "root" / DOCUMENT[1:], *map(str, options)]
    if tls:
        command += ["--ca", peer.folder / "cert.pem"]
    result = json.loads(subprocess.check_output(command))
    if result["errors"]:
        raise WrongAnswer(f"{peer.name}: {result['errors']}")
    return result


def handshakes(peer, seconds, resume=False):
    result = load(peer, "connections", "--seconds", seconds, "--threads", 8, *(["--resume"] if resume else []))
    wanted = result["requests"] - 8 if resume else 0
    if resume and result["resumed"] < wanted or not resume and result["resumed"]:
        raise WrongAnswer(f"{peer.name}: {result['resumed']} of {result['requests']} were resumed")
    return result["requests"]


WORK = {
    "plain keep-alive": lambda peer, seconds: wrk(peer, DOCUMENT, seconds),
    "plain close": lambda peer, seconds: wrk(peer, DOCUMENT, seconds, close=True),
    "TLS 1.3 keep-alive": lambda peer, seconds: wrk(peer, DOCUMENT, seconds, tls=True),
    FULL: handshakes,
    RESUMED: lambda peer, seconds: handshakes(peer, seconds, resume=True),
}


def cpu_microseconds(peer, work, seconds):
    before = peer.cpu_nanoseconds()
    count = work(peer, seconds)
    return (peer.cpu_nanoseconds() - before) / count / 1_000


def figure(values, digits=2):
    return f"{statistics.median(values):.{digits}f} [{min(values):.{digits}f}–{max(values):.{digits}f}]"


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" + "---:|" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print(flush=True)


def measure(folder, work, repetitions, seconds, with_caddy=True):
    """Microseconds by kind of work and peer, one number for each repetition."""
    peers = [Associated(folder)] + [Nginx(folder, kind) for kind in Nginx.kinds]
    if with_caddy:
        peers.append(Caddy(folder))
    numbers = {name: {peer.name: [] for peer in peers} for name in work}
    try:
        for repetition in range(repetitions):
            for name, job in work.items():
                # Another one begins each time, so that nobody always comes after the same neighbour.
                for peer in peers[repetition % len(peers):] + peers[:repetition % len(peers)]:
                    if repetition == 0:
                        job(peer, 1)
                    numbers[name][peer.name].append(cpu_microseconds(peer, job, seconds))
    finally:
        for peer in peers:
            peer.stop()
    return numbers


def report(numbers):
    names = list(next(iter(numbers.values())))
    print("Processor time of the server, µs per request:\n")
    table(["work"] + names, [[work] + [figure(by[name], 1) for name in names] for work, by in numbers.items()])
    print("associated in ratio to:\n")
    rows, targets = [], []
    for work, by in numbers.items():
        row = [work]
        for name in names[1:]:
            ratios = [ours / theirs for ours, theirs in zip(by["associated"], by[name])]
            cell = figure(ratios)
            target = CADDY_TARGET if name == "caddy" and work in WORK else TARGETS.get((work, name))
            if target:
                reached = statistics.median(ratios) <= target
                cell += f" {'reached' if reached else 'missed'} ≤ {target:.2f}"
                targets.append({"name": f"{work} against {name}", "target": target,
                                "ratio": statistics.median(ratios), "reached": reached})
            row.append(cell)
        rows.append(row)
    table(["work"] + names[1:], rows)
    return {"microseconds": numbers, "targets": targets}


def requests(folder, is_quick):
    return report(measure(folder, WORK, 3 if is_quick else 7, 1 if is_quick else 4))


def pages(folder, is_quick):
    work = {}
    for name, size in PAGES.items():
        connections = 4 if size > 1_000_000 else 32
        for tls in (False, True):
            work[f"{'TLS ' if tls else ''}{name[5:-5]}"] = (
                lambda peer, seconds, name=name, tls=tls, connections=connections:
                wrk(peer, f"/{name}", seconds, tls=tls, connections=connections))
    return report(measure(folder, work, 2 if is_quick else 5, 1 if is_quick else 3, with_caddy=False))


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
    repetitions, seconds = (2, 3) if is_quick else (5, 5)
    # Silence is allowed for longer here, or it would end in the middle of a run.
    limits = {"idleTimeoutMilliseconds": 600_000}
    rows, targets, result = [], [], {}
    for tls in (False, True):
        quiet, loaded = [], []
        with Associated(folder, limits=limits) as peer:
            def p99():
                return load(peer, "paced", "--rate", 500, "--seconds", seconds, tls=tls)["p99"]
            p99()
            for _ in range(repetitions):
                quiet.append(p99())
                with Held(peer, tls, count, slow):
                    loaded.append(p99())
        ratios = [with_load / without for with_load, without in zip(loaded, quiet)]
        name = "TLS" if tls else "plain"
        reached = statistics.median(ratios) <= 2
        targets.append({"name": f"p99 beside idle connections, {name}", "target": 2,
                        "ratio": statistics.median(ratios), "reached": reached})
        result[name] = {"quiet": quiet, "loaded": loaded}
        rows.append([name, figure(quiet, 3), figure(loaded, 3),
                     figure(ratios) + (" reached ≤ 2" if reached else " missed ≤ 2")])
    print(f"p99 in ms of a client that asks 500 times a second, alone and beside {count} idle connections and {slow} "
          "that send one byte a second:\n")
    table(["", "alone", "beside them", "ratio"], rows)
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
                targets += [{"name": "MB at start ≤ 25", "reached": start / 1024 <= 25},
                            {"name": "KB per idle TLS connection ≤ 14", "reached": each <= 14}]
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
            targets.append({"name": f"memory flat over {name}", "reached": last - first <= 512})
    print("Resident memory in KB before and after, once a tenth of it had been done:\n")
    table(["", "before", "after", "growth"], rows)
    return dict(result, targets=targets)
