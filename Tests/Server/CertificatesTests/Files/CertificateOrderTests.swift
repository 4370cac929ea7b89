// The folders that are searched for a name, in order.

import Testing

@testable import Certificates
@testable import TLS

struct CertificateOrderTests {
    private func candidates(_ name: String) -> [String] {
        CertificateOrder.candidates(for: name).map {
            switch $0 {
            case .folder(let folder): folder.name
            case .development: "development"
            }
        }
    }

    @Test(arguments: [
        ("shop.example.com", "shop.example.com _wildcard.example.com _wildcard.com development _default"),
        ("localhost", "localhost development _default"),
        ("*.example.com", "_wildcard.example.com _wildcard.com development _default"),
        ("*.com", "_wildcard.com development _default"), ("", "_default development"), ("..", "_default"),
        ("_default", "_default"), ("_wildcard.example.com", "_default"), ("*", "_default"), ("*.", "_default"),
        ("a..b", "_default"), ("../shop.example.com", "_default"), ("a\0b", "_default"),
        ("SHOP.example.com", "_default"),
    ])
    func `looks for a name in these folders`(name: String, places: String) {
        #expect(candidates(name).joined(separator: " ") == places)
    }

    @Test func `looks for a name with many labels in few folders`() {
        let name = (0..<60).map { "l\($0)" }.joined(separator: ".")
        let places = candidates(name)
        #expect(places.count == CertificateLimits.labelsMax + 2)
        #expect(places.first == name)
        #expect(places.dropFirst().first == "_wildcard." + name.dropFirst(3))
        #expect(places.last == "_default")
    }

    @Test(arguments: [
        ("shop.example.com", "shop.example.com"), ("_wildcard.example.com", "*.example.com"), ("_default", nil),
        ("_other", nil), ("_wildcard.", nil), ("_wildcard._default", nil), ("Shop.example.com", nil),
    ])
    func `a folder belongs to this host`(folder: String, host: String?) {
        #expect(CertificateFolder(name: folder).host == host)
    }
}
