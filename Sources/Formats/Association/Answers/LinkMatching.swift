// The apps that may open the links of a host, each with its rules, and their decisions about a URL. The rules come from app
// files or from published association files. An answer distinguishes a file that could not be read from one that names no
// app.

import SourceJSON

package struct LinkMatching {
    /// An app and its rules on Apple's systems.
    package struct Apple {
        package let appID: String
        package let rules: Rules
        package let file: String
        /// Why no signed app can have the id; nil for a valid one.
        package let problem: String?
        /// Further entries for the same app, which do not count.
        var others: [(rules: Rules, line: Int)] = []

        init(appID: String, rules: Rules, file: String) {
            (self.appID, self.rules, self.file) = (appID, rules, file)
            problem = AppID.problems(in: appID).first { $0.severity == .error }?.message
        }

        package enum Rules {
            case list(AppleMatcher)
            /// An entry without a list matches every URL.
            case everything
        }
    }

    /// An app and its rules on Android; without rules its manifest decides.
    package struct Android {
        package let package: String
        package let matcher: AndroidMatcher?
        /// Further lists of dynamic rules for the app.
        var others: [(matcher: AndroidMatcher, line: Int)] = []
        /// The manifest, which decides on Android 14 and earlier; nil if not known.
        package var manifest: AndroidManifest?
        /// The malformed rule because of which there is no matcher.
        package var malformedRule: MalformedRule?
        package let file: String
        /// The line of its first statement; nil for an app file.
        var line: Int?
        /// The consumers that reject all its statements, whatever its certificate.
        package var rejectedBy = Set<StatementConsumer>()
    }

    package enum Platform: String, CaseIterable {
        case apple, android
    }

    package var apple: [Apple] = []
    package var android: [Android] = []
    /// Whether the manifest is that of `--manifest`.
    package private(set) var hasOwnManifest = false
    /// Why the answer for a platform is unknown; nil if it is known.
    package var appleProblem: String?
    package var androidProblem: String?
    /// What makes a published file ambiguous, so that readers may decide differently; nil if nothing does.
    package private(set) var appleDoubt: String?
    package private(set) var androidDoubt: String?
    /// The only platform that is answered for; nil for both.
    package private(set) var platform: Platform?
    /// The platforms on which an app can be expected: those whose rules are given.
    package var platforms: Set<Platform> = [.apple, .android]
    /// The source of the rules, for messages.
    package let origin: String

    /// Whether the answer is known for both platforms.
    package var isKnown: Bool { appleProblem == nil && androidProblem == nil }

    package init(origin: String) { self.origin = origin }

    /// The apps of a host, in merge order.
    package init(of apps: [AppFile], configPath: String) {
        origin = configPath
        for app in apps {
            if let ios = app.ios, let matcher = app.appleMatcher {
                apple += ios.appIDs.map { Apple(appID: $0, rules: .list(matcher), file: app.file) }
            }
            if let android = app.android, android.relations.contains(AndroidApp.handleAllURLs) {
                let matcher = app.androidMatcher
                let manifest = AndroidManifest(of: app)
                self.android += android.packages.map {
                    Android(package: $0.name, matcher: matcher, manifest: manifest, file: app.file)
                }
            }
        }
    }

    /// The names by which app files name a host, the most specific first: itself, and the wildcards that cover it.
    package static func names(covering host: String) -> [String] {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return [host] + labels.indices.dropFirst().map { "*.\(labels[$0...].joined(separator: "."))" }
    }

    /// The rules of those app files that name the host, or else of those that name its most specific wildcard.
    package init(for host: String, of apps: [AppFile], configPath: String) {
        self.init(of: LinkMatching.apps(for: host, of: apps), configPath: configPath)
    }

    /// Those app files, in merge order.
    package static func apps(for host: String, of apps: [AppFile]) -> [AppFile] {
        let ordered = Renderer.mergeOrder(apps)
        let naming = names(covering: host).lazy.map { name in
            ordered.filter { $0.hosts.contains { $0.text == name } }
        }
        return naming.first { !$0.isEmpty } ?? []
    }

    /// Whether a decision may take longer than a fraction of a second, as a server must not spend on one request.
    /// - Parameter byteCount: of the files with the rules. A hostile rule costs its length times that of the link.
    package static func isLong(_ url: LinkURL, rules byteCount: Int) -> Bool {
        url.text.utf8.count * byteCount > 50_000_000
    }

    /// The places of the rules that decide about a URL.
    package func decidingRules(_ url: LinkURL) -> [(file: String, lines: ClosedRange<Int>)] {
        var places: [(file: String, lines: ClosedRange<Int>)] = []
        func add(_ step: MatchStep?, _ file: String) {
            guard let range = step?.range else { return }
            let lines = range.start.line...max(range.start.line, range.end.line)
            if !places.contains(where: { $0 == (file, lines) }) { places.append((file, lines)) }
        }
        for app in apple { if case .list(let matcher) = app.rules { add(matcher.explain(url).last, app.file) } }
        for app in android { add(app.matcher?.explain(url).last, app.file) }
        return places
    }

    /// The same with the manifest of `--manifest`, if there is one.
    package func with(_ manifest: AndroidManifest?) -> LinkMatching {
        guard let manifest else { return self }
        var matching = self
        matching.hasOwnManifest = true
        for index in android.indices { matching.android[index].manifest = manifest }
        return matching
    }

    /// The same for one platform alone; nil for both.
    package func only(_ platform: Platform?) -> LinkMatching {
        guard let platform else { return self }
        var matching = self
        (matching.platform, matching.platforms) = (platform, [platform])
        if platform == .apple { (matching.android, matching.androidProblem, matching.androidDoubt) = ([], nil, nil) }
        if platform == .android { (matching.apple, matching.appleProblem, matching.appleDoubt) = ([], nil, nil) }
        return matching
    }

    /// One entry for each app, in the order of the file. Of several entries for one app, the first counts.
    package static func apple(of association: AppleAssociation, file: String) -> [Apple] {
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

    /// The apps that may open links. Dynamic rules count in any statement of the package.
    package static func android(of list: StatementList, file: String) -> [Android] {
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
            // One accepted statement is enough.
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

    /// Appends the answer as one line of JSON. A platform whose answer is unknown has no member, and `error` says why; neither has
    /// one that `--platform` excludes. `doubt` says why readers of a published file may decide differently.
    /// - Parameter detail: what `explanation`, the answer as text, says of rules that do not match; nil for an answer without it.
    // Building JSON values first would cost `match -` a fifth of its speed.
    package func appendJSON(
        of url: LinkURL, written: String, explaining detail: Detail? = nil, to output: inout [UInt8]
    ) {
        output += #"{"url":"#.utf8
        SourceWriter.append(quoted: written, to: &output)
        if appleProblem == nil, platform != .android {
            output += #","apple":["#.utf8
            for (index, app) in apple.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                output += #"{"appID":"#.utf8
                SourceWriter.append(quoted: app.appID, to: &output)
                let (word, rule) = app.decide(url)
                LinkMatching.append(word, rule, to: &output)
                if let problem = app.problem { output += #","problem":\#(SourceWriter.quoted(problem))"#.utf8 }
                output.append(UInt8(ascii: "}"))
            }
            output.append(UInt8(ascii: "]"))
        }
        if androidProblem == nil, platform != .apple {
            output += #","android":["#.utf8
            for (index, app) in android.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                output += #"{"package":"#.utf8
                SourceWriter.append(quoted: app.package, to: &output)
                let (word, rule) = app.decide(url)
                LinkMatching.append(word, rule, to: &output)
                if let outcome = app.manifest?.decide(url).outcome, outcome != .leftOpen {
                    output += #","android14":"\#(outcome == .opens ? "app" : "web")""#.utf8
                }
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
        if let doubt = appleDoubt ?? androidDoubt {
            output += #","doubt":"#.utf8
            SourceWriter.append(quoted: Printable.line(doubt), to: &output)
        }
        if let detail {
            output += #","explanation":"#.utf8
            SourceWriter.append(quoted: text(of: url, detail: detail), to: &output)
        }
        output += "}\n".utf8
    }

    private static func append(_ word: String, _ rule: Int?, to output: inout [UInt8]) {
        output += #","decision":""#.utf8
        output += word.utf8
        output += #"","rule":"#.utf8
        output += (rule.map { String($0) } ?? "null").utf8
    }

    /// Takes the apps of Apple's file. False if no system reads it.
    package mutating func take(_ reading: AppleReading, file: String) -> Bool {
        guard let association = reading.association else { return false }
        apple = LinkMatching.apple(of: association, file: file)
        appleDoubt = reading.findings.doubt
        return true
    }

    /// Takes the apps of a statement list. False if no system reads it.
    package mutating func take(_ reading: StatementReading, file: String) -> Bool {
        guard let list = reading.list else { return false }
        android = LinkMatching.android(of: list, file: file)
        androidDoubt = reading.findings.doubt
        return true
    }
}

extension LinkMatching.Apple {
    /// Whether an app opens the URL.
    package func opens(_ url: LinkURL) -> Bool { problem == nil && decide(url).word == "match" }

    func decide(_ url: LinkURL) -> (word: String, rule: Int?) {
        guard case .list(let matcher) = rules else { return ("match", nil) }
        switch matcher.decide(url) {
        case .match(let rule): return ("match", matcher.number(of: rule))
        case .exclude(let rule): return ("exclude", matcher.number(of: rule))
        case .none: return ("none", nil)
        }
    }
}

extension LinkMatching.Android {
    func decide(_ url: LinkURL) -> (word: String, rule: Int?) {
        guard let matcher else { return ("manifest", nil) }
        switch matcher.decide(url) {
        case .allow(let rule): return ("allow", matcher.number(of: rule))
        case .block(let rule): return ("block", matcher.number(of: rule))
        case .none: return ("none", nil)
        case .manifest: return ("manifest", nil)
        }
    }

    /// The consumers that reject its statements, in their usual order.
    var rejecting: [StatementConsumer] { StatementConsumer.allCases.filter(rejectedBy.contains) }

    /// Whether Android 15 and later open the app; nil if the manifest decides and is not known.
    package func opens(_ url: LinkURL) -> Bool? {
        let byRules = matcher?.decide(url).opens
        guard byRules != false, let manifest else { return byRules }
        switch manifest.decide(url).outcome {
        case .opens: return true
        case .staysInBrowser: return false
        case .leftOpen, .failed: return byRules
        }
    }
}
