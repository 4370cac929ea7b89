// Which apps may open the links of a host, each with its rules ready to decide, and what they say about a URL. A rule is
// named by its index in the list that decided.

import Association
import SourceJSON

struct LinkMatching {
    /// An app and its rules on Apple's systems.
    struct Apple {
        let appID: String
        let rules: Rules
        let file: String
        /// Further entries for the app, which are taken as not being there.
        var others: [(rules: Rules, line: Int)] = []

        enum Rules {
            case list(AppleMatcher)
            /// An entry without any list, which matches everything.
            case everything
        }
    }

    /// An app and its rules on Android; without rules its manifest decides.
    struct Android {
        let package: String
        let matcher: AndroidMatcher?
        /// Further lists of dynamic rules for the app.
        var others: [(matcher: AndroidMatcher, line: Int)] = []
        /// The rule for whose sake there is no matcher although there are rules.
        var malformedRule: MalformedRule?
        let file: String
        /// The line of its first statement, where there is one.
        var line: Int?
        /// The consumers that would verify no app by what the list says of it.
        var rejectedBy = Set<StatementConsumer>()
    }

    var apple: [Apple] = []
    var android: [Android] = []
    /// Why nobody knows what a platform does; nil where that is known.
    var appleProblem: String?
    var androidProblem: String?
    /// Where the rules are from, for a host that has none.
    let origin: String

    /// Whether the answer is the whole one.
    var isKnown: Bool { appleProblem == nil && androidProblem == nil }

    init(origin: String) { self.origin = origin }

    /// The apps of a host, in merge order.
    init(of apps: [AppFile], configPath: String) {
        origin = configPath
        for app in apps {
            if let ios = app.ios, let matcher = app.appleMatcher {
                apple += ios.appIDs.map { Apple(appID: $0, rules: .list(matcher), file: app.file) }
            }
            if let android = app.android, android.relations.contains(AndroidApp.handleAllURLs) {
                let matcher = app.androidMatcher
                self.android += android.packages.map { Android(package: $0.name, matcher: matcher, file: app.file) }
            }
        }
    }

    /// One entry for each app, in the order of the file; of several entries for one app the first counts.
    static func apple(of association: AppleAssociation, file: String) -> [Apple] {
        guard let links = association.applinks else { return [] }
        var apps: [Apple] = []
        var places: [ExactText: Int] = [:]
        for detail in links.details {
            let hasList = detail.components != nil || detail.paths != nil
            let rules = hasList ? Apple.Rules.list(detail.matcher(in: links)) : .everything
            for id in detail.appIDs {
                if let index = places[ExactText(id.text)] {
                    apps[index].others.append((rules, detail.range.start.line))
                } else {
                    places[ExactText(id.text)] = apps.count
                    apps.append(Apple(appID: id.text, rules: rules, file: file))
                }
            }
        }
        return apps
    }

    /// The apps that may open links. Dynamic rules count wherever they stand for a package.
    static func android(of list: StatementList, file: String) -> [Android] {
        var apps: [Android] = []
        var places: [ExactText: Int] = [:]
        for statement in list.statements
        where statement.relations.contains(where: { $0.text == AndroidApp.handleAllURLs }) {
            guard case .androidApp(let package, _)? = statement.target else { continue }
            let acceptance = list.acceptance(of: statement, for: AndroidApp.handleAllURLs)
            var app = Android(
                package: package.text, matcher: statement.dynamicRules.map { AndroidMatcher(rules: $0) },
                malformedRule: statement.malformedRule, file: file, line: statement.range.start.line,
                rejectedBy: Set(StatementConsumer.allCases).subtracting(acceptance))
            guard let index = places[ExactText(app.package)] else {
                places[ExactText(app.package)] = apps.count
                apps.append(app)
                continue
            }
            // One statement is enough to be verified by.
            app.rejectedBy.formIntersection(apps[index].rejectedBy)
            apps[index].rejectedBy = app.rejectedBy
            app.line = apps[index].line
            if apps[index].matcher != nil, let matcher = app.matcher {
                apps[index].others.append((matcher, statement.range.start.line))
            }
            if apps[index].matcher == nil, app.matcher != nil || apps[index].malformedRule == nil { apps[index] = app }
        }
        return apps
    }
}

extension LinkMatching {
    /// The answer as one line of JSON. A platform of which nothing is known has no member in it, and `error` says why.
    func appendJSON(of url: LinkURL, written: String, to output: inout [UInt8]) {
        output += #"{"url":"#.utf8
        SourceWriter.append(quoted: written, to: &output)
        if appleProblem == nil {
            output += #","apple":["#.utf8
            for (index, app) in apple.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                output += #"{"appID":"#.utf8
                SourceWriter.append(quoted: app.appID, to: &output)
                let (word, rule) = app.decide(url)
                LinkMatching.append(word, rule, to: &output)
                output.append(UInt8(ascii: "}"))
            }
            output.append(UInt8(ascii: "]"))
        }
        if androidProblem == nil {
            output += #","android":["#.utf8
            for (index, app) in android.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                output += #"{"package":"#.utf8
                SourceWriter.append(quoted: app.package, to: &output)
                let (word, rule) = app.decide(url)
                LinkMatching.append(word, rule, to: &output)
                if !app.rejectedBy.isEmpty {
                    let consumers = app.rejecting.map { SourceWriter.quoted($0.rawValue) }.joined(separator: ",")
                    output += #","rejectedBy":[\#(consumers)]"#.utf8
                }
                output.append(UInt8(ascii: "}"))
            }
            output.append(UInt8(ascii: "]"))
        }
        if let problem = appleProblem ?? androidProblem {
            output += #","error":"#.utf8
            SourceWriter.append(quoted: Printable.line(problem), to: &output)
        }
        output += "}\n".utf8
    }

    private static func append(_ word: String, _ rule: Int?, to output: inout [UInt8]) {
        output += #","decision":""#.utf8
        output += word.utf8
        output += #"","rule":"#.utf8
        output += (rule.map { String($0) } ?? "null").utf8
    }

    /// The answer for a person, with the reasons.
    func text(of url: LinkURL) -> String {
        var text = "\(url.text)\n"
        if isKnown, apple.isEmpty, android.isEmpty {
            return text + "no app: \(origin) has none for the links of \(url.host)\n"
        }
        for app in apple { text += app.text(of: url) }
        if let appleProblem { text += Printable.line("iOS: not known: \(appleProblem)") + "\n" }
        for app in android { text += app.text(of: url) }
        if let androidProblem { text += Printable.line("Android: not known: \(androidProblem)") + "\n" }
        return text
    }

    fileprivate static func lines(
        _ head: String, _ steps: [MatchStep], _ unsettled: [String], file: String
    ) -> String {
        var lines = [head]
        for step in steps {
            let place = step.range.map { " (\(file):\($0.start.line))" } ?? ""
            lines.append("  \(step.message)\(place)")
        }
        for doubt in unsettled { lines.append("  not settled: \(doubt)") }
        return lines.map { "\(Printable.line($0))\n" }.joined()
    }
}

extension LinkMatching.Apple {
    func decide(_ url: LinkURL) -> (word: String, rule: Int?) {
        guard case .list(let matcher) = rules else { return ("match", nil) }
        switch matcher.decide(url) {
        case .match(let rule): return ("match", matcher.number(of: rule))
        case .exclude(let rule): return ("exclude", matcher.number(of: rule))
        case .none: return ("none", nil)
        }
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

    func text(of url: LinkURL) -> String {
        guard case .list(let matcher) = rules else {
            return
                "iOS, \(appID): opens the app\n  the entry has no list of rules, so every URL opens the app (\(file))\n"
        }
        let head = "iOS, \(appID): \(matcher.decide(url).opens ? "opens the app" : "stays in the browser")"
        return LinkMatching.lines(
            head, matcher.explain(url), matcher.unsettled(url).map(\.message) + [doubt(about: url)].compactMap { $0 },
            file: file)
    }
}

extension LinkMatching.Android {
    func decide(_ url: LinkURL) -> (word: String, rule: Int?) {
        guard let matcher else { return ("manifest", nil) }
        switch matcher.decide(url) {
        case .allow(let rule): return ("allow", rule)
        case .block(let rule): return ("block", rule)
        case .none: return ("none", nil)
        case .manifest: return ("manifest", nil)
        }
    }

    /// Those that do not accept what the list says of the app, in their order.
    var rejecting: [StatementConsumer] { StatementConsumer.allCases.filter(rejectedBy.contains) }

    func text(of url: LinkURL) -> String {
        let (outcome, steps, unsettled) = story(of: url)
        guard !rejectedBy.isEmpty else {
            return LinkMatching.lines("Android, \(package): \(outcome)", steps, unsettled, file: file)
        }
        let isVerified = rejectedBy.count < StatementConsumer.allCases.count
        let head = isVerified ? outcome : "stays in the browser, as no verifier accepts its statement"
        let names = rejecting.map(\.name)
        let subject = [names.dropLast().joined(separator: ", "), names.last ?? ""].filter { !$0.isEmpty }
        let place = line.map { " (\(file):\($0))" } ?? ""
        let reason =
            "\(subject.joined(separator: " and ")) would not verify the app; associated lint shows why\(place)"
        let rest = isVerified ? "" : "; once verified: \(outcome)"
        return LinkMatching.lines(
            "Android, \(package): \(head)", [MatchStep(rule: nil, outcome: .leftOpen, message: reason + rest)] + steps,
            unsettled, file: file)
    }

    /// What the rules make of a URL.
    private func story(of url: LinkURL) -> (outcome: String, steps: [MatchStep], unsettled: [String]) {
        let manifest = "its manifest decides"
        if let malformedRule { return (manifest, [malformedRule.step], [malformedRule.unsettled.message]) }
        guard let matcher else {
            let step = MatchStep(rule: nil, outcome: .leftOpen, message: "there are no dynamic rules (\(file))")
            return (manifest, [step], [])
        }
        let outcome =
            switch matcher.decide(url).opens {
            case true: "opens the app"
            case false: "stays in the browser"
            case nil: manifest
            }
        let doubts = matcher.unsettled(url).map(\.message) + [doubt(about: url, matcher)].compactMap { $0 }
        return (outcome, matcher.explain(url), doubts)
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
