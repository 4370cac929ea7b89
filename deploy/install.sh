#!/bin/sh
# install.sh --from URL [--version VERSION] [--prefix DIR] [--sha256 DIGEST]: installs the program, its manual page and its completions
# below a prefix (default: /usr/local), from the release at a URL, which has the tarball and SHA256SUMS. With --sha256, the digest is
# yours and not that of the URL. Nothing is changed unless the digest is right and the program runs here.
set -eu

version=0.1.0
prefix=/usr/local
from=
digest=

fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || fail "$1 needs a value; usage: install.sh --from URL [--version VERSION] [--prefix DIR] [--sha256 DIGEST]"
    case $1 in
        --from) from=${2%/} ;;
        --version) version=${2#v} ;;
        --prefix) prefix=$2 ;;
        --sha256) digest=$2 ;;
        *) fail "unknown option $1; usage: install.sh --from URL [--version VERSION] [--prefix DIR] [--sha256 DIGEST]" ;;
    esac
    shift 2
done
[ -n "$from" ] || fail "--from URL is missing: the address of the release"
case $(uname -sm) in
    "Linux x86_64") ;;
    *) fail "there is no program for $(uname -sm); build it from the sources" ;;
esac

# fetch URL FILE
fetch() {
    if command -v curl >/dev/null; then
        curl -fsSL --retry 3 -o "$2" "$1"
    elif command -v wget >/dev/null; then
        wget -q -O "$2" "$1"
    else
        fail "needs curl or wget"
    fi || fail "cannot download $1"
}

name=associated-$version-x86_64-linux
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fetch "$from/$name.tar.gz" "$work/$name.tar.gz"
if [ -z "$digest" ]; then
    fetch "$from/SHA256SUMS" "$work/SHA256SUMS"
    digest=$(awk -v file="$name.tar.gz" '$2 == file { print $1 }' "$work/SHA256SUMS")
    [ -n "$digest" ] || fail "$from/SHA256SUMS does not name $name.tar.gz"
fi
found=$(sha256sum "$work/$name.tar.gz" | cut -d' ' -f1)
[ "$found" = "$digest" ] || fail "$name.tar.gz has the SHA-256 digest $found, not $digest; nothing was installed"

tar -xzf "$work/$name.tar.gz" -C "$work"
"$work/$name/bin/associated" version >/dev/null || fail "the program does not run here: it needs glibc 2.34, OpenSSL 3 and zlib"
mkdir -p "$prefix/bin" "$prefix/share" || fail "cannot write to $prefix; name another folder with --prefix, or run as root"
cp -R "$work/$name/share/." "$prefix/share/"
# By renaming: a program that runs cannot be written to.
cp "$work/$name/bin/associated" "$prefix/bin/associated.new"
mv "$prefix/bin/associated.new" "$prefix/bin/associated"
printf 'installed %s\n' "$prefix/bin/associated"
"$prefix/bin/associated" version
