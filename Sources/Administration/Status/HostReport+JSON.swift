// A host's standing as JSON, and back.

public import SourceJSON
import Telemetry

extension HostReport {
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
