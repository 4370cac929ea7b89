// The files that a check has fetched, read for the decisions of their rules. A file that no system reads has no decision; the
// findings of the check say why.

import Association
import Client
import SourceJSON
import Verifier

struct LinkFiles {
    /// Nil if there is no file that Apple's systems read.
    let apple: [LinkMatching.Apple]?
    let appleCopy: [LinkMatching.Apple]?
    /// Nil if there is no file that Android reads.
    let android: [LinkMatching.Android]?

    init(_ report: ServerCheckReport) {
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
        return LinkMatching.reading(apple: bytes, file: file).association.map { LinkMatching.apple(of: $0, file: file) }
    }

    /// - Parameter sources: the app files that the files are generated from, if they are known.
    func verdicts(on url: LinkURL, from sources: LinkMatching?) -> LinkVerdicts {
        var verdicts = LinkVerdicts()
        verdicts.apple = apple.map { apps in
            RuleVerdict.merged(
                apps.map { app in
                    let source = sources?.apple.first { $0.appID == app.appID }
                    return app.verdict(on: url, source?.place(on: url))
                })
        }
        verdicts.appleCopy = appleCopy.map { apps in RuleVerdict.merged(apps.map { $0.verdict(on: url, nil) }) }
        verdicts.android = android.map { apps in
            RuleVerdict.merged(
                apps.map { app in
                    let source = sources?.android.first { $0.package == app.package }
                    return app.verdict(on: url, source?.place(on: url))
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

/// A rule of an app file that decides about a URL.
private struct RulePlace {
    let path: String?
    /// `config/apps/shop.json:21`
    let text: String

    /// Nil if no rule decides.
    init?(_ step: MatchStep?, file: String) {
        guard let step, let range = step.range else { return nil }
        (path, text) = (step.path, "\(file):\(range.start.line)")
    }
}

extension LinkMatching.Apple {
    fileprivate func place(on url: LinkURL) -> RulePlace? {
        guard case .list(let matcher) = rules else { return nil }
        return RulePlace(matcher.explain(url).last, file: file)
    }

    fileprivate func verdict(on url: LinkURL, _ source: RulePlace?) -> RuleVerdict {
        if let problem { return RuleVerdict([appID], .noApp, "no signed app has this id: \(problem)") }
        guard case .list(let matcher) = rules else {
            return RuleVerdict([appID], .opensApp, "the entry has no list of rules, so every URL opens the app")
        }
        let outcome = matcher.decide(url).opens ? RuleVerdict.Outcome.opensApp : .staysInBrowser
        return RuleVerdict([appID], outcome, matcher.explain(url).reason(from: source))
    }
}

extension LinkMatching.Android {
    fileprivate func place(on url: LinkURL) -> RulePlace? { RulePlace(matcher?.explain(url).last, file: file) }

    fileprivate func verdict(on url: LinkURL, _ source: RulePlace?) -> RuleVerdict {
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
    /// The deciding rule in words, with its path, because one rule of an app file has other numbers in the two published files, and
    /// its place. If no rule matched, also the one that came nearest.
    /// - Parameter source: the rule of the app file that decides; another one than here if the host serves another file.
    fileprivate func reason(from source: RulePlace?) -> String {
        guard let last else { return "there are no rules" }
        let nearest = last.rule == nil ? dropLast().max { $0.nearness < $1.nearness } : nil
        // A file without line ends has no places.
        let line = last.range.map { $0.start.line }.flatMap { $0 > 1 ? "line \($0) of the file" : nil }
        let place = source?.path == last.path ? source?.text ?? line : line
        let details = [last.path.map { "path `\($0)`" }, place].compactMap(\.self).joined(separator: ", ")
        return last.message + (details.isEmpty ? "" : " (\(details))") + (nearest.map { "; \($0.message)" } ?? "")
    }
}
