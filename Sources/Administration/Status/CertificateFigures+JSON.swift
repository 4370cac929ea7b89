// What is told of certificates as JSON, and back.

import SourceJSON

extension CertificateFigures {
    private static var numbers: [(String, WritableKeyPath<CertificateFigures, Int>)] {
        [
            ("usable", \.usable), ("lastGood", \.lastGood), ("broken", \.broken), ("missing", \.missing),
            ("inMemory", \.inMemory), ("standingErrors", \.standing.errors), ("standingWarnings", \.standing.warnings),
            ("standingNotes", \.standing.notes), ("errors", \.found.errors), ("warnings", \.found.warnings),
            ("notes", \.found.notes), ("loadFailures", \.loadFailures),
        ]
    }

    var value: SourceValue {
        .object(
            CertificateFigures.numbers.map { ($0.0, .integer(self[keyPath: $0.1])) } + [
                ("complete", .bool(isComplete)), ("soonest", .array(soonest.map { .object($0.members) })),
                ("problems", .array(problems.map(\.value))),
            ])
    }

    init?(_ value: SourceValue) {
        self.init()
        for (name, path) in CertificateFigures.numbers {
            guard let number = value.number(name) else { return nil }
            self[keyPath: path] = number
        }
        isComplete = value.flag("complete") ?? true
        soonest = (value.list("soonest") ?? []).compactMap { Expiry($0) }
        problems = (value.list("problems") ?? []).compactMap { CertificateReport.Problem($0) }
    }
}

extension CertificateFigures.Expiry {
    var members: [(String, SourceValue)] {
        [("folder", .string(folder)), ("notAfterSeconds", .integer(Int(notAfter))), ("issuer", .string(issuer))]
    }

    init?(_ value: SourceValue) {
        guard let folder = value.text("folder"), let end = value.number("notAfterSeconds") else { return nil }
        self.init(folder: folder, notAfter: Int64(end), issuer: value.text("issuer") ?? "")
    }
}

extension CertificateReport {
    var value: SourceValue {
        .object([
            ("folder", .string(folder)), ("state", .string(state)),
            ("notAfterSeconds", notAfter.map { .integer(Int($0)) } ?? .null),
            ("serial", serial.map { .string($0) } ?? .null), ("issuer", issuer.map { .string($0) } ?? .null),
            ("problems", .array(problems.map(\.value))),
        ])
    }

    init?(_ value: SourceValue) {
        guard let folder = value.text("folder"), let state = value.text("state"), let problems = value.list("problems")
        else { return nil }
        self.init(
            folder: folder, state: state, notAfter: value.number("notAfterSeconds").map { Int64($0) },
            serial: value.text("serial"), issuer: value.text("issuer"), problems: problems.compactMap { Problem($0) })
    }
}

extension CertificateReport.Problem {
    var value: SourceValue {
        .object([
            ("folder", .string(folder)), ("sinceSeconds", .integer(Int(sinceSeconds))), ("rule", .string(rule)),
            ("severity", .string(severity)), ("finding", .string(finding)),
        ])
    }

    init?(_ value: SourceValue) {
        guard let folder = value.text("folder"), let since = value.number("sinceSeconds"),
            let rule = value.text("rule"), let severity = value.text("severity"), let finding = value.text("finding")
        else { return nil }
        self.init(folder: folder, sinceSeconds: Int64(since), rule: rule, severity: severity, finding: finding)
    }
}
