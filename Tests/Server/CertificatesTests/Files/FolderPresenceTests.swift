// Which folders exist, from listings and from reports of changes.

import Posix
import TestSupport
import Testing

@testable import Certificates
@testable import TLS

struct FolderPresenceTests {
    @Test func `knows the listed folders, and any before the first listing`() {
        var presence = FolderPresence()
        #expect(presence.state(of: 1) == .mayHaveCertificate)
        presence.list([1, 2], now: 5)
        #expect([1, 2, 3].map { presence.state(of: $0) } == [.mayHaveCertificate, .mayHaveCertificate, .absent])
        #expect(presence.listedMilliseconds == 5)
        presence.list(nil, now: 6)
        #expect(presence.state(of: 3) == .mayHaveCertificate, "a directory that cannot be listed may have any")
    }

    @Test func `remembers folders without a certificate until they change`() {
        var presence = FolderPresence()
        presence.list([1, 2], now: 0)
        presence.noteEmpty(1, now: 7)
        presence.noteEmpty(3, now: 7)
        #expect(presence.state(of: 1) == .empty(checkedMilliseconds: 7))
        #expect(presence.state(of: 3) == .absent)
        presence.list([1], now: 8)
        #expect(presence.state(of: 1) == .empty(checkedMilliseconds: 7))
        #expect(presence.state(of: 2) == .absent)
        presence.note(1, exists: true)
        #expect(presence.state(of: 1) == .mayHaveCertificate)
        presence.note(1, exists: false)
        #expect(presence.state(of: 1) == .absent)
        presence.note(1, exists: true)
        presence.noteEmpty(1, now: 9)
        presence.invalidate()
        #expect(presence.state(of: 1) == .mayHaveCertificate)
    }

    @Test func `lists directories again only when they have changed`() throws {
        let folder = try TemporaryFolder()
        try folder.write("hosts/a.test/x", "")
        let paths = ["\(folder.path)/hosts", "\(folder.path)/none"]
        var listing = ListedFolders()
        func names() -> Int? {
            switch listing.look(at: paths, isNeeded: false) {
            case .same: return nil
            case .listed(let hashes): return hashes?.count
            }
        }
        #expect(names() == 1)
        // Until its last change is older than a tick of the clock, the next one might not be seen.
        #expect(eventually { names() == nil })
        try folder.write("hosts/b.test/x", "")
        #expect(names() == 2)
        #expect(eventually { names() == nil })
        try folder.write("none/c.test/x", "")
        #expect(names() == 3)
        guard case .listed(let hashes?) = listing.look(at: paths, isNeeded: true) else {
            Issue.record("not listed although it is needed")
            return
        }
        #expect(hashes.contains(HostName.hash(Array("b.test".utf8).span)))
    }
}
