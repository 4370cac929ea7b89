// Checks the intent filters of an Android manifest that are for web links. Android verifies a host only if one filter has
// autoVerify, VIEW, DEFAULT, BROWSABLE, http or https, and the host. If one of them is missing, no tool reports it.

public import Association
import SourceJSON

/// Lints an AndroidManifest.xml.
struct ManifestCheck {
    var file: NativeFile

    mutating func run() -> [Finding] {
        guard let root = file.manifestRoot() else { return file.findings.sorted }
        let filters = root.all("intent-filter")
        for filter in filters { lint(filter) }
        compareWithApp(root, filters)
        return file.findings.sorted
    }

    /// Reports hosts of the app file that Android does not verify, and examples that the manifest does not let through.
    private mutating func compareWithApp(_ root: XMLElement, _ elements: [XMLElement]) {
        let filters = elements.compactMap { AndroidManifest.Filter($0, range: file.range($0.tag)) }
        // A build fills in names with a placeholder.
        let named = filters.filter(\.isVerified).flatMap(\.hosts)
        let patterns = named.compactMap { try? HostPattern.parse($0).get() }
        // The manifest of a library or of a test need not name a host.
        let isOfApp = !named.isEmpty || elements.contains { $0.names(of: "category").containsExactly(Self.launcher) }
        guard isOfApp, patterns.count == named.count,
            let app = file.ownApp(sharing: patterns, isOfPlatform: { $0.android != nil }),
            app.android?.relations.containsExactly(AndroidApp.handleAllURLs) == true
        else { return }
        let range = file.range(root.tag)
        for host in file.lacking(app, in: patterns) {
            file.findings.report(
                .ghst016, at: range,
                "no intent filter with autoVerify names \(host.text.quoted), a host of \(app.file), so Android opens no link to "
                    + "it in the app", fix: "add the host, or remove it from the app file")
        }
        let manifest = AndroidManifest(name: "the manifest", file: nil, filters: filters)
        let closed = app.examples.filter { example in
            [example.android, example.android14].contains(.app)
                && patterns.contains { $0.name == example.url.host || $0.matches(example.url.host) }
                && manifest.decide(example.url).outcome == .staysInBrowser
        }
        guard let first = closed.first else { return }
        let more = closed.count > 1 ? " (and \(Count.of(closed.count - 1, "more example")))" : ""
        file.findings.report(
            .ghst016, at: range,
            "no intent filter lets \(first.url.text.quoted) through, an example of \(app.file) that must open the app\(more), so "
                + "the link stays in the browser", fix: "widen a path of the manifest, or correct the example")
    }

    private static let launcher = "android.intent.category.LAUNCHER"

    private mutating func lint(_ filter: XMLElement) {
        let data = filter.children.filter { $0.name == "data" }
        let schemes = data.compactMap { $0.attribute("scheme") }
        let hosts = data.compactMap { $0.attribute("host") }
        let isWeb = schemes.contains { $0 == "http" || $0 == "https" }
        let isVerified = filter.attribute("autoVerify") == "true"
        let isView = filter.names(of: "action").containsExactly("android.intent.action.VIEW")
        // Other filters are not for web links.
        guard isVerified || (isView && isWeb && !hosts.isEmpty) else { return }
        let categories = filter.names(of: "category")
        let missing = [
            isVerified ? nil : "android:autoVerify=\"true\"",
            isView ? nil : "action VIEW",
            categories.containsExactly("android.intent.category.DEFAULT") ? nil : "category DEFAULT",
            categories.containsExactly("android.intent.category.BROWSABLE") ? nil : "category BROWSABLE",
            isWeb ? nil : "scheme http or https",
            hosts.isEmpty ? "a host" : nil,
        ].compactMap { $0 }
        let range = file.range(filter.tag)
        let subject = hosts.first.map { "the intent filter for \($0.quoted)" } ?? "an intent filter"
        if !missing.isEmpty {
            file.findings.report(
                .ghst015, at: range,
                "\(subject) is missing \(Self.enumerated(missing)), so Android does not verify its hosts",
                fix: "use the filter that `associated snippet` prints")
        }
        if isWeb { lint(paths: data, at: range) }
        for host in hosts where isWeb && !host.begins(with: "@") && !host.begins(with: "$") {
            lint(host: host, isVerified: isVerified, at: range)
        }
        if isWeb, let other = schemes.first(where: { $0 != "http" && $0 != "https" }) {
            file.findings.report(
                .ghst015, at: range,
                "\(subject) has the scheme \(other.quoted) in addition to http or https, so Android skips this whole "
                    + "filter when it verifies hosts",
                fix: "write a separate filter for that scheme")
        }
    }

    private mutating func lint(host: String, isVerified: Bool, at range: SourceRange) {
        if host.unicodeScalars.contains(where: \.isUpperLetter) {
            file.findings.report(
                .ghst017, at: range,
                "android:host=\(host.quoted) has upper-case letters, but Android compares lower-case hosts, so it never matches",
                fix: "write \(host.lowercased().quoted)", severity: .error)
        }
        guard let mark = host.unicodeScalars.first(where: { "/:?#".unicodeScalars.contains($0) }) else {
            if isVerified, case .success(let pattern) = HostPattern.parse(host) {
                file.compare(pattern, rule: .ghst016, at: range)
            }
            return
        }
        let part = ["/": "a path", ":": "a port or a scheme", "?": "a query"][String(mark)] ?? "a fragment"
        file.findings.report(
            .ghst015, at: range, "android:host=\(host.quoted) has \(part), so it matches no host",
            fix: "write only the host, and put a path into android:path, android:pathPrefix or android:pathPattern")
    }

    private static func enumerated(_ words: [String]) -> String {
        [words.dropLast().joined(separator: ", "), words.last ?? ""].filter { !$0.isEmpty }.joined(separator: " and ")
    }

    /// Reports paths that match no URL. Only the pattern attributes have a wildcard.
    private mutating func lint(paths data: [XMLElement], at range: SourceRange) {
        for element in data {
            for kind in [ManifestPath.Kind.path, .prefix] {
                guard let text = element.attribute(kind.rawValue), !text.isEmpty, !text.begins(with: "@"),
                    !text.begins(with: "$")
                else { continue }
                let attribute = "android:\(kind.rawValue)=\(text.quoted)"
                if !text.begins(with: "/") {
                    file.findings.report(
                        .ghst017, at: range, "\(attribute) does not begin with a slash, so it matches no URL",
                        fix: "write \("/\(text)".quoted)")
                }
                if text.contains(run: "*") {
                    file.findings.report(
                        .ghst017, at: range,
                        "\(attribute) has a star, which is an ordinary character there, so it matches no usual URL",
                        fix: "use android:pathPattern with `.*`"
                            + (text.ends(with: "/*")
                                ? ", or android:pathPrefix with \(text.dropping(lastBytes: 1).quoted)" : ""))
                }
            }
        }
    }
}

extension NativeFile {
    /// The outermost element of a manifest. Reports a text that is not well-formed.
    fileprivate mutating func manifestRoot() -> XMLElement? { root(for: .ghst015, "Android cannot install the app") }
}

extension XMLElement {
    /// The `android:name` of each child with this tag.
    fileprivate func names(of tag: String) -> [String] {
        children.filter { $0.name == tag }.compactMap { $0.attribute("name") }
    }
}

extension AndroidManifest {
    /// The manifest in a file; nil if it is not well-formed, which a finding explains.
    public init?(_ bytes: [UInt8], file: String, findings: inout [Finding]) {
        var source = NativeFile(bytes, file: file)
        defer { findings += source.findings.sorted }
        guard let root = source.manifestRoot() else { return nil }
        self.init(
            name: "the manifest", file: file,
            filters: root.all("intent-filter").compactMap { Filter($0, range: source.range($0.tag)) })
    }
}

extension AndroidManifest.Filter {
    /// Nil for a filter that is not for web links.
    fileprivate init?(_ filter: XMLElement, range: SourceRange) {
        let data = filter.children.filter { $0.name == "data" }
        let schemes = data.compactMap { $0.attribute("scheme") }
        let paths = data.flatMap { element in
            ManifestPath.Kind.allCases.compactMap { kind in
                element.attribute(kind.rawValue).map { ManifestPath(kind, $0) }
            }
        }
        let categories = ["android.intent.category.DEFAULT", "android.intent.category.BROWSABLE"]
        guard filter.names(of: "action").containsExactly("android.intent.action.VIEW"),
            categories.allSatisfy(filter.names(of: "category").containsExactly),
            schemes.containsExactly("http") || schemes.containsExactly("https")
        else { return nil }
        self.init(
            schemes: schemes, hosts: data.compactMap { $0.attribute("host") }, paths: paths,
            isVerified: filter.attribute("autoVerify") == "true", range: range)
    }
}
