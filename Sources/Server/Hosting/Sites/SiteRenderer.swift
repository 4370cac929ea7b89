// Renders one site: the documents of its apps, its own files, its pages. The result depends on the source only (except for
// signatures), so hosts can be rendered in parallel and in any order.

import Association
import AssociationLint
import Catalogue
import Certificates
import Posix
import TLS

/// The result of rendering a host.
struct RenderedSite: Sendable {
    /// Nil if there is nothing to serve, or nothing that may be published.
    var site: PreparedSite?
    var findings: [Finding] = []
    /// Whether a document has errors, so that nothing of the host may be published.
    var isRefused = false
    /// Paths that should have an answer and have none.
    var missing: Set<String> = []
    /// Paths of the host's own files that could not be used. A generated document may be served there instead.
    var blocked = BlockedPaths()
    /// Whether no wildcard may answer for the host either.
    var isClosed = false
    /// Whether an app file that another program version accepted cannot be read.
    var isUnreadable = false
    /// Whether a document is to be signed.
    var isSigned = false
    /// The results for the files in its folders.
    var known = KnownFiles()
    /// How many of them were read.
    var readCount = 0
    /// Whether some of them are still to be compressed.
    var isPartlyCompressed = false

    /// Whether there is a site, and nothing to report or remember.
    var isPlain: Bool { site != nil && findings.isEmpty && !isSigned && readCount == 0 }

    /// The findings that explain why the host is not served as its files say.
    var reasons: [Finding] {
        // A file that is not served may have only a warning, among unrelated errors.
        let reasons = findings.filter { $0.severity == .error || $0.rule == .cfg005 }
        return reasons.isEmpty ? findings : reasons
    }

    /// Remembers the results for files, for the next time.
    mutating func remember(_ folders: [SiteFolder], in answers: [String: PreparedAnswer]) {
        for folder in folders {
            known.add(folder.pages.files, in: answers)
            known.add(folder.wellKnown?.files ?? [], in: answers)
        }
    }

    /// The entity tag of an answer; nil if there is none.
    func tag(of path: String) -> String? {
        site?.answers.first { $0.path == path }?.answer.identity.entityTag
    }
}

struct SiteRenderer: Sendable {
    private let signer: DocumentSigner

    init(signer: DocumentSigner) { self.signer = signer }

    /// Reads a host's folders and renders its site. Throws only if descriptors or memory run out.
    func render(_ job: SiteJob, _ folders: HostFolders) throws(SystemError) -> RenderedSite {
        let plan = job.plan
        guard plan.outcome == .rendered, job.apps.count == plan.apps.count else {
            // A wildcard must not answer for a host whose app file is unreadable.
            let isUnreadable = job.apps.count < plan.apps.count
            return RenderedSite(
                isRefused: isUnreadable, isClosed: isUnreadable || plan.outcome == .closed, isUnreadable: isUnreadable)
        }
        var findings: [Finding] = []
        var own: [SiteFolder] = []
        var isPartlyCompressed = false
        for (host, record) in plan.folders.lazy.map({ ($0.host, $0.record) }) {
            var folder = SiteFolder()
            var quota = HostQuota(folders.limits)
            let name = HostFolders.name(of: host)
            if host == plan.host, let finding = folders.hiddenWellKnown(name) { findings.append(finding) }
            if record.wellKnown != nil {
                folder.wellKnown = try WellKnownFiles(
                    of: name, in: folders, known: job.known, quota: &quota, findings: &findings)
            }
            if record.pages != nil {
                folder.pages = try PageSet(of: name, in: folders, known: job.known, quota: &quota, findings: &findings)
            }
            own.append(folder)
            isPartlyCompressed = isPartlyCompressed || quota.compression.isSpent
        }
        var rendered = RenderedSite()
        let files = own.last?.wellKnown
        // A host that no app names needs at least one file of its own.
        if plan.wildcard == nil && !job.apps.isEmpty || files?.answers.isEmpty == false {
            rendered = try render(SiteSource(host: plan.host, apps: job.apps, folders: own))
        } else {
            rendered.blocked = files?.blocked ?? BlockedPaths()
            rendered.remember(own, in: [:])
        }
        rendered.findings = findings + rendered.findings
        rendered.isPartlyCompressed = isPartlyCompressed
        for folder in own {
            rendered.readCount += folder.pages.readCount + (folder.wellKnown?.readCount ?? 0)
        }
        return rendered
    }

    func render(_ source: SiteSource) throws(SystemError) -> RenderedSite {
        var rendered = RenderedSite()
        var answers = pages(source)
        let apps = source.apps
        if !apps.isEmpty, try !addDocuments(source, to: &answers, &rendered) {
            rendered.isRefused = true
            return rendered
        }
        let agreement = PasskeyAgreement(Renderer.mergeOrder(apps.map(\.appFile)))
        for folder in source.folders {
            rendered.missing.formUnion(folder.pages.beingWritten.union(folder.pages.overOpenFileLimit))
            if folder.pages.isOverQuota { rendered.blocked.insertAllPages() }
            guard let wellKnown = folder.wellKnown else { continue }
            rendered.blocked.formUnion(wellKnown.blocked)
            rendered.findings += wellKnown.findings(by: agreement)
            answers.merge(wellKnown.answers) { _, verbatim in verbatim }
        }
        rendered.remember(source.folders, in: answers)
        rendered.missing.subtract(answers.keys)
        let isSinglePageApp = apps.contains { $0.appFile.pages.isSinglePageApp }
        rendered.site = PreparedSite(
            host: source.host, answers: answers.map { ($0.key, $0.value) },
            landings: landings(source, &rendered.findings),
            fallback: isSinglePageApp ? answers["/index.html"] : nil, fallsBackToShared: isSinglePageApp)
        return rendered
    }

    /// The landing pages of the host's apps, with its own template if it has one.
    private func landings(_ source: SiteSource, _ findings: inout [Finding]) -> [PreparedLanding] {
        let template = source.folders.last { $0.pages.landingTemplate != nil }?.pages.landingTemplate
        if template == nil, source.apps.count == 1 { return [source.apps[0].landing].compactMap { $0 } }
        let pageByFile = Dictionary(source.apps.map { ($0.appFile.file, $0.landing) }) { first, _ in first }
        return Renderer.mergeOrder(source.apps.map(\.appFile)).compactMap { app in
            guard let page = pageByFile[app.file] ?? nil, let template else { return pageByFile[app.file] ?? nil }
            if let own = template.page(for: app, rules: page.rules) { return own }
            findings.append(
                LandingTemplate.finding(
                    template.file,
                    "with the values of \(app.file), the page has more than \(LandingTemplate.filledBytesMax) bytes"))
            return page
        }
    }

    private func pages(_ source: SiteSource) -> [String: PreparedAnswer] {
        var all: [String: PreparedAnswer] = [:]
        for folder in source.folders { all.merge(folder.pages.answers) { _, own in own } }
        // Pages must not answer for paths that have a meaning.
        return all.filter { !$0.key.hasPrefix(WellKnownFiles.prefix) && $0.key != AssociationPath.appleRoot }
    }

    /// Adds the association files. Returns false if they must not be published.
    private func addDocuments(
        _ source: SiteSource, to answers: inout [String: PreparedAnswer], _ rendered: inout RenderedSite
    ) throws(SystemError) -> Bool {
        let apps = source.apps
        let ordered = Renderer.mergeOrder(apps.map(\.appFile))
        let documents = Renderer.documents(for: ordered, host: source.host)
        rendered.findings += documents.findings
        if documents.findings.contains(where: { $0.severity == .error }) { return false }
        let modified = apps.map(\.modified).max() ?? 0
        func answer(_ kind: AnswerKind, _ bytes: [UInt8]) -> PreparedAnswer {
            AnswerMaker.answer(
                Document(
                    kind: kind, contentType: "application/json", content: .bytes(bytes),
                    cacheSeconds: documents.cacheSeconds, modified: modified))
        }
        if let bytes = documents.appleBytes {
            let plain = answer(.appleAssociation, bytes)
            var signed: PreparedAnswer?
            if documents.signing != .none {
                rendered.isSigned = true
                signed = try SignedAnswer(host: source.host, apps: apps, cacheSeconds: documents.cacheSeconds)
                    .make(bytes, by: signer, &rendered.findings)
            }
            // If signing failed, neither an unsigned document nor a page may answer at these paths.
            answers[AssociationPath.apple] = documents.signing == .everywhere ? signed : plain
            answers[AssociationPath.appleRoot] = documents.signing == .none ? plain : signed
            rendered.missing = [AssociationPath.apple, AssociationPath.appleRoot]
        }
        if let bytes = documents.statementBytes {
            answers[AssociationPath.statements] = answer(.statementList, bytes)
        }
        for file in PasskeyDocuments(ordered).files { answers[file.path] = answer(.wellKnown, file.bytes) }
        return true
    }
}

/// Request paths of files that cannot be used: unreadable, or phones would reject them. What is live there must stay.
struct BlockedPaths: Sendable {
    private var paths: Set<String> = []
    /// Each with a trailing slash.
    private var folders: [String] = []
    /// Whether all of the host's pages are blocked.
    private var areAllPages = false

    mutating func insert(_ path: String) { paths.insert(path) }

    mutating func insert(folder: String) { folders.append(folder) }

    mutating func insertAllPages() { areAllPages = true }

    mutating func formUnion(_ other: BlockedPaths) {
        paths.formUnion(other.paths)
        folders += other.folders
        areAllPages = areAllPages || other.areAllPages
    }

    func contains(_ path: String) -> Bool {
        // The copy at the root is made from the file in `well-known`.
        let path = path == AssociationPath.appleRoot ? AssociationPath.apple : path
        if areAllPages, !path.hasPrefix(WellKnownFiles.prefix) { return true }
        return paths.contains(path) || folders.contains { path.hasPrefix($0) }
    }
}
