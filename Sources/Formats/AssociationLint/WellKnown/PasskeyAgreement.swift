// Whether a host's own files agree with `passkeys` of its app files. Such a file is served in place of the generated one, so what the
// app file says and the own file does not is missing on phones, with no other message.

public import Association
import SourceJSON

public struct PasskeyAgreement {
    private let apps: [AppFile]
    private let expected: PasskeyDocuments

    /// - Parameter apps: the apps of the host, in merge order.
    public init(_ apps: [AppFile]) {
        self.apps = apps.filter { $0.passkeys != nil }
        expected = PasskeyDocuments(apps)
    }

    /// What an own file lacks. One that cannot be read is reported elsewhere.
    /// - Parameter path: its request path.
    public func findings(_ bytes: [UInt8], at path: String, file: String) -> [Finding] {
        guard !apps.isEmpty else { return [] }
        return missing(in: bytes, at: path).map { missing in
            Finding(
                rule: .srv017, severity: .warning, file: file, range: nil,
                message: "\(missing), but an app file of this host asks for it with `passkeys`",
                fix: "add it, or remove the file so that the generated one is served")
        }
    }

    private func missing(in bytes: [UInt8], at path: String) -> [String] {
        switch path {
        case AssociationPath.apple:
            guard let own = AppleAssociation.read(bytes, file: "").association else { return [] }
            let ids = Set(own.webcredentials?.apps.map(\.text) ?? [])
            return apps.flatMap { $0.ios?.appIDs ?? [] }.filter { !ids.contains($0) }.map {
                "webcredentials does not list \($0)"
            }
        case AssociationPath.statements:
            guard let own = StatementList.read(bytes, file: "").list else { return [] }
            return apps.flatMap { $0.android?.packages ?? [] }.flatMap { package in missing(package, in: own) }
        case AssociationPath.passkeyEndpoints:
            let own = SourceReader.read(bytes, as: .json).value
            return (expected.endpoints?.asObject ?? []).filter {
                own?.member(named: $0.key)?.asString != $0.value.asString
            }.map { "`\($0.key)` is not \(($0.value.asString ?? "").quoted)" }
        case AssociationPath.relatedOrigins:
            let own = SourceReader.read(bytes, as: .json).value?.member(named: "origins")?.asArray ?? []
            let origins = Set(own.compactMap(\.asString))
            return (expected.origins?.member(named: "origins")?.asArray ?? []).compactMap(\.asString)
                .filter { !origins.contains($0) }.map { "`origins` does not list \($0.quoted)" }
        default: return []
        }
    }

    /// The relations that no statement of a list gives to every certificate of a package.
    private func missing(_ package: AndroidPackage, in list: StatementList) -> [String] {
        AppFile.passkeyRelations.filter { relation in
            let prints = list.statements.filter { $0.relations.contains { $0.text == relation } }.flatMap { statement in
                if case .androidApp(let name, let prints)? = statement.target, name.text == package.name {
                    prints.map(\.text)
                } else {
                    [String]()
                }
            }
            return !Set(prints).isSuperset(of: package.fingerprints)
        }.map { "\(package.name) with all its certificates has no statement for \($0)" }
    }
}
