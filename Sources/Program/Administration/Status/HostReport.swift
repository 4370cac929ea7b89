// The state of one host, as JSON for programs and as lines for people: its documents, whether they are its last good version,
// and the fetches by verifiers.

import Posix
import SourceJSON
public import Telemetry

public struct HostReport: Sendable, Equatable {
    /// The host in the request.
    public var host = ""
    /// The configured name: that host, or the wildcard that covers it.
    public var name = ""
    /// The time of the report, in seconds since 1970.
    public var nowSeconds: Int64 = 0
    public var documents: [Document] = []
    /// The folder of `config/apps` with its app files; nil if they are directly there.
    public var tenant: String?
    /// The app files that name it, below `config/apps`.
    public var appFiles: [String] = []
    /// The app ids and packages in its documents.
    public var apps: [String] = []
    /// Why its last good version is served instead of the one on disk; usually empty.
    public var reasons: [String] = []
    /// The errors of files for it that are not in service.
    public var errors: [String] = []
    /// Nil without TLS, for a host that needs no certificate, and before the first check.
    public var certificate: CertificateReport?
    /// The latest fetch comes first.
    public var verifiers: [VerifierRecord] = []
    /// The time since which fetches by verifiers are recorded.
    public var recordedSinceSeconds: Int64 = 0

    /// An association file that it serves.
    public struct Document: Sendable, Equatable {
        public var kind: RequestedDocument
        /// Its entity tags, with quotes; the first is that of the uncompressed form.
        public var entityTags: [String]

        public init(kind: RequestedDocument, entityTags: [String]) {
            (self.kind, self.entityTags) = (kind, entityTags)
        }
    }

    public init() {}

    /// The result of a verifier's last fetch, compared with what it would get now.
    enum Outcome: Equatable {
        case current(isRepeated: Bool)
        case older(tag: String)
        case status(UInt16)
    }

    func outcome(of record: VerifierRecord) -> Outcome {
        guard record.status < 300 || record.status == 304, let tag = record.entityTag else {
            return .status(record.status)
        }
        let current = documents.first { $0.kind == record.document }?.entityTags ?? []
        return current.contains(tag) ? .current(isRepeated: record.status == 304) : .older(tag: tag)
    }

    /// The state in lines, the last ones for the verifiers.
    public var text: String {
        var lines = [host == name ? host : "\(host), served as \(name)"]
        if let tenant { lines.append("  tenant \(tenant)/") }
        if !appFiles.isEmpty { lines.append("  from \(HostReport.list(appFiles.map { "apps/\($0)" }))") }
        if !apps.isEmpty { lines.append("  for \(HostReport.list(apps))") }
        for document in documents {
            lines.append("  \(document.kind.fileName) \(document.entityTags.first ?? "without an entity tag")")
        }
        if documents.isEmpty { lines.append("  no association file") }
        if !reasons.isEmpty { lines.append("  serves its last good version because of:") }
        lines += reasons.map { "    \($0)" }
        if !errors.isEmpty { lines.append("  files for it that are not in service:") }
        lines += errors.map { "    \($0)" }
        lines += certificateLines
        lines += VerifierKind.known.flatMap { verifierLines($0) }
        return lines.map { "\(Printable.line($0))\n" }.joined()
    }

    private static let namedMax = 10

    /// At most ten, and how many more.
    private static func list(_ texts: [String]) -> String {
        let rest = texts.count > namedMax ? " and \(texts.count - namedMax) more" : ""
        return texts.prefix(namedMax).joined(separator: ", ") + rest
    }

    private var certificateLines: [String] {
        guard let certificate else { return [] }
        var line = "  certificate in hosts/\(certificate.folder): \(certificate.state.replacing("_", with: " "))"
        if let notAfter = certificate.notAfter {
            let percent = certificate.lifeLeftPercent
            line += ", \(Age.expiry(notAfter, lifeLeftPercent: percent, nowSeconds: nowSeconds))"
        }
        if let serial = certificate.serial { line += ", serial \(serial)" }
        if let issuer = certificate.issuer { line += ", issuer \(issuer)" }
        return [line] + certificate.problems.map { "    \($0.text(nowSeconds))" }
    }

    /// One line for confirmed fetches and one for claimed ones, in this order.
    private func verifierLines(_ verifier: VerifierKind) -> [String] {
        let records = verifiers.filter { $0.verifier == verifier }
        if records.isEmpty {
            let since = Age.ago(from: recordedSinceSeconds, to: nowSeconds)
            return ["\(verifier.name): no fetch of \(name) since recording began \(since)"]
        }
        return (records.filter(\.isConfirmed) + records.filter { !$0.isConfirmed }).map { record in
            let ago = Age.ago(from: record.lastSeconds, to: nowSeconds)
            let place = record.network.map { " from \($0)" } ?? ""
            let source = record.isConfirmed ? "confirmed" : "claimed"
            let result = words(for: outcome(of: record))
            return "\(verifier.name): last fetch of \(name) \(ago)\(place) (\(source)), \(result)"
        }
    }

    private func words(for outcome: Outcome) -> String {
        switch outcome {
        case .current(isRepeated: false): "got the current version"
        case .current(isRepeated: true): "already had the current version"
        case .older(let tag): "got an older version, \(tag)"
        case .status(let status): "got status \(status)"
        }
    }
}

extension HostReport: JSONRecord {
    package static var blank: Self { Self() }
    package static var members: [JSONMember<Self>] {
        [
            .needed("host", \.host), .needed("name", \.name), .needed("nowSeconds", \.nowSeconds),
            .optional("tenant", \.tenant), .optional("appFiles", \.appFiles), .optional("apps", \.apps),
            .needed("documents", \.documents), .needed("reasons", \.reasons), .optional("errors", \.errors),
            .optional("certificate", \.certificate),
            .needed("verifiers", \.verifiers).written { report in
                .array(
                    report.verifiers.map { record in
                        var members = record.object
                        members.insert(("version", .string(report.version(of: record))), at: members.count - 1)
                        return .object(members)
                    })
            }, .needed("recordedSinceSeconds", \.recordedSinceSeconds),
        ]
    }

    private func version(of record: VerifierRecord) -> String {
        switch outcome(of: record) {
        case .current: "current"
        case .older: "older"
        case .status: "other"
        }
    }
}

extension HostReport.Document: JSONRecord {
    package static var blank: Self { Self(kind: .none, entityTags: []) }
    package static var members: [JSONMember<Self>] {
        [.needed("document", \.kind), .optional("entityTags", \.entityTags)]
    }
}

extension VerifierRecord: JSONRecord {
    package static var blank: Self {
        Self(verifier: .none, document: .none, status: 0, entityTag: nil, firstSeconds: 0, lastSeconds: 0, count: 0)
    }
    package static var members: [JSONMember<Self>] {
        [
            .needed("verifier", \.verifier), .needed("document", \.document), .needed("firstSeconds", \.firstSeconds),
            .needed("lastSeconds", \.lastSeconds), .needed("status", \.status), .optional("entityTag", \.entityTag),
            .optional("confirmed", \.isConfirmed), .optional("network", \.network), .needed("count", \.count),
        ]
    }
}

extension RequestedDocument {
    /// The name of an association file; other documents are not reported.
    var fileName: String { self == .appleAssociation ? "apple-app-site-association" : "assetlinks.json" }
}
