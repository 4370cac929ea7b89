"""Runs a server with a hundred tenants while everything goes wrong, and checks each answer to a good client.

    script/chaos [--seconds N] [--seed S] [--tenants N] [--clients N] [--binary FILE] [--only NAME,NAME,…]

Good clients send requests over plain HTTP and TLS without a pause, and compare every byte with the versions that may be served at
that moment: never one older than an earlier answer, not even after a kill -9. Meanwhile hostile clients attack, a hostile tenant
does harm with files, files are edited, broken and removed, certificates change, the process is signalled, killed, and deprived of
descriptors, memory and disk, and its clock jumps. In the end everything is repaired, and within a minute every tenant must be
served its newest version.

The seed decides the faults, their order and their content; their exact timing depends on the machine. Exits with 1 if an answer
was wrong, one was lost without an excuse, or the process exited by itself.
"""
import argparse
import collections
import pathlib
import random
import secrets
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from attacks import Attacks
from clients import Connection, GoodClient, Lost, head
from faults import Clock, Disk, Faults
from hostile import HostileTenant
from server import Died, Server
from world import APPLE, World

ATTACKS_AT_ONCE = 4


class Tally:
    """Counts of what has happened."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.failures = []

    def count(self, name):
        with self.lock:
            self.counts[name] += 1

    def fail(self, text):
        with self.lock:
            self.failures.append(text)

    def lose(self, error, is_excused):
        if is_excused:
            self.count("answers lost with a process or while it was starved")
        else:
            self.fail(f"lost without an excuse: {error}")


class Run:
    def __init__(self, options, folder):
        self.options = options
        self.dice = random.Random(f"{options.seed} faults")
        self.tally = Tally()
        self.world = World(folder / "tree", options.tenants, min(options.tenants, 24))
        self.clock = Clock(folder, pathlib.Path(__file__).with_name("clock.c"))
        self.server = Server(options.binary, self.world, self.clock)
        self.disk = Disk(self.world.state, self.server)
        self.attacks = Attacks(self.world, self.server)
        self.faults = Faults(self.world, self.server, self.clock, self.disk)
        self.hostile = HostileTenant(self.world, self.server)
        self.resident = 0

    def perform(self):
        self.world.learn(self.options.binary)
        self.server.start()
        clients = [GoodClient(number, self.options.seed, self.world, self.server, self.tally)
                   for number in range(self.options.clients)]
        for client in clients:
            client.start()
        try:
            self.trouble()
            for client in clients:
                client.is_over.set()
            for client in clients:
                client.join(60)
                if client.is_alive():
                    self.tally.fail(f"{client.name} waits for ever")
            self.settle()
            if (status := self.server.stop()) != 0:
                self.tally.fail(f"the server ended with status {status}")
            for line in self.server.unprintable[:5]:
                self.tally.fail(f"a line of the log has characters that do not show: {line!r}")
        except (Died, RuntimeError) as error:
            self.tally.fail(str(error))
        finally:
            for client in clients:
                client.is_over.set()
            if self.server.process and self.server.process.poll() is None:
                self.server.process.kill()
                self.server.process.wait()
            self.disk.end()

    def trouble(self):
        """Runs one fault after the other until the time is over. Attacks continue during the next fault."""
        names = [("attack", name) for name in self.attacks.names()] + [("fault", name) for name in self.faults.names()]
        names += [("tenant", name) for name in self.hostile.names()]
        weights = [2 if kind == "attack" else Faults.weights.get(name, 1) for kind, name in names]
        if self.options.only:
            weights = [weight if name in self.options.only else 0 for (_, name), weight in zip(names, weights)]
        running = []
        end = time.monotonic() + self.options.seconds
        while time.monotonic() < end and not self.tally.failures:
            kind, name = self.dice.choices(names, weights)[0]
            dice = random.Random(self.dice.getrandbits(64))
            running = [thread for thread in running if thread.is_alive()]
            if kind == "fault":
                outcome = getattr(self.faults, name)(dice)
                self.tally.count(f"{name.replace('_', ' ')}{', ' + outcome if outcome else ''}")
            elif kind == "tenant":
                self.hostile.play(name, dice)
                self.tally.count(f"hostile tenant: {name.replace('_', ' ')}")
            elif len(running) < ATTACKS_AT_ONCE:
                running.append(threading.Thread(target=self.attack, args=(name, dice), daemon=True))
                running[-1].start()
            self.server.check()
            self.resident = max(self.resident, self.server.resident())
            time.sleep(self.dice.random() * 0.1)
        for thread in running:
            thread.join(30)

    def attack(self, name, dice):
        try:
            getattr(self.attacks, name)(dice)
        except OSError:
            # The attack was refused, or the process was killed during it.
            pass
        self.tally.count(f"attack: {name.replace('_', ' ')}")

    def settle(self):
        """Repairs everything; every tenant must be served its newest version, and no connection may be left open."""
        self.clock.jump(0)
        self.world.repair()
        missing = set(self.world.tenants)

        def is_served():
            try:
                connection = Connection(self.server.ports["http"])
                for tenant in list(missing):
                    connection.ask(head(APPLE, tenant.host))
                    if connection.answer()[2] == self.world.expected(tenant, APPLE, tenant.latest["app"]):
                        missing.discard(tenant)
                connection.close()
            except (OSError, Lost):
                pass
            return not missing

        if not self.server.wait_until(is_served, 60):
            hosts = sorted(tenant.host for tenant in missing)
            said = "\n".join(self.server.lines[-10:])
            self.tally.fail(f"{len(missing)} hosts were not served their newest version: {hosts[:3]}\n{said}")

    def report(self):
        counts = self.tally.counts
        verified = sum(count for name, count in counts.items() if name.startswith("answers verified"))
        clients = [name for name in counts if name.startswith(("answers", "refused"))]
        for title, names in (("faults", [name for name in counts if name not in clients]), ("answers", clients)):
            print(f"{title}:")
            for name in sorted(names):
                print(f"  {counts[name]:9,}  {name}")
        injected = sum(count for name, count in counts.items() if name not in clients)
        print(f"{injected:,} faults injected, {verified:,} answers verified byte for byte, "
              f"{self.resident / 1_048_576:.0f} MiB at most, seed {self.options.seed}")
        for failure in self.tally.failures[:5]:
            print(f"FAILURE: {failure}")
        if not verified and not self.tally.failures:
            print("FAILURE: nothing was verified")
        if self.tally.failures or not verified:
            print(f"again: script/chaos --seconds {self.options.seconds} --seed {self.options.seed} "
                  f"--tenants {self.options.tenants} --clients {self.options.clients}"
                  + (f" --only {','.join(self.options.only)}" if self.options.only else ""))
            return 1
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000))
    parser.add_argument("--tenants", type=int, default=200)
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--only", type=lambda text: text.split(","), help="only these faults, attacks and kinds of harm")
    options = parser.parse_args()
    print(f"{options.seconds} seconds, {options.tenants} tenants, {options.clients} good clients, seed {options.seed}",
          flush=True)
    with tempfile.TemporaryDirectory(prefix="associated-chaos-") as folder:
        run = Run(options, pathlib.Path(folder))
        run.perform()
        return run.report()


if __name__ == "__main__":
    sys.exit(main())
