// Hosts that are not in the catalogue yet.

import Catalogue
import Testing

struct UnreadHostsTests {
    private func catalogue(_ hosts: [String], unread: Set<String>) -> Catalogue {
        var builder = CatalogueBuilder()
        for host in hosts { builder.add(PreparedSite(host: host, answers: [])) }
        return Catalogue(layers: [builder.finish()], unread: UnreadHosts { unread.contains($0) })
    }

    private func isUnread(_ host: String, _ catalogue: Catalogue) -> Bool {
        withExtendedLifetime(catalogue) { catalogue.view.isUnread(host: Array(host.utf8).span) }
    }

    @Test(arguments: [
        ("own.example.com", true), ("OWN.example.com", true), ("other.example.com", false),
        ("read.example.com", false), ("a.folder.test", true), ("folder.test", false), ("elsewhere.test", false),
        ("deep.own.example.com", false), ("", false), (".", false), (String(repeating: "a", count: 300), false),
    ])
    func `finds an unread host by its name, the most specific folder or site first`(host: String, expected: Bool) {
        let catalogue = catalogue(
            ["*.example.com", "read.example.com"], unread: ["own.example.com", "read.example.com", "*.folder.test"])
        #expect(isUnread(host, catalogue) == expected)
        #expect(!isUnread(host, Catalogue(layers: catalogue.layers)), "nothing is unread by itself")
    }

    @Test func `knows the hosts that will be served soon`() {
        let catalogue = catalogue([], unread: ["own.example.com"])
        #expect(withExtendedLifetime(catalogue) { catalogue.view.knows("own.example.com") })
        #expect(withExtendedLifetime(catalogue) { !catalogue.view.knows("other.example.com") })
    }
}
