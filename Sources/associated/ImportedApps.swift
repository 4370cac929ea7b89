// Association files taken apart into app files: one for each list of rules, with the apps that have it; one for what shares
// passwords only; and the Android app beside the only iOS app, or in a file of its own.

import Association
import SourceJSON
import TLS

struct ImportedApps {
    private let hosts: [String]
    private var association: AppleAssociation?
    private var list: StatementList?
    /// What an app file cannot say, or a person should look at.
    private(set) var remarks: [String] = []
    /// No system reads the file that was added last.
    private(set) var isRejected = false

    init(hosts: [String]) { self.hosts = hosts }

    /// Reads a file by its content and returns what is wrong with it; nil for a file of another kind.
    mutating func add(_ bytes: [UInt8], file: String) -> [Finding]? {
        switch Linter.recognise(bytes) {
        case .signedAppleAssociation:
            guard let content = SignedMessage.content(of: bytes) else {
                isRejected = true
                return Linter.lint(apple: bytes, file: file)
            }
            remarks.append("\(file) is signed; add signed: true to ios where somebody still wants that")
            return addAssociation(content, file: file)
        case .appleAssociation: return addAssociation(bytes, file: file)
        case .statementList:
            let reading = StatementList.read(bytes, file: file)
            list = reading.list
            isRejected = reading.list == nil
            return reading.findings
        case .appFile, .entitlements, .androidManifest, .unknown: return nil
        }
    }

    private mutating func addAssociation(_ bytes: [UInt8], file: String) -> [Finding] {
        let reading = AppleAssociation.read(bytes, file: file)
        association = reading.association
        isRejected = reading.association == nil
        return reading.findings
    }

    /// The app files, in the order in which their rules count.
    mutating func files() -> [OutputFile] {
        var apps = appleApps()
        let androids = androidApps()
        if apps.count == 1, androids.count == 1 {
            apps[0].android = androids[0].android
            (apps[0].dynamicRules, apps[0].hasDynamicRules) = (androids[0].dynamicRules, androids[0].hasDynamicRules)
            remarks.append("the iOS app and the Android app are taken for one; links are the iOS app's rules")
        } else {
            apps += androids
        }
        // Files that share a host are merged by priority, and the order of rules counts.
        var names: Set<String> = []
        return apps.enumerated().map { index, app in
            var name = app.name
            var number = 1
            while !names.insert(name.lowercased()).inserted {
                number += 1
                name = "\(app.name)-\(number)"
            }
            return OutputFile(
                name: "\(name.lowercased()).json",
                text: String(decoding: text(of: app, name: name, priority: index), as: UTF8.self))
        }
    }

    /// The app file, with the dynamic rules if those are what its links render to.
    private mutating func text(of app: Draft, name: String, priority: Int) -> [UInt8] {
        let text = text(of: app, name: name, priority: priority, hasDynamicRules: false)
        guard app.hasDynamicRules else { return text }
        let other = self.text(of: app, name: name, priority: priority, hasDynamicRules: true)
        if let rules = app.dynamicRules, let read = AppFile.read(other, file: name).appFile,
            let statements = Renderer.documents(for: [read]).statementBytes,
            let list = StatementList.read(statements, file: name).list,
            list.statements.allSatisfy({ ImportedRules($0.dynamicRules) == rules })
        {
            return other
        }
        remarks.append(
            "there are dynamic rules for Android; an app file makes them from its links, so compare: dynamicRules is left off"
        )
        return text
    }

    private func text(of app: Draft, name: String, priority: Int, hasDynamicRules: Bool) -> [UInt8] {
        var members: [(String, SourceValue)] = [
            ("name", .string(name)), ("hosts", .array(hosts.map { .string($0) })),
        ]
        if priority > 0 { members.append(("priority", .integer(priority))) }
        if let ios = app.ios { members.append(("ios", ios)) }
        if var android = app.android {
            if hasDynamicRules { android.append(("dynamicRules", .bool(true))) }
            members.append(("android", .object(android)))
        }
        if !app.links.isEmpty { members.append(("links", .array(app.links))) }
        return SourceWriter.canonical(.object(members))
    }

    private struct Draft {
        var name: String
        var ios: SourceValue?
        var android: [(String, SourceValue)]?
        /// The dynamic rules that all its statements have; nil where they differ or lack any.
        var dynamicRules: ImportedRules?
        /// Whether any of its statements has them.
        var hasDynamicRules = false
        var links: [SourceValue] = []
    }
}

extension ImportedApps {
    private mutating func appleApps() -> [Draft] {
        guard let association else { return [] }
        var drafts: [Draft] = []
        var linked: Set<String> = []
        for detail in association.applinks?.details ?? [] {
            let good = usable(detail.appIDs)
            let ids = good.filter { linked.insert($0).inserted }
            if ids.count < good.count {
                remarks.append(
                    "an app has two entries in details; only the first is taken, as far as is known like on phones")
            }
            guard !ids.isEmpty else { continue }
            // The services of an app file are those of all its apps.
            for group in groups(ids, association) {
                drafts.append(draft(group, detail, association))
            }
        }
        let others = [association.webcredentials, association.activitycontinuation].compactMap { $0 }
        let rest = others.flatMap { usable($0.apps) }.filter { linked.insert($0).inserted }
        for group in groups(rest, association) { drafts.append(draft(group, nil, association)) }
        let clips = (association.appclips?.apps ?? []).map(\.text).filter { clip in
            !linked.contains { clip.hasPrefix("\($0).") || clip == $0 }
        }
        if !clips.isEmpty {
            remarks.append("no app here has the App Clips \(clips.joined(separator: ", ")); they are left out")
        }
        return drafts
    }

    /// The ids that an app can have.
    private mutating func usable(_ ids: [LocatedText]) -> [String] {
        ids.map(\.text).filter { id in
            if AppID(id) != nil { return true }
            let remark = "\(id) is no app's id, and is left out"
            if !remarks.contains(remark) { remarks.append(remark) }
            return false
        }
    }

    /// The apps that have the same services, in their order.
    private func groups(_ ids: [String], _ association: AppleAssociation) -> [[String]] {
        var groups: [(services: [String], ids: [String])] = []
        for id in ids {
            let services = services(of: id, association)
            if let index = groups.firstIndex(where: { $0.services == services }) {
                groups[index].ids.append(id)
            } else {
                groups.append((services, [id]))
            }
        }
        return groups.map(\.ids)
    }

    private func services(of id: String, _ association: AppleAssociation) -> [String] {
        let linked = association.applinks?.details.contains { $0.appIDs.contains { $0.text == id } } == true
        let has = { (apps: AppleServiceApps?) in apps?.apps.contains { $0.text == id } == true }
        return (linked ? ["applinks"] : []) + (has(association.webcredentials) ? ["webcredentials"] : [])
            + (has(association.activitycontinuation) ? ["activitycontinuation"] : [])
    }

    private mutating func draft(_ ids: [String], _ detail: AppleDetail?, _ association: AppleAssociation) -> Draft {
        var ios: [(String, SourceValue)] = [
            ("appIDs", .array(ids.map { .string($0) })),
            ("services", .array(services(of: ids[0], association).map { .string($0) })),
        ]
        let clips = (association.appclips?.apps ?? []).map(\.text).filter { clip in
            ids.contains { clip.hasPrefix("\($0).") }
        }
        if !clips.isEmpty { ios.append(("appClips", .array(clips.map { .string($0) }))) }
        var draft = Draft(name: ids[0].split(separator: ".").last.map(String.init) ?? "app")
        if let detail, let links = association.applinks {
            if links.hasApps || detail.paths != nil { ios.append(("legacyPaths", .bool(true))) }
            let components = rules(of: detail, links)
            draft.links = components.map { $0.value(includingComment: true) }
            let used = Set(components.flatMap(\.variableNames))
            let variables = links.variables.filter { used.contains(ExactText($0.name)) }
            if !variables.isEmpty {
                ios.append(
                    ("variables", .object(variables.map { ($0.name, .array($0.values.map { .string($0) })) })))
            }
        }
        draft.ios = .object(ios)
        return draft
    }

    /// The rules with everything they inherit written out.
    private mutating func rules(of detail: AppleDetail, _ links: AppleLinks) -> [AppleComponent] {
        let defaults = [detail.defaults, links.defaults].compactMap { $0 }
        if let components = detail.components {
            if detail.paths != nil {
                remarks.append(
                    "an entry has components and paths; the components are taken, and paths are made from them")
            }
            return components.map { $0.inheriting(from: defaults) }
        }
        guard let paths = detail.paths else { return [AppleComponent(path: "*")] }
        return paths.map { AppleComponent(legacyPath: $0.text, defaults: defaults) }
    }
}

extension ImportedApps {
    /// One draft for each set of relations, with all its packages.
    private mutating func androidApps() -> [Draft] {
        guard let list else { return [] }
        if !list.includes.isEmpty { remarks.append("includes are left out; add what they lead to") }
        var drafts: [(relations: [String], packages: [(name: String, prints: [String])], rules: [ImportedRules?])] = []
        for statement in list.statements {
            guard case .androidApp(let package, let fingerprints)? = statement.target else {
                remarks.append(
                    "the statement in line \(statement.range.start.line) is for no Android app, and is left out")
                continue
            }
            let relations = statement.relations.map(\.text)
            let prints = fingerprints.compactMap { Fingerprint(normalising: $0.text)?.text }
            if prints.count < fingerprints.count {
                remarks.append("fingerprints of \(package.text) that are none of SHA-256 are left out")
            }
            let isNamed = !PackageName.problems(in: package.text).contains { $0.severity == .error }
            guard isNamed, !prints.isEmpty else {
                remarks.append("\(package.text) has no usable name or fingerprint, and is left out")
                continue
            }
            // Rules that Android may throw away are some nevertheless.
            let rules = statement.malformedRule == nil ? ImportedRules(statement.dynamicRules) : .unreadable
            guard let index = drafts.firstIndex(where: { $0.relations == relations }) else {
                drafts.append((relations, [(package.text, prints)], [rules]))
                continue
            }
            drafts[index].rules.append(rules)
            if let known = drafts[index].packages.firstIndex(where: { $0.name == package.text }) {
                let more = prints.filter { !drafts[index].packages[known].prints.contains($0) }
                drafts[index].packages[known].prints += more
            } else {
                drafts[index].packages.append((package.text, prints))
            }
        }
        return drafts.map { relations, packages, rules in
            let values = packages.map { package in
                SourceValue.object([
                    ("name", .string(package.name)), ("fingerprints", .array(package.prints.map { .string($0) })),
                ])
            }
            let name = packages[0].name.split(separator: ".").last.map(String.init) ?? "app"
            let first = rules.first ?? nil
            return Draft(
                name: name,
                android: [("packages", .array(values)), ("relations", .array(relations.map { .string($0) }))],
                dynamicRules: rules.allSatisfy { $0 == first } ? first : nil,
                hasDynamicRules: rules.contains { $0 != nil })
        }
    }
}
