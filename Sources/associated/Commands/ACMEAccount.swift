// `associated acme account`: replaces the account key, with the same accounts (rollover) or with new ones (new), and deactivates
// accounts. The store has the keys, so a manager may run meanwhile, or be killed.

import ACME
import Database
import Glibc
import Manager
import Posix
import TLS

struct ACMEAccount: ~Copyable {
    private let rules: IssuanceRules
    private var store: Store
    private var secret: AccountSecret
    private var link: AuthorityLink
    private let thumbprintPath: String

    /// Orders take up to two minutes, and an answer half a minute.
    private static let patienceMilliseconds: Int64 = 180_000
    private static let pauseMicroseconds: useconds_t = 1_000_000

    static func run(
        _ verb: String, confirmed: String?, _ loaded: LoadedSettings, _ inputs: ManagerInputs, _ rules: IssuanceRules
    ) throws -> ExitStatus {
        guard ["new", "rollover", "deactivate"].contains(verb) else {
            throw Refusal.usage("unknown action \"account \(verb)\"; write account new, rollover or deactivate")
        }
        // The key will be in memory, and a core dump would copy it to disk.
        try? ProcessMemory.forbidDumps()
        try ACMEImport.becomeOwner(of: loaded)
        var store = try inputs.openStore()
        let secret = try AccountSecret.load(&store)
        let link = try AuthorityLink(rules, secret, userAgent: Product.userAgent)
        var account = ACMEAccount(
            rules: rules, store: store, secret: secret, link: link, thumbprintPath: inputs.places.thumbprint)
        return switch verb {
        case "new": try account.replace()
        case "rollover": try account.rollOver()
        default: try account.deactivate(confirmed)
        }
    }

    private mutating func replace() throws -> ExitStatus {
        let key = AccountKey(try SigningKey(.p256))
        _ = try AccountSecret.adopt(key, replaces: true, &store)
        secret = try AccountSecret.load(&store)
        publish()
        Console.output(line: "the manager has a new account key, with the thumbprint \(key.thumbprint)")
        Console.output(
            line:
                "next: nothing; the manager registers the key at each authority before its next order; certificates stay valid, "
                + "and orders under way start again")
        return .success
    }

    /// The server of this machine answers challenges with the key from now on, so that `acme check` can be used at once. The manager
    /// does the same within a minute, and says what prevents it.
    private func publish() { try? secret.publish(at: thumbprintPath) }

    private mutating func rollOver() throws -> ExitStatus {
        if secret.next == nil, secret.previous == nil {
            // All of them first, because a key that only some of them know stops the orders at the others.
            for url in rules.directories {
                do throws(AuthorityProblem) {
                    guard try link.account(at: url) != nil else { continue }
                    guard try link.changesKeys(at: url) else {
                        throw .noAnswer("it does not replace the keys of accounts")
                    }
                } catch { throw Refusal.failure("the account key is not replaced: \(url): \(error)") }
            }
            try secret.prepare(AccountKey(SigningKey(.p256)), &store)
        } else {
            Console.output(line: "the last replacement is not complete; continuing it")
        }
        let end = Clock.monotonicMilliseconds() + ACMEAccount.patienceMilliseconds
        while secret.next != nil {
            // A node may be about to begin an order.
            usleep(ACMEAccount.pauseMicroseconds)
            try secret.advance(&store)
            guard secret.next == nil || Clock.monotonicMilliseconds() < end else {
                throw Refusal.failure(
                    "certificates are still worked on; the manager replaces the account key when that ends; run the command again "
                        + "later, to tell all authorities")
            }
        }
        Console.output(line: "the account key has the thumbprint \(secret.key.thumbprint) now")
        publish()
        link.use(secret)
        var isComplete = true
        for url in rules.directories {
            do throws(AuthorityProblem) {
                try link.changeKey(at: url)
                let account = try link.account(at: url).map { "the account \($0) has the key" }
                Console.output(line: "\(url): \(account ?? "no account yet")")
            } catch {
                Console.error(line: "\(url): \(error)")
                isComplete = false
            }
        }
        guard isComplete else {
            throw Refusal.failure(
                "not all authorities know the key; the manager tells each before its next order; run the command again to do so now"
            )
        }
        try secret.finish(&store)
        return .success
    }

    /// - Parameter confirmed: the URL of the account, which the operator repeats.
    private mutating func deactivate(_ confirmed: String?) throws -> ExitStatus {
        var accounts: [AuthorityURL] = []
        for url in rules.directories {
            guard let account = try link.account(at: url) else { continue }
            accounts.append(account)
            guard account.text == confirmed else { continue }
            try link.deactivate(at: url)
            Console.output(line: "the account \(account) is deactivated; certificates stay valid until they expire")
            Console.output(
                line: "next: `associated acme account new`; until then nothing is ordered or renewed at \(url)")
            return .success
        }
        guard let first = accounts.first else {
            throw Refusal.failure("the manager's key has no account at the authorities of `acme.directories`")
        }
        for account in accounts { Console.output(line: "account \(account)") }
        if let confirmed {
            throw Refusal.failure("nothing is deactivated: \(confirmed) is no account of the manager's key")
        }
        throw Refusal.failure(
            "nothing is deactivated: it cannot be undone, and stops all orders and renewals of the account; if you mean it, add "
                + "--confirm \(first)")
    }
}
