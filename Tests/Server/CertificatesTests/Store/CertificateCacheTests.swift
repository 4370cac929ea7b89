// What memory alone says of a name: which folders exist, and the certificates of those that were read.

import Posix
import TestSupport
import Testing

@testable import Certificates
@testable import TLS
@testable import TLSSupport

struct CertificateCacheTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    /// The answer from memory: the first name of the certificate, `none`, `broken` or `pending`, and whether a check is due.
    private func state(_ store: CertificateStore, _ host: String) -> String {
        let bytes = Array(host.utf8)
        guard let (lookup, isDue) = store.resolve(bytes.span) else { return "pending" }
        return (isDue ? "due " : "") + bench.answer(lookup)
    }

    /// Names of 253 bytes, whose wildcard would be a folder with too long a name, too.
    private static let long = String((0..<63).map { _ in "a.bb" }.joined(separator: ".").prefix(253))
    private static let longLabels = (["ab"] + [62, 62, 62, 60].map { String(repeating: "l", count: $0) })
        .joined(separator: ".")

    @Test func `refuses names that no folder covers in memory, whatever they look like`() throws {
        try bench.install("shop.test", names: ["shop.test"])
        let store = bench.store()
        store.listFolders()
        for name in ["none.test", "", "x.shop.test", "*", "../shop.test", Self.long, Self.longLabels] {
            #expect(state(store, name) == "none", "\(name)")
        }
        #expect(state(store, "shop.test") == "pending")
        #expect(store.identityCount == 0)
    }

    @Test func `no place for a name is longer than a folder's name may be`() {
        for name in [Self.long, Self.longLabels] {
            let folders = CertificateOrder.candidates(for: name).compactMap { candidate -> Int? in
                if case .folder(let folder) = candidate { folder.name.utf8.count } else { nil }
            }
            #expect(folders.allSatisfy { $0 <= 255 })
            #expect(folders.count > 2)
        }
    }

    @Test func `all names below a wildcard share its certificate without reading it again`() throws {
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        try bench.install("_default", names: ["fallback.test"])
        try bench.hosts.write("_wildcard.other.com/well-known/x", "")
        let store = bench.store()
        store.listFolders()
        #expect(bench.answer(store, "a.example.com") == "*.example.com")
        #expect(state(store, "b.example.com") == "*.example.com")
        // A folder without a certificate is read once.
        #expect(state(store, "a.other.com") == "pending")
        #expect(bench.answer(store, "a.other.com") == "fallback.test")
        #expect(state(store, "b.other.com") == "fallback.test")
        #expect(state(store, "") == "fallback.test")
    }

    @Test func `clients that ask for folders of no served host displace no certificate of one`() throws {
        let limits = StoreBench.limits(identitiesMax: 4, othersMax: 2)
        let pair = try bench.authority.issue(["*.test"])
        for index in 0..<4 { try bench.install(pair, "served\(index).test") }
        for index in 0..<20 { try bench.hosts.write("other\(index).test/fullchain.pem", "no certificate") }
        let store = CertificateStore(hostsPath: bench.hosts.path, limits: limits, serves: { $0.hasPrefix("served") })
        for index in 0..<4 { #expect(bench.answer(store, "served\(index).test") == "*.test") }
        for index in 0..<20 { #expect(bench.answer(store, "other\(index).test") == "broken") }
        for index in 0..<4 { #expect(state(store, "served\(index).test") == "*.test") }
        #expect(store.identityCount == 6)
    }

    @Test func `knows of a folder at once when it is reported, and otherwise when a listing is due`() throws {
        try bench.install("a.test", names: ["a.test"])
        let store = bench.store()
        store.listFolders()
        try bench.install("b.test", names: ["b.test"])
        #expect(state(store, "b.test") == "none")
        store.noteFolders(["b.test", "none.test"])
        #expect(state(store, "b.test") == "pending")
        #expect(state(store, "none.test") == "none")
        let polling = bench.store(recheckMilliseconds: 0)
        polling.listFolders()
        try bench.install("c.test", names: ["c.test"])
        #expect(bench.answer(polling, "c.test") == "c.test")
    }

    @Test func `answers from memory at once, and checks refused names first`() throws {
        try bench.install("shop.test", names: ["shop.test"])
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        try bench.hosts.write("broken.test/fullchain.pem", "no certificate")
        let fresh = [
            "shop.test": "shop.test", "a.example.com": "*.example.com", "broken.test": "broken", "none.test": "none",
        ]
        let due = [
            "shop.test": "due shop.test", "a.example.com": "due *.example.com", "broken.test": "pending",
            "none.test": "pending",
        ]
        let store = bench.store()
        for name in fresh.keys.sorted() {
            if name != "none.test" { #expect(state(store, name) == "pending") }
            _ = store.identity(for: name)
        }
        for (name, answer) in fresh { #expect(state(store, name) == answer) }
        store.invalidateAll()
        for _ in 0..<2 {
            for (name, answer) in due { #expect(state(store, name) == answer, "asking does not change it") }
        }
    }

    @Test func `remembers what the development authority has issued`() throws {
        let directory = "\(bench.hosts.path)/state"
        let store = CertificateStore(
            hostsPath: bench.hosts.path, development: try DevelopmentAuthority(directory: directory),
            serves: { $0 != "other.test" })
        #expect(state(store, "shop.localhost") == "pending")
        #expect(bench.answer(store, "shop.localhost") == "shop.localhost")
        #expect(state(store, "shop.localhost") == "shop.localhost")
        #expect(bench.answer(store, "") == "localhost")
        #expect(state(store, "other.test") == "none")
    }
}
