// The filters of an Android manifest that are meant for links of hosts. Android verifies a host where one filter has all of
// autoVerify, VIEW, DEFAULT, BROWSABLE, http or https and the host; where one thing is missing, nothing says so.

public import Association
import SourceJSON

extension NativeProject {
    mutating func lintManifest() -> [Finding] {
        guard let root = root(for: .ghst015, "Android installs no such app") else { return findings.sorted }
        for filter in root.all("intent-filter") { lint(filter) }
        return findings.sorted
    }

    private mutating func lint(_ filter: XMLElement) {
        let names = { (tag: String) in
            filter.children.filter { $0.name == tag }.compactMap { $0.attribute("name") }
        }
        let data = filter.children.filter { $0.name == "data" }
        let schemes = data.compactMap { $0.attribute("scheme") }
        let hosts = data.compactMap { $0.attribute("host") }
        let isWeb = schemes.contains { $0 == "http" || $0 == "https" }
        let isVerified = filter.attribute("autoVerify") == "true"
        let isView = names("action").containsExactly("android.intent.action.VIEW")
        // Anything else is a filter for something else.
        guard isVerified || (isView && isWeb && !hosts.isEmpty) else { return }
        let categories = names("category")
        let missing = [
            isVerified ? nil : "android:autoVerify=\"true\"",
            isView ? nil : "the action VIEW",
            categories.containsExactly("android.intent.category.DEFAULT") ? nil : "the category DEFAULT",
            categories.containsExactly("android.intent.category.BROWSABLE") ? nil : "the category BROWSABLE",
            isWeb ? nil : "the scheme http or https",
            hosts.isEmpty ? "a host" : nil,
        ].compactMap { $0 }
        let subject = hosts.first.map { "the filter for \($0.quoted)" } ?? "a filter"
        if !missing.isEmpty {
            findings.report(
                .ghst015, at: range(filter.tag),
                "\(subject) lacks \(Self.enumerated(missing)), so Android verifies no host for it",
                fix: "use the filter that `associated snippet` prints")
        }
        if isWeb { lint(paths: data, at: range(filter.tag)) }
        for host in hosts where isWeb && !host.begins(with: "@") && !host.begins(with: "$") {
            if host.unicodeScalars.contains(where: \.isUpperLetter) {
                findings.report(
                    .ghst017, at: range(filter.tag),
                    "android:host=\(host.quoted) has upper-case letters, so it equals no URL's host, which is in lower case",
                    fix: "write \(host.lowercased().quoted)", severity: .error)
            }
            guard let mark = host.unicodeScalars.first(where: { "/:?#".unicodeScalars.contains($0) }) else {
                if isVerified, case .success(let pattern) = HostPattern.parse(host) {
                    compare(pattern, rule: .ghst016, at: range(filter.tag))
                }
                continue
            }
            let part = ["/": "a path", ":": "a port or a scheme", "?": "a query"][String(mark)] ?? "a fragment"
            findings.report(
                .ghst015, at: range(filter.tag),
                "android:host=\(host.quoted) has \(part), so it equals no URL's host",
                fix: "write the host alone, and a path in android:path, android:pathPrefix or android:pathPattern")
        }
        if isWeb, let other = schemes.first(where: { $0 != "http" && $0 != "https" }) {
            findings.report(
                .ghst015, at: range(filter.tag),
                "\(subject) has the scheme \(other.quoted) beside http or https, and Android passes over such a filter "
                    + "when it verifies",
                fix: "give that scheme a filter of its own")
        }
    }

    private static func enumerated(_ words: [String]) -> String {
        [words.dropLast().joined(separator: ", "), words.last ?? ""].filter { !$0.isEmpty }.joined(separator: " and ")
    }

    /// What no URL's path begins with or is. Of the attributes only the patterns take a star for any text.
    private mutating func lint(paths data: [XMLElement], at range: SourceRange) {
        for element in data {
            for kind in [ManifestPath.Kind.path, .prefix] {
                guard let text = element.attribute(kind.rawValue), !text.isEmpty, !text.begins(with: "@"),
                    !text.begins(with: "$")
                else { continue }
                let attribute = "android:\(kind.rawValue)=\(text.quoted)"
                if !text.begins(with: "/") {
                    findings.report(
                        .ghst017, at: range, "\(attribute) does not begin with a slash, so it covers no URL",
                        fix: "write \("/\(text)".quoted)")
                }
                if text.contains(run: "*") {
                    findings.report(
                        .ghst017, at: range,
                        "\(attribute) has a star, which stands for itself there, so it covers no usual URL",
                        fix: "use android:pathPattern with `.*`"
                            + (text.ends(with: "/*")
                                ? ", or android:pathPrefix with \(text.dropping(lastBytes: 1).quoted)" : ""))
                }
            }
        }
    }
}

extension AndroidManifest {
    /// The manifest in a file; nil where it is not well-formed, which a finding explains.
    public init?(_ bytes: [UInt8], file: String, findings: inout [Finding]) {
        var project = NativeProject(bytes, file: file)
        defer { findings += project.findings.sorted }
        guard let root = project.root(for: .ghst015, "Android installs no such app") else { return nil }
        self.init(
            name: "the manifest", file: file,
            filters: root.all("intent-filter").compactMap { Filter($0, range: project.range($0.tag)) })
    }
}

extension AndroidManifest.Filter {
    /// Nil for a filter that is for something else.
    fileprivate init?(_ filter: XMLElement, range: SourceRange) {
        let names = { (tag: String) in
            filter.children.filter { $0.name == tag }.compactMap { $0.attribute("name") }
        }
        let data = filter.children.filter { $0.name == "data" }
        let schemes = data.compactMap { $0.attribute("scheme") }
        let paths = data.flatMap { element in
            ManifestPath.Kind.allCases.compactMap { kind in
                element.attribute(kind.rawValue).map { ManifestPath(kind, $0) }
            }
        }
        let categories = ["android.intent.category.DEFAULT", "android.intent.category.BROWSABLE"]
        guard names("action").containsExactly("android.intent.action.VIEW"),
            categories.allSatisfy(names("category").containsExactly),
            schemes.containsExactly("http") || schemes.containsExactly("https")
        else { return nil }
        self.init(
            schemes: schemes, hosts: data.compactMap { $0.attribute("host") }, paths: paths,
            isVerified: filter.attribute("autoVerify") == "true", range: range)
    }
}
