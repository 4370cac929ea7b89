"""The servers that are compared, each in the configuration that suits it best for what is asked of it."""

import os
import pathlib
import re
import signal
import socket
import subprocess
import time

HOST = "localhost"
DOCUMENT = "/.well-known/apple-app-site-association"
ROOT = pathlib.Path(__file__).resolve().parent.parent


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_answering(port, process, seconds=120):
    """Until there is an answer: a parent listens before its server is ready."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"a peer has ended with status {process.returncode}")
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
                connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
                if connection.recv(1):
                    return
        except OSError:
            time.sleep(0.01)
    raise RuntimeError(f"no answer on port {port}")


def groups():
    """Those of our server: with the hybrid key exchange, where OpenSSL has it (3.5)."""
    known = subprocess.check_output(["openssl", "list", "-kem-algorithms"], text=True)
    return ("X25519MLKEM768:" if "X25519MLKEM768" in known else "") + "X25519:prime256v1:secp384r1"


class Peer:
    """A running server: its ports, and what its processes have used."""

    name = ""

    def __init__(self):
        self.plain, self.tls = free_port(), free_port()
        self.process = None

    def start(self, command, **more):
        self.log = open(self.folder / f"{self.name.replace(' ', '-')}.log", "ab")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, **more)
        wait_until_answering(self.plain, self.process)
        return self

    def processes(self):
        """The process and those it has started."""
        found, queue = [], [self.process.pid]
        while queue:
            pid = queue.pop()
            found.append(pid)
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
                try:
                    queue += [int(child) for child in (task / "children").read_text().split()]
                except FileNotFoundError:
                    pass  # a thread that has ended since it was listed has no children
        return found

    def cpu_nanoseconds(self):
        """Time on a processor of all threads that are there now; none of the peers ends a thread while it is measured."""
        total = 0
        for pid in self.processes():
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
                total += int((task / "schedstat").read_text().split()[0])
        return total

    def settle(self, seconds=120):
        """Waits until it has nothing of its own to do, such as checking all certificates after the start."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            before = self.cpu_nanoseconds()
            time.sleep(0.5)
            if self.cpu_nanoseconds() - before < 5_000_000:
                return
        raise RuntimeError(f"{self.name} is still busy after {seconds} s")

    def resident_kilobytes(self):
        """What is in memory, shared pages counted once (PSS)."""
        total = 0
        for pid in self.processes():
            text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
            total += int(re.search(r"^Pss:\s+(\d+)", text, re.M)[1])
        return total

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Associated(Peer):
    name = "associated"

    def __init__(self, folder, config=None, state=None, limits=None, access_log=None):
        super().__init__()
        self.folder = folder
        if access_log:
            self.name += f" {access_log}"
            self.access_log = folder / f"{self.name.replace(' ', '-')}.access"
        config = config or folder / "config"
        # Pages in plain HTTP are served like the others', not sent to TLS.
        bounds = ", ".join(f"{name}: {value}" for name, value in (limits or {}).items())
        (config / "server.json").write_text("{ tls: { redirectPages: false }, limits: { %s } }" % bounds)
        self.start([
            ROOT / ".build/release/associated", "serve", "--config", config, "--public", folder / "public", "--state",
            state or folder / "state", "--http", f"127.0.0.1:{self.plain}", "--https", f"127.0.0.1:{self.tls}",
            *(["--access-log", self.access_log, "--access-log-format", access_log] if access_log else [])])


NGINX = """
daemon off; worker_processes {workers}; pid {folder}/nginx.pid; error_log {folder}/nginx-error.log crit;
worker_rlimit_nofile {descriptors};
events {{ worker_connections {connections}; multi_accept on; }}
http {{
  {access} server_tokens off; default_type application/json; types {{ text/html html; }}
  keepalive_requests 100000000; keepalive_timeout 120s; tcp_nodelay on; reset_timedout_connection on;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  ssl_protocols TLSv1.2 TLSv1.3; ssl_session_tickets on; ssl_session_cache shared:a:10m; ssl_prefer_server_ciphers on;
  ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384;
  ssl_ecdh_curve {groups}; ssl_buffer_size 4k;
  {http}
{servers}
}}
"""

SERVER = """  server {{
    listen 127.0.0.1:{plain} {plain_options}; listen 127.0.0.1:{tls} ssl {tls_options};
    server_name {name}; ssl_certificate {certificate}; ssl_certificate_key {key};
    {body}
  }}"""


class Nginx(Peer):
    """Debian's nginx. `kind` is one of its ways to serve a small file."""

    kinds = {
        # As most people have it.
        "nginx sendfile": ("sendfile on; tcp_nopush on;", "root {root};"),
        # What is fastest for small files: descriptors kept open, and one write for head and body.
        "nginx files": ("sendfile off; open_file_cache max=100000 inactive=1h; open_file_cache_valid 1h; "
                        "output_buffers 2 64k;", "root {root};"),
        # No file at all.
        "nginx return": ("", "location = %s {{ return 200 '{text}'; }} location / {{ root {root}; }}" % DOCUMENT),
    }

    # What our own lines say, as far as nginx knows it; in one write for many lines, as ours are.
    log = """log_format one escape=json '{{"time":"$time_iso8601","remote":"$remote_addr","port":$remote_port,"method":'
      '"$request_method","host":"$host","path":"$request_uri","status":$status,"bytes":$body_bytes_sent,"duration":'
      '$request_time,"tls":"$ssl_protocol","resumed":"$ssl_session_reused","serverName":"$ssl_server_name","userAgent":'
      '"$http_user_agent"}}';
  access_log {file} {format}{buffer};"""

    def __init__(self, folder, kind, servers=None, access_log=None, buffer=None):
        super().__init__()
        self.name, self.folder = kind, folder
        http, body = self.kinds[kind]
        if access_log:
            self.name += f" {access_log}" + (" buffered" if buffer else "")
            self.access_log = folder / f"{self.name.replace(' ', '-')}.access"
            http += "\n  " + self.log.format(
                file=self.access_log, format="one" if access_log == "json" else access_log,
                buffer=f" buffer={buffer} flush=1s" if buffer else "")
        text = (folder / "root" / DOCUMENT[1:]).read_text()
        fields = dict(root=folder / "root", text=text)
        if servers is None:
            servers = SERVER.format(
                plain=self.plain, tls=self.tls, plain_options="reuseport deferred backlog=4096",
                tls_options="reuseport deferred backlog=4096", name=HOST, certificate=folder / "cert.pem",
                key=folder / "key.pem", body=body.format(**fields))
        else:
            servers = servers(self)
        limit = int(subprocess.check_output(["sh", "-c", "ulimit -Hn"]))
        self.configuration = folder / f"{self.name.replace(' ', '-')}.conf"
        self.configuration.write_text(NGINX.format(
            workers=os.cpu_count(), folder=folder, http=http, access="" if access_log else "access_log off;",
            groups=groups(), servers=servers, descriptors=limit, connections=limit - 100))
        self.start(["nginx", "-p", folder, "-c", self.configuration])


class Caddy(Peer):
    name = "caddy"

    def __init__(self, folder):
        super().__init__()
        self.folder = folder
        site = f"""  tls {folder}/cert.pem {folder}/key.pem
  header {DOCUMENT} Content-Type application/json
  root * {folder}/root
  file_server
}}
"""
        (folder / "Caddyfile").write_text(
            "{\n  admin off\n  auto_https disable_redirects\n  servers {\n    protocols h1\n  }\n"
            "  log {\n    output discard\n  }\n}\n"
            f"https://{HOST}:{self.tls} {{\n{site}"
            f"http://{HOST}:{self.plain} {{\n" + "\n".join(site.split("\n")[1:]))
        environment = dict(os.environ, XDG_DATA_HOME=str(folder / "caddy"), XDG_CONFIG_HOME=str(folder / "caddy"))
        self.start(["caddy", "run", "--config", folder / "Caddyfile"], env=environment)
