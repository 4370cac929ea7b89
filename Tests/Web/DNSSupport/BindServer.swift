// BIND 9 as the primary name server of `example.com` on a free port of this machine. script/peers installs it. It ends when the
// process that started it ends.

import Foundation
import Glibc
import TestSupport
import Testing

@testable import DNS
@testable import Posix

final class BindServer {
    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/sbin/named")
    /// Why tests are skipped.
    static let absence: Comment = "BIND is not installed; script/peers installs it"

    let address: SocketAddress
    private let folder: TemporaryFolder
    private let process = Process()
    /// The server ends when this pipe is closed.
    private let lifeline = Pipe()

    /// With the key of `SignedSample`, which may change the TXT records of one name.
    init(_ algorithm: TransactionKey.Algorithm = .sha256) throws {
        folder = try TemporaryFolder()
        let port = try BindServer.freePort()
        address = try #require(SocketAddress("127.0.0.1:\(port)"))
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = [
            "-c", BindServer.script, "named", folder.path, String(port), algorithm.rawValue, SignedSample.secret,
        ]
        process.standardInput = lifeline
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let server = UpdateServer(address, key: SignedSample.key(), milliseconds: 1_000)
        let isReady = eventually { (try? server.zone(of: SignedSample.zone)) != nil }
        try #require(isReady, "\((try? folder.read("named.log")) ?? "named does not start")")
    }

    deinit {
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// A port that was free a moment before, for TCP and so most likely for UDP.
    private static func freePort() throws -> UInt16 {
        try Listener(SocketAddress("127.0.0.1:0")!, sharesPort: false).address.port
    }

    private static let script = #"""
        set -eu
        cd "$1"
        cat >named.conf <<END
        options {
            directory "$1"; listen-on port $2 { 127.0.0.1; }; listen-on-v6 { none; };
            pid-file none; session-keyfile none; recursion no; notify no; dnssec-validation no;
        };
        controls { };
        key "associated" { algorithm $3; secret "$4"; };
        zone "example.com" {
            type primary; file "example.com.zone";
            update-policy { grant associated name _acme-challenge.shop.example.com. TXT; };
        };
        END
        cat >example.com.zone <<END
        \$TTL 60
        @ SOA ns hostmaster 1 3600 600 86400 60
        @ NS ns
        ns A 127.0.0.1
        _acme-challenge.alias CNAME _acme-challenge.shop
        END
        /usr/sbin/named -g -n 1 -c "$1/named.conf" </dev/null >named.log 2>&1 &
        trap 'kill -KILL $!' EXIT
        read -r _ || true
        """#
}
