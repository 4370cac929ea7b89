// One side of a comparison, as a user names it: files on disk, files in git, a release, or a live host. Its app files have names that are the
// same on both sides. One with errors is not compared, because it would not be published.

import Association
import AssociationLint
import Client
import Hosting
import Posix
import Settings
import Supervision
import Verifier

struct DifferenceSide {
    private let operand: String
    private var texts = SideTexts()
    /// The documents of a live host; nil for app files.
    private var documents: PublishedHosts?

    /// The difference between two operands, as a server with their settings would publish them.
    static func difference(
        from before: String, to after: String, _ arguments: ParsedArguments
    ) throws(Refusal) -> AssociationDifference {
        var sides = [try DifferenceSide(before, arguments), try DifferenceSide(after, arguments)]
        // Two files are two versions of one app file, whatever their names are.
        if let name = sides[1].texts.onlyName { sides[0].texts.renameOnly(name) }
        let settings = sides.map(\.settings)
        let environment =
            arguments["--environment"] ?? settings.reversed().lazy.compactMap(\.environment).first
        let all = sides.flatMap(\.texts.apps)
        let names = all.indices.map { "\($0)" }
        let error = EnvironmentCheck.error(environment, in: names, of: after) { Int($0).map { all[$0].bytes } }
        if let error { throw .failure([error.message, error.fix].compactMap(\.self).joined(separator: "; ")) }
        let published = try zip(sides, settings).map { side, settings throws(Refusal) in
            try side.published(environment, settings.owners)
        }
        return AssociationDifference(from: published[0], to: published[1])
    }

    private init(_ operand: String, _ arguments: ParsedArguments) throws(Refusal) {
        self.operand = operand
        if operand.hasPrefix("https://") {
            documents = try DifferenceSide.documents(of: operand, arguments)
        } else if Directory.exists(operand) {
            let path = operand.count > 1 && operand.hasSuffix("/") ? String(operand.dropLast()) : operand
            texts = try SideTexts(folder: path, arguments)
        } else if operand == "-" || File.exists(operand) {
            texts = SideTexts(file: operand, try InputFile.read(operand))
        } else if let release = PublishingClient.release(operand) {
            texts.apps = try PublishingClient(arguments).files(of: release)
        } else if operand.contains(":") {
            texts = try GitTree.texts(operand)
        } else {
            throw .failure("there is no file or directory \(operand); write REFERENCE:PATH for one in git")
        }
        if documents == nil, texts.apps.isEmpty { throw .failure("there is no app file in \(operand)") }
    }

    private static func documents(of operand: String, _ arguments: ParsedArguments) throws(Refusal) -> PublishedHosts {
        guard let host = CheckedHost(typed: operand) else { throw .usage("\(operand) names no host") }
        let live = try LiveFiles.fetcher(arguments)
        let apple = try LiveFiles.fetch(AssociationPath.apple, of: host, live).map(CopyAnswer.plain)
        return PublishedHosts(
            host: host.name, apple: apple, statements: try LiveFiles.fetch(AssociationPath.statements, of: host, live))
    }

    private var settings: ServerSettings {
        SettingsReader(file: "\(operand)/server.json", text: texts.settings ?? []).settings
    }

    private func published(_ environment: String?, _ owners: HostOwners) throws(Refusal) -> PublishedHosts {
        if let documents { return try checked(documents) }
        let apps = try texts.apps.map { name, bytes throws(Refusal) in
            let reading = AppFile.read(bytes, file: name, environment: environment)
            let findings = reading.findings + owners.findings(about: reading, file: name, at: name)
            let errors = findings.filter { $0.severity == .error }
            guard errors.isEmpty, let app = reading.appFile else { throw refusal(errors) }
            return app
        }
        let retired = texts.retired.compactMap { name, bytes in
            var app = AppFile.read(bytes, file: name, environment: environment).appFile
            app?.hosts.removeAll { !owners.allows($0.text, at: name) }
            return app
        }
        return try checked(
            PublishedHosts(appFiles: apps, retiredFiles: Set(texts.retired.map(\.name)), retiredApps: retired))
    }

    private func checked(_ published: PublishedHosts) throws(Refusal) -> PublishedHosts {
        let errors = published.problems.filter { $0.severity == .error }
        if !errors.isEmpty { throw refusal(errors) }
        return published
    }

    private func refusal(_ errors: [Finding]) -> Refusal {
        for var error in errors.prefix(1) {
            if documents == nil { error.file = texts.onlyName == nil ? texts.label(operand, error.file) : operand }
            Console.error(error)
        }
        return .failure("cannot compare \(operand), which has errors; associated lint shows all of them")
    }
}

/// The files of a side.
struct SideTexts {
    typealias File = (name: String, bytes: [UInt8])

    /// By their paths below `apps`, or below the folder that was named.
    var apps: [File] = []
    /// By their paths below `retired`.
    var retired: [File] = []
    /// The text of `server.json`.
    var settings: [UInt8]?
    /// The name of a file that is the whole side.
    private(set) var onlyName: String?
    /// Whether the side has a folder `apps`.
    private var isConfiguration = false

    init() {}

    init(file path: String, _ bytes: [UInt8]) {
        let name = path.split(separator: "/").last.map { String($0) } ?? path
        (apps, onlyName) = ([(name, bytes)], name)
    }

    /// A configuration, or another folder of app files.
    init(folder path: String, _ arguments: ParsedArguments) throws(Refusal) {
        guard Directory.exists("\(path)/apps") else {
            apps = try SideTexts.files(below: path).filter { SideTexts.isAppFile($0.bytes, $0.name) }
            return
        }
        isConfiguration = true
        let files = GivenConfiguration(arguments, at: path).appFiles
        for file in files?.paths ?? [] {
            guard let bytes = files?.bytes(of: file) else {
                throw .failure("cannot read \(file); associated lint shows why")
            }
            apps.append((String(file.dropFirst("\(path)/apps/".count)), bytes))
        }
        if Directory.exists("\(path)/retired") { retired = try SideTexts.files(below: "\(path)/retired") }
        if Posix.File.exists("\(path)/server.json") { settings = try InputFile.read("\(path)/server.json") }
    }

    /// The same from paths of files; `read` returns the bytes of some of them.
    init(paths: [String], reading read: ([String]) throws(Refusal) -> [[UInt8]]) throws(Refusal) {
        func files(_ folder: String) throws(Refusal) -> [File] {
            let names = paths.filter { $0.hasPrefix(folder) && SideTexts.hasNameOfAppFile($0) }
            return zip(names, try read(names)).map { (String($0.dropFirst(folder.count)), $1) }
        }
        guard paths.contains(where: { $0.hasPrefix("apps/") }) else {
            apps = try files("").filter { SideTexts.isAppFile($0.bytes, $0.name) }
            return
        }
        isConfiguration = true
        (apps, retired) = (try files("apps/"), try files("retired/"))
        if paths.contains("server.json") { settings = try read(["server.json"]).first }
    }

    /// The place of an app file, as a user would write it.
    func label(_ operand: String, _ name: String) -> String {
        "\(operand)\(operand.hasSuffix("/") || operand.hasSuffix(":") ? "" : "/")\(isConfiguration ? "apps/" : "")\(name)"
    }

    mutating func renameOnly(_ name: String) {
        if onlyName != nil { apps[0].name = name }
    }

    /// A folder that is no configuration may have other files, too.
    private static func isAppFile(_ bytes: [UInt8], _ name: String) -> Bool {
        LintedFile(bytes, path: name).kind == .appFile
    }

    private static func hasNameOfAppFile(_ path: String) -> Bool {
        let names = path.split(separator: "/")
        return names.last.map { Tenants.isAppFile(String($0)) } == true && !names.contains { $0.hasPrefix(".") }
    }

    /// The files below a folder whose names are those of app files. Links are not followed: they may lead anywhere.
    private static func files(below folder: String) throws(Refusal) -> [File] {
        var found: [File] = []
        var folders = [""]
        while let place = folders.popLast() {
            let entries: [DirectoryEntry]
            do throws(SystemError) { entries = try Directory.entries(folder + "/" + place) } catch {
                throw .failure("cannot read \(folder)/\(place): \(error.reason)")
            }
            for entry in entries.sorted(by: { $0.name < $1.name })
            where Posix.File.linkTarget("\(folder)/\(place)\(entry.name)") == nil {
                let path = place + entry.name
                if entry.kind == .directory, !entry.name.hasPrefix(".") { folders.append(path + "/") }
                guard entry.kind == .file, hasNameOfAppFile(entry.name) else { continue }
                found.append((path, try InputFile.read("\(folder)/\(path)")))
            }
        }
        return found
    }
}
