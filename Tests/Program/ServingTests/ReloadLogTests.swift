// Lines of the server's log about certificates.

import Testing

@testable import Serving

struct ReloadLogTests {
    @Test(
        arguments: [
            (1, ["a.test"], "1 host (a.test)"), (2, ["a.test", "b.test"], "2 hosts (a.test, b.test)"),
            (7, ["a.test", "b.test"], "7 hosts (a.test, b.test and 5 more)"),
        ] as [(Int, [String], String)])
    func `says why certificates of the manager are not served`(count: Int, first: [String], hosts: String) {
        #expect(
            ReloadLog.precedence(count, first: first)
                == "config/hosts and the manager both have a certificate for \(hosts); clients get the one in config/hosts; "
                + "to serve the manager's, remove fullchain.pem and privkey.pem there")
    }

    @Test func `many hosts without a certificate are one line`() {
        let files = (1...ReloadLog.fleetMin).map { "config/hosts/h\($0).test/fullchain.pem" }
        #expect(ReloadLog.fleet(Array(files.prefix(1))) == nil)
        #expect(ReloadLog.fleet(Array(files.prefix(2)))?.contains(": h1.test, h2.test; `associated") == true)
        #expect(
            ReloadLog.fleet(files)
                == "CERT-025: 10 hosts have no certificate, so TLS clients are rejected: h1.test, h2.test, h3.test, h4.test, h5.test "
                + "and 5 more; `associated acme status` says what the manager waits for, if it is to order them; otherwise put "
                + "them into config/hosts")
    }
}
