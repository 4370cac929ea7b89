"""script/benchmark [--quick] [--check] [--json FILE] [CASE…]

Cases (all of them unless some are named):
  requests   processor time per request: keep-alive, close, TLS keep-alive, full handshake, resumed; against nginx and Caddy
  pages      the same for pages of 1 KB, 100 KB and 10 MB
  steady     processor time and p99 at 10,000 requests a second, plain and TLS
  idle       a client's p99 next to 10,000 idle connections and 200 slow senders, in ratio to its quiet one
  log        processor time per request with an access log in a file, against nginx with one
  memory     resident memory at start, per idle TLS connection, and after very many requests, connections and handshakes
  hosts      start, memory and the change of one host with 10 to 100,000 hosts that have a certificate each
  reload     a client's p99 while files change and everything is read again, in ratio to its quiet one
  lookup     processor time of a request for one of 10 to 1,000,000 hosts at random
  growth     processor time by the number of idle connections and of rules
  commands   URLs by `match -`, app files by `lint`
With --check the status is 1 when a ratio is above its limit in thresholds.json.
Peers take turns within a run; a figure is the median over the repetitions, with the lowest and highest in brackets.
Everything listens on loopback only and is ended by its process id.
"""

import argparse
import json
import os
import pathlib
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import cases
import commands
import hosts
import steady
from peers import DOCUMENT, HOST, ROOT, Associated


def run(*command):
    return subprocess.check_output(command, text=True, stderr=subprocess.STDOUT).strip()


def make_folder(folder):
    """The same certificate and the same documents for everybody."""
    (folder / "config/apps").mkdir(parents=True)
    (folder / "config/apps/bench.json").write_text(
        '{ name: "Bench", hosts: ["%s"], ios: { appIDs: ["8KQ2V7M4XN.dev.associated.bench"] }, links: [\n' % HOST
        + ",\n".join('  { "/": "/section%d/?*", comment: "one of many" }' % number for number in range(8)) + "\n] }\n")
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,DNS:*.bench.example", "-addext",
        "keyUsage=digitalSignature,keyCertSign", "-addext", "extendedKeyUsage=serverAuth",
        "-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem"))
    site = folder / f"config/hosts/{HOST}"
    site.mkdir(parents=True)
    shutil.copy(folder / "cert.pem", site / "fullchain.pem")
    shutil.copy(folder / "key.pem", site / "privkey.pem")
    os.chmod(site / "privkey.pem", 0o600)
    root, public = folder / "root", folder / f"public/{HOST}"
    (root / ".well-known").mkdir(parents=True)
    public.mkdir(parents=True)
    for name, size in cases.PAGES.items():
        body = (b"<!doctype html><title>page</title>" + os.urandom(64).hex().encode() * (size // 128 + 1))[:size]
        for place in (root, public):
            (place / name).write_bytes(body)
    # What our server makes of the app file is what the others serve.
    (root / DOCUMENT[1:]).write_text("{}")
    with Associated(folder) as server:
        body = subprocess.check_output(["curl", "-sf", f"http://{HOST}:{server.plain}{DOCUMENT}"])
    (root / DOCUMENT[1:]).write_bytes(body)


def machine():
    cpu = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    memory = int(next(line for line in open("/proc/meminfo") if line.startswith("MemTotal")).split()[1]) // 1024 // 1024
    return {
        "machine": f"{os.cpu_count()} × {cpu}, {memory} GB, Linux {platform.release()}",
        "versions": ", ".join([
            run(str(ROOT / ".build/release/associated"), "version").splitlines()[0], run("nginx", "-v").split(" ")[-1],
            "caddy " + run("caddy", "version").split(" ")[0], " ".join(run("openssl", "version").split(" ")[:2])]),
        "commit": run("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"),
        "load": f"{os.getloadavg()[0]:.1f} at the start",
        "command": "script/benchmark " + " ".join(sys.argv[1:]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = {"requests": cases.requests, "pages": cases.pages, "idle": cases.idle, "memory": cases.memory,
             "log": cases.log,
             "steady": steady.steady, "hosts": hosts.hosts, "reload": hosts.reload, "lookup": steady.lookup, "growth": steady.growth,
             "commands": commands.commands}
    parser.add_argument("case", nargs="*", choices=list(known) + [[]])
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, smaller numbers")
    parser.add_argument("--check", action="store_true", help="fail when a ratio is above its limit")
    parser.add_argument("--json", help="write the figures there too")
    options = parser.parse_args()

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    result = machine()
    print("\n".join(f"{name}: {value}" for name, value in result.items()), flush=True)
    missed, beyond = [], []
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = pathlib.Path(name)
        # Started by root, nginx reads its files as another user.
        folder.chmod(0o755)
        make_folder(folder)
        for case in options.case or known:
            print(f"\n### {case}\n", flush=True)
            began = time.monotonic()
            result[case] = known[case](folder, options.quick)
            print(f"{time.monotonic() - began:.0f} s", flush=True)
            targets = result[case].get("targets", [])
            missed += [row["name"] for row in targets if not row["reached"]]
            beyond += [row["name"] for row in targets if "limit" in row and row["ratio"] > row["limit"]]
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(result, indent=2) + "\n")
    print(f"\nnot reached: {', '.join(missed)}" if missed else "\nevery target of these cases is reached")
    if options.check and beyond:
        sys.exit(f"above the limit: {', '.join(beyond)}")


if __name__ == "__main__":
    main()
