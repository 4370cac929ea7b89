"""How start, memory and change grow with the number of hosts, each with a certificate of its own."""

import os
import shutil
import signal
import socket
import ssl
import statistics
import subprocess
import threading
import time

from cases import load, table
from peers import DOCUMENT, HOST, Associated, Nginx
from targets import absolute, against, figure, ratios

SERVER = """  server {{ listen 127.0.0.1:{plain}; listen 127.0.0.1:{tls} ssl; server_name {host};
    ssl_certificate {folder}/{host}/fullchain.pem; ssl_certificate_key {folder}/{host}/privkey.pem; root {root}; }}"""


def name(number):
    return f"h{number}.bench.example"


def app(number, turns=0):
    """With each turn a path more: taking one away would be asked about before it is published."""
    more = "".join(', { "/": "/turn%d/*" }' % turn for turn in range(turns))
    return ('{ name: "Shop %d", hosts: ["%s"], ios: { appIDs: ["8KQ2V7M4XN.dev.associated.bench"] },\n'
            '  links: [{ "/": "/products/?*" }, { "/": "/news/*", comment: "news" }%s] }\n'
            % (number, name(number), more))


def make(folder, count):
    """App files, and one pair of files linked into each host's folder: the same bytes, read by each name."""
    config = folder / f"many-{count}"
    for number in range(count):
        apps = config / f"apps/{number // 1000:03}"
        if number % 1000 == 0:
            apps.mkdir(parents=True)
        (apps / f"h{number}.json").write_text(app(number))
        place = config / "hosts" / name(number)
        place.mkdir(parents=True)
        if number % 30_000 == 0:
            # A file has at most some ten thousand names.
            source = place
            shutil.copy(folder / "cert.pem", place / "fullchain.pem")
            shutil.copy(folder / "key.pem", place / "privkey.pem")
            os.chmod(place / "privkey.pem", 0o600)
        else:
            os.link(source / "fullchain.pem", place / "fullchain.pem")
            os.link(source / "privkey.pem", place / "privkey.pem")
    return config


def fetch(peer, host):
    """One HTTPS request for a host, with the certificate checked for its name."""
    context = ssl.create_default_context(cafile=peer.folder / "cert.pem")
    with socket.create_connection(("127.0.0.1", peer.tls), timeout=60) as plain:
        with context.wrap_socket(plain, server_hostname=host) as connection:
            connection.sendall(f"GET {DOCUMENT} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while more := connection.recv(65536):
                answer += more
    if not answer.startswith(b"HTTP/1.1 200 "):
        raise RuntimeError(f"{host} got {answer[:40]}")
    return answer


def start(make_peer, count):
    """Seconds until the first HTTPS answer for the last host, and the memory then."""
    began = time.monotonic()
    peer = make_peer()
    try:
        fetch(peer, name(count - 1))
        seconds = time.monotonic() - began
        # What is done behind the first answer belongs to it.
        time.sleep(1)
        return peer, seconds, peer.resident_kilobytes() / 1024
    except BaseException:
        peer.stop()
        raise


def change(peer, config, count, turns):
    """Milliseconds from writing one app file until its host answers with it, the median of some turns."""
    number = count // 2
    file = config / f"apps/{number // 1000:03}/h{number}.json"
    milliseconds = []
    for turn in range(turns):
        text = app(number, turn + 1)
        staged = file.with_suffix(".new")
        staged.write_text(text)
        began = time.monotonic()
        os.rename(staged, file)
        while f"turn{turn}".encode() not in plain(peer, name(number)):
            if time.monotonic() - began > 30:
                raise RuntimeError("the change is not applied")
        milliseconds.append((time.monotonic() - began) * 1000)
        time.sleep(0.7)
    return statistics.median(milliseconds)


def plain(peer, host):
    with socket.create_connection(("127.0.0.1", peer.plain), timeout=60) as connection:
        connection.sendall(f"GET {DOCUMENT} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while more := connection.recv(65536):
            answer += more
    return answer


def servers(folder, config, count):
    """What makes nginx's configuration for all of the hosts, by a peer's ports."""
    (folder / "many-root/.well-known").mkdir(parents=True, exist_ok=True)
    (folder / "many-root" / DOCUMENT[1:]).write_text("{}")
    return lambda peer: "\n".join(
        [f"  server_names_hash_max_size {max(512, 4 * count)}; server_names_hash_bucket_size 128; add_header X-Turn 0;"] + [
            SERVER.format(plain=peer.plain, tls=peer.tls, host=name(number), folder=config / "hosts",
                          root=folder / "many-root") for number in range(count)])


def nginx(folder, config, count):
    """Start, memory, and the time until a change of the configuration is in an answer."""
    peer, seconds, megabytes = start(lambda: Nginx(folder, "nginx files", servers(folder, config, count)), count)
    with peer:
        peer.configuration.write_text(peer.configuration.read_text().replace("X-Turn 0;", "X-Turn 1;"))
        began = time.monotonic()
        peer.process.send_signal(signal.SIGHUP)
        while b"X-Turn: 1" not in plain(peer, name(0)):
            if time.monotonic() - began > 300:
                raise RuntimeError("nginx does not apply the change")
            time.sleep(0.002)
        return [f"{seconds:.2f}", f"{megabytes:.0f}", f"{(time.monotonic() - began) * 1000:.0f}"]


class Changing:
    """Changes one host's file twice a second and has everything read again, while it is open."""

    def __init__(self, peer, config):
        self.peer, self.config, self.over = peer, config, threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.turns = 0

    def run(self):
        while not self.over.wait(0.5):
            self.turns += 1
            file = self.config / "apps/000/h1.json"
            staged = file.with_suffix(".new")
            staged.write_text(app(1, self.turns % 50))
            os.rename(staged, file)
            self.peer.process.send_signal(signal.SIGHUP)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def reload(folder, is_quick):
    """A client's p99 while everything is read again twice a second, in ratio to its quiet one; next to nginx, whose files are
    the same and whose configuration has as many hosts."""
    count = 1_000
    repetitions, seconds = (1, 2) if is_quick else (7, 5)
    config = make(folder, count)
    shutil.copytree(folder / "config", config, dirs_exist_ok=True)
    def own(peer):
        return servers(folder, config, count)(peer) + SERVER.format(
            plain=peer.plain, tls=peer.tls, host=HOST, folder=config / "hosts", root=folder / "root")
    rows, targets, result = [], [], {}
    for make_peer in (lambda: Associated(folder, config, folder / "reload-state"),
                      lambda: Nginx(folder, "nginx files", own)):
        with make_peer() as peer:
            fetch(peer, name(count - 1))
            for tls in (False, True):
                def ask():
                    return load(peer, "paced", "--rate", 500, "--threads", 4, "--seconds", seconds, tls=tls,
                                tolerant=True)
                load(peer, "paced", "--rate", 500, "--threads", 4, "--seconds", 1, tls=tls, tolerant=True)
                quiet, changing, lost = [], [], 0
                for _ in range(repetitions):
                    quiet.append(ask()["p99"])
                    with Changing(peer, config):
                        answers = ask()
                    changing.append(answers["p99"])
                    lost += sum(answers["errors"].values())
                title = f"{peer.name}, {'TLS' if tls else 'plain'}"
                result[title] = {"quiet": quiet, "changing": changing, "lost": lost}
                if peer.name == "associated":
                    absolute(f"requests lost while files change, {'TLS' if tls else 'plain'}", lost, 0, targets)
                rows.append([title, figure(quiet, 3), figure(changing, 3),
                             against("while files change", f"quiet, {title}", ratios(changing, quiet), targets), lost])
    print(f"p99 in ms of clients that ask 500 times a second, with {count:,} hosts, alone and while one of them changes and "
          "everything is read again, twice a second:\n")
    table(["", "quiet", "while it changes", "ratio", "requests lost"], rows)
    subprocess.run(["rm", "-rf", config], check=True)
    return dict(result, targets=targets)


def hosts(folder, is_quick):
    rows, result, targets = [], {}, []
    for count in (10, 1_000, 10_000) if is_quick else (10, 1_000, 10_000, 100_000):
        config = make(folder, count)
        state = folder / f"many-state-{count}"
        peer, cold, megabytes = start(lambda: Associated(folder, config, state), count)
        with peer:
            changed = change(peer, config, count, 2 if is_quick else 5)
        warm = []
        for _ in range(1 if is_quick else 3):
            peer, seconds, warm_megabytes = start(lambda: Associated(folder, config, state), count)
            peer.stop()
            warm.append(seconds)
        nginx_cells = nginx(folder, config, count) if count <= (1_000 if is_quick else 10_000) else ["–"] * 3
        warm = statistics.median(warm)
        rows.append([f"{count:,}", f"{cold:.2f}", f"{warm:.2f}", f"{megabytes:.0f}", f"{warm_megabytes:.0f}",
                     f"{changed:.0f}"] + nginx_cells)
        result[str(count)] = {"cold": cold, "warm": warm, "MB cold": megabytes, "MB warm": warm_megabytes,
                              "change": changed, "nginx": nginx_cells}
        if count == 100_000:
            absolute("seconds, 100,000 hosts without state", cold, 5, targets)
            absolute("seconds, 100,000 hosts with state", warm, 1, targets)
            absolute("ms until one of 100,000 hosts has changed", changed, 100, targets)
            each = (warm_megabytes - result["10"]["MB warm"]) * 1024 / count
            absolute("KB for each of 100,000 hosts, with all that is known of it", each, 1.5, targets)
        subprocess.run(["rm", "-rf", config, state], check=True)
    table(["hosts", "s without state", "s with state", "MB without", "MB with", "ms until one change is live",
           "nginx s", "nginx MB", "nginx ms until a change is"], rows)
    return dict(result, targets=targets)
