// The answer of `match` for a person: what each platform does, the rule that decides, and those that came nearest. Apps that
// are decided alike by the same rules share one answer.

import Association
import SourceJSON

/// What a platform does for one app, and why.
private struct MatchStory {
    var platform: String
    var apps: [String]
    var verdict: String
    var lines: [String]

    func says(what other: MatchStory) -> Bool {
        platform == other.platform && verdict == other.verdict && lines == other.lines
    }

    /// The lines of a rule list. Without `listsAll`, of the rules that failed the two nearest, each app-file rule once.
    static func lines(_ steps: [MatchStep], file: String, listsAll: Bool) -> [String] {
        let near = listsAll ? steps : nearest(of: steps)
        let hidden = steps.count - near.count
        // The line about one that is hidden would be no shorter than its own.
        let shown = hidden > 1 ? near : steps
        // A list that stands in one line has one place.
        let places = shown.map { $0.range.map { " (\(file):\($0.start.line))" } ?? "" }
        return shown.indices.map { shown[$0].message + (places[($0 + 1)...].contains(places[$0]) ? "" : places[$0]) }
            + (hidden > 1 ? ["\(Count.of(hidden, "other rule")) did not match; --all lists them"] : [])
    }

    private static let nearestMax = 2

    private static func nearest(of steps: [MatchStep]) -> [MatchStep] {
        guard let last = steps.last else { return [] }
        var seen: Set<Int> = []
        if let place = last.range?.start.offset { seen.insert(place) }
        let best = steps.indices.dropLast().sorted { (steps[$1].nearness, $0) < (steps[$0].nearness, $1) }
        let kept = best.filter { index in steps[index].range.map { seen.insert($0.start.offset).inserted } ?? true }
        return kept.prefix(nearestMax).sorted().map { steps[$0] } + [last]
    }
}

extension LinkMatching {
    func text(of url: LinkURL, listsAll: Bool) -> String {
        var text = "\(url.text)\n"
        if isKnown, apple.isEmpty, android.isEmpty {
            return text + "no app: \(origin) has none for the links of \(url.host)\n"
        }
        text += LinkMatching.text(of: apple.map { $0.story(of: url, listsAll: listsAll) })
        if let appleProblem { text += Printable.line("iOS: not known: \(appleProblem)") + "\n" }
        text += LinkMatching.text(of: android.flatMap { $0.stories(of: url, listsAll: listsAll) })
        if let androidProblem { text += Printable.line("Android: not known: \(androidProblem)") + "\n" }
        return text
    }

    private static func text(of stories: [MatchStory]) -> String {
        var told: [MatchStory] = []
        for story in stories {
            if let index = told.firstIndex(where: { $0.says(what: story) }) {
                told[index].apps += story.apps
            } else {
                told.append(story)
            }
        }
        return told.map { story in
            let head = "\(story.platform), \(story.apps.joined(separator: ", ")): \(story.verdict)"
            return ([head] + story.lines.map { "  \($0)" }).map { "\(Printable.line($0))\n" }.joined()
        }.joined()
    }

    fileprivate static func verdict(_ opens: Bool?) -> String {
        switch opens {
        case true?: "opens the app"
        case false?: "stays in the browser"
        case nil: "its manifest decides"
        }
    }
}

extension LinkMatching.Apple {
    fileprivate func story(of url: LinkURL, listsAll: Bool) -> MatchStory {
        var story = ruleStory(of: url, listsAll: listsAll)
        guard let problem else { return story }
        story.verdict = "stays in the browser, as no signed app has this id"
        story.lines.insert(problem, at: 0)
        return story
    }

    /// What the rules make of a URL.
    private func ruleStory(of url: LinkURL, listsAll: Bool) -> MatchStory {
        guard case .list(let matcher) = rules else {
            return MatchStory(
                platform: "iOS", apps: [appID], verdict: "opens the app",
                lines: ["the entry has no list of rules, so every URL opens the app (\(file))"])
        }
        let doubts = matcher.unsettled(url).map(\.message) + [doubt(about: url)].compactMap { $0 }
        return MatchStory(
            platform: "iOS", apps: [appID], verdict: LinkMatching.verdict(matcher.decide(url).opens),
            lines: MatchStory.lines(matcher.explain(url), file: file, listsAll: listsAll)
                + doubts.map { "not settled: \($0)" })
    }

    /// What a further entry for the app would change, if it counts after this one.
    private func doubt(about url: LinkURL) -> String? {
        guard case .list(let matcher) = rules, matcher.decide(url) == .none else { return nil }
        let other = others.first { other in
            guard case .list(let matcher) = other.rules else { return true }
            return matcher.decide(url).opens
        }
        return other.map { other in
            "whether the app's further entry, in line \(other.line), counts too; by that one the URL opens the app"
        }
    }
}

extension LinkMatching.Android {
    /// One answer, or two where older versions, which know no dynamic rules, do something else.
    fileprivate func stories(of url: LinkURL, listsAll: Bool) -> [MatchStory] {
        let byRules = matcher?.decide(url).opens
        let opens = opens(url)
        let older = manifest?.decide(url)
        let olderOpens: Bool? = older.flatMap { $0.outcome == .leftOpen ? nil : $0.outcome == .opens }
        let olderLines = older.map { MatchStory.lines([$0], file: manifest?.file ?? file, listsAll: true) }
        var lines = ruleLines(url, listsAll: listsAll)
        if byRules == nil || opens != byRules { lines += olderLines ?? [] }
        let (note, isVerified) = acceptance(opens)
        var story = MatchStory(
            platform: "Android", apps: [package], verdict: LinkMatching.verdict(opens), lines: note + lines)
        guard isVerified else {
            story.verdict = "stays in the browser, as no verifier accepts its statement"
            return [story]
        }
        if opens == olderOpens { return [story] }
        story.platform = "Android 15 and later"
        return [
            story,
            MatchStory(
                platform: "Android 14 and earlier", apps: [package], verdict: LinkMatching.verdict(olderOpens),
                lines: olderLines ?? ["--manifest FILE tells how"]),
        ]
    }

    /// Which verifiers accept nothing that the list says of the app, and whether there are others.
    private func acceptance(_ opens: Bool?) -> (lines: [String], isVerified: Bool) {
        guard !rejectedBy.isEmpty else { return ([], true) }
        let isVerified = rejectedBy.count < StatementConsumer.allCases.count
        let names = rejecting.map(\.name)
        let subject = [names.dropLast().joined(separator: ", "), names.last ?? ""].filter { !$0.isEmpty }
        let place = line.map { " (\(file):\($0))" } ?? ""
        let rest = isVerified ? "" : "; once verified: \(LinkMatching.verdict(opens))"
        return (
            [
                "\(subject.joined(separator: " and ")) would not verify the app; associated lint shows why\(place)\(rest)"
            ], isVerified
        )
    }

    /// What the rules make of a URL.
    private func ruleLines(_ url: LinkURL, listsAll: Bool) -> [String] {
        if let malformedRule {
            return MatchStory.lines([malformedRule.step], file: file, listsAll: true)
                + ["not settled: \(malformedRule.unsettled.message)"]
        }
        guard let matcher else { return ["there are no dynamic rules (\(file))"] }
        let doubts = matcher.unsettled(url).map(\.message) + [doubt(about: url, matcher)].compactMap { $0 }
        return MatchStory.lines(matcher.explain(url), file: file, listsAll: listsAll)
            + doubts.map { "not settled: \($0)" }
    }

    /// What a further list of rules would change.
    private func doubt(about url: LinkURL, _ matcher: AndroidMatcher) -> String? {
        let opens = matcher.decide(url).opens
        guard let other = others.first(where: { $0.matcher.decide(url).opens != opens }) else { return nil }
        let outcome =
            switch other.matcher.decide(url).opens {
            case true: "the URL opens the app"
            case false: "the URL stays in the browser"
            case nil: "the manifest decides"
            }
        return
            "which of the app's lists of dynamic rules counts is undefined; by the one in line \(other.line) \(outcome)"
    }
}
