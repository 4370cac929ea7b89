// The text of `match`: what each platform does, the rule that decides, and those that came nearest. Apps with the same result and
// the same rules share one answer.

import SourceJSON

/// What a platform does for one or more apps, and why.
private struct PlatformAnswer {
    var platform: String
    var apps: [String]
    var verdict: String
    var lines: [String]

    /// Whether only the apps differ.
    func isSame(as other: PlatformAnswer) -> Bool {
        platform == other.platform && verdict == other.verdict && lines == other.lines
    }

    /// The lines of a rule list. Unless all are wanted, only the two nearest of the rules that did not match.
    static func lines(_ steps: [MatchStep], file: String, detail: LinkMatching.Detail) -> [String] {
        let near = detail == .all ? steps : nearest(of: steps)
        let hidden = steps.count - near.count
        // A line that says that one rule is hidden would save nothing.
        let shown = hidden > 1 ? near : steps
        // Rules of the same line have the same place, which is printed once.
        let places = shown.map { $0.range.map { " (\(file):\($0.start.line))" } ?? "" }
        return shown.indices.map { shown[$0].message + (places[($0 + 1)...].contains(places[$0]) ? "" : places[$0]) }
            + (hidden > 1
                ? ["\(Count.of(hidden, "other rule")) did not match\(detail == .page ? "" : "; --all lists them")"]
                : [])
    }

    private static let nearestMax = 2

    private static func nearest(of steps: [MatchStep]) -> [MatchStep] {
        guard let last = steps.last else { return [] }
        let best = steps.indices.dropLast().sorted { (steps[$1].nearness, $0) < (steps[$0].nearness, $1) }
        return best.prefix(nearestMax).sorted().map { steps[$0] } + [last]
    }
}

extension LinkMatching {
    /// What a text says of rules that do not match.
    package enum Detail {
        case nearest, all
        /// The nearest, for readers who have no command line.
        case page
    }

    package func text(of url: LinkURL, detail: LinkMatching.Detail) -> String {
        var text = "\(url.text)\n"
        if let port = url.port, port > 0, port != (url.scheme == "http" ? 80 : 443) {
            text += "  port \(port) is not compared, and phones fetch the files from port 443 only\n"
        }
        if isKnown, apple.isEmpty, android.isEmpty {
            let name = platform.map { " \($0.name)" } ?? ""
            return text + "no\(name) app in \(origin) handles links to \(url.host)\n"
        }
        func missing(_ platform: Platform) -> String {
            platforms.contains(platform) ? "\(platform.name): no app handles links to \(url.host)\n" : ""
        }
        text += LinkMatching.text(of: apple.map { $0.answer(to: url, detail: detail) })
        if let appleProblem { text += Printable.line("iOS: \(appleProblem)") + "\n" }
        if apple.isEmpty, appleProblem == nil { text += missing(.apple) }
        if let appleDoubt { text += Printable.line("iOS: not certain: \(appleDoubt)") + "\n" }
        text += LinkMatching.text(of: android.flatMap { $0.answers(to: url, detail: detail) })
        if let androidProblem { text += Printable.line("Android: \(androidProblem)") + "\n" }
        if android.isEmpty, androidProblem == nil { text += missing(.android) }
        if let androidDoubt { text += Printable.line("Android: not certain: \(androidDoubt)") + "\n" }
        return text
    }

    private static func text(of answers: [PlatformAnswer]) -> String {
        var distinct: [PlatformAnswer] = []
        for answer in answers {
            if let index = distinct.firstIndex(where: { $0.isSame(as: answer) }) {
                distinct[index].apps += answer.apps
            } else {
                distinct.append(answer)
            }
        }
        return distinct.map { answer in
            let head = "\(answer.platform), \(answer.apps.joined(separator: ", ")): \(answer.verdict)"
            return ([head] + answer.lines.map { "  \($0)" }).map { "\(Printable.line($0))\n" }.joined()
        }.joined()
    }

    static func verdict(_ opens: Bool?) -> String {
        switch opens {
        case true?: "opens the app"
        case false?: "stays in the browser"
        case nil: "its manifest decides"
        }
    }
}

extension LinkMatching.Platform {
    fileprivate var name: String { self == .apple ? "iOS" : "Android" }
}

extension LinkMatching.Apple {
    fileprivate func answer(to url: LinkURL, detail: LinkMatching.Detail) -> PlatformAnswer {
        var answer = ruleAnswer(to: url, detail: detail)
        guard let problem else { return answer }
        answer.verdict = "stays in the browser, because no signed app has this id"
        answer.lines.insert(problem, at: 0)
        return answer
    }

    /// The answer of the rules. It does not claim that a rule opens an app whose id no signed app has.
    private func ruleAnswer(to url: LinkURL, detail: LinkMatching.Detail) -> PlatformAnswer {
        let isValid = problem == nil
        guard case .list(let matcher) = rules else {
            let effect = isValid ? "every URL opens the app" : "it matches every URL"
            return PlatformAnswer(
                platform: "iOS", apps: [appID], verdict: "opens the app",
                lines: ["the entry has no list of rules, so \(effect) (\(file))"])
        }
        let steps = matcher.explain(url).map { isValid ? $0 : $0.withoutApp }
        let unsettled = matcher.unsettled(url).map(matcher.message) + [effectOfOtherEntry(on: url)].compactMap { $0 }
        return PlatformAnswer(
            platform: "iOS", apps: [appID], verdict: LinkMatching.verdict(matcher.decide(url).opens),
            lines: PlatformAnswer.lines(steps, file: file, detail: detail) + unsettled.map { "not settled: \($0)" })
    }

    /// What another entry for the app would change, if it counted as well.
    private func effectOfOtherEntry(on url: LinkURL) -> String? {
        guard case .list(let matcher) = rules, matcher.decide(url) == .none, problem == nil else { return nil }
        let other = others.first { other in
            guard case .list(let matcher) = other.rules else { return true }
            return matcher.decide(url).opens
        }
        return other.map { other in
            "whether the app's other entry, on line \(other.line), counts too; it would open the app"
        }
    }
}

extension MatchStep {
    /// The same without the app that the rule would open.
    fileprivate var withoutApp: MatchStep {
        var step = self
        if outcome == .opens { step.message = message.replacing(", so the app opens", with: "") }
        return step
    }
}

extension LinkMatching.Android {
    /// One answer, or two if Android 14 and earlier, which have no dynamic rules, decide differently.
    fileprivate func answers(to url: LinkURL, detail: LinkMatching.Detail) -> [PlatformAnswer] {
        let byRules = matcher?.decide(url).opens
        let opens = opens(url)
        let older = manifest?.decide(url)
        let olderOpens: Bool? = older.flatMap { $0.outcome == .leftOpen ? nil : $0.outcome == .opens }
        let olderLines = older.map { PlatformAnswer.lines([$0], file: manifest?.file ?? file, detail: .all) }
        var lines = ruleLines(url, detail: detail)
        // A rule that matches opens the app only if the manifest covers the URL.
        if byRules != false { lines += olderLines ?? [] }
        let dependsOnManifest = opens == true && olderOpens == nil
        let verdict = dependsOnManifest ? "opens the app if its manifest covers the URL" : LinkMatching.verdict(opens)
        let (note, isVerified) = acceptance(verdict)
        var answer = PlatformAnswer(platform: "Android", apps: [package], verdict: verdict, lines: note + lines)
        guard isVerified else {
            answer.verdict = "stays in the browser, because no verifier accepts its statement"
            return [answer]
        }
        if opens == olderOpens { return [answer] }
        answer.platform = "Android 15 and later"
        return [
            answer,
            PlatformAnswer(
                platform: "Android 14 and earlier", apps: [package], verdict: LinkMatching.verdict(olderOpens),
                lines: olderLines ?? [
                    detail == .page ? "it is not known here" : "name the manifest with --manifest to see how"
                ]),
        ]
    }

    /// The verifiers that reject all statements of the app, and whether any accepts them.
    private func acceptance(_ verdict: String) -> (lines: [String], isVerified: Bool) {
        guard !rejectedBy.isEmpty else { return ([], true) }
        let isVerified = rejectedBy.count < StatementConsumer.allCases.count
        let names = rejecting.map(\.name)
        let subject = [names.dropLast().joined(separator: ", "), names.last ?? ""].filter { !$0.isEmpty }
        let place = line.map { " (\(file):\($0))" } ?? ""
        let rest = isVerified ? "" : "; once verified: \(verdict)"
        return (
            [
                "\(subject.joined(separator: " and ")) would not verify the app; associated lint shows why\(place)\(rest)"
            ], isVerified
        )
    }

    /// The lines about the dynamic rules.
    private func ruleLines(_ url: LinkURL, detail: LinkMatching.Detail) -> [String] {
        if let malformedRule {
            return PlatformAnswer.lines([malformedRule.step], file: file, detail: .all)
                + ["not settled: \(malformedRule.doubt)"]
        }
        guard let matcher else { return ["there are no dynamic rules (\(file))"] }
        let unsettled =
            matcher.unsettled(url).map(matcher.message) + [effectOfOtherList(on: url, matcher)].compactMap { $0 }
        return PlatformAnswer.lines(matcher.explain(url), file: file, detail: detail)
            + unsettled.map { "not settled: \($0)" }
    }

    /// What another list of rules would change.
    private func effectOfOtherList(on url: LinkURL, _ matcher: AndroidMatcher) -> String? {
        let opens = matcher.decide(url).opens
        guard let other = others.first(where: { $0.matcher.decide(url).opens != opens }) else { return nil }
        let outcome =
            switch other.matcher.decide(url).opens {
            case true: "the URL opens the app"
            case false: "the URL stays in the browser"
            case nil: "the manifest decides"
            }
        return
            "which of the app's lists of dynamic rules counts; by the one on line \(other.line), \(outcome)"
    }
}
