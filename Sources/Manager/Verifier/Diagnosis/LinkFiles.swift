// The files that a check has fetched, read for the decisions of their rules. A file that no system reads has no decision; the
// findings of the check say why.

package import Association
import Client
import SourceJSON

package struct LinkFiles {
    /// Nil if there is no file that Apple's systems read.
    package let apple: [LinkMatching.Apple]?
    package let appleCopy: [LinkMatching.Apple]?
    /// Nil if there is no file that Android reads.
    package let android: [LinkMatching.Android]?

    package init(_ report: ServerCheckReport) {
        apple = LinkFiles.body(AssociationPath.apple, report).flatMap { LinkFiles.apple($0, report) }
        appleCopy = report.appleCopy.flatMap { LinkFiles.apple($0, report) }
        android = LinkFiles.body(AssociationPath.statements, report).flatMap { bytes in
            let file = "https://\(report.host)\(AssociationPath.statements)"
            return StatementList.read(bytes, file: file).list.map { LinkMatching.android(of: $0, file: file) }
        }
    }

    private static func body(_ path: String, _ report: ServerCheckReport) -> [UInt8]? {
        report.files.first { $0.path == path }?.body
    }

    private static func apple(_ bytes: [UInt8], _ report: ServerCheckReport) -> [LinkMatching.Apple]? {
        let file = "https://\(report.host)\(AssociationPath.apple)"
        return AppleAssociation.read(CopyAnswer.plain(bytes), file: file).association.map {
            LinkMatching.apple(of: $0, file: file)
        }
    }

    /// - Parameter sources: the app files that the files are generated from, if they are known.
    package func verdicts(on url: LinkURL, from sources: LinkMatching?) -> LinkVerdicts {
        var verdicts = LinkVerdicts()
        verdicts.apple = apple.map { apps in
            RuleVerdict.merged(
                apps.map { app in
                    let source = sources?.apple.first { $0.appID == app.appID }
                    return app.verdict(on: url, source?.appFileSteps(on: url))
                })
        }
        verdicts.appleCopy = appleCopy.map { apps in RuleVerdict.merged(apps.map { $0.verdict(on: url, nil) }) }
        verdicts.android = android.map { apps in
            RuleVerdict.merged(
                apps.map { app in
                    let source = sources?.android.first { $0.package == app.package }
                    return app.verdict(on: url, source?.appFileSteps(on: url))
                })
        }
        return verdicts
    }
}

extension RuleVerdict {
    /// The same with one verdict for apps that differ only in their ids.
    fileprivate static func merged(_ verdicts: [RuleVerdict]) -> [RuleVerdict] {
        var distinct: [RuleVerdict] = []
        for verdict in verdicts {
            let index = distinct.firstIndex { $0.outcome == verdict.outcome && $0.message == verdict.message }
            if let index { distinct[index].apps += verdict.apps } else { distinct.append(verdict) }
        }
        return distinct
    }
}

/// What the rules of an app file decide about a URL.
private struct AppFileSteps {
    let steps: [MatchStep]
    let file: String
}

extension LinkMatching.Apple {
    fileprivate func appFileSteps(on url: LinkURL) -> AppFileSteps? {
        guard case .list(let matcher) = rules else { return nil }
        return AppFileSteps(steps: matcher.explain(url), file: file)
    }

    fileprivate func verdict(on url: LinkURL, _ source: AppFileSteps?) -> RuleVerdict {
        if let problem { return RuleVerdict([appID], .noApp, "no signed app has this id: \(problem)") }
        guard case .list(let matcher) = rules else {
            return RuleVerdict([appID], .opensApp, "the entry has no list of rules, so every URL opens the app")
        }
        let outcome = matcher.decide(url).opens ? RuleVerdict.Outcome.opensApp : .staysInBrowser
        return RuleVerdict([appID], outcome, matcher.explain(url).reason(from: source))
    }
}

extension LinkMatching.Android {
    fileprivate func appFileSteps(on url: LinkURL) -> AppFileSteps? {
        matcher.map { AppFileSteps(steps: $0.explain(url), file: file) }
    }

    fileprivate func verdict(on url: LinkURL, _ source: AppFileSteps?) -> RuleVerdict {
        guard rejectedBy.count < StatementConsumer.allCases.count else {
            return RuleVerdict([package], .noApp, "no verifier accepts its statement; associated lint shows why")
        }
        if let malformedRule { return RuleVerdict([package], .manifestDecides, malformedRule.step.message) }
        guard let matcher else {
            return RuleVerdict([package], .manifestDecides, "the file has no rules, so the app's manifest decides")
        }
        let outcome: RuleVerdict.Outcome =
            switch matcher.decide(url).opens {
            case true: .opensApp
            case false: .staysInBrowser
            case nil: .manifestDecides
            }
        return RuleVerdict([package], outcome, matcher.explain(url).reason(from: source))
    }
}

extension [MatchStep] {
    /// The deciding rule in words, with its path and its place. If no rule matched, also the one that came nearest.
    /// - Parameter source: the app file; its own words are used if it decides alike, which it does not if the host serves another file.
    fileprivate func reason(from source: AppFileSteps?) -> String {
        if let source, let known = source.steps.last, known.isAlike(last) {
            return source.steps.reason(in: source.file)
        }
        return reason(in: nil)
    }

    /// - Parameter file: the app file that the steps are of; nil for the file that the host serves.
    private func reason(in file: String?) -> String {
        guard let last else { return "there are no rules" }
        let nearest = last.rule == nil ? dropLast().max { $0.nearness < $1.nearness } : nil
        let place = last.range.map { $0.start.line }.flatMap { line in
            // A published file without line ends has no places.
            file.map { "\($0):\(line)" } ?? (line > 1 ? "line \(line) of the file" : nil)
        }
        let details = [last.path.map { "path `\($0)`" }, place].compactMap(\.self).joined(separator: ", ")
        return last.message + (details.isEmpty ? "" : " (\(details))") + (nearest.map { "; \($0.message)" } ?? "")
    }
}

extension MatchStep {
    /// Whether another list decides by the same rule, or by none like this one. Rules have other numbers in published lists.
    fileprivate func isAlike(_ other: MatchStep?) -> Bool {
        outcome == other?.outcome && path == other?.path && (rule == nil) == (other?.rule == nil)
    }
}
