// Parts of pages, from memory and from files.

import Catalogue
import Foundation
import Posix
import Testing

struct RangeTests {
    private let server: TestEngine

    init() throws { server = try TestEngine() }

    @Test(arguments: [
        ("bytes=0-9", 0..<10), ("bytes=5-", 5..<130), ("bytes=-5", 125..<130), ("bytes=100-1000", 100..<130),
    ])
    func `sends one part`(value: String, range: Range<Int>) throws {
        let response = try #require(try exchange(server, get("/doc", "Range: \(value)\r\n")))
        #expect(response.status == 206)
        #expect(response["content-range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/130")
        #expect(response["content-type"] == "application/json")
        #expect(response.body == Array(Array(TestEngine.document.utf8)[range]))
    }

    @Test(arguments: [
        ("/doc", "Range: lines=0-1"), ("/doc", "Range: bytes=0-3,10-12"),
        ("/doc", "Range: bytes=0-1\r\nRange: bytes=2-3"), ("/aasa", "Range: bytes=0-0"),
        ("/doc", "Range: bytes=0-1\r\nIf-Range: \"x\""), ("/doc", "Range: bytes=0-1\r\nIf-Range: W/\"t\""),
        ("/doc", "Range: bytes=0-1\r\nIf-Range: Sun, 06 Nov 1994 08:49:36 GMT"),
        ("/doc", "Range: bytes=0-1\r\nIf-Range: Sun, 06 Nov 1994 08:49:38 GMT"),
        ("/doc", "Range: bytes=0-1\r\nIf-Range: \"t\"\r\nIf-Range: \"t\""),
    ])
    func `sends the whole document when a range is unusable`(path: String, lines: String) throws {
        #expect(try exchange(server, get(path, "\(lines)\r\n"))?.status == 200)
    }

    @Test(arguments: ["\"t\"", "Sun, 06 Nov 1994 08:49:37 GMT"])
    func `sends a part when If-Range matches`(value: String) throws {
        #expect(try exchange(server, get("/doc", "Range: bytes=0-1\r\nIf-Range: \(value)\r\n"))?.status == 206)
    }

    @Test func `HEAD ignores ranges, and an unchanged document is not sent in part`() throws {
        let head = get("/doc", "Range: bytes=0-1\r\n").replacing("GET", with: "HEAD", maxReplacements: 1)
        let response = try #require(try exchange(server, head, hasBody: false))
        #expect(response.status == 200)
        #expect(response["content-length"] == "130")
        #expect(try exchange(server, get("/doc", "Range: bytes=0-1\r\nIf-None-Match: \"t\"\r\n"))?.status == 304)
    }

    @Test func `a range of the compressed form is a part of its bytes`() throws {
        let response = try exchange(server, get("/doc", "Range: bytes=1-1\r\nAccept-Encoding: gzip\r\n"))
        #expect(response?.body == [2])
        #expect(response?["content-range"] == "bytes 1-1/3")
    }

    @Test(arguments: [true, false])
    func `sends a long part from the disk, and answers the requests after it`(isFile: Bool) throws {
        let folder = try TemporaryFolder()
        try Data(TestEngine.largeBody).write(to: URL(fileURLWithPath: "\(folder.path)/large.bin"))
        let file = try Posix.Folder(folder.path).open("large.bin")
        let content: Representation.Content = isFile ? .file(file) : .bytes(TestEngine.largeBody)
        let site = PreparedSite(host: "shop.example", answers: [("/large", TestEngine.answer(content))])
        let server = try TestEngine(sites: [site])
        // More than the kernel takes at once.
        let lines = "Range: bytes=1000000-14999999\r\n"
        var client = try TestClient(server.address)
        try client.send(get("/large", lines) + get("/none"))
        #expect(try client.response()?.body == Array(TestEngine.largeBody[1_000_000..<15_000_000]))
        #expect(try client.response()?.status == 404)

        try client.send(get("/large", "\(lines)Connection: close\r\n"))
        #expect(try client.response()?.body.count == 14_000_000)
        #expect(try client.rest().isEmpty)
    }
}
