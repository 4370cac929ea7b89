// Whether an app is bound to a file, for each consumer of the file. They differ in what makes them drop a statement, or
// all of them, and in how they compare fingerprints.

import Association
import SourceJSON
import TLS

enum Binding {
    enum Question {
        /// The fingerprints are in their one form; the app is signed with all of them.
        case android(package: String, fingerprints: [String], relation: String)
        case apple(appID: String, service: Service)
    }

    enum Service: String, CaseIterable {
        case applinks, webcredentials, appclips, activitycontinuation
    }

    enum Verdict: String {
        case verified
        case notVerified = "not-verified"
        case fileRejected = "file-rejected"
    }

    /// What one consumer says.
    struct Answer {
        let consumer: String
        let verdict: Verdict
        let reason: String
    }

    static func question(_ arguments: ParsedArguments) -> Result<Question, UsageError> {
        func wrong(_ text: String) -> Result<Question, UsageError> { .failure(UsageError(description: text)) }
        if let id = arguments["--app-id"] {
            let androids = ["--package", "--fingerprint", "--relation"].filter(arguments.has)
            if let option = androids.first { return wrong("--app-id and \(option) ask about two platforms") }
            let name = arguments["--service"] ?? Service.applinks.rawValue
            guard let service = Service(rawValue: name) else {
                return wrong("--service \(name) is none of \(Service.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return .success(.apple(appID: id, service: service))
        }
        if arguments.has("--service") { return wrong("--service belongs to --app-id") }
        guard let package = arguments["--package"], let texts = arguments.all("--fingerprint") else {
            return wrong("verify needs --package NAME and --fingerprint SHA256, or --app-id ID")
        }
        var fingerprints: [String] = []
        for text in texts {
            guard let fingerprint = Fingerprint(normalising: text) else {
                let problem = Fingerprint.problems(in: text).first?.message ?? "it is none"
                return wrong("--fingerprint \(text): \(problem)")
            }
            fingerprints.append(fingerprint.text)
        }
        let relation = arguments["--relation"] ?? AndroidApp.handleAllURLs
        let full = relation.utf8.contains(UInt8(ascii: "/")) ? relation : "delegate_permission/common.\(relation)"
        return .success(.android(package: package, fingerprints: fingerprints, relation: full))
    }

    static func answers(to question: Question, in bytes: [UInt8], file: String) -> [Answer] {
        switch question {
        case .apple(let appID, let service):
            // A signed file is read for what is in it, as devices do.
            [apple(appID, service, AppleAssociation.read(SignedMessage.content(of: bytes) ?? bytes, file: file))]
        case .android(let package, let fingerprints, let relation):
            android(package, fingerprints, relation, StatementList.read(bytes, file: file), bytes)
        }
    }

    static func text(_ answers: [Answer]) -> String {
        answers.map { "\($0.consumer): \($0.verdict.rawValue): \($0.reason)\n" }.joined()
    }

    static func json(_ answers: [Answer]) -> String {
        let members = answers.map { answer in
            (
                answer.consumer,
                SourceValue.object([
                    ("verdict", .string(answer.verdict.rawValue)), ("reason", .string(answer.reason)),
                ])
            )
        }
        return String(decoding: SourceWriter.canonical(.object(members)), as: UTF8.self)
    }
}

extension Binding {
    private static func apple(_ appID: String, _ service: Service, _ reading: AppleReading) -> Answer {
        func answer(_ verdict: Verdict, _ reason: String) -> Answer {
            Answer(consumer: "apple", verdict: verdict, reason: reason)
        }
        if reading.isSigned { return answer(.notVerified, "the file is signed, and what it says is not read here") }
        guard let association = reading.association else { return answer(.fileRejected, firstError(reading.findings)) }
        let apps: [LocatedText]?
        switch service {
        case .applinks: apps = association.applinks?.details.flatMap(\.appIDs)
        case .webcredentials: apps = association.webcredentials?.apps
        case .appclips: apps = association.appclips?.apps
        case .activitycontinuation: apps = association.activitycontinuation?.apps
        }
        guard let apps else { return answer(.notVerified, "the file has no service \(service.rawValue)") }
        if let place = apps.first(where: { $0.text == appID }) {
            return answer(.verified, "line \(place.range.start.line) lists it for \(service.rawValue)")
        }
        if let near = apps.first(where: { $0.text.lowercased() == appID.lowercased() }) {
            return answer(.notVerified, "line \(near.range.start.line) lists \(near.text), and case counts")
        }
        return answer(.notVerified, "none of the \(apps.count) apps of \(service.rawValue) is \(appID)")
    }

    private static func android(
        _ package: String, _ fingerprints: [String], _ relation: String, _ reading: StatementReading, _ bytes: [UInt8]
    ) -> [Answer] {
        StatementConsumer.allCases.map { consumer in
            func answer(_ verdict: Verdict, _ reason: String) -> Answer {
                Answer(consumer: consumer.rawValue, verdict: verdict, reason: reason)
            }
            guard let list = reading.list else { return answer(.fileRejected, firstError(reading.findings)) }
            if consumer == .aosp, bytes.count > StatementList.bytesMax {
                let limit = StatementList.bytesMax
                return answer(.fileRejected, "it has \(bytes.count) bytes, more than the \(limit) that are read")
            }
            if list.endangeredFor.contains(consumer) {
                let reason = firstError(reading.findings)
                return answer(.fileRejected, "a statement is malformed so that all of them may be dropped: \(reason)")
            }
            let trusted =
                consumer == .chromium
                ? trustedByChromium(package, relation, bytes) : trusted(package, relation, list, consumer)
            let needed = consumer == .chromium ? fingerprints : Array(fingerprints.prefix(1))
            for statement in trusted where needed.allSatisfy(statement.fingerprints.contains) {
                let line = statement.line
                return answer(
                    .verified, "the statement in line \(line) names the app, its certificate and the relation")
            }
            return answer(.notVerified, reason(package, fingerprints, relation, list, consumer, trusted))
        }
    }

    private struct Trusted {
        let line: Int
        let fingerprints: Set<String>
    }

    /// The statements that a consumer can use and that grant the relation to the package. Only Google minds the form of a
    /// fingerprint; to AOSP one that nothing equals is one that nothing equals.
    private static func trusted(
        _ package: String, _ relation: String, _ list: StatementList, _ consumer: StatementConsumer
    ) -> [Trusted] {
        list.statements.filter { consumer != .google || $0.consumers.contains(.google) }.compactMap { statement in
            guard case .androidApp(let name, let prints)? = statement.target, name.text == package,
                statement.relations.contains(where: { $0.text == relation })
            else { return nil }
            return Trusted(line: statement.range.start.line, fingerprints: Set(prints.map(\.text)))
        }
    }

    /// Chromium looks for the few members that it needs and minds nothing else, not even the namespace.
    private static func trustedByChromium(_ package: String, _ relation: String, _ bytes: [UInt8]) -> [Trusted] {
        func strings(_ value: SourceValue?) -> [String] { (value?.asArray ?? []).compactMap(\.asString) }
        let statements = SourceReader.read(bytes, as: .json).value?.asArray ?? []
        return statements.compactMap { statement in
            let target = statement.members(named: "target").last?.value
            guard strings(statement.members(named: "relation").last?.value).contains(relation),
                target?.members(named: "package_name").last?.value.asString == package
            else { return nil }
            let prints = strings(target?.members(named: "sha256_cert_fingerprints").last?.value)
            return Trusted(line: statement.range.start.line, fingerprints: Set(prints))
        }
    }

    /// Why no statement binds the app: the nearest one that there is.
    private static func reason(
        _ package: String, _ fingerprints: [String], _ relation: String, _ list: StatementList,
        _ consumer: StatementConsumer, _ trusted: [Trusted]
    ) -> String {
        let includes = list.includes.isEmpty ? "" : "; includes are not followed here"
        if let statement = trusted.first {
            let some = fingerprints.contains(where: statement.fingerprints.contains)
            return some && consumer == .chromium
                ? "the statement in line \(statement.line) lacks one of the certificates, and Chromium wants all"
                : "the statement in line \(statement.line) lists other certificates" + includes
        }
        let named = list.statements.filter { statement in
            guard case .androidApp(let name, _)? = statement.target else { return false }
            return name.text == package
        }
        guard let statement = named.first(where: { $0.consumers.contains(consumer) }) ?? named.first else {
            return "no statement names \(package)" + includes
        }
        let line = statement.range.start.line
        guard consumer != .google || statement.consumers.contains(.google) else {
            return "the statement in line \(line) is malformed, so it is not used; associated lint shows why" + includes
        }
        return "no statement grants \(relation) to \(package)" + includes
    }

    private static func firstError(_ findings: [Finding]) -> String {
        let finding = findings.first { $0.severity == .error } ?? findings.first
        guard let finding else { return "it cannot be read" }
        return "\(finding.range.map { "line \($0.start.line): " } ?? "")\(finding.message)"
    }
}
