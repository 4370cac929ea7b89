// Hosts that the catalogue does not know yet.

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
    func `a host is asked for by its name, the most specific folder or site first`(host: String, expected: Bool) {
        let catalogue = catalogue(
            ["*.example.com", "read.example.com"], unread: ["own.example.com", "read.example.com", "*.folder.test"])
        #expect(isUnread(host, catalogue) == expected)
        #expect(!isUnread(host, Catalogue(layers: catalogue.layers)), "nothing is unread by itself")
    }

    @Test func `what will be served in a moment is known`() {
        let catalogue = catalogue([], unread: ["own.example.com"])
        #expect(withExtendedLifetime(catalogue) { catalogue.view.knows("own.example.com") })
        #expect(withExtendedLifetime(catalogue) { !catalogue.view.knows("other.example.com") })
    }
}
