// Sealed secrets open with their key at their place, and nowhere else.

import TestSupport
import Testing

@testable import TLS

struct SealingKeysTests {
    private let folder: TemporaryFolder
    private let old = [UInt8](repeating: 1, count: 32)
    private let new = [UInt8](repeating: 2, count: 32)

    init() throws { folder = try TemporaryFolder(permissions: 0o600) }

    private func keys(_ bytes: [UInt8]) throws -> SealingKeys {
        try SealingKeys(file: folder.write("store.key", bytes))
    }

    @Test(arguments: [0, 1, 32, 5000]) func `opens its own sealed texts`(count: Int) throws {
        let secret = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let keys = try keys(old)
        let sealed = try keys.seal(secret, for: "certificate/shop.example")
        #expect(sealed.count == count + 29)
        #expect(try keys.seal(secret, for: "certificate/shop.example") != sealed)
        let opened = try keys.open(sealed, for: "certificate/shop.example")
        #expect(opened.secret == secret && !opened.isOutdated)
    }

    @Test func `refuses texts that were moved, changed or truncated`() throws {
        let keys = try keys(old)
        let sealed = try keys.seal([1, 2, 3], for: "certificate/shop.example")
        #expect(throws: TLSError.self) { try keys.open(sealed, for: "certificate/news.example") }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: TLSError.self) { try keys.open(changed, for: "certificate/shop.example") }
            #expect(throws: TLSError.self) { try keys.open(Array(sealed[..<index]), for: "certificate/shop.example") }
        }
    }

    @Test func `accepts two keys, so that one can replace the other`() throws {
        let sealed = try keys(old).seal([1, 2, 3], for: "secret/account")
        let both = try keys(new + old)
        let opened = try both.open(sealed, for: "secret/account")
        #expect(opened.secret == [1, 2, 3] && opened.isOutdated)
        let again = try both.seal(opened.secret, for: "secret/account")
        #expect(try keys(new).open(again, for: "secret/account").isOutdated == false)
        #expect(throws: TLSError.self) { try keys(new).open(sealed, for: "secret/account") }
    }

    @Test(arguments: [0, 31, 33, 63, 65, 4096]) func `refuses a key file of another length`(count: Int) throws {
        #expect(throws: TLSError.self) { try keys([UInt8](repeating: 1, count: count)) }
        #expect(throws: TLSError.self) { try SealingKeys(file: "\(folder.path)/none") }
    }
}
