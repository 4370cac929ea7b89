#!/usr/bin/env python3
"""The steps of the action: installs associated by its checksum, lints with annotations, says in one comment of the pull request what
changes for phones, and publishes after a push. Python's standard library only; everything comes from the environment."""
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request

MARK = "<!-- associated: what changes for phones -->"
COMMENT_MAX = 60_000  # GitHub allows 65,536 characters.
environment = os.environ


def given(name, default=""):
    return environment.get(f"INPUT_{name}") or default


def fail(text):
    # As a workflow command, so line breaks and percent signs are escaped.
    print("::error::" + text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))
    sys.exit(1)


def fetch(url, method="GET", body=None, token=None):
    fields = {"Accept": "application/vnd.github+json"} if token else {}
    if token:
        fields["Authorization"] = f"Bearer {token}"
    data = json.dumps(body).encode() if body is not None else None
    with urllib.request.urlopen(urllib.request.Request(url, data, fields, method=method), timeout=60) as answer:
        return answer.read()


def install():
    """The program of a release, if its digest is the expected one."""
    if environment.get("ACTION_PROGRAM"):
        return environment["ACTION_PROGRAM"]
    version = given("VERSION")
    name = f"associated-{version}-x86_64-linux.tar.gz"
    place = f"{given('RELEASES')}/v{version}"
    try:
        tarball = fetch(f"{place}/{name}")
        lines = [line.split() for line in fetch(f"{place}/SHA256SUMS").decode().splitlines()] if not given("SHA256") else []
    except (OSError, UnicodeError) as error:
        fail(f"cannot fetch {name} from {place}: {error}")
    expected = given("SHA256") or next((line[0] for line in lines if line[1:] == [name]), "")
    digest = hashlib.sha256(tarball).hexdigest()
    if digest != expected.lower():
        fail(f"{name} has the digest {digest} and not {expected}; it was not used")
    program = os.path.join(environment.get("RUNNER_TEMP") or tempfile.mkdtemp(), "associated")
    with tarfile.open(fileobj=io.BytesIO(tarball)) as archive:
        member = next((one for one in archive if one.isfile() and one.name.endswith("/bin/associated")), None)
        if member is None:
            fail(f"{name} contains no program")
        with open(program, "wb") as file:
            file.write(archive.extractfile(member).read())
    os.chmod(program, 0o755)
    return program


def run(*command, **options):
    return subprocess.run(command, text=True, capture_output=True, **options)


def difference(program, config, base):
    """What changes for phones since a commit, as text and the exit status."""
    # A shallow checkout lacks the commit.
    if run("git", "cat-file", "-e", base).returncode:
        run("git", "fetch", "--quiet", "--depth=1", "origin", base)
    fail_on = ["--fail-on", given("FAIL_ON")] if given("FAIL_ON") else []
    result = run(program, "diff", *fail_on, f"{base}:./{config}", config)
    return (result.stdout or result.stderr).strip(), result.returncode


def fenced(text):
    """Text in a code block that it cannot end."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def comment(text):
    """Makes or changes the one comment of the action. Without the permission, as in a pull request of a fork, nothing happens."""
    api = f"{environment['GITHUB_API_URL']}/repos/{environment['GITHUB_REPOSITORY']}/issues"
    token, number = given("GITHUB_TOKEN"), environment["ACTION_NUMBER"]
    try:
        known, page = None, 1
        while known is None:
            found = json.loads(fetch(f"{api}/{number}/comments?per_page=100&page={page}", token=token))
            # Somebody else may quote the mark.
            known = next((one for one in found if one["body"].startswith(MARK) and one["user"]["type"] == "Bot"), None)
            if len(found) < 100:
                break
            page += 1
        if known is None:
            fetch(f"{api}/{number}/comments", "POST", {"body": text}, token)
        elif known["body"] != text:
            fetch(f"{api}/comments/{known['id']}", "PATCH", {"body": text}, token)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"::warning::the pull request has no comment, but the summary of the job has it: {type(error).__name__} {error}".replace("\n", " "))


def main():
    config = given("CONFIG", "config")
    if config.startswith("-"):
        fail(f"{config} is no directory")
    program = install()
    lint = subprocess.run([program, "lint", "--format", "github", config])
    status, base = lint.returncode, environment.get("ACTION_BASE")
    if base:
        text, code = difference(program, config, base)
        status = status or code
        if len(text) > COMMENT_MAX:
            text = text[:COMMENT_MAX] + "\n… and more: associated diff shows all"
        body = f"{MARK}\n**What changes for phones**\n\n{fenced(text)}\n"
        if environment.get("GITHUB_STEP_SUMMARY"):
            with open(environment["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as file:
                file.write(body)
        if given("COMMENT") == "true":
            comment(body)
    elif given("PUBLISH") and environment.get("GITHUB_EVENT_NAME") == "push" and status == 0:
        folder = os.path.join(config, "apps") if os.path.isdir(os.path.join(config, "apps")) else config
        status = subprocess.run([
            program, "publish", folder, "--api", given("PUBLISH"), "--tenant", given("TENANT"), "--wait", "served",
            "--source", f"{environment['GITHUB_REPOSITORY']}@{environment['GITHUB_SHA'][:12]}",
        ]).returncode
    sys.exit(status)


if __name__ == "__main__":
    main()
