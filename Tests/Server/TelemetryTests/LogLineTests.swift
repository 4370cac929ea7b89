// Complete lines: as documented, and safe from forgery.

import Posix
import SourceJSON
import Testing

@testable import Telemetry

/// The contents of a line, in memory that lives as long as the test needs it.
struct EntryText {
    var remote = "192.0.2.7:51234"
    var method: [UInt8]? = Array("GET".utf8)
    var host: [UInt8]? = Array("shop.example".utf8)
    var path: [UInt8]? = Array("/.well-known/assetlinks.json".utf8)
    var query: [UInt8]?
    var userAgent: [UInt8]? = Array("curl/8.1".utf8)
    var referer: [UInt8]?
    var serverName: [UInt8]?
    var status: UInt16 = 200
    var verifier = VerifierKind.none
    var minorVersion: UInt8 = 1

    /// Lends it as an entry.
    func with<Result>(_ body: (AccessEntry) throws -> Result) rethrows -> Result {
        let texts = [method, host, path, query, userAgent, referer, serverName]
        let memory = texts.map { text in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, text?.count ?? 0), alignment: 1)
            copy.copyBytes(from: text ?? [])
            return copy
        }
        defer { for copy in memory { copy.deallocate() } }
        func bytes(_ index: Int) -> UnsafeRawBufferPointer {
            guard let text = texts[index] else { return AccessEntry.absent }
            return UnsafeRawBufferPointer(rebasing: memory[index][..<text.count])
        }
        var entry = AccessEntry()
        entry.remote = SocketAddress(remote).map { RemoteAddress($0) } ?? .unknown
        (entry.method, entry.host, entry.path, entry.query) = (bytes(0), bytes(1), bytes(2), bytes(3))
        (entry.userAgent, entry.referer) = (bytes(4), bytes(5))
        if serverName != nil { entry.secure = .init(isTLS13: true, isResumed: true, serverName: bytes(6)) }
        entry.status = status
        entry.minorVersion = minorVersion
        entry.bodyBytes = 142
        entry.wallMicroseconds = 1_795_188_784_007_890
        entry.durationMicroseconds = 1_000_123
        entry.verifier = verifier
        return try body(entry)
    }

    func line(_ format: LogFormat) -> [UInt8] {
        with { entry in
            withUnsafeTemporaryAllocation(byteCount: LogLine.bytesMax, alignment: 8) { memory in
                var cursor = LineCursor(memory.baseAddress!, byteCount: memory.count)
                var line = LogLine(format)
                line.write(entry, to: &cursor)
                return Array(memory[..<(UnsafeMutableRawPointer(cursor.next) - memory.baseAddress!)])
            }
        }
    }

    func text(_ format: LogFormat) -> String { String(decoding: line(format), as: UTF8.self) }
}

struct LogLineTests {
    @Test func `writes a plain request as a JSON object in a line`() {
        #expect(
            EntryText().text(.json)
                == #"{"time":"2026-11-20T15:33:04.007Z","remote":"192.0.2.7","port":51234,"method":"GET","#
                + #""host":"shop.example","path":"/.well-known/assetlinks.json","status":200,"bytes":142,"#
                + #""duration":1.000123,"userAgent":"curl/8.1"}"# + "\n")
    }

    @Test func `includes TLS, query and verifier where there are any`() {
        var entry = EntryText()
        (entry.remote, entry.serverName, entry.query) = ("[2001:db8::1]:443", Array("Shop.example".utf8), [])
        entry.verifier = .appleCDN
        entry.status = 404
        #expect(
            entry.text(.json)
                == #"{"time":"2026-11-20T15:33:04.007Z","remote":"2001:db8::1","port":443,"method":"GET","#
                + #""host":"shop.example","path":"/.well-known/assetlinks.json?","status":404,"bytes":142,"#
                + #""duration":1.000123,"tls":"TLSv1.3","resumed":true,"serverName":"Shop.example","#
                + #""userAgent":"curl/8.1","verifier":"apple-cdn"}"# + "\n")
    }

    @Test func `leaves out unknown fields`() {
        let entry = EntryText(remote: "unix:/x", method: nil, host: nil, path: nil, userAgent: nil, status: 400)
        #expect(
            entry.text(.json)
                == #"{"time":"2026-11-20T15:33:04.007Z","remote":"unix:","status":400,"bytes":142,"duration":1.000123}"#
                + "\n")
        #expect(entry.text(.combined) == #"unix: - - [20/Nov/2026:15:33:04 +0000] "-" 400 142 "-" "-""# + "\n")
    }

    @Test func `writes the combined format like other servers`() {
        var entry = EntryText(query: Array("a=1".utf8), referer: Array("https://x.example/\"".utf8), minorVersion: 0)
        entry.userAgent = Array("me \\ \u{1B}".utf8)
        #expect(
            entry.text(.combined)
                == #"192.0.2.7 - - [20/Nov/2026:15:33:04 +0000] "GET /.well-known/assetlinks.json?a=1 HTTP/1.0" 200 142 "#
                + #""https://x.example/\x22" "me \x5C \x1B""# + "\n")
    }

    @Test func `writes a target without a path as one word`() {
        var entry = EntryText()
        entry.path = []
        #expect(entry.text(.combined).contains("\"GET / HTTP/1.1\""))
        #expect(entry.text(.json).contains(#""path":"""#))
    }

    @Test func `the text of the time follows the clock in both directions`() {
        var line = LogLine(.json)
        for (micros, expected) in [
            (Int64(1_795_188_784_999_999), "15:33:04.999"), (1_795_188_785_000_000, "15:33:05.000"),
            (1_795_188_700_000_000, "15:31:40.000"),
        ] {
            EntryText().with { given in
                var entry = given
                entry.wallMicroseconds = micros
                withUnsafeTemporaryAllocation(byteCount: LogLine.bytesMax, alignment: 8) { memory in
                    var cursor = LineCursor(memory.baseAddress!, byteCount: memory.count)
                    line.write(entry, to: &cursor)
                    let text = String(decoding: memory[..<60], as: UTF8.self)
                    #expect(text.contains("T\(expected)Z"))
                }
            }
        }
    }

    /// Texts with which attackers have forged log entries.
    static let hostile: [[UInt8]] =
        [
            "\"}\n{\"status\":200,\"path\":\"/forged", "\\", "\\\"", "\r\n127.0.0.1 - - [", "\u{1B}]0;owned\u{07}",
            "\u{1B}[2J\u{1B}[H", "\u{2028}{\"a\":1}", "\u{2029}", "\u{85}", "\u{9B}31m", "\u{202E}gnp.exe", "\u{FEFF}",
            "\u{0}", "\u{7F}\u{8}\u{8}", "${jndi:ldap://x/}", "<script>alert(1)</script>", "' OR 1=1 --", "%0d%0a",
            "\u{1F}\u{1E}", String(repeating: "\"", count: 20_000), String(repeating: "\u{1}", count: 20_000),
            String(repeating: "日", count: 20_000),
        ].map { Array($0.utf8) } + [
            [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xFF, 0xFE], [0xE2, 0x80], [0xF0, 0x9F, 0x98], Array(0x80...0xBF),
            [0xC2],
        ]

    @Test(arguments: hostile)
    func `no client can forge a line, a JSON member or terminal input`(bytes: [UInt8]) throws {
        var entry = EntryText(
            method: bytes, host: bytes, path: bytes, query: bytes, userAgent: bytes, referer: bytes, serverName: bytes)
        entry.verifier = .googlebot
        let line = entry.line(.json)
        #expect(line.count <= LogLine.bytesMax)
        #expect(line.filter { $0 < 0x20 } == [0x0A] && line.last == 0x0A && !line.contains(0x7F))
        let document = SourceReader.read(Array(line.dropLast()), as: .json)
        #expect(document.problems.isEmpty)
        let members = try #require(document.value)
        guard case .object(let list) = members.kind else { return #expect(Bool(false), "not an object") }
        #expect(
            list.map(\.key) == [
                "time", "remote", "port", "method", "host", "path", "status", "bytes", "duration", "tls", "resumed",
                "serverName", "userAgent", "verifier",
            ])
        let text = String(decoding: bytes, as: UTF8.self)
        if bytes.count < 64 {
            for key in ["method", "host", "serverName", "userAgent"] {
                // Escapes may make even a short field too long.
                let value = try #require(members.members(named: key).last?.value.asString)
                if !value.hasSuffix("...") { #expect(value == text) }
            }
            #expect(members.members(named: "path").last?.value.asString == "\(text)?\(text)")
        }
        let combined = entry.line(.combined)
        #expect(combined.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A })
        #expect(combined.count { $0 == 0x0A } == 1 && combined.last == 0x0A)
        #expect(combined.count { $0 == 0x22 } == 6)
        #expect(combined.count <= LogLine.bytesMax)
    }
}
