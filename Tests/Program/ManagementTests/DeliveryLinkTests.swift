// What the delivery monitor knows of earlier versions, which it asks before it calls a copy foreign.

import Administration
import Delivery
import HTTP
import Posix
import TestSupport
import Testing

@testable import Management

struct DeliveryLinkTests {
    @Test func `versions since a time are those of the change journal`() throws {
        let folder = try TemporaryFolder()
        let entries = [("a.test", 10), ("a.test", 20), ("b.test", 20), ("a.test", 30)].map { host, seconds in
            let documents = ["apple-app-site-association", "assetlinks.json"].map { name in
                ChangeJournal.Entry.Document(path: "/.well-known/\(name)", after: "\(name.prefix(2))\(seconds)")
            }
            return ChangeJournal.Entry(
                time: HTTPDate.timestamp(Int64(seconds)), host: host, event: "changed", documents: documents)
        }
        try ChangeJournal(folder: folder.path).append(entries)
        let link = DeliveryLink(server: try #require(SocketAddress(ip: "127.0.0.1", port: 1)), statePath: folder.path)
        #expect(link.recentVersions(of: "a.test", for: .apple, since: 20).map(\.tag) == ["ap20", "ap30"])
        #expect(link.recentVersions(of: "a.test", for: .google, since: 21).map(\.tag) == ["as30"])
        #expect(link.recentVersions(of: "a.test", for: .apple, since: 20).map(\.day) == ["1970-01-01", "1970-01-01"])
    }
}
