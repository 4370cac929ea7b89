"""What the commands get through: URLs matched, files linted."""

import os
import random
import resource
import subprocess

from cases import table
from peers import HOST, ROOT
from targets import absolute, figure

ASSOCIATED = ROOT / ".build/release/associated"


def processor_seconds(command, **more):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run([ASSOCIATED, *command], stdout=subprocess.PIPE, check=True, **more).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, output


def urls(count):
    """Links as they come: half of them of the app, with queries and without."""
    chosen = random.Random(7)
    for number in range(count):
        path = chosen.choice(["/section%d/%d" % (chosen.randrange(8), number), "/news/%d" % number, "/", "/section3/"])
        query = chosen.choice(["", "", "?page=%d" % number, "?utm_source=mail&id=%d" % number])
        yield f"https://{HOST}{path}{query}\n"


def commands(folder, is_quick):
    repetitions = 1 if is_quick else 7
    count = 100_000
    text = "".join(urls(count)).encode()
    match = []
    for _ in range(repetitions):
        seconds, output = processor_seconds(["match", "-", "--config", folder / "config"], input=text)
        if output.count(b"\n") != count or output.count(b'"match"') < count // 4:
            raise RuntimeError("match has not answered each URL")
        match.append(seconds)

    files = 2_000
    tree = folder / "lint/config"
    for number in range(files):
        apps = tree / f"apps/{number // 500}"
        apps.mkdir(parents=True, exist_ok=True)
        rules = ", ".join('{ "/": "/section%d/?*", "?": { page: "?*" } }' % rule for rule in range(20))
        (apps / f"a{number}.json").write_text(
            '{ name: "Shop %d", hosts: ["h%d.bench.example"], ios: { appIDs: ["8KQ2V7M4XN.dev.associated.bench"] },\n'
            '  links: [%s, { "/": "/%d/*" }] }\n' % (number, number, rules, number))
    bytes_read = sum(os.path.getsize(path) for path in tree.rglob("*.json"))
    lint = [processor_seconds(["lint", tree])[0] for _ in range(repetitions)]

    targets = []
    absolute("seconds for 100,000 URLs by match -", min(match), 1, targets)
    table(["command", "work", "seconds of processor time", "each"], [
        ["match -", f"{count:,} URLs", figure(match), f"{min(match) / count * 1e6:.1f} µs"],
        ["lint", f"{files:,} app files, {bytes_read / 1e6:.1f} MB", figure(lint), f"{min(lint) / files * 1e6:.0f} µs"]])
    return {"match seconds": match, "lint seconds": lint, "targets": targets}
