// Which certificates end before long: what `associated status --expiring` shows.

import Posix
public import SourceJSON

public struct ExpiryReport: Sendable, Equatable {
    /// When this was true, in seconds since 1970.
    public var nowSeconds: Int64
    /// How far it looks ahead.
    public var withinSeconds: Int64
    /// The first first.
    public var certificates: [CertificateFigures.Expiry]
    /// How many more there are.
    public var more: Int

    /// No answer is larger than a client of the admin listener reads.
    static let listMax = 20_000
    /// A hundred years.
    static let withinMax: Int64 = 100 * 366 * 86_400

    public init(nowSeconds: Int64, withinSeconds: Int64, all: [CertificateFigures.Expiry]) {
        self.nowSeconds = nowSeconds
        self.withinSeconds = withinSeconds
        certificates = Array(all.prefix(ExpiryReport.listMax))
        more = all.count - certificates.count
    }

    /// One line for each certificate: when it ends, in how many days, which, and whose.
    public var text: String {
        if certificates.isEmpty { return "no certificate ends within \(Age.text(seconds: withinSeconds))\n" }
        var lines = certificates.map { expiry in
            let left = expiry.notAfter - nowSeconds
            let when = left >= 0 ? "in \(Age.text(seconds: left))" : "\(Age.text(seconds: -left)) ago"
            return "\(Clock.day(expiry.notAfter))  \(when)  \(expiry.folder)  \(expiry.issuer)"
        }
        if more > 0 { lines.append("and \(more) more") }
        return lines.map { "\(Printable.line($0))\n" }.joined()
    }

    var json: [UInt8] {
        SourceWriter.canonical(
            .object([
                ("nowSeconds", .integer(Int(nowSeconds))), ("withinSeconds", .integer(Int(withinSeconds))),
                (
                    "certificates",
                    .array(
                        certificates.map { expiry in
                            let days = Int((expiry.notAfter - nowSeconds) / 86_400)
                            return .object(expiry.members + [("daysLeft", .integer(days))])
                        })
                ), ("more", .integer(more)),
            ]))
    }

    /// Nil for what is no such report.
    public init?(_ value: SourceValue) {
        guard let now = value.number("nowSeconds"), let within = value.number("withinSeconds"),
            let certificates = value.list("certificates"), let more = value.number("more")
        else { return nil }
        (nowSeconds, withinSeconds, self.more) = (Int64(now), Int64(within), more)
        self.certificates = certificates.compactMap { CertificateFigures.Expiry($0) }
    }
}
