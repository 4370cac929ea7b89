// The names by which browsers group the origins of passkeys.

import Association
import Testing

struct PasskeysTests {
    @Test(
        arguments: [
            ("https://acme.test", "acme"), ("https://www.acme.test:8443", "acme"), ("https://www.acme.co.uk", "acme"),
            ("https://localhost", "localhost"), ("https://intranet", nil), ("http://acme.test", nil), ("https://", nil),
            ("https://a..test", nil),
        ] as [(String, String?)])
    func `the label before the public suffix counts`(origin: String, label: String?) {
        #expect(Passkeys.registrableLabel(of: origin) == label)
    }
}
