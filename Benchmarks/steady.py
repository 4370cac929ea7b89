"""What a server costs that is not at its limit, and what a look-up costs among very many hosts."""

import subprocess

from cases import Held, WrongAnswer, cpu_microseconds, load, table
from peers import DOCUMENT, HOST, Associated, Nginx
from targets import against, figure, ratios

RATE = 10_000


def steady(folder, is_quick):
    """Processor time and p99 at 10,000 requests a second from 16 connections, the peers in turns."""
    repetitions, seconds = (1, 2) if is_quick else (7, 5)
    peers = [Associated(folder)] + [Nginx(folder, kind) for kind in Nginx.kinds]
    rows, targets, result = [], [], {}
    try:
        for tls in (False, True):
            work = f"{RATE:,} requests/s, {'TLS' if tls else 'plain'}"
            cpu, p99 = ({peer.name: [] for peer in peers} for _ in range(2))
            for repetition in range(repetitions):
                for peer in peers[repetition % len(peers):] + peers[:repetition % len(peers)]:
                    def ask(peer, seconds):
                        answers = load(peer, "paced", "--rate", RATE, "--threads", 16, "--seconds", seconds, tls=tls)
                        if answers["requests"] < RATE * seconds:
                            raise WrongAnswer(f"{peer.name}: {answers['requests']} answers in {seconds} s")
                        late.append(answers["p99"])
                        return answers["requests"]
                    late = []
                    if repetition == 0:
                        ask(peer, 1)
                    cpu[peer.name].append(cpu_microseconds(peer, ask, seconds))
                    p99[peer.name].append(late[-1])
            ours = peers[0].name
            for peer in peers:
                cells = ["", ""] if peer.name == ours else [
                    against(work, peer.name, ratios(cpu[ours], cpu[peer.name]), targets),
                    against(work, f"{peer.name}, p99", ratios(p99[ours], p99[peer.name]), targets)]
                rows.append([work, peer.name, figure(cpu[peer.name], 1), cells[0], figure(p99[peer.name], 3), cells[1]])
            result[work] = {"microseconds": cpu, "p99": p99}
    finally:
        for peer in peers:
            peer.stop()
    table(["work", "peer", "µs per request", "ours in ratio", "p99 ms", "ours in ratio"], rows)
    return dict(result, targets=targets)


# Hosts of one app file: as a white-label product has them.
HOSTS_OF_APP = 1_000
RANDOM_HOSTS = """
math.randomseed(7)
request = function()
  local number = math.random(0, %d)
  return "GET %s HTTP/1.1\\r\\nHost: h" .. number .. ".bench.example\\r\\n\\r\\n"
end
response = function(status) if status ~= 200 then wrk.thread:stop() error("status " .. status) end end
"""


def lookup(folder, is_quick):
    """Processor time of a plain request for a host at random, among ten to a million of them."""
    counts = (10, 1_000, 100_000) if is_quick else (10, 1_000, 100_000, 1_000_000)
    repetitions, seconds = (1, 1) if is_quick else (7, 3)
    peers = {}
    try:
        for count in counts:
            config = folder / f"lookup-{count}"
            (config / "apps").mkdir(parents=True)
            for first in range(0, count, HOSTS_OF_APP):
                names = ", ".join(f'"h{number}.bench.example"' for number in range(first, min(count, first + HOSTS_OF_APP)))
                (config / f"apps/a{first}.json").write_text(
                    '{ name: "Shop %d", hosts: [%s], ios: { appIDs: ["8KQ2V7M4XN.dev.associated.bench"] },\n'
                    '  links: [{ "/": "/products/?*" }] }\n' % (first, names))
            (folder / f"lookup-{count}.lua").write_text(RANDOM_HOSTS % (count - 1, DOCUMENT))
            peers[count] = Associated(folder, config, folder / f"lookup-state-{count}")

        def ask(peer, seconds, count):
            command = ["wrk", "-t1", "-c32", f"-d{seconds}s", "-s", folder / f"lookup-{count}.lua",
                       f"http://{HOST}:{peer.plain}{DOCUMENT}"]
            text = subprocess.check_output(command, text=True, stderr=subprocess.STDOUT)
            if "Non-2xx" in text or "error" in text.lower():
                raise WrongAnswer(f"look-up of {count}: {text}")
            return int(text.split(" requests in")[0].split()[-1])

        numbers = {count: [] for count in counts}
        for repetition in range(repetitions):
            for count in counts[repetition % len(counts):] + counts[:repetition % len(counts)]:
                def job(peer, seconds):
                    return ask(peer, seconds, count)
                if repetition == 0:
                    job(peers[count], 1)
                    peers[count].settle()
                numbers[count].append(cpu_microseconds(peers[count], job, seconds))
        megabytes = {count: peer.resident_kilobytes() / 1024 for count, peer in peers.items()}
    finally:
        for peer in peers.values():
            peer.stop()
    targets = []
    table(["hosts", "µs per request", "in ratio to 10 hosts", "MB"], [
        [f"{count:,}", figure(numbers[count]),
         against(f"look-up of one of {count:,} hosts", "of 10 hosts", ratios(numbers[count], numbers[10]), targets),
         f"{megabytes[count]:.0f}"] for count in counts])
    return {"microseconds": {str(count): numbers[count] for count in counts}, "targets": targets}


def growth(folder, is_quick):
    """Processor time of a request by the number of idle connections next to it, and of rules that a link is held against."""
    repetitions, seconds = (1, 1) if is_quick else (5, 3)
    rows, result = [], {}

    def measure(name, peer, work):
        numbers = []
        work(peer, 1)
        for _ in range(repetitions):
            numbers.append(cpu_microseconds(peer, work, seconds))
        rows.append([name, figure(numbers)])
        result[name] = numbers

    with Associated(folder, limits={"idleTimeoutMilliseconds": 600_000}) as peer:
        def document(peer, seconds):
            return load(peer, "requests", "--threads", 4, "--seconds", seconds, tls=False)["requests"]
        for count in (0, 100, 1_000, 10_000):
            with Held(peer, False, count, 0):
                measure(f"the document, {count:,} idle connections", peer, document)

    for count in (1, 10, 100, 1_000):
        config = folder / f"rules-{count}"
        (config / "apps").mkdir(parents=True)
        rules = ", ".join('{ "/": "/section%d/*" }' % rule for rule in range(count))
        (config / "apps/a.json").write_text(
            '{ name: "Rules", hosts: ["%s"], ios: { appIDs: ["8KQ2V7M4XN.dev.associated.bench"], storeID: "640199958" },\n'
            '  links: [%s] }\n' % (HOST, rules))
        with Associated(folder, config, folder / f"rules-state-{count}") as peer:
            path, expected = f"/section{count - 1}/x", folder / f"rules-{count}.html"
            expected.write_bytes(subprocess.check_output(["curl", "-sf", f"http://{HOST}:{peer.plain}{path}"]))

            def page(peer, seconds):
                answers = load(peer, "requests", "--threads", 4, "--seconds", seconds, "--path", path, "--expect", expected,
                               tls=False)
                return answers["requests"]
            measure(f"a landing page, the last of {count:,} rules", peer, page)
    table(["request", "µs"], rows)
    return result
