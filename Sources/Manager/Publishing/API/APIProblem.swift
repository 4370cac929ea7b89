// What the API answers if it does not do what it was asked for (RFC 9457). The type of a problem leads to its description, which the same
// listener has.

import Database
import HTTP
import Posix
import Service
import SourceJSON

/// A request that was not carried out, and why.
struct APIProblem: Error {
    let kind: Kind
    var detail: String
    /// Further members, such as the findings.
    var members: [(String, SourceValue)] = []
    /// What failed in the database.
    var database: DatabaseError?

    init(_ kind: Kind, _ detail: String, _ members: [(String, SourceValue)] = []) {
        (self.kind, self.detail, self.members) = (kind, detail, members)
    }

    /// One for each thing that a client may do about it.
    enum Kind: String, CaseIterable {
        case invalid
        case forbidden
        case unknown
        case base
        case state
        case claimed
        case changed
        case precondition
        case tooLarge = "too-large"
        case findings
        case unclaimed
        case removalGuard = "removal-guard"
        case tooMany = "too-many"
        case database

        var status: Status {
            switch self {
            case .invalid: .badRequest
            case .forbidden: .forbidden
            case .unknown: .notFound
            case .base, .state, .claimed: .conflict
            case .changed: .preconditionFailed
            case .precondition: .preconditionRequired
            case .tooLarge: .contentTooLarge
            case .findings, .unclaimed: .unprocessableContent
            case .removalGuard: .locked
            case .tooMany: .tooManyRequests
            case .database: .serviceUnavailable
            }
        }

        /// What happened, and what to do.
        var help: (title: String, text: String) {
            switch self {
            case .invalid:
                ("The request cannot be read", "The detail names the member or the parameter, and what it must be.")
            case .forbidden: ("The token may not do this", "The detail names the scope that it needs.")
            case .unknown: ("There is no such thing", "Or the token is for another tenant.")
            case .base:
                (
                    "Another release went live in between",
                    "A release names the one that it was made from. Get the live release, apply your change to it, and publish again."
                )
            case .state:
                (
                    "The state does not allow it",
                    "Only a proposed release can be approved, and only by another token than its author's."
                )
            case .claimed:
                (
                    "The host belongs to another",
                    "A host, and the wildcards and parents that cover it, has one owner, who can give it up. An operator can take it away."
                )
            case .changed:
                (
                    "The file has changed",
                    "Its ETag is not the one of If-Match. Get the file and apply your change to it."
                )
            case .precondition: ("The request needs a precondition", "So that nobody's change is lost without a word.")
            case .tooLarge: ("The request is too large", "A file may have 1 MiB, and a release 256 changes.")
            case .findings:
                (
                    "The files have errors",
                    "Nothing was stored. The findings say where and why, as `associated lint` does."
                )
            case .unclaimed:
                (
                    "The tenant does not own the host",
                    "Nothing was stored. Claim the host, create the record that the claim names, and publish again."
                )
            case .removalGuard:
                (
                    "The release would remove what phones rely on",
                    "Phones, Apple and Google keep what they saw for days. Restore what is lost, or repeat the request with `retire: true`, "
                        + "for which a token needs the scope `retire`."
                )
            case .tooMany:
                (
                    "Too many requests",
                    "Wait as long as Retry-After says, and put more changes into one release."
                )
            case .database:
                ("The database cannot be used", "Nothing was changed unless the detail says so. Try again later.")
            }
        }

        static let path = "/api/v1/problems/"
    }

    var response: ServiceResponse {
        let body = SourceWriter.canonical(
            .object(
                [
                    ("type", .string(Kind.path + kind.rawValue)), ("title", .string(kind.help.title)),
                    ("status", .integer(Int(kind.status.rawValue))), ("detail", .string(detail)),
                ] + members))
        var response = ServiceResponse(kind.status, "application/problem+json", body)
        if kind == .tooMany { response.fields.add("retry-after", "60") }
        if kind == .database { response.fields.add("retry-after", "5") }
        return response
    }
}

/// Times of the API are in the form of RFC 3339, in UTC.
enum APITime {
    static func value(_ milliseconds: Int64) -> SourceValue { .string(text(milliseconds)) }

    static func text(_ milliseconds: Int64) -> String {
        let seconds = milliseconds >= 0 ? milliseconds / 1_000 : (milliseconds - 999) / 1_000
        return HTTPDate.timestamp(seconds)
    }

    /// Of a time in any zone; nil also for a day or a second that does not exist.
    static func milliseconds(_ text: String) -> Int64? {
        let local = text.prefix(19).uppercased()
        guard let seconds = Timestamp.seconds(text), let same = Timestamp.seconds("\(local)Z"),
            Self.text(same * 1_000).dropLast() == local, years.contains(seconds)
        else { return nil }
        return seconds * 1_000
    }

    /// Those that can be written, 0 to 9999.
    private static let years = Int64(-62_167_219_200)..<253_402_300_800
}
