"""Hostile clients. Their own answers do not matter; only the answers that other clients get meanwhile do."""
import select
import socket
import ssl
import struct
import time

from clients import head
from world import ANDROID, APPLE, PAGE

LINGER_ZERO = struct.pack("ii", 1, 0)


class Attacks:
    """The attacks, each with a random generator of its own. A method is one attack; it ends by itself within seconds."""

    def __init__(self, world, server):
        self.world, self.server = world, server

    def names(self):
        return [name for name in vars(type(self)) if not name.startswith("_") and name != "names"]

    def _open(self, scheme="http", small=False):
        connection = socket.socket()
        if small:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(5)
        connection.connect(("127.0.0.1", self.server.ports[scheme]))
        return connection

    def _reset(self, connection):
        """Closes with a reset: the server gets ECONNRESET."""
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_ZERO)
        connection.close()

    def _hello(self, host):
        """The first flight of a handshake."""
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        session = context.wrap_bio(incoming, outgoing, server_hostname=host)
        try:
            session.do_handshake()
        except ssl.SSLWantReadError:
            pass
        return outgoing.read()

    def slowloris(self, dice):
        """Many request heads that never end, one byte at a time."""
        connections = [self._open(dice.choice(["http", "https"])) for _ in range(dice.randrange(5, 40))]
        text = head(APPLE, dice.choice(self.world.tenants).host, "X-Slow: " + "a" * 50)
        for place in range(dice.randrange(5, 40)):
            for connection in connections:
                connection.send(text[place:place + 1])
            time.sleep(0.05)
        for connection in connections:
            dice.choice([self._reset, socket.socket.close])(connection)

    def half_open(self, dice):
        """A request, then closes one direction."""
        for _ in range(10):
            connection = self._open()
            connection.sendall(head(ANDROID, dice.choice(self.world.tenants).host))
            connection.shutdown(socket.SHUT_WR)
            if dice.random() < 0.5:
                connection.recv(10)
            connection.close()

    def silent(self, dice):
        """Connections that send nothing."""
        connections = [self._open(dice.choice(["http", "https"])) for _ in range(dice.randrange(10, 100))]
        time.sleep(dice.random() * 2)
        for connection in connections:
            dice.choice([self._reset, socket.socket.close])(connection)

    def reset_in_mid_answer(self, dice):
        """Reads the beginning of a long answer and disconnects."""
        for _ in range(5):
            tenant = dice.choice(self.world.secure)
            context = ssl._create_unverified_context()
            connection = context.wrap_socket(self._open("https", small=True), server_hostname=tenant.host)
            connection.sendall(head(PAGE, tenant.host) * 10)
            connection.recv(dice.randrange(1, 4096))
            time.sleep(dice.random() * 0.1)
            self._reset(connection)

    def never_reads(self, dice):
        """Requests much and reads nothing."""
        connection = self._open(small=True)
        request = head(APPLE, dice.choice(self.world.tenants).host)
        try:
            for _ in range(200):
                connection.send(request * 50)
        except OSError:
            pass
        time.sleep(dice.random())
        self._reset(connection)

    def pipelined_flood(self, dice):
        """Hundreds of pipelined requests, answered in order or not at all."""
        connection = self._open()
        request = head(dice.choice([APPLE, ANDROID, "/none"]), dice.choice(self.world.tenants).host)
        connection.setblocking(False)
        unsent = request * dice.randrange(100, 2000)
        end = time.monotonic() + 5
        while unsent and time.monotonic() < end:
            readable, writable, _ = select.select([connection], [connection], [], 1)
            if readable and not connection.recv(65536):
                break
            if writable:
                unsent = unsent[connection.send(unsent[:65536]):]
        connection.close()

    def oversized(self, dice):
        """Every part of a request above its limit."""
        host = dice.choice(self.world.tenants).host.encode()
        much = b"a" * dice.choice([8_000, 16_384, 100_000])
        request = dice.choice([
            b"GET /" + much + b" HTTP/1.1\r\nHost: " + host + b"\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: " + much + b"\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: " + host + b"\r\nX: " + much + b"\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: " + host + b"\r\n" + b"X: y\r\n" * 2000 + b"\r\n",
            b"POST / HTTP/1.1\r\nHost: " + host + b"\r\nContent-Length: 99999999999999999999\r\n\r\n" + much,
            b"POST / HTTP/1.1\r\nHost: " + host + b"\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n" + much,
            b"GET / HTTP/1.1\r\nHost: " + host + b"\r\nRange: bytes=" + b"0-," * 5000 + b"\r\n\r\n",
            much + b"\r\n\r\n", b"\r\n" * 5000,
        ])
        connection = self._open()
        try:
            connection.sendall(request)
            while connection.recv(65536):
                pass
        except OSError:
            pass
        connection.close()

    def nonsense(self, dice):
        """Bytes that are not a request."""
        for _ in range(5):
            connection = self._open()
            try:
                connection.sendall(dice.randbytes(dice.randrange(1, 3000)))
                connection.recv(100)
            except OSError:
                pass
            connection.close()

    def handshake_flood(self, dice):
        """Endless ClientHellos, for known and unknown names."""
        connections = []
        for _ in range(dice.randrange(20, 150)):
            host = dice.choice(self.world.secure).host if dice.random() < 0.7 else f"none{dice.randrange(1000)}.example"
            connection = self._open("https")
            connection.send(self._hello(host))
            connections.append(connection)
        time.sleep(dice.random() * 0.5)
        for connection in connections:
            dice.choice([self._reset, socket.socket.close])(connection)

    def garbage_records(self, dice):
        """Damaged handshakes and invalid records."""
        for _ in range(10):
            connection = self._open("https")
            hello = bytearray(self._hello(dice.choice(self.world.secure).host))
            kind = dice.randrange(4)
            if kind == 0:
                hello[dice.randrange(len(hello))] ^= 1 << dice.randrange(8)
            elif kind == 1:
                hello = bytearray(dice.randbytes(500))
            elif kind == 2:
                hello[3:5] = dice.randbytes(2)
            else:
                hello += b"\x17\x03\x03" + dice.randbytes(2) + dice.randbytes(200)
            try:
                connection.sendall(hello)
                connection.recv(4096)
            except OSError:
                pass
            connection.close()

    def garbage_after_handshake(self, dice):
        """A valid session that then sends a record that cannot be decrypted."""
        tenant = dice.choice(self.world.secure)
        plain = self._open("https")
        session = ssl._create_unverified_context().wrap_socket(plain, server_hostname=tenant.host)
        session.sendall(head(APPLE, tenant.host))
        raw = socket.socket(fileno=session.detach())
        try:
            raw.sendall(b"\x17\x03\x03\x00\x20" + dice.randbytes(32))
            raw.recv(65536)
        except OSError:
            pass
        raw.close()

    def wrong_protocol(self, dice):
        """TLS to the plain port, and the reverse."""
        for scheme, request in (("http", self._hello("a.example")), ("https", head("/", "a.example"))):
            connection = self._open(scheme)
            try:
                connection.sendall(request)
                connection.recv(4096)
            except OSError:
                pass
            connection.close()
