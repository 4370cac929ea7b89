// A PostgreSQL server for the tests: made in a temporary folder, on a free port, as an unprivileged user, and gone with
// the process that started it, however that ends. script/databases installs what it needs.

import Foundation
import Glibc

final class PostgreSQLServer: Sendable {
    /// One for all tests of a process; nil where it cannot be had.
    static let shared: PostgreSQLServer? = try? PostgreSQLServer()
    /// What a skipped test says.
    static let absence = "script/databases installs PostgreSQL, and could not"

    /// Has the certificate of its authority in `authority.pem`.
    let folder: String
    let port: Int
    private let process: Process
    /// The server ends when this is closed.
    private let lifeline = Pipe()

    private init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("postgresql-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        port = try PostgreSQLServer.freePort()
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", PostgreSQLServer.script, "server", folder, String(port)]
        process.standardInput = lifeline
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let end = Date() + 60
        while !FileManager.default.fileExists(atPath: "\(folder)/ready") {
            guard process.isRunning, Date() < end else { throw CocoaError(.executableLoad) }
            usleep(20_000)
        }
    }

    /// A connection string for the user of the tests, whose password has to be escaped.
    func uri(_ options: String = "", password: String = "a%2Fb%40c", port: Int? = nil) -> String {
        "postgresql://tester:\(password)@127.0.0.1:\(port ?? self.port)/postgres?\(options)"
    }

    /// A port that was free a moment ago.
    static func freePort() throws -> Int {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(number) }
        var address = sockaddr_in()
        (address.sin_family, address.sin_addr.s_addr) = (sa_family_t(AF_INET), in_addr_t(0x7F00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, length) == 0 && getsockname(number, $0, &length) == 0
            }
        }
        guard isBound else { throw CocoaError(.fileNoSuchFile) }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// PostgreSQL refuses to run as root.
    private static let script = #"""
        set -eu
        cd "$1"
        bin=$(find /usr/lib/postgresql -name initdb -printf '%h\n' | sort -V | tail -n 1)
        as=()
        if [ "$(id -u)" = 0 ]; then
            chown postgres .
            as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
        fi
        printf 'a/b@c' >password
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
            -keyout server.key -out authority.pem
        chmod 644 password
        chmod 600 server.key
        if [ "$(id -u)" = 0 ]; then chown postgres server.key; fi
        "${as[@]}" "$bin/initdb" -D data -U tester --auth-local=trust --auth-host=scram-sha-256 --pwfile=password \
            -E UTF8 --locale=C --no-sync
        "${as[@]}" "$bin/postgres" -D data -k "$1" -p "$2" -c listen_addresses=127.0.0.1 -c fsync=off -c ssl=on \
            -c ssl_cert_file="$1/authority.pem" -c ssl_key_file="$1/server.key" </dev/null &
        server=$!
        trap 'kill -QUIT "$server"; wait "$server" || true; rm -rf "$1"' EXIT
        until "$bin/pg_isready" -h "$1" -p "$2"; do kill -0 "$server"; sleep 0.05; done
        touch ready
        read -r _ || true
        """#
}
