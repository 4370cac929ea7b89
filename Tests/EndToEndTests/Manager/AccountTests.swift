// The account at an authority over its life, by the commands: its key is replaced, it is deactivated, and another one follows.

import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: AuthorityLab.isInstalled, AuthorityLab.absence))
struct AccountTests {
    @Test func `replaces the account key without an interruption, and goes on after a deactivation`() throws {
        let lab = try AuthorityLab(hosts: ["a.example"])
        try lab.expect("1 issued")
        let thumbprint = try lab.folder.read("state/acme/thumbprint")
        let account = try #require(try self.account(lab))

        let rollover = try lab.acme("account", "rollover")
        #expect(rollover.status == 0 && rollover.output.contains("the account \(account) has the key\n"), "\(rollover)")
        #expect(try eventually { try lab.folder.read("state/acme/thumbprint") != thumbprint })
        let new = try lab.folder.read("state/acme/thumbprint")
        #expect(rollover.output.hasPrefix("the account key has the thumbprint \(new.dropLast()) now\n"))
        // Pebble validates the new host with the new key, and it is the same account.
        try lab.add("b.example")
        try lab.expect("2 issued")
        #expect(try self.account(lab) == account)

        let deactivation = try lab.acme("account", "deactivate", "--confirm", account)
        #expect(deactivation.status == 0 && deactivation.output.hasPrefix("the account \(account) is deactivated"))
        try lab.add("c.example")
        #expect(
            try eventually {
                let status = try lab.acme("status", "c.example").output
                return ["failing", "paused-by-ca"].contains { status.hasPrefix("c.example: \($0) for ") }
            })
        let replacement = try lab.acme("account", "new")
        #expect(replacement.status == 0, "\(replacement)")
        _ = try lab.acme("issue", "c.example")
        try lab.expect("3 issued")
        #expect(try self.account(lab) != account)
    }

    /// What `deactivate` without a confirmation shows.
    private func account(_ lab: AuthorityLab) throws -> String? {
        let run = try lab.acme("account", "deactivate")
        #expect(run.status == 1 && run.errors.contains("nothing is deactivated: it cannot be undone"), "\(run)")
        let words = run.output.split(whereSeparator: \.isWhitespace)
        #expect(words.count == 2 && run.errors.hasSuffix("add --confirm \(words.last ?? "")\n"), "\(run)")
        return words.last.map(String.init)
    }
}
