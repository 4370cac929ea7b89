"""How start, memory and change grow with the number of hosts, each with a certificate of its own."""

import os
import shutil
import socket
import ssl
import statistics
import subprocess
import time

from cases import table
from peers import DOCUMENT, Associated, Nginx

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


def change(peer, config, count):
    """Milliseconds from writing one app file until its host answers with it."""
    number = count // 2
    file = config / f"apps/{number // 1000:03}/h{number}.json"
    milliseconds = []
    for turn in range(5):
        text = app(number, turn + 1)
        staged = file.with_suffix(".new")
        staged.write_text(text)
        began = time.monotonic()
        os.rename(staged, file)
        while f"turn{turn}".encode() not in plain(peer, name(number)):
            if time.monotonic() - began > 30:
                raise RuntimeError("the change is not taken up")
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


def nginx(folder, config, count):
    def servers(peer):
        (folder / "many-root/.well-known").mkdir(parents=True, exist_ok=True)
        (folder / "many-root" / DOCUMENT[1:]).write_text("{}")
        lines = [f"  server_names_hash_max_size {max(512, 4 * count)}; server_names_hash_bucket_size 128;"]
        return "\n".join(lines + [
            SERVER.format(plain=peer.plain, tls=peer.tls, host=name(number), folder=config / "hosts",
                          root=folder / "many-root") for number in range(count)])
    peer, seconds, megabytes = start(lambda: Nginx(folder, "nginx files", servers), count)
    peer.stop()
    return [f"{seconds:.2f}", f"{megabytes:.0f}"]


def hosts(folder, is_quick):
    rows, result, targets = [], {}, []
    for count in (10, 1_000, 10_000) if is_quick else (10, 1_000, 10_000, 100_000):
        config = make(folder, count)
        state = folder / f"many-state-{count}"
        peer, cold, megabytes = start(lambda: Associated(folder, config, state), count)
        with peer:
            changed = change(peer, config, count)
        warm = []
        for _ in range(3):
            peer, seconds, warm_megabytes = start(lambda: Associated(folder, config, state), count)
            peer.stop()
            warm.append(seconds)
        beside = nginx(folder, config, count) if count <= 10_000 else ["–", "–"]
        warm = statistics.median(warm)
        rows.append([f"{count:,}", f"{cold:.2f}", f"{warm:.2f}", f"{megabytes:.0f}", f"{warm_megabytes:.0f}",
                     f"{changed:.0f}"] + beside)
        result[str(count)] = {"cold": cold, "warm": warm, "MB cold": megabytes, "MB warm": warm_megabytes,
                              "change": changed, "nginx": beside}
        if count == 100_000:
            targets += [{"name": "100,000 hosts without state ≤ 5 s", "reached": cold <= 5},
                        {"name": "100,000 hosts with state ≤ 1 s", "reached": warm <= 1},
                        {"name": "one of 100,000 hosts changed ≤ 100 ms", "reached": changed <= 100}]
        subprocess.run(["rm", "-rf", config, state], check=True)
    table(["hosts", "s without state", "s with state", "MB without", "MB with", "ms until one change is live",
           "nginx s", "nginx MB"], rows)
    return dict(result, targets=targets)
