"""A hostile tenant, which can write files in its three folders. All others must be served as usual: a change of an honest tenant
is live within a limit, the process keeps its memory limit, and no answer contains a byte of another tenant's key."""
import os
import shutil
import time

from clients import Connection, Lost, head
from world import APPLE, FINGERPRINT

HOST = "evil.example"
LIVE_SECONDS = 10
RESIDENT_MAX = 512 * 1_048_576
NAMES = [
    "x\nforged: line", "x\r\x1b[2J\x1b[31m", "\u202etxt.exe", "\u2066x", "\x07", "%0Aforged", "-rf", "...", "\x9b31m", "a" * 255,
    os.fsdecode(b"\xff\xfe\x9b"),
]


class HostileTenant:
    """A method is one kind of harm; afterwards the other tenants are checked, and it is removed again."""

    def __init__(self, world, server):
        self.world, self.server = world, server
        self.apps, self.host, self.pages = self.places = [
            world.apps / "evil", world.config / "hosts" / HOST, world.public / HOST]

    def names(self):
        return [name for name in vars(type(self)) if name[0] != "_" and name not in ("names", "play")]

    def play(self, name, dice):
        self._clear()
        getattr(self, name)(dice)
        try:
            for _ in range(3):
                self._change_of_another(dice)
            self._look_for_keys()
        finally:
            self._clear()
        self._change_of_another(dice)

    def breadth(self, dice):
        """Many links to the folder that contains them."""
        for place in (self.apps, self.host / "well-known", self.pages):
            for number in range(dice.choice([3, 30, 300])):
                self._link(place / f"l{number}", dice.choice([".", "./.", "../" + place.name]))

    def loops(self, dice):
        """Links to links, and folders that contain each other."""
        for place in (self.apps, self.host / "well-known", self.pages):
            for number in range(60):
                self._link(place / f"l{number}", f"l{(number + 1) % 60}")
                (place / f"d{number}").mkdir()
                self._link(place / f"d{number}" / "back", f"../d{dice.randrange(60)}")

    def foreign_links(self, dice):
        victim = dice.choice(self.world.secure)
        key = self.world.config / "hosts" / victim.host / "privkey.pem"
        targets = ["..", "../..", "/", "/etc", "/proc/self/fd", "/dev/zero", str(key.parent), str(self.world.config), str(self.world.state)]
        for place in (self.apps, self.pages, self.host):
            for number, target in enumerate(targets):
                self._link(place / f"l{number}", target)
            self._link(place / "key.txt", key)
        self._link(self.host / "well-known", dice.choice([f"../{victim.host}", "../..", key.parent]))

    def foreign_key(self, dice):
        """By a hard link to the file."""
        key = self.world.config / "hosts" / dice.choice(self.world.secure).host / "privkey.pem"
        for place in (self.apps, self.pages, self.host, self.host / "well-known"):
            for name in ("key.txt", "privkey.pem", "a.json"):
                os.link(key, place / name)

    def totals(self, dice):
        """Far more than a tenant needs, each file within its limit. Sparse files take no disk space."""
        for place, count, size in ((self.pages, 1500, 262_144), (self.host / "well-known", 300, 1_048_576)):
            for number in range(count):
                with open(place / f"f{number}", "wb") as file:
                    file.truncate(size)
        for number in range(5_000):
            (self.pages / f"n{number}").write_bytes(b"x")

    def names_that_deceive(self, dice):
        for place in (self.apps, self.host / "well-known", self.pages):
            for name in NAMES:
                (place / name).write_text("{ name: ")
                if len(name) < 200:
                    (place / f"{name}.json").write_text("{ name: ")

    def slow_files(self, dice):
        """App files that take long to reject."""
        links = ",".join('{ "/": "/%sc%d/*" }' % ("*a" * 150, number) for number in range(500))
        examples = ",".join('"https://%s/%s%d": "web"' % (HOST, "a" * 1500, number) for number in range(1000))
        for number in range(dice.randrange(1, 6)):
            (self.apps / f"h{number}.json").write_text(
                '{ name: "H", guard: "off", hosts: ["%s"], ios: { appIDs: ["8KQ2V7M4XN.dev.evil.h%d"] }, links: [%s], '
                'examples: {%s} }' % (HOST, number, links, examples))

    def deep(self, dice):
        """Nested folders up to the longest possible path."""
        for place in (self.apps, self.host / "well-known", self.pages):
            path = place
            while len(os.fsencode(path)) < 3_900:
                path = path / ("d" * dice.choice([1, 60]))
                path.mkdir()

    def churn(self, dice):
        """Files and folders that are created and removed without a pause."""
        end = time.monotonic() + 2
        while time.monotonic() < end:
            place = dice.choice([self.apps, self.host / "well-known", self.pages])
            name = place / f"c{dice.randrange(20)}"
            kind = dice.randrange(4)
            try:
                if kind == 0:
                    name.mkdir()
                elif kind == 1:
                    self._link(name, dice.choice([".", "c1", "/etc"]))
                elif kind == 2:
                    name.with_suffix(".json").write_text("{ hosts: [")
                else:
                    name.rename(place / f"c{dice.randrange(20)}")
            except OSError:
                pass

    def _link(self, path, target):
        path.unlink(missing_ok=True) if path.is_symlink() else None
        if path.is_dir():
            path.rmdir()
        path.symlink_to(target)

    def _clear(self):
        for place in self.places:
            if place.is_symlink():
                place.unlink()
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
        (self.host / "well-known").mkdir()
        (self.apps / "a.json").unlink(missing_ok=True)
        (self.apps / "evil.json").write_text(
            f'{{ name: "E", guard: "off", hosts: ["{HOST}"], links: [{{ "/": "/e/*" }}],\n'
            f'  android: {{ package: "dev.evil", fingerprints: ["{FINGERPRINT}"] }}, ios: {{ appIDs: ["8KQ2V7M4XN.dev.evil"] }} }}\n')

    def _change_of_another(self, dice):
        tenant = dice.choice(self.world.tenants)
        self.world.replace(tenant)
        start = time.monotonic()

        def is_live():
            try:
                connection = Connection(self.server.ports["http"])
                connection.ask(head(APPLE, tenant.host))
                body = connection.answer()[2]
                connection.close()
            except (OSError, Lost):
                return False
            return body == self.world.expected(tenant, APPLE, tenant.latest["app"])

        if not self.server.wait_until(is_live, LIVE_SECONDS):
            self.server.check()
            raise RuntimeError(f"another tenant's change is not live after {time.monotonic() - start:.1f} s")
        if (resident := self.server.resident()) > RESIDENT_MAX:
            raise RuntimeError(f"the process has {resident / 1_048_576:.0f} MiB")

    def _look_for_keys(self):
        names = ["privkey.pem", "key.txt", "a.json", "l0/privkey.pem", "l6/privkey.pem", "server.json"]
        names += [f"hosts/{tenant.host}/privkey.pem" for tenant in self.world.secure[:3]]
        connection = Connection(self.server.ports["http"])
        for name in names:
            for path in (f"/{name}", f"/.well-known/{name}", f"/l7/{name}"):
                connection.ask(head(path, HOST))
                if b"PRIVATE KEY" in connection.answer()[2]:
                    raise RuntimeError(f"{HOST}{path} is another tenant's key")
        connection.close()
