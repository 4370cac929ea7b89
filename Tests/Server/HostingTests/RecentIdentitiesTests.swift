// Which entries the removal guard releases, and when.

import Testing

@testable import Association
@testable import Hosting

struct RecentIdentitiesTests {
    private static let entry = LiveIdentity(host: "a.example.com", kind: .appID, text: "8KQ2V7M4XN.dev.associated.shop")

    @Test(
        arguments: [
            // The age in seconds, whether a verifier has fetched the host since, and whether the entry may be removed.
            (0, true, true), (599, true, true), (600, true, false), (600, false, true), (86_400, false, true),
            (86_400, true, false), (-1, true, false),
        ] as [(Int64, Bool, Bool)])
    func `an entry may be removed while it is young or was not fetched`(age: Int64, wasFetched: Bool, mayRemove: Bool) {
        var recent = RecentIdentities()
        recent.note([Self.entry], of: "shop.json", at: 1_000)
        let isDropped = recent.mayRemove(Self.entry, from: "shop.json", at: 1_000 + age) { host, since in
            #expect(host == "a.example.com" && since == 1_000)
            return wasFetched
        }
        #expect(isDropped == mayRemove)
    }

    @Test func `an entry of another file, and one that was never noted, are guarded`() {
        var recent = RecentIdentities()
        recent.note([Self.entry], of: "shop.json", at: 1_000)
        #expect(!recent.mayRemove(Self.entry, from: "other.json", at: 1_000) { _, _ in false })
        let other = LiveIdentity(host: "b.example.com", kind: .host, text: "")
        #expect(!recent.mayRemove(other, from: "shop.json", at: 1_000) { _, _ in false })
    }

    @Test func `after a week an entry is guarded in any case and takes no memory`() {
        var recent = RecentIdentities()
        recent.note([Self.entry], of: "shop.json", at: 1_000)
        recent.note([], of: "other.json", at: 1_001 + 7 * 86_400)
        #expect(!recent.mayRemove(Self.entry, from: "shop.json", at: 1_001 + 7 * 86_400) { _, _ in false })
    }

    @Test func `an entry that goes live again is new again`() {
        var recent = RecentIdentities()
        recent.note([Self.entry], of: "shop.json", at: 1_000)
        recent.note([Self.entry], of: "shop.json", at: 1_500)
        #expect(recent.mayRemove(Self.entry, from: "shop.json", at: 1_700) { _, _ in true })
    }
}
