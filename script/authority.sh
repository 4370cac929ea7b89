# shellcheck shell=bash
# A certificate authority for the scripts that try the manager: pebble (Let's Encrypt's authority for tests) with a name server that
# answers 127.0.0.1 for every name. Sourced after lib.sh by scripts that have a folder `$work` and end the processes of `${pids[@]}`.

# shellcheck disable=SC2154
install_tools pebble pebble-challtestsrv:pebble openssl curl python3
pids=()

# free_ports N: N ports of 127.0.0.1 that were free a moment before.
free_ports() {
    python3 -c '
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in sockets: one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in sockets))' "$1"
}

# await SECONDS COMMAND...: repeats it until it succeeds.
await() {
    local end=$((SECONDS + $1))
    shift
    while ! "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || fail "$* did not succeed"
        sleep 0.1
    done
}

# name_server PORT MANAGEMENT
name_server() {
    dns=$1
    pebble-challtestsrv -defaultIPv6 "" -defaultIPv4 127.0.0.1 -dns01 "127.0.0.1:$1" -http01 "" -https01 "" -tlsalpn01 "" \
        -management "127.0.0.1:$2" >"$work/dns.log" 2>&1 &
    pids+=($!)
}

# authority NAME PORT ROOTS HTTP SECONDS: starts pebble, whose certificates are valid for so long, and saves its root as $work/NAME.root.
authority() {
    [ -e "$work/pebble.pem" ] ||
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
            -addext subjectAltName=DNS:localhost -keyout "$work/pebble.key" -out "$work/pebble.pem" 2>/dev/null
    cat >"$work/$1.json" <<JSON
{"pebble": {"listenAddress": "127.0.0.1:$2", "managementListenAddress": "127.0.0.1:$3",
"certificate": "$work/pebble.pem", "privateKey": "$work/pebble.key", "httpPort": $4, "tlsPort": 1,
"ocspResponderURL": "", "externalAccountBindingRequired": false, "certificateValidityPeriod": $5}}
JSON
    # It waits for up to two seconds before it looks at a challenge, and refuses a third of all nonces.
    PEBBLE_VA_SLEEPTIME=3 PEBBLE_WFE_NONCEREJECT=30 \
        pebble -config "$work/$1.json" -dnsserver "127.0.0.1:$dns" >"$work/$1.log" 2>&1 &
    pids+=($!)
    await 10 curl -sf --cacert "$work/pebble.pem" "https://localhost:$2/dir"
    curl -sf --cacert "$work/pebble.pem" "https://localhost:$3/roots/0" -o "$work/$1.root"
}

# settings FILE HTTP HTTPS PORT [CA]: those of docs/acme.md, with the authority at PORT, whose certificate the program finds in CA.
settings() {
    cat >"$1" <<JSON
{
  http: ["127.0.0.1:$2"], https: ["127.0.0.1:$3"],
  acme: {
    contact: ["you@example.com"], termsAgreed: true, directories: ["https://localhost:$4/dir"],
    caFile: "${5:-$work/pebble.pem}", resolvers: ["127.0.0.1:$dns"],
  },
  tests: { challengePort: $2 },
}
JSON
}

# app FILE HOST: an app file.
app() {
    cat >"$1" <<JSON
{ name: "Shop", hosts: ["$2"], ios: { appIDs: ["8KQ2V7M4XN.dev.associated.shop"] }, links: [{ "/": "/a/*" }] }
JSON
}

# request HOST HTTPS ROOT: over a new connection, whose certificate must be valid.
request() {
    curl -sf --max-time 10 --cacert "$3" --resolve "$1:$2:127.0.0.1" -o /dev/null \
        "https://$1:$2/.well-known/apple-app-site-association"
}
