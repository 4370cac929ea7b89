// Whether a statement list verifies an Android app, for each verifier. They differ in the mistakes that make them ignore a
// statement or the whole list, and in how many of an app's certificates they require.

public import Association
import SourceJSON

/// An app and a relation to verify.
public struct AndroidBinding: Hashable, Sendable {
    public let package: String
    /// In the normal form. The app is signed with all of them.
    public let fingerprints: [String]
    public let relation: String

    public init(package: String, fingerprints: [String], relation: String) {
        (self.package, self.fingerprints, self.relation) = (package, fingerprints, relation)
    }

    /// The result of one verifier.
    /// - Parameter release: the Android version, for AOSP's verifier.
    public func verdict(
        of consumer: StatementConsumer, on bytes: [UInt8], file: String, release: AndroidRelease = .newest
    ) -> BindingVerdict {
        let reading = StatementList.read(bytes, file: file)
        guard let list = reading.list else { return .rejected(reading.findings) }
        return verdict(of: consumer, on: bytes, reading, list, release).with(doubt: reading.findings.doubt)
    }

    private func verdict(
        of consumer: StatementConsumer, on bytes: [UInt8], _ reading: StatementReading, _ list: StatementList,
        _ release: AndroidRelease
    ) -> BindingVerdict {
        if consumer == .aosp {
            if bytes.count > StatementList.bytesMax {
                let limit = StatementList.bytesMax
                return BindingVerdict(
                    .fileRejected, "the file has \(bytes.count) bytes, and Android reads at most \(limit)")
            }
            if let flaw = list.rejection(on: release) {
                return BindingVerdict(
                    .fileRejected,
                    "the entry on line \(flaw.entry.start.line) makes Android reject the whole file: "
                        + "line \(flaw.range.start.line): \(flaw.reason)")
            }
        }
        let trusted = consumer == .chromium ? trustedByChromium(bytes) : trusted(in: list, by: consumer)
        let needed = consumer == .chromium ? fingerprints : Array(fingerprints.prefix(1))
        for statement in trusted where needed.allSatisfy({ statement.fingerprints.contains(ExactText($0)) }) {
            let line = statement.line
            return BindingVerdict(
                .verified, "the statement on line \(line) names the app, its certificate and the relation")
        }
        return BindingVerdict(.notVerified, reason(reading, list, consumer, trusted))
    }

    /// The results of AOSP's verifier, from the newest Android version to the oldest; versions with the same result together.
    public func verdictsOfAOSP(on bytes: [UInt8], file: String) -> [(versions: String, verdict: BindingVerdict)] {
        var spans: [(first: AndroidRelease, next: AndroidRelease?, verdict: BindingVerdict)] = []
        for release in AndroidRelease.allCases.reversed() {
            let verdict = verdict(of: .aosp, on: bytes, file: file, release: release)
            if let last = spans.last, last.verdict.kind == verdict.kind {
                spans[spans.count - 1].first = release
            } else {
                spans.append((release, spans.last?.first, verdict))
            }
        }
        return spans.map { (AndroidRelease.span(from: $0.first, before: $0.next), $0.verdict) }
    }

    /// A statement that a verifier can use and that grants the relation to the package.
    private struct Trusted {
        let line: Int
        let fingerprints: Set<ExactText>
    }

    private func trusted(in list: StatementList, by consumer: StatementConsumer) -> [Trusted] {
        list.statements(for: consumer).compactMap { statement in
            guard case .androidApp(let name, let prints)? = statement.target, name.text.isIdentical(to: package),
                statement.relations.contains(where: { $0.text.isIdentical(to: relation) })
            else { return nil }
            return Trusted(line: statement.range.start.line, fingerprints: Set(prints.map { ExactText($0.text) }))
        }
    }

    /// Chromium reads only the few keys that it needs and ignores everything else, even the namespace.
    private func trustedByChromium(_ bytes: [UInt8]) -> [Trusted] {
        func strings(_ value: SourceValue?) -> [String] { (value?.asArray ?? []).compactMap(\.asString) }
        let statements = SourceReader.read(bytes, as: .json).value?.asArray ?? []
        return statements.compactMap { statement in
            let target = statement.members(named: "target").last?.value
            guard strings(statement.members(named: "relation").last?.value).containsExactly(relation),
                target?.members(named: "package_name").last?.value.asString?.isIdentical(to: package) == true
            else { return nil }
            let prints = strings(target?.members(named: "sha256_cert_fingerprints").last?.value)
            return Trusted(line: statement.range.start.line, fingerprints: Set(prints.map(ExactText.init(_:))))
        }
    }

    /// How a statement misspells one of the fingerprints; nil if it lists them, or other certificates.
    private func misspelling(in listed: Set<ExactText>) -> String? {
        let missing = fingerprints.filter { !listed.contains(ExactText($0)) }
        let texts = listed.map(\.text).sorted()
        guard let text = texts.first(where: { missing.contains(Fingerprint(normalising: $0)?.text ?? "") }) else {
            let hasSHA1 = texts.contains {
                $0.filter(\.isHexDigit).count == 40 && $0.allSatisfy { $0.isHexDigit || $0 == ":" }
            }
            return missing.isEmpty || !hasSHA1 ? nil : "a SHA-1 fingerprint, but SHA-256 is required"
        }
        let how =
            !text.contains(run: ":")
            ? "without colons" : missing.contains(text.uppercased()) ? "in lower case" : "in another form"
        return
            "the fingerprint of this certificate \(how), but 32 upper-case pairs with colons are required"
    }

    /// Why no statement verifies the app: the problem of the statement that comes closest.
    private func reason(
        _ reading: StatementReading, _ list: StatementList, _ consumer: StatementConsumer, _ trusted: [Trusted]
    ) -> String {
        let includes = list.includes.isEmpty ? "" : "; this check does not follow includes"
        if let statement = trusted.first {
            let some = fingerprints.contains { statement.fingerprints.contains(ExactText($0)) }
            if let spelling = misspelling(in: statement.fingerprints) {
                return "the statement on line \(statement.line) lists \(spelling)" + includes
            }
            return some && consumer == .chromium
                ? "the statement on line \(statement.line) lacks one of the certificates, but Chromium requires all"
                : "the statement on line \(statement.line) lists other certificates" + includes
        }
        let named = list.statements.filter { statement in
            guard case .androidApp(let name, _)? = statement.target else { return false }
            return name.text.isIdentical(to: package)
        }
        guard let statement = named.first(where: { $0.consumers.contains(consumer) }) ?? named.first else {
            return "no statement names \(package)" + includes
        }
        let line = statement.range.start.line
        if let why = flaw(of: statement, reading, list, consumer) {
            return "the statement on line \(line) is malformed, so \(consumer.name) ignores it\(why)" + includes
        }
        return "no statement grants \(relation) to \(package)" + includes
    }

    /// Why a verifier ignores a statement, after a colon and without the other verifiers' reasons; nil if it reads it.
    private func flaw(
        of statement: Statement, _ reading: StatementReading, _ list: StatementList, _ consumer: StatementConsumer
    ) -> String? {
        let isRead = consumer == .chromium ? !statement.relations.isEmpty : statement.consumers.contains(consumer)
        if isRead { return nil }
        if consumer == .aosp {
            let flaw = list.flaws.first { $0.entry == statement.range }
            return flaw.map { after(statement, $0.range.start.line, $0.reason) } ?? ""
        }
        let causes = reading.findings.filter { finding in
            // Chromium needs only an array with the relation.
            guard finding.severity == .error, consumer == .google || [.dal004, .dal005].contains(finding.rule),
                let range = finding.range
            else { return false }
            return range.start.offset >= statement.range.start.offset
                && range.end.offset <= statement.range.end.offset
        }
        // Other errors of the statement may have no effect on it as a whole.
        let effect = ", so Google"
        let cause = causes.first { $0.message.contains(run: effect) } ?? causes.first
        guard let cause, let line = cause.range?.start.line else { return consumer == .chromium ? nil : "" }
        let text = cause.message
        let end = text.indices.first { text[$0...].hasPrefix(effect) } ?? text.endIndex
        return after(statement, line, text[..<end])
    }

    /// The reason after a colon, with its line unless that is the statement's.
    private func after(_ statement: Statement, _ line: Int, _ reason: some StringProtocol) -> String {
        (line == statement.range.start.line ? ": " : ": line \(line): ") + reason
    }
}
