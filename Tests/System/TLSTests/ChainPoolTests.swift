// Hosts with the same issuer share its certificates in memory, while there are such hosts.

import TestSupport
import Testing

@testable import TLS
@testable import TLSSupport

struct ChainPoolTests {
    @Test func `shares equal chains until their last user is gone`() throws {
        let pool = ChainPool()
        let authority = try TestAuthority.shared
        let intermediate = Array(authority.intermediate.utf8).withUnsafeBytes { PEM.certificates(in: $0) }
        do {
            let first = try #require(pool.chain(of: intermediate))
            let second = try #require(pool.chain(of: intermediate))
            #expect(first === second)
            #expect(pool.count == 1)
        }
        #expect(pool.count == 0)
    }

    @Test func `makes no chain of invalid certificates`() { #expect(ChainPool().chain(of: [[0x30, 0x00]]) == nil) }
}
