// The quick look before somebody is sent to TLS.

import Testing

@testable import TLS

struct CertificateStoreGlanceTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    private func seems(_ store: CertificateStore, _ host: String) -> Bool {
        let bytes = Array(host.utf8)
        return store.seemsToHaveCertificate(for: bytes.span)
    }

    @Test func `sees the files of a host, of a wildcard over it and for everybody else, and reads none`() throws {
        try bench.hosts.write("shop.example.com/fullchain.pem", "")
        try bench.hosts.write("_wildcard.example.com/fullchain.pem", "")
        let store = bench.store()
        #expect(seems(store, "SHOP.example.com"))
        #expect(seems(store, "a.b.example.com"))
        #expect(!seems(store, "example.com"))
        #expect(!seems(store, "../shop.example.com"))
        try bench.hosts.write("_default/fullchain.pem", "")
        #expect(seems(store, "example.com"))
        #expect(store.identityCount == 0)
        #expect(store.drainProblems().isEmpty)
    }

    @Test func `a pair that was found to be broken is none while that is known`() throws {
        try bench.hosts.write("shop.example.com/fullchain.pem", "no certificate")
        let store = bench.store()
        #expect(seems(store, "shop.example.com"))
        #expect(bench.answer(store, "shop.example.com") == "broken")
        #expect(!seems(store, "shop.example.com"))
        store.invalidateAll()
        #expect(seems(store, "shop.example.com"), "somebody has to look again")
    }

    @Test func `with a development authority, what it would make counts`() throws {
        let folder = try TemporaryFolder()
        let store = CertificateStore(
            hostsPath: bench.hosts.path, development: try DevelopmentAuthority(directory: folder.path),
            wantsDevelopment: { $0 == "shop.localhost" })
        #expect(seems(store, "shop.localhost"))
        #expect(!seems(store, "other.localhost"))
    }
}
