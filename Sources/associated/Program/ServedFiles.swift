// What a configuration would serve, for commands that compare or print it.

import Association
import Catalogue
import HTTP
import Hosting
import Verifier

/// The documents of every host of a configuration.
final class ServedFiles: Sendable {
    private let catalogue: Catalogue

    init(_ configuration: LoadedConfiguration) { catalogue = configuration.catalogue }

    /// The bytes that a host answers for a path, without any coding; nil where it has no such document.
    func bytes(host: String, path: String) -> [UInt8]? {
        let name = Array(host.utf8)
        let path = Array(path.utf8)
        return catalogue.reading { view in
            path.withUnsafeBytes { path in
                guard let site = view.site(host: name.span), let answer = view.answer(site, path: path),
                    answer.status == .ok
                else { return nil }
                let form = answer.form(.identity)
                // Association files are small, and only large files stay on the disk.
                return form.file == nil ? Array(form.body) : nil
            }
        }
    }

    /// Both association files of a host; nil where the host is not served at all.
    func files(of host: String) -> ExpectedFiles? {
        let name = Array(host.utf8)
        let isServed = catalogue.reading { $0.site(host: name.span) != nil }
        let below = "associated-check.\(host)"
        var wildcards: ExpectedFiles.Platforms = []
        if bytes(host: below, path: AssociationPath.apple) != nil { wildcards.insert(.apple) }
        if bytes(host: below, path: AssociationPath.statements) != nil { wildcards.insert(.android) }
        guard isServed || !wildcards.isEmpty else { return nil }
        return ExpectedFiles(
            apple: bytes(host: host, path: AssociationPath.apple),
            statements: bytes(host: host, path: AssociationPath.statements),
            wildcardsBelow: isServed ? [] : wildcards)
    }
}
