// Whether an Android app is bound to a statement list, for each consumer of the list. They differ in what makes them drop a
// statement, or all of them, and in how many of an app's certificates they want to see.

import SourceJSON

/// The question about one app and one relation.
public struct AndroidBinding: Hashable, Sendable {
    public let package: String
    /// In their one form; the app is signed with all of them.
    public let fingerprints: [String]
    public let relation: String

    public init(package: String, fingerprints: [String], relation: String) {
        self.package = package
        self.fingerprints = fingerprints
        self.relation = relation
    }

    /// What a consumer says.
    public func verdict(of consumer: StatementConsumer, on bytes: [UInt8], file: String) -> BindingVerdict {
        let reading = StatementList.read(bytes, file: file)
        guard let list = reading.list else { return .rejected(reading.findings) }
        if consumer == .aosp, bytes.count > StatementList.bytesMax {
            let limit = StatementList.bytesMax
            return BindingVerdict(.fileRejected, "it has \(bytes.count) bytes, more than the \(limit) that are read")
        }
        if list.endangeredFor.contains(consumer) {
            return .rejected(reading.findings, "a statement is malformed so that all of them may be dropped: ")
        }
        let trusted = consumer == .chromium ? trustedByChromium(bytes) : trusted(in: list, by: consumer)
        let needed = consumer == .chromium ? fingerprints : Array(fingerprints.prefix(1))
        for statement in trusted where needed.allSatisfy({ statement.fingerprints.contains(ExactText($0)) }) {
            let line = statement.line
            return BindingVerdict(
                .verified, "the statement in line \(line) names the app, its certificate and the relation")
        }
        return BindingVerdict(.notVerified, reason(list, consumer, trusted))
    }
}

extension AndroidBinding {
    /// A statement that a consumer can use and that grants the relation to the package.
    private struct Trusted {
        let line: Int
        let fingerprints: Set<ExactText>
    }

    /// Only Google minds the form of a fingerprint; to AOSP one that nothing equals is one that nothing equals.
    private func trusted(in list: StatementList, by consumer: StatementConsumer) -> [Trusted] {
        list.statements.filter { consumer != .google || $0.consumers.contains(.google) }.compactMap { statement in
            guard case .androidApp(let name, let prints)? = statement.target, name.text.isIdentical(to: package),
                statement.relations.contains(where: { $0.text.isIdentical(to: relation) })
            else { return nil }
            return Trusted(line: statement.range.start.line, fingerprints: Set(prints.map { ExactText($0.text) }))
        }
    }

    /// Chromium looks for the few members that it needs and minds nothing else, not even the namespace.
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

    /// Why no statement binds the app: the nearest one that there is.
    private func reason(_ list: StatementList, _ consumer: StatementConsumer, _ trusted: [Trusted]) -> String {
        let includes = list.includes.isEmpty ? "" : "; includes are not followed here"
        if let statement = trusted.first {
            let some = fingerprints.contains { statement.fingerprints.contains(ExactText($0)) }
            return some && consumer == .chromium
                ? "the statement in line \(statement.line) lacks one of the certificates, and Chromium wants all"
                : "the statement in line \(statement.line) lists other certificates" + includes
        }
        let named = list.statements.filter { statement in
            guard case .androidApp(let name, _)? = statement.target else { return false }
            return name.text.isIdentical(to: package)
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
}
