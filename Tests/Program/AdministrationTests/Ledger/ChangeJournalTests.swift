// What the change journal keeps when it is full, and when it is written.

import Administration
import Glibc
import HTTP
import Posix
import TestSupport
import Testing

struct ChangeJournalTests {
    private static let path = "/.well-known/apple-app-site-association"

    /// What a tenant adds that changes a thousand hosts at once, with lines as long as it can make them.
    private static func flood(atSeconds seconds: Int64) -> [ChangeJournal.Entry] {
        (0..<ChangeJournal.hostsOfRoundMax).map { number in
            ChangeJournal.Entry(
                time: HTTPDate.timestamp(seconds), host: "a\(number).example.com", folder: "attacker", event: "changed",
                documents: [
                    .init(
                        path: Self.path, before: "\"\(seconds - 1)\"", after: "\"\(seconds)\"",
                        what: [String(repeating: "x", count: number % 300)])
                ])
        }
    }

    @Test func `a tenant with a thousand changes a second takes no history from others`() throws {
        let folder = try TemporaryFolder()
        let journal = ChangeJournal(folder: folder.path, bytesMax: 65_536)
        let start = Clock.wallSeconds() - 100
        let others = [("shop.example.com", "shop"), ("flat.example.com", nil)] as [(String, String?)]
        for second in 0..<30 {
            try journal.append(Self.flood(atSeconds: start + Int64(second)))
            for (host, tenant) in others where second % 10 == 0 {
                let document = ChangeJournal.Entry.Document(
                    path: Self.path, before: nil, after: "\"\(second)\"")
                let time = HTTPDate.timestamp(start + Int64(second))
                try journal.append([
                    .init(time: time, host: host, folder: tenant, event: "changed", documents: [document])
                ])
            }
            #expect(try Int(File.status("\(folder.path)/\(ChangeJournal.name)").byteCount) <= 65_536)
        }
        for (host, _) in others {
            let tags = try journal.entries().filter { $0.host == host }.flatMap { $0.documents.map(\.after) }
            #expect(tags == ["\"0\"", "\"10\"", "\"20\""])
        }
        #expect(try journal.entries().contains { $0.folder == "attacker" && $0.time == HTTPDate.timestamp(start + 29) })
    }

    @Test func `entries wait for the lock of the state directory`() throws {
        let folder = try TemporaryFolder()
        let lock = "\(folder.path)/lock"
        let other = try FileLock.take(lock)
        let journal = ChangeJournal(folder: folder.path, lock: LateLock(lock))
        let entries = Self.flood(atSeconds: 0)
        #expect(throws: SystemError(call: "flock", number: EWOULDBLOCK)) { try journal.append(entries) }
        #expect(!File.exists("\(folder.path)/\(ChangeJournal.name)"))
        _ = consume other
        try journal.append([])
        #expect(try journal.entries() == entries)
    }
}
