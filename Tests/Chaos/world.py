"""The files on disk, and what may be served from them: tenants with versions, certificates, and damage to both.

Every tenant has a host and an app file. App files of tenants and versions differ in two numbers of fixed width only, so one
rendering, made by the program itself before any fault, gives the expected bytes of all.
"""
import hashlib
import os
import pathlib
import subprocess
import threading

WIDTH = 8
FINGERPRINT = ":".join(f"{byte:02X}" for byte in hashlib.sha256(b"chaos").digest())
APPLE, ANDROID, PAGE = "/.well-known/apple-app-site-association", "/.well-known/assetlinks.json", "/page.html"


def host_of(tenant):
    return f"t{tenant:0{WIDTH}d}.example"


def app_file(tenant, version):
    number, stamp = f"{tenant:0{WIDTH}d}", f"{version:0{WIDTH}d}"
    return f"""{{
  name: "Tenant {number}", hosts: ["t{number}.example"],
  ios: {{ appIDs: ["8KQ2V7M4XN.dev.chaos.t{number}"] }},
  android: {{ package: "dev.chaos.t{number}", fingerprints: ["{FINGERPRINT}"], dynamicRules: true }},
  links: [{{ "/": "/first/{stamp}/*" }}, {{ "/": "/t{number}/?*" }}, {{ "/": "/last/{stamp}/*" }}],
}}
"""


def page(tenant, version):
    line = f"<p>t{tenant:0{WIDTH}d} v{version:0{WIDTH}d}</p>\n"
    return (line * 2000).encode()


class Tenant:
    """One host. `latest` is the newest good version that was written, at least partly, `seen` the newest that was answered."""

    def __init__(self, number, path):
        self.number, self.host, self.path = number, host_of(number), path
        self.latest = {"app": 0, "page": 0}
        self.seen = {"app": 0, "page": 0}
        # The newest version answered while the state could be saved; it survives any exit of the process.
        self.lasting = 0
        # A broken or deleted file is served from its last good version.
        self.is_whole = True


class World:
    """The folders of a run."""

    def __init__(self, folder, tenants, secure):
        self.folder = pathlib.Path(folder)
        self.config, self.public, self.state = (self.folder / name for name in ("config", "public", "state"))
        self.apps = self.config / "apps"
        for place in (self.apps, self.public, self.state, self.folder / "ca"):
            place.mkdir(parents=True)
        self.lock = threading.Lock()
        self.is_state_writable = True
        self.tenants = [Tenant(number, self.apps / f"t{number}.json") for number in range(tenants)]
        for tenant in self.tenants:
            tenant.path.write_text(app_file(tenant.number, 0))
            (self.public / tenant.host).mkdir()
            (self.public / tenant.host / "page.html").write_bytes(page(tenant.number, 0))
        self.secure = self.tenants[:secure]
        self.authority = Authority(self.folder / "ca")
        for tenant in self.secure:
            place = self.config / "hosts" / tenant.host
            place.mkdir(parents=True)
            self.authority.issue(tenant.host, place)
        self.templates = {}

    def learn(self, binary):
        """Renders the first tenant's first version with the program."""
        for path, platform in ((APPLE, "apple"), (ANDROID, "android")):
            self.templates[path] = subprocess.check_output(
                [binary, "render", host_of(0), platform, "--config", self.config], stderr=subprocess.DEVNULL)

    def expected(self, tenant, path, version):
        if path == PAGE:
            return page(tenant.number, version)
        zero = "0" * WIDTH
        text = self.templates[path].decode()
        # Both numbers are zeros in the template; the words before them distinguish them.
        for word in ("first/", "last/"):
            text = text.replace(word + zero, f"{word}{version:0{WIDTH}d}")
        for word in (".t", "/t"):
            text = text.replace(word + zero, f"{word}{tenant.number:0{WIDTH}d}")
        return text.encode()

    def versions(self, tenant, kind):
        """The oldest and the newest version that may be answered from now on."""
        with self.lock:
            return tenant.seen[kind], tenant.latest[kind]

    def saw(self, tenant, kind, version):
        with self.lock:
            tenant.seen[kind] = max(tenant.seen[kind], version)
            if kind == "app" and self.is_state_writable:
                tenant.lasting = max(tenant.lasting, version)

    def lost_memory(self):
        """The process was killed. What could not be saved may be forgotten, unless the file itself has it."""
        with self.lock:
            for tenant in self.tenants:
                if not tenant.is_whole:
                    tenant.seen["app"] = min(tenant.seen["app"], tenant.lasting)

    # Edits: each leaves `latest` at the newest version that the files can mean.

    def begin(self, tenant, kind="app"):
        with self.lock:
            tenant.latest[kind] += 1
            return tenant.latest[kind]

    def write(self, tenant):
        """In place, so that a reader may find it half written."""
        version = self.begin(tenant)
        tenant.path.write_text(app_file(tenant.number, version))
        tenant.is_whole = True

    def replace(self, tenant):
        version = self.begin(tenant)
        other = tenant.path.with_suffix(".new")
        other.write_text(app_file(tenant.number, version))
        other.rename(tenant.path)
        tenant.is_whole = True

    def dribble(self, tenant, dice):
        """In pieces, like a slow copy."""
        version = self.begin(tenant)
        text = app_file(tenant.number, version)
        with open(tenant.path, "w") as file:
            while text:
                count = dice.randrange(1, 60)
                file.write(text[:count])
                file.flush()
                text = text[count:]
        tenant.is_whole = True

    def cut(self, tenant, dice):
        text = app_file(tenant.number, 0)
        tenant.is_whole = False
        tenant.path.write_text(text[:dice.randrange(len(text) - 3)])

    def spoil(self, tenant, dice):
        """Breaks the file in a random way."""
        tenant.is_whole = False
        tenant.path.write_bytes(dice.choice([
            b"", b"\x00" * 500, b"{", b"[" * 5000, b"<!DOCTYPE html>", dice.randbytes(2000), b'{"name": "' + b"a" * 200_000,
            b"{ hosts: [1], links: {} }",
        ]))

    def remove(self, tenant):
        tenant.is_whole = False
        tenant.path.unlink(missing_ok=True)

    def change_page(self, tenant):
        version = self.begin(tenant, "page")
        other = self.public / tenant.host / "page.new"
        other.write_bytes(page(tenant.number, version))
        other.rename(self.public / tenant.host / "page.html")

    def rotate(self, tenant, dice):
        """A new pair; its key and certificate are not replaced in one step."""
        self.authority.issue(tenant.host, self.config / "hosts" / tenant.host, key_first=dice.random() < 0.5)

    def touch_settings(self, dice):
        (self.config / "server.json").write_text(dice.choice(["{", "{}", "{ unknown: 1 }", "{ limits: { headBytesMax: 0 } }"]))

    def repair(self):
        """Repairs everything, with a version newer than any before."""
        (self.config / "server.json").unlink(missing_ok=True)
        for tenant in self.tenants:
            self.replace(tenant)


class Authority:
    """Certificates from an authority that the clients trust."""

    def __init__(self, folder):
        self.folder, self.count = folder, 0
        self.certificate = folder / "ca.pem"
        self.run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650",
                 "-keyout", folder / "ca.key", "-out", self.certificate, "-subj", "/CN=chaos")

    def run(self, *arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def issue(self, host, place, key_first=True):
        self.count += 1
        new = {name: self.folder / f"{self.count}.{name}" for name in ("key", "csr", "pem")}
        self.run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", new["key"],
                 "-out", new["csr"], "-subj", "/CN=leaf", "-addext", f"subjectAltName=DNS:{host}")
        self.run("x509", "-req", "-in", new["csr"], "-CA", self.certificate, "-CAkey", self.folder / "ca.key",
                 "-days", "300", "-copy_extensions", "copy", "-out", new["pem"])
        pair = [(new["key"], "privkey.pem"), (new["pem"], "fullchain.pem")]
        for source, name in pair if key_first else reversed(pair):
            os.chmod(source, 0o600)
            os.replace(source, place / name)
