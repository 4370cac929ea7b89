// pgbouncer in transaction mode before the PostgreSQL server of the tests, with one connection for all its clients.

import Foundation
import Glibc

final class Pooler: Sendable {
    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/sbin/pgbouncer")

    let port: Int
    private let process = Process()
    /// The pooler ends when this is closed.
    private let lifeline = Pipe()

    init(before server: PostgreSQLServer) throws {
        port = try PostgreSQLServer.freePort()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", Pooler.script, "pooler", server.folder, String(server.port), String(port)]
        process.standardInput = lifeline
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private static let script = #"""
        set -eu
        cd "$1"
        cat >"pooler-$3.ini" <<END
        [databases]
        postgres = host=127.0.0.1 port=$2 dbname=postgres
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = $3
        unix_socket_dir =
        auth_type = scram-sha-256
        auth_file = $1/users
        pool_mode = transaction
        default_pool_size = 1
        END
        echo '"tester" "a/b@c"' >users
        as=()
        if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid=postgres --regid=postgres --clear-groups); fi
        "${as[@]}" /usr/sbin/pgbouncer -q "pooler-$3.ini" </dev/null &
        trap 'kill -KILL $!' EXIT
        read -r _ || true
        """#
}
