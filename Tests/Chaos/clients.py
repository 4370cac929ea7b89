"""Good clients: they request what must exist and compare every byte of the answer."""
import random
import socket
import ssl
import threading
import time

from world import ANDROID, APPLE, PAGE

# How long a good client waits for an answer. Long, because the machine may be busy with the faults.
PATIENCE_SECONDS = 30


class Wrong(Exception):
    """An answer that must never be sent."""


class Lost(Exception):
    """An answer that did not arrive completely."""


class Connection:
    def __init__(self, port, context=None, host=None):
        self.bytes = b""
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
        try:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if context:
                self.socket = context.wrap_socket(self.socket, server_hostname=host)
        except BaseException:
            self.socket.close()
            raise

    def ask(self, *heads):
        self.socket.sendall(b"".join(heads))

    def answer(self):
        while b"\r\n\r\n" not in self.bytes:
            self.more()
        head, _, rest = self.bytes.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        status = int(lines[0].split()[1])
        self.bytes = rest
        length = int(fields.get("content-length", 0))
        while len(self.bytes) < length:
            self.more()
        body, self.bytes = self.bytes[:length], self.bytes[length:]
        return status, fields, body

    def more(self):
        more = self.socket.recv(65536)
        if not more:
            raise Lost("the connection ended")
        self.bytes += more

    def close(self):
        self.socket.close()


def head(path, host, *lines):
    return "\r\n".join([f"GET {path} HTTP/1.1", f"Host: {host}", *lines, "", ""]).encode()


class GoodClient(threading.Thread):
    """Requests random tenants until it is stopped. Half of the clients use TLS."""

    def __init__(self, number, seed, world, server, tally):
        super().__init__(daemon=True, name=f"client {number}")
        self.dice = random.Random(f"{seed} client {number}")
        self.world, self.server, self.tally = world, server, tally
        self.is_secure = number % 2 == 1
        self.is_over = threading.Event()

    def run(self):
        while not self.is_over.is_set():
            generation, began = self.server.generation, time.monotonic()
            try:
                self.visit()
            except Wrong as error:
                self.tally.fail(f"{self.name}: {error}")
            except (Lost, OSError, ValueError) as error:
                # A killed process loses its connections, and one without descriptors accepts none.
                is_excused = generation != self.server.generation or self.server.is_excused(began)
                self.tally.lose(f"{self.name}: {type(error).__name__} {error}", is_excused)
                time.sleep(0.05)

    def visit(self):
        """A few requests on one connection."""
        if self.is_secure:
            tenant = self.dice.choice(self.world.secure)
            context = ssl.create_default_context(cafile=self.world.authority.certificate)
            connection = Connection(self.server.ports["https"], context, tenant.host)
        else:
            tenant = self.dice.choice(self.world.tenants)
            connection = Connection(self.server.ports["http"])
        try:
            for _ in range(self.dice.randrange(1, 12)):
                if not self.is_secure:
                    tenant = self.dice.choice(self.world.tenants)
                paths = [self.dice.choice([APPLE, ANDROID, PAGE if self.is_secure else APPLE])
                         for _ in range(self.dice.randrange(1, 4))]
                oldest = {kind: self.world.versions(tenant, kind)[0] for kind in ("app", "page")}
                connection.ask(*(head(path, tenant.host) for path in paths))
                for path in paths:
                    status, fields, body = connection.answer()
                    if status == 503:
                        self.tally.count("refused with 503")
                        return
                    self.check(tenant, path, oldest, status, fields, body)
                    self.tally.count("answers verified over TLS" if self.is_secure else "answers verified")
                    if fields.get("connection") == "close":
                        return
        finally:
            connection.close()

    def check(self, tenant, path, oldest, status, fields, body):
        kind = "page" if path == PAGE else "app"
        where = f"{path} of {tenant.host}"
        if status != 200:
            raise Wrong(f"{where}: status {status} {fields}")
        media = {PAGE: "text/html; charset=utf-8"}.get(path, "application/json")
        if fields.get("content-type") != media:
            raise Wrong(f"{where}: content-type {fields.get('content-type')}")
        newest = self.world.versions(tenant, kind)[1]
        for version in range(newest, oldest[kind] - 1, -1):
            if body == self.world.expected(tenant, path, version):
                return self.world.saw(tenant, kind, version)
        for version in range(oldest[kind] - 1, -1, -1):
            if body == self.world.expected(tenant, path, version):
                raise Wrong(f"{where}: version {version}, and {oldest[kind]} was answered before")
        raise Wrong(f"{where}: {len(body)} bytes of no version ({oldest[kind]} to {newest}): {body[:200]!r}")
