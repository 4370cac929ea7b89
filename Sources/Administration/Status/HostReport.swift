// The state of one host: what it serves, whether that is what its files say, and which verifiers have fetched it; as JSON
// for programs and as lines for people.

import Posix
public import SourceJSON
public import Telemetry

public struct HostReport: Sendable, Equatable {
    /// As it was asked for.
    public var host: String
    /// The name by which it is configured; another one where a wildcard answers.
    public var name: String
    /// When this was true, in seconds since 1970.
    public var nowSeconds: Int64
    public var documents: [Document]
    /// Why an earlier version is served than there is on disk; none as a rule.
    public var reasons: [String]
    /// Nil where no TLS is spoken, none is needed, or no survey has come to it yet.
    public var certificate: CertificateReport?
    /// The latest first.
    public var verifiers: [VerifierRecord]
    /// Since when fetches of verifiers are recorded.
    public var recordedSinceSeconds: Int64

    /// An association file that it serves.
    public struct Document: Sendable, Equatable {
        public var kind: DocumentKind
        /// Its tags, with their quotes, of which the first is that of the plain form.
        public var entityTags: [String]

        public init(kind: DocumentKind, entityTags: [String]) {
            self.kind = kind
            self.entityTags = entityTags
        }
    }

    public init(
        host: String, name: String, nowSeconds: Int64, documents: [Document], reasons: [String],
        certificate: CertificateReport? = nil, verifiers: [VerifierRecord], recordedSinceSeconds: Int64
    ) {
        self.host = host
        self.name = name
        self.nowSeconds = nowSeconds
        self.documents = documents
        self.reasons = reasons
        self.certificate = certificate
        self.verifiers = verifiers
        self.recordedSinceSeconds = recordedSinceSeconds
    }

    /// What a verifier got when it was last here, compared with what it would get now.
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

    var json: [UInt8] { SourceWriter.canonical(value) }

    private var value: SourceValue {
        .object([
            ("host", .string(host)), ("name", .string(name)), ("nowSeconds", .integer(Int(nowSeconds))),
            (
                "documents",
                .array(
                    documents.map {
                        .object([
                            ("document", .string($0.kind.label)),
                            ("entityTags", .array($0.entityTags.map { .string($0) })),
                        ])
                    })
            ),
            ("reasons", .array(reasons.map { .string($0) })),
            ("certificate", certificate?.value ?? .null), ("verifiers", .array(verifiers.map { value(of: $0) })),
            ("recordedSinceSeconds", .integer(Int(recordedSinceSeconds))),
        ])
    }

    private func value(of record: VerifierRecord) -> SourceValue {
        let got =
            switch outcome(of: record) {
            case .current: "current"
            case .older: "older"
            case .status: "other"
            }
        return .object([
            ("verifier", .string(record.verifier.label)), ("document", .string(record.document.label)),
            ("firstSeconds", .integer(Int(record.firstSeconds))), ("lastSeconds", .integer(Int(record.lastSeconds))),
            ("status", .integer(Int(record.status))), ("entityTag", record.entityTag.map { .string($0) } ?? .null),
            ("version", .string(got)), ("count", .integer(Int(clamping: record.count))),
        ])
    }

    /// Nil for what is no such report.
    public init?(_ value: SourceValue) {
        guard let host = value.text("host"), let name = value.text("name"), let now = value.number("nowSeconds"),
            let documents = value.list("documents"), let reasons = value.list("reasons"),
            let verifiers = value.list("verifiers"), let since = value.number("recordedSinceSeconds")
        else { return nil }
        self.init(
            host: host, name: name, nowSeconds: Int64(now),
            documents: documents.compactMap { document in
                guard let kind = DocumentKind(label: document.text("document")) else { return nil }
                return Document(
                    kind: kind, entityTags: (document.list("entityTags") ?? []).compactMap { $0.asString })
            }, reasons: reasons.compactMap { $0.asString },
            certificate: value.member(named: "certificate").flatMap { CertificateReport($0) },
            verifiers: verifiers.compactMap { VerifierRecord($0) },
            recordedSinceSeconds: Int64(since))
    }

    /// One line for each verifier, whether it was here or not.
    public var text: String {
        var lines = [host == name ? host : "\(host), served as \(name)"]
        for document in documents {
            lines.append("  \(document.kind.fileName) \(document.entityTags.first ?? "untagged")")
        }
        if documents.isEmpty { lines.append("  no association file") }
        if !reasons.isEmpty { lines.append("  serves its last good version, because of") }
        lines += reasons.map { "    \($0)" }
        lines += certificateLines
        lines += VerifierKind.known.map { line(about: $0) }
        return lines.map { "\(Printable.line($0))\n" }.joined()
    }

    private var certificateLines: [String] {
        guard let certificate else { return [] }
        var line = "  certificate in hosts/\(certificate.folder): \(certificate.state.replacing("_", with: " "))"
        if let notAfter = certificate.notAfter {
            let left = notAfter - nowSeconds
            let when = left >= 0 ? "ends in \(Age.text(seconds: left))" : "ended \(Age.text(seconds: -left)) ago"
            line += ", \(when) (\(Clock.day(notAfter)))"
        }
        if let serial = certificate.serial { line += ", serial \(serial)" }
        if let issuer = certificate.issuer { line += ", issuer \(issuer)" }
        return [line] + certificate.problems.map { "    \($0.text(nowSeconds))" }
    }

    private func line(about verifier: VerifierKind) -> String {
        guard let record = verifiers.first(where: { $0.verifier == verifier }) else {
            let since = Age.ago(from: recordedSinceSeconds, to: nowSeconds)
            return "\(verifier.name) never fetched \(name); the records began \(since)"
        }
        let ago = Age.ago(from: record.lastSeconds, to: nowSeconds)
        return "\(verifier.name) last fetched \(name) \(ago), \(words(for: outcome(of: record)))"
    }

    private func words(for outcome: Outcome) -> String {
        switch outcome {
        case .current(isRepeated: false): "got the current version"
        case .current(isRepeated: true): "had the current version already"
        case .older(let tag): "got an older version, \(tag)"
        case .status(let status): "got \(status)"
        }
    }
}

extension VerifierRecord {
    fileprivate init?(_ value: SourceValue) {
        guard let verifier = VerifierKind.known.first(where: { $0.label == value.text("verifier") }),
            let document = DocumentKind(label: value.text("document")), let first = value.number("firstSeconds"),
            let last = value.number("lastSeconds"), let status = value.number("status"),
            let count = value.number("count")
        else { return nil }
        self.init(
            verifier: verifier, document: document, status: UInt16(clamping: status),
            entityTag: value.text("entityTag"), firstSeconds: Int64(first), lastSeconds: Int64(last),
            count: UInt64(clamping: count))
    }
}

extension DocumentKind {
    init?(label: String?) {
        guard let kind = DocumentKind.allCases.first(where: { $0.label == label }) else { return nil }
        self = kind
    }
}

extension SourceValue {
    func text(_ name: String) -> String? { member(named: name)?.asString }
    /// A whole number that every reader of JSON takes for the same one (RFC 8259 §6). What is beyond is not meant, and with
    /// such bounds no difference of two of them is too large for a number: what answers a command may be anybody.
    func number(_ name: String) -> Int? {
        let bound = (1 << 53) - 1
        return member(named: name)?.asInt.flatMap { (-bound...bound).contains($0) ? $0 : nil }
    }
    func list(_ name: String) -> [SourceValue]? { member(named: name)?.asArray }
    func flag(_ name: String) -> Bool? { member(named: name)?.asBool }
}

extension DocumentKind {
    /// What an association file is called; nothing else is reported by name.
    var fileName: String { self == .appleAssociation ? "apple-app-site-association" : "assetlinks.json" }
}
