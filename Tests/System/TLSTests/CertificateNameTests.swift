// The hosts that a name in a certificate covers (RFC 9525 §6.3).

import Testing

@testable import TLS

struct CertificateNameTests {
    @Test(arguments: [
        ("shop.example.com", "shop.example.com"), ("*.example.com", "shop.example.com"),
        ("*.example.com", "*.example.com"), ("192.0.2.1", "192.0.2.1"),
    ])
    func `covers these names`(name: String, host: String) {
        #expect(CertificateName.covers(name, host))
    }

    @Test(arguments: [
        ("shop.example.com", "example.com"), ("*.example.com", "example.com"),
        ("*.example.com", "a.shop.example.com"), ("*.example.com", ".example.com"),
        ("s*.example.com", "shop.example.com"),
        ("*", "localhost"), ("*.", "a."), ("", ""), ("*.*.example.com", "a.b.example.com"),
    ])
    func `does not cover these names`(name: String, host: String) {
        #expect(!CertificateName.covers(name, host))
    }

    @Test func `writes addresses in the usual form`() {
        #expect(CertificateName.address([192, 0, 2, 1]) == "192.0.2.1")
        #expect(
            CertificateName.address([0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1])
                == "2001:db8:0:0:0:0:0:1")
        #expect(CertificateName.address([1]) == nil)
    }
}
