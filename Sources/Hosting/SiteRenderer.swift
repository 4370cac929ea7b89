// Makes one site: documents of its apps, files of its own, pages. A function of its source alone but for signatures, so any
// number of hosts can be made beside each other, in any order, and one again when only that one has changed.

import Association
import Catalogue
import Posix
import TLS

/// What rendering a host gave.
struct RenderedSite: Sendable {
    /// Nil when there is nothing to serve, or nothing that may be published.
    var site: PreparedSite?
    var findings: [Finding] = []
    /// Its documents must not be published.
    var isRefused = false
    /// An app file is the reason, and its findings say so.
    var isFileToBlame = false
    /// Paths of documents that were to be there and could not be made.
    var missing: Set<String> = []
    /// What the host has files of its own for that are not served. Something else may stand in for it.
    var withheld = WithheldPaths()
    /// The host belongs to another environment, so no wildcard may answer for it.
    var isClosed = false
    /// Whether any of its documents is to be signed.
    var isSigned = false
    /// What came of the files in its folders.
    var known = KnownFiles()
    /// How many of them were read.
    var readCount = 0
    /// Why it is not whole, when nothing on disk is to blame for it.
    var shortage: SystemError?

    /// Whether everything is there that somebody put there.
    var isWhole: Bool { !isRefused && missing.isEmpty && withheld.isEmpty }

    /// What there is to say to somebody who asks why it is not in service.
    var reasons: [Finding] {
        // A file that is not served may be the reason with no more than a warning, beside errors that are none.
        let reasons = findings.filter { $0.severity == .error || $0.rule == "CFG-005" }
        return reasons.isEmpty ? findings : reasons
    }

    /// Remembers what came of the files in folders, for the next time.
    mutating func remember(_ folders: [SiteFolder], in answers: [String: PreparedAnswer]) {
        for folder in folders {
            known.add(folder.pages.made, in: answers)
            known.add(folder.wellKnown?.made ?? [], in: answers)
        }
    }

    /// The entity tag of an answer; nil where there is none.
    func tag(of path: String) -> String? {
        site?.answers.first { $0.path == path }?.answer.identity.entityTag
    }
}

extension RenderedSite {
    /// A host that cannot be made because another program's last good version of an app file cannot be read.
    init(unreadable file: String) {
        isRefused = true
        isFileToBlame = true
        findings = [
            Finding(
                rule: "APP-001", severity: .error, file: file, range: nil,
                message:
                    "this version of the server cannot read the last good version of the app file, so its hosts stay "
                    + "as they are",
                fix: "mend the app file")
        ]
    }
}

struct SiteRenderer: Sendable {
    private let signer: DocumentSigner

    init(signer: DocumentSigner) { self.signer = signer }

    func render(_ source: SiteSource) -> RenderedSite {
        var rendered = RenderedSite()
        var answers = pages(source)
        let apps = source.apps
        guard apps.isEmpty || addDocuments(source, to: &answers, &rendered) else {
            rendered.isRefused = true
            return rendered
        }
        for folder in source.folders {
            rendered.missing.formUnion(folder.pages.refused.union(folder.pages.crowdedOut))
            if folder.pages.isOverShare { rendered.withheld.insertAllPages() }
            guard let wellKnown = folder.wellKnown else { continue }
            rendered.withheld.formUnion(wellKnown.withheld)
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

    /// The landing pages of the host's apps, made of its own template where it has one.
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
                    "with the values of \(app.file) the page has more than \(LandingTemplate.filledBytesMax) bytes"))
            return page
        }
    }

    private func pages(_ source: SiteSource) -> [String: PreparedAnswer] {
        var all: [String: PreparedAnswer] = [:]
        for folder in source.folders { all.merge(folder.pages.answers) { _, own in own } }
        // Nothing under this prefix is ever a page: a stray file there would answer for a name that has a meaning.
        return all.filter { !$0.key.hasPrefix(WellKnownFiles.prefix) && $0.key != AssociationPath.appleRoot }
    }

    /// Adds the association files. False when what was rendered must not be published.
    private func addDocuments(
        _ source: SiteSource, to answers: inout [String: PreparedAnswer], _ rendered: inout RenderedSite
    ) -> Bool {
        let apps = source.apps
        let documents = Renderer.documents(for: Renderer.mergeOrder(apps.map(\.appFile)), host: source.host)
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
                signed = SignedAnswer(host: source.host, apps: apps, cacheSeconds: documents.cacheSeconds)
                    .make(bytes, by: signer, &rendered.findings, &rendered.shortage)
            }
            // What is to be signed and cannot be is not there, not even unsigned, nor as a page of that name.
            answers[AssociationPath.apple] = documents.signing == .everywhere ? signed : plain
            answers[AssociationPath.appleRoot] = documents.signing == .none ? plain : signed
            rendered.missing = [AssociationPath.apple, AssociationPath.appleRoot]
        }
        if let bytes = documents.statementBytes {
            answers[AssociationPath.statements] = answer(.statementList, bytes)
        }
        return true
    }
}
