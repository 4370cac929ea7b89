// Socket activation and notifications, as with systemd.

import Foundation
import Posix
import Testing

struct ActivationTests {
    /// A datagram socket instead of systemd's, and its name.
    final class Ear {
        let name: String
        private let descriptor: Descriptor

        /// Abstract names begin with `@` and leave no file behind; others are paths.
        init(_ name: String) throws {
            self.name = name
            let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            descriptor = Descriptor(takingOwnershipOf: try #require(number >= 0 ? number : nil))
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            var bytes = Array(name.utf8)
            if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let isAbstract = bytes[0] == 0
            let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, length) }
            }
            try #require(bound == 0)
            var limit = timeval(tv_sec: 10, tv_usec: 0)
            setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }

        /// Whether a message has arrived.
        var hasMessage: Bool {
            var byte: UInt8 = 0
            return recv(descriptor.number, &byte, 1, Int32(MSG_DONTWAIT)) > 0
        }

        /// The names and values that the next message assigns.
        func next() -> [String: String] {
            var buffer = [UInt8](repeating: 0, count: 1_024)
            let count = recv(descriptor.number, &buffer, buffer.count, 0)
            var values: [String: String] = [:]
            for line in String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: "\n") {
                let parts = line.split(separator: "=", maxSplits: 1)
                values[String(parts[0])] = String(parts[1])
            }
            return values
        }
    }

    /// A listening socket as systemd passes it.
    private static func listen() throws -> (number: Int32, address: SocketAddress) {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(number, pointer, length)
                Glibc.listen(number, 16)
                getsockname(number, pointer, &length)
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
        return (number, try #require(SocketAddress("127.0.0.1:\(port)")))
    }

    /// Starts the server with a socket as descriptor 3, through a shell that knows its own process id.
    private static func start(_ socket: Int32, named name: String, ear: String? = nil) throws -> RunningServer {
        let script = "export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=\(name); exec \"$@\" 3<&0 </dev/null"
        let command = ["/bin/sh", "-c", script, "sh", Subject.executable.path, "serve"] + ServeTests.demo
        return try RunningServer(
            command: command, environment: ear.map { ["NOTIFY_SOCKET": $0] } ?? [:],
            input: FileHandle(fileDescriptor: socket, closeOnDealloc: false))
    }

    private static func statusLine(from address: SocketAddress) throws -> String {
        let client = try ClientSocket(to: address, timeoutMilliseconds: 10_000)
        try client.send(Array("GET /.well-known/assetlinks.json HTTP/1.0\r\nHost: shop.localhost\r\n\r\n".utf8))
        return String(decoding: try client.receive().prefix { $0 != 0x0D }, as: UTF8.self)
    }

    @Test func `serves only on the inherited socket`() throws {
        let (number, address) = try ActivationTests.listen()
        let owner = Descriptor(takingOwnershipOf: number)
        let first = try ActivationTests.start(owner.number, named: "http")
        #expect(first.addresses == ["http://\(address)"])
        for _ in 0..<20 { #expect(try ActivationTests.statusLine(from: address) == "HTTP/1.1 200 OK") }
        first.stop()
        // No server is running, but clients are not refused: they wait for the next process.
        let client = try ClientSocket(to: address, timeoutMilliseconds: 10_000)
        try client.send(Array("OPTIONS * HTTP/1.0\r\n\r\n".utf8))
        let second = try ActivationTests.start(owner.number, named: "http")
        #expect(try client.receive().starts(with: Array("HTTP/1.1 204 ".utf8)))
        #expect(second.addresses == first.addresses)
    }

    @Test func `an upgrade keeps the inherited socket`() throws {
        let (number, address) = try ActivationTests.listen()
        let owner = Descriptor(takingOwnershipOf: number)
        let server = try ActivationTests.start(owner.number, named: "http")
        let old = server.serverIdentifier
        for _ in 0..<2 {
            server.send(SIGUSR2)
            #expect(server.line(beginning: "upgraded: ") != nil)
            #expect(try ActivationTests.statusLine(from: address) == "HTTP/1.1 200 OK")
        }
        #expect(server.serverIdentifier != old)
        server.stop()
    }

    @Test func `an inherited socket with an unknown name is refused`() throws {
        let (number, _) = try ActivationTests.listen()
        let owner = Descriptor(takingOwnershipOf: number)
        let script = "export LISTEN_PID=$$ LISTEN_FDS=1; exec \"$@\" 3<&0 </dev/null"
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script, "sh", Subject.executable.path, "serve"] + ServeTests.demo
        process.standardInput = FileHandle(fileDescriptor: owner.number, closeOnDealloc: false)
        process.standardError = errors
        try process.run()
        let text = String(decoding: try #require(try errors.fileHandleForReading.readToEnd()), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        #expect(Subject.message(text).hasPrefix("unknown protocol of the inherited socket \"\"; set "))
    }

    @Test func `sends the watchdog its heartbeat as often as required`() throws {
        let folder = try Folder()
        let ear = try Ear("\(folder.path)/notify")
        let server = try RunningServer(
            ServeTests.demo + ["--http", "127.0.0.1:0"],
            environment: ["NOTIFY_SOCKET": ear.name, "WATCHDOG_USEC": "2000000"])
        #expect(ear.next()["READY"] == "1")
        for _ in 0..<2 { #expect(ear.next()["WATCHDOG"] == "1") }
        server.stop()
    }

    @Test func `says once that nobody reads what it notifies`() throws {
        let folder = try Folder()
        let server = try RunningServer(
            ServeTests.demo + ["--http", "127.0.0.1:0"], environment: ["NOTIFY_SOCKET": "\(folder.path)/nobody"])
        server.send(SIGHUP)
        server.send(SIGTERM)
        var lines = server.announcements
        while let line = server.nextLine() { lines.append(line) }
        #expect(
            lines.count { $0.hasPrefix("nobody reads \(folder.path)/nobody, which NOTIFY_SOCKET names, ") } == 1,
            "\(lines)")
        #expect(server.waitUntilExit() == 0)
    }

    @Test(arguments: [true, false])
    func `notifies systemd of its state`(isAbstract: Bool) throws {
        let folder = try Folder()
        let ear = try Ear(isAbstract ? "@associated-\(UUID().uuidString)" : "\(folder.path)/notify")
        let server = try RunningServer(
            ServeTests.demo + ["--http", "127.0.0.1:0"], environment: ["NOTIFY_SOCKET": ear.name])
        let ready = ear.next()
        #expect(ready["READY"] == "1")
        #expect(ready["STATUS"] == "serving 2 apps on 2 hosts")
        let before = Clock.monotonicMicroseconds()
        server.send(SIGHUP)
        let reloading = ear.next()
        #expect(reloading["RELOADING"] == "1")
        let began = try #require(reloading["MONOTONIC_USEC"].flatMap { Int64($0) })
        #expect(before...Clock.monotonicMicroseconds() ~= began)
        let again = ear.next()
        #expect(again["READY"] == "1")
        #expect(again["STATUS"] == "serving 2 apps on 2 hosts")
        // The parent passes on reports of the new server only.
        server.send(SIGUSR2)
        #expect(ear.next()["READY"] == "1")
        #expect(server.line(beginning: "stopping, because another server has taken over") != nil)
        server.send(SIGTERM)
        #expect(ear.next()["STOPPING"] == "1")
        #expect(server.waitUntilExit() == 0)
    }
}
