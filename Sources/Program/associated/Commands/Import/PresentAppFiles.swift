// The app files that are where an import would write. Which of them are in its way is known before the first file is written, so
// an import is written as a whole or not at all.

import Association
import AssociationSnippets
import Posix
import SourceJSON

struct PresentAppFiles {
    private(set) var messages: [String] = []
    /// Whether a file exists that must not be replaced.
    private(set) var isInTheWay = false
    /// The names of files that exist for further hosts too, and have all that was imported.
    private(set) var current: Set<String> = []

    init(in folder: String, for files: [GeneratedFile], hosts: [String], force: Bool) {
        for file in files {
            let (path, bytes) = ("\(folder)/\(file.name)", Array(file.text.utf8))
            guard File.exists(path) else { continue }
            let own = try? InputFile.read(path)
            if own == bytes { continue }
            let reading = own.map { AppFile.read($0, file: path) }
            let named = reading.map { $0.hosts + $0.otherHosts } ?? []
            let known = Set(hosts.compactMap { try? HostPattern.parse($0).get() })
            let others = named.filter { !known.contains($0) }.map(\.text)
            if others.isEmpty {
                if force { continue }
                isInTheWay = true
                messages.append("\(path) already exists; not overwritten (--force overwrites it)")
                continue
            }
            let difference = PresentAppFiles.difference(reading?.appFile, AppFile.read(bytes, file: path).appFile)
            let added = known.subtracting(named).map(\.text).sorted().joined(separator: ", ")
            if difference == nil, added.isEmpty {
                current.insert(file.name)
                messages.append("\(path) has the same content for the host already; left as it is")
                continue
            }
            isInTheWay = true
            let list = others.prefix(5).joined(separator: ", ") + (others.count > 5 ? " and others" : "")
            let remedy =
                if let difference {
                    "its \(difference) differ, so the host needs another file: "
                        + (files.count == 1
                            ? "give another --name"
                            : "write to a new folder (--output \(PresentAppFiles.newFolder(for: hosts[0]))), then move the files to "
                                + "\(folder) under other names")
                } else {
                    "the app is the same, so add \(added) to its `hosts`"
                        + (files.count == 1 ? "" : ", then import again")
                }
            messages.append("\(path) exists, and names \(list) too; not replaced: \(remedy)")
        }
    }

    private static func newFolder(for host: String) -> String {
        let name = host.hasPrefix("*.") ? String(host.dropFirst(2)) : host
        let free = (1...99).lazy.map { $0 == 1 ? name : "\(name)-\($0)" }.first { !Directory.exists($0) }
        return "\(free ?? name)/apps"
    }

    /// What differs in the files that two apps render to; nil if nothing does.
    private static func difference(_ one: AppFile?, _ other: AppFile?) -> String? {
        guard let one, let other else { return "contents" }
        func rules(_ app: AppFile) -> [[UInt8]] {
            app.links.map { SourceWriter.minified($0.value(includingComment: false)) }
        }
        if rules(one) != rules(other) { return "rules" }
        let documents = [one, other].map { Renderer.documents(for: [$0]) }
        return documents[0].appleBytes == documents[1].appleBytes
            && documents[0].statementBytes == documents[1].statementBytes ? nil : "ids, services or fingerprints"
    }
}
