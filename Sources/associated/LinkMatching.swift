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
        /// The rule for whose sake there is no matcher although there are rules.
        var malformedRule: MalformedRule?
        let file: String
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
        var seen: Set<ExactText> = []
        return links.details.flatMap { detail in
            let hasList = detail.components != nil || detail.paths != nil
            let rules = hasList ? Apple.Rules.list(detail.matcher(in: links)) : .everything
            return detail.appIDs.filter { seen.insert(ExactText($0.text)).inserted }.map {
                Apple(appID: $0.text, rules: rules, file: file)
            }
        }
    }

    /// The apps that may open links. Dynamic rules count wherever they stand for a package.
    static func android(of list: StatementList, file: String) -> [Android] {
        var apps: [Android] = []
        var places: [ExactText: Int] = [:]
        for statement in list.statements
        where statement.relations.contains(where: { $0.text == AndroidApp.handleAllURLs }) {
            guard case .androidApp(let package, _)? = statement.target else { continue }
            let app = Android(
                package: package.text, matcher: statement.dynamicRules.map { AndroidMatcher(rules: $0) },
                malformedRule: statement.malformedRule, file: file)
            guard let index = places[ExactText(app.package)] else {
                places[ExactText(app.package)] = apps.count
                apps.append(app)
                continue
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
        output.append(UInt8(ascii: "}"))
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
        _ head: String, _ steps: [MatchStep], _ unsettled: [UnsettledPoint], file: String
    ) -> String {
        var lines = [head]
        for step in steps {
            let place = step.range.map { " (\(file):\($0.start.line))" } ?? ""
            lines.append("  \(step.message)\(place)")
        }
        for point in unsettled { lines.append("  not settled: \(point.message)") }
        return lines.map { "\(Printable.line($0))\n" }.joined()
    }
}

extension LinkMatching.Apple {
    func decide(_ url: LinkURL) -> (word: String, rule: Int?) {
        guard case .list(let matcher) = rules else { return ("match", nil) }
        switch matcher.decide(url) {
        case .match(let rule): return ("match", rule)
        case .exclude(let rule): return ("exclude", rule)
        case .none: return ("none", nil)
        }
    }

    func text(of url: LinkURL) -> String {
        guard case .list(let matcher) = rules else {
            return
                "iOS, \(appID): opens the app\n  the entry has no list of rules, so every URL opens the app (\(file))\n"
        }
        let head = "iOS, \(appID): \(matcher.decide(url).opens ? "opens the app" : "stays in the browser")"
        return LinkMatching.lines(head, matcher.explain(url), matcher.unsettled(url), file: file)
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

    func text(of url: LinkURL) -> String {
        let manifest = "Android, \(package): its manifest decides"
        if let malformedRule {
            return LinkMatching.lines(manifest, [malformedRule.step], [malformedRule.unsettled], file: file)
        }
        guard let matcher else { return "\(manifest)\n  there are no dynamic rules (\(file))\n" }
        let head =
            switch matcher.decide(url).opens {
            case true: "Android, \(package): opens the app"
            case false: "Android, \(package): stays in the browser"
            case nil: manifest
            }
        return LinkMatching.lines(head, matcher.explain(url), matcher.unsettled(url), file: file)
    }
}
