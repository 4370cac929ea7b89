// Large pages, which are sent from their files: changes meanwhile, and the kinds of request.

import Catalogue
import Certificates
import Foundation
import HTTP
import Posix
import TLS
import Testing

@testable import Engine

struct FileTests {
    private let folder: TemporaryFolder
    private let path: String
    private let bytes: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        path = "\(folder.path)/large.bin"
        bytes = TestEngine.largeBody
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    private func site() throws -> PreparedSite {
        let file = try Posix.Folder(folder.path).open("large.bin")
        return PreparedSite(host: "shop.example", answers: [("/file", TestEngine.answer(.file(file)))])
    }

    @Test(arguments: [
        ("bytes=0-0", 0..<1), ("bytes=-1", 15_999_999..<16_000_000), ("bytes=15999990-", 15_999_990..<16_000_000),
        ("bytes=65535-131073", 65_535..<131_074), ("bytes=0-99999999", 0..<16_000_000),
    ])
    func `sends exactly the requested part of a file`(value: String, range: Range<Int>) throws {
        let server = try TestEngine(sites: [try site()])
        let answer = try #require(try exchange(server, get("/file", "Range: \(value)\r\n")))
        #expect(answer.status == 206)
        #expect(answer["content-range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/16000000")
        #expect(answer.body.elementsEqual(bytes[range]))
    }

    @Test func `sends none of the file for HEAD, unmet conditions and refused ranges`() throws {
        let server = try TestEngine(sites: [try site()])
        var client = try TestClient(server.address)
        try client.send(
            get("/file").replacing("GET", with: "HEAD") + get("/file", "If-None-Match: \"t\"\r\n")
                + get("/file", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n")
                + get("/file", "Range: bytes=16000000-\r\n")
                + get("/file", "Range: bytes=0-1\r\nIf-Match: \"other\"\r\n") + get("/none", "Connection: close\r\n"))
        let head = try #require(try client.response(hasBody: false))
        #expect(head.status == 200)
        #expect(head["content-length"] == "16000000")
        for status in [304, 304, 416, 412, 404] {
            let answer = try #require(try client.response())
            #expect(answer.status == status)
            #expect(answer.body.isEmpty)
        }
        #expect(try client.rest().isEmpty)
    }

    @Test func `closes only the connection whose file becomes shorter while it is sent`() throws {
        let server = try TestEngine(workers: 1, sites: [try site()] + TestEngine.sites.suffix(1))
        var client = try TestClient(server.address)
        try client.send(get("/file"))
        // The head and a part of the body are in the kernel's buffers; the rest waits for this client.
        let head = try #require(try client.readSome())
        #expect(head.starts(with: Array("HTTP/1.1 200 ".utf8)))
        truncate(path, 1_000)
        let rest = try client.rest()
        #expect(rest.count < bytes.count)
        // Its name and length stay those of the catalogue until the next one.
        #expect(try exchange(server, get("/large", host: "large.example"))?.body == TestEngine.largeBody)
    }

    @Test func `sends the old contents of a file that is replaced meanwhile`() throws {
        let server = try TestEngine(workers: 1, sites: [try site()])
        var client = try TestClient(server.address)
        try client.send(get("/file") + get("/file", "Range: bytes=0-9\r\n"))
        let other = "\(folder.path)/other"
        try Data(repeating: 0x62, count: bytes.count).write(to: URL(fileURLWithPath: other))
        rename(other, path)
        #expect(try client.response()?.body == bytes)
        // The current catalogue has the new one; an answer under way keeps the old one.
        try client.send(get("/file"))
        server.published.publish(TestEngine.catalogue([try site()]))
        #expect(try client.response()?.body == Array(bytes.prefix(10)))
        let last = try #require(try client.response())
        #expect(last.body == bytes || last.body == [UInt8](repeating: 0x62, count: bytes.count))
        #expect(try exchange(server, get("/file"))?.body.first == 0x62)
    }

    @Test(arguments: [false, true])
    func `slow readers cost no memory`(isSecure: Bool) throws {
        let authority = try DevelopmentAuthority(directory: folder.path)
        let certificates = CertificateStore(hostsPath: "\(folder.path)/hosts", development: authority)
        let rig = try WorkerRig([try site()], limits: Limits(), certificates: certificates)
        let context = isSecure ? RandomClient.makeContext() : nil
        let exchange = RandomClient.Exchange(request: Array(get("/file").utf8), body: nil)
        let clients = (0..<40).map { _ in
            RandomClient(
                isSecure ? rig.secureAddress : rig.plainAddress, context, host: "shop.example", [exchange],
                bufferBytes: 4_096)
        }
        // After some rounds all are in the middle of the file, and none has read much of it.
        for _ in 0..<60 {
            for client in clients {
                client.send(1_000)
                client.read(100)
            }
            rig.runUntilIdle()
        }
        var held = 0
        for index in 0..<rig.worker.table.slotCount {
            let outgoing = rig.worker.table.slot(index).connection.outgoing
            #expect(outgoing != nil, "all of them are being sent")
            held += outgoing?.head.count ?? 0
        }
        // One step of records each, and nothing without TLS, although 40 × 16 MB are unsent.
        #expect(held <= (isSecure ? 40 * 70_000 : 0))
        for client in clients { client.close() }
        RandomClient.free(context)
    }
}
