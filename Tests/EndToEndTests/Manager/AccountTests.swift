// A new account at an authority, by the command.

import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: AuthorityLab.isInstalled, AuthorityLab.absence))
struct AccountTests {
    @Test func `goes on with a new account key, without a restart`() throws {
        let lab = try AuthorityLab(hosts: ["a.example"])
        try lab.expect("1 issued")
        let thumbprint = try lab.folder.read("state/acme/thumbprint")

        let replacement = try lab.acme("account", "new")
        #expect(replacement.status == 0, "\(replacement)")
        let new = try lab.folder.read("state/acme/thumbprint")
        #expect(new != thumbprint)
        #expect(
            replacement.output.hasPrefix(
                "the manager has a new account key, with the thumbprint \(new.dropLast())\nnext: nothing; "))
        // Pebble validates the new host with the new key.
        try lab.add("b.example")
        try lab.expect("2 issued")
    }
}
