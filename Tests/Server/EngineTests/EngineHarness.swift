// An engine in this process, and a client that sends any bytes. Imports TestSupport for all files of these tests.

import Catalogue
import Certificates
import Engine
import HTTP
import Posix
import TLS
@_exported import TestSupport
import Testing

/// A running engine with a small catalogue, stopped when the test ends.
final class TestEngine {
    let engine: Engine
    let published: PublishedCatalogue
    var address: SocketAddress { engine.addresses[0] }

    /// The usual ones, but stopping does not wait for requests under way.
    static var limits: Limits {
        var limits = Limits()
        limits.drainIdleMilliseconds = 1
        return limits
    }

    static let document = String(repeating: "{\"shop\":true}", count: 10)
    /// Larger than socket buffers, so that sending it is interrupted.
    static let largeBody: [UInt8] = {
        var bytes = [UInt8](repeating: 0x61, count: 16_000_000)
        for index in stride(from: 0, to: bytes.count, by: 997) { bytes[index] = UInt8(truncatingIfNeeded: index) }
        return bytes
    }()

    init(
        limits: Limits = TestEngine.limits, workers: Int = 2,
        addresses: [SocketAddress] = [SocketAddress("127.0.0.1:0")!],
        sites: [PreparedSite] = TestEngine.sites, _ adjust: (inout EngineSettings) throws -> Void = { _ in }
    ) throws {
        published = PublishedCatalogue(TestEngine.catalogue(sites))
        var settings = try EngineSettings(plainAddresses: addresses, workerCount: workers)
        settings.limits = limits
        try adjust(&settings)
        engine = try Engine(settings, published: published)
    }

    deinit { engine.stop() }

    static func catalogue(_ sites: [PreparedSite]) -> Catalogue {
        var builder = CatalogueBuilder()
        for site in sites { builder.add(site) }
        return Catalogue(layers: [builder.finish()])
    }

    static let sites = [
        PreparedSite(
            host: "shop.example",
            answers: [
                ("/doc", answer(.bytes(Array(document.utf8)), gzip: [1, 2, 3])),
                ("/a b", answer(.bytes(Array("space".utf8)))),
                ("/aasa", answer(.bytes(Array("{}".utf8)), kind: .appleAssociation)), ("/empty", answer(.bytes([]))),
                ("/medium", answer(.bytes(Array(largeBody.prefix(100_000))))),
            ]),
        PreparedSite(host: "large.example", answers: [("/large", answer(.bytes(largeBody)))]),
    ]

    static func answer(
        _ content: Representation.Content, kind: AnswerKind = .page, gzip: [UInt8]? = nil,
        modified: Int64? = 784_111_777
    ) -> PreparedAnswer {
        func form(_ content: Representation.Content, _ tag: String, _ coding: String?) -> Representation {
            var shared = FieldLines()
            shared.add("etag", tag)
            if let modified { shared.add("last-modified", HTTPDate.text(modified)) }
            shared.add("vary", "accept-encoding")
            var fields = FieldLines()
            if let coding { fields.add("content-encoding", coding) }
            return Representation(
                sharedFields: shared, contentType: "application/json", bodyFields: fields, entityTag: tag,
                content: content)
        }
        return PreparedAnswer(
            kind: kind, lastModified: modified, identity: form(content, "\"t\"", nil),
            gzip: gzip.map { form(.bytes($0), "\"t-gzip\"", "gzip") })
    }
}

/// An engine that also speaks TLS, with certificates in a folder of its own.
final class SecureEngine: Sendable {
    let folder: TemporaryFolder
    let authority: DevelopmentAuthority
    let engine: Engine
    var port: UInt16 { engine.secureAddresses[0].port }

    /// - Parameter certificates: gets the folder of certificates, which is empty, and the authority.
    init(
        workers: Int = 2, _ adjust: (inout EngineSettings) -> Void = { _ in },
        certificates: (String, DevelopmentAuthority) throws -> CertificateStore
    ) throws {
        folder = try TemporaryFolder()
        authority = try DevelopmentAuthority(directory: folder.path)
        var settings = try EngineSettings(plainAddresses: [SocketAddress("127.0.0.1:0")!], workerCount: workers)
        try settings.listen(at: SocketAddress("127.0.0.1:0")!, isSecure: true)
        settings.secure = SecureSettings(
            certificates: try certificates(folder.path + "/hosts", authority), tickets: try TicketKeys())
        settings.limits = TestEngine.limits
        adjust(&settings)
        engine = try Engine(settings, published: PublishedCatalogue(TestEngine.catalogue(TestEngine.sites)))
    }

    deinit { engine.stop() }

    /// Runs curl; the body goes to standard output.
    func curl(_ host: String, _ path: String, _ more: String...) throws -> Command.Result {
        try Command(
            ["curl", "--silent", "--show-error", "--max-time", "20", "--cacert", authority.certificatePath]
                + ["--resolve", "\(host):\(port):127.0.0.1"] + more + ["https://\(host):\(port)\(path)"]
        ).run()
    }

    /// Runs `openssl s_client` with a request.
    func openssl(_ arguments: [String], request: String = "") throws -> String {
        let words = ["openssl", "s_client", "-connect", "127.0.0.1:\(port)", "-CAfile", authority.certificatePath]
        return try Command(words + arguments, input: Array(request.utf8)).run().text
    }
}

extension DevelopmentAuthority {
    /// Makes a certificate where a server looks for it.
    func write(for host: String, in folder: String) throws {
        try write(for: host, certificateFile: "\(folder)/fullchain.pem", keyFile: "\(folder)/privkey.pem")
    }
}

extension EngineSettings {
    /// Listens at addresses where plain HTTP is spoken.
    init(plainAddresses: [SocketAddress], workerCount: Int) throws {
        self.init(listeners: [], workerCount: workerCount)
        for address in plainAddresses { try listen(at: address, isSecure: false) }
    }

    /// Opens a socket for each worker.
    mutating func listen(
        at address: SocketAddress, isSecure: Bool, expectsProxyHeader: Bool = false, socketCount: Int? = nil
    ) throws {
        let first = try ListeningSocket(address, sharesPort: !address.isUnix)
        let count = address.isUnix ? 1 : socketCount ?? workerCount
        let others = try (1..<count).map { _ in try ListeningSocket(first.address, sharesPort: true) }
        listeners.append(ListenerGroup([first] + others, isSecure: isSecure, expectsProxyHeader: expectsProxyHeader))
    }

    /// Has a front speak first on each connection.
    mutating func expectProxyHeaders() { for index in listeners.indices { listeners[index].expectsProxyHeader = true } }
}

/// A response as a client reads it.
struct ReceivedResponse: Equatable {
    var status: Int
    var fields: [(name: String, value: String)]
    var body: [UInt8]

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    static func == (left: ReceivedResponse, right: ReceivedResponse) -> Bool {
        left.status == right.status && left.body == right.body
            && left.fields.filter { $0.name != "date" }.map { "\($0)" }
                == right.fields.filter { $0.name != "date" }.map { "\($0)" }
    }
}

/// A connection to a server under test. Reading fails the test after ten seconds without a byte.
struct TestClient: ~Copyable {
    private let socket: ClientSocket
    private var buffer: [UInt8] = []

    init(_ address: SocketAddress) throws { socket = try ClientSocket(to: address, timeoutMilliseconds: 10_000) }

    func send(_ text: String) throws { try socket.send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws { try socket.send(bytes) }

    func finishSending() { Posix.finishSending(socket.number) }

    /// The next response; nil when the server has closed instead. `hasBody` is false for answers to HEAD.
    mutating func response(hasBody: Bool = true) throws -> ReceivedResponse? {
        guard let head = try readHead() else { return nil }
        var lines = head.split(separator: "\r\n").map(String.init)
        let statusLine = try #require(lines.first)
        lines.removeFirst()
        let status = try #require(Int(statusLine.split(separator: " ")[1]))
        let fields = lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: String(parts[0]), value: parts[1].drop { $0 == " " }.description)
        }
        var response = ReceivedResponse(status: status, fields: fields, body: [])
        let length = response["content-length"].flatMap { Int($0) } ?? 0
        if hasBody, status != 304, status != 204 { response.body = try take(length) }
        return response
    }

    /// The bytes that have arrived, at least one; nil at the end.
    mutating func readSome() throws -> [UInt8]? { try receive() ? buffer : nil }

    /// Everything until the server closes.
    mutating func rest() throws -> [UInt8] {
        while try receive() {}
        defer { buffer = [] }
        return buffer
    }

    private mutating func readHead() throws -> String? {
        while true {
            if let end = headEnd {
                let text = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeFirst(end)
                return text
            }
            guard try receive() else {
                #expect(buffer.isEmpty, "the server closed in the middle of a head")
                return nil
            }
        }
    }

    private var headEnd: Int? {
        for end in stride(from: 4, through: buffer.count, by: 1) where buffer[end - 1] == 0x0A {
            if buffer[end - 4..<end].elementsEqual("\r\n\r\n".utf8) { return end }
        }
        return nil
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try receive() else {
                Issue.record("the server closed in the middle of a body")
                break
            }
        }
        let body = Array(buffer.prefix(count))
        buffer.removeFirst(min(count, buffer.count))
        return body
    }

    private mutating func receive() throws -> Bool {
        let more = try socket.receive()
        buffer += more
        return !more.isEmpty
    }
}

/// A connection that can be an element of an array.
final class Shared {
    let socket: ClientSocket
    init(_ socket: consuming ClientSocket) { self.socket = socket }
}

/// One request on its own connection.
func exchange(_ engine: TestEngine, _ request: String, hasBody: Bool = true) throws -> ReceivedResponse? {
    var client = try TestClient(engine.address)
    try client.send(request)
    return try client.response(hasBody: hasBody)
}

/// A request for a path of the test's host.
func get(_ path: String, host: String = "shop.example", _ lines: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(lines)\r\n"
}
