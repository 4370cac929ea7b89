// The links that open an Android app by its manifest alone: on Android 14 and earlier, and on later versions without dynamic
// rules. A filter can include hosts and paths, but not exclude any.

public import SourceJSON

/// The intent filters of a manifest for the links of hosts.
public struct AndroidManifest: Sendable {
    /// Its name in messages.
    public var name: String
    /// Where it was read from.
    public var file: String?
    public var filters: [Filter]

    /// A filter with VIEW, DEFAULT, BROWSABLE and http or https. Its elements are combined: each scheme with each host and
    /// each path.
    public struct Filter: Sendable {
        public var schemes: [String]
        public var hosts: [String]
        public var paths: [ManifestPath]
        /// Whether Android verifies its hosts, which applies to the other filters too.
        public var isVerified: Bool
        public var range: SourceRange?

        package init(
            schemes: [String], hosts: [String], paths: [ManifestPath], isVerified: Bool, range: SourceRange? = nil
        ) {
            (self.schemes, self.hosts, self.paths) = (schemes, hosts, paths)
            (self.isVerified, self.range) = (isVerified, range)
        }

        /// Whether a host of the filter is that of a URL; nil for one that a build fills in. A star matches any beginning.
        fileprivate static func has(_ pattern: String, _ host: String) -> Bool? {
            if pattern.begins(with: "@") || pattern.contains(run: "${") { return nil }
            return pattern.begins(with: "*")
                ? host.ends(with: pattern.dropping(firstBytes: 1)) : pattern.isIdentical(to: host)
        }
    }

    package init(name: String, file: String?, filters: [Filter]) {
        (self.name, self.file, self.filters) = (name, file, filters)
    }

    /// The manifest that `associated snippet` writes.
    public init(of app: AppFile) {
        name = "the manifest of `associated snippet`"
        filters = [
            Filter(
                schemes: ["http", "https"], hosts: app.hosts.map(\.text), paths: app.manifestPaths ?? [],
                isVerified: true)
        ]
    }

    public func names(_ host: String) -> Bool {
        filters.contains { $0.hosts.contains { Filter.has($0, host) != false } }
    }

    /// The decision of the manifest about a URL. It is left open for values that a build fills in, or that are not evaluated.
    public func decide(_ url: LinkURL) -> MatchStep {
        let path = AndroidView.decode(url.pathBytes)
        let named = filters.filter { $0.hosts.contains { Filter.has($0, url.host) != false } }
        guard named.contains(where: \.isVerified) else {
            return step(
                .staysInBrowser, "\(name) has no verified filter for \(url.host), so the URL stays in the browser")
        }
        var open: ManifestPath?
        for filter in named where filter.schemes.containsExactly(url.scheme) {
            let isSure = filter.hosts.contains { Filter.has($0, url.host) == true }
            guard !filter.paths.isEmpty else {
                if isSure { return step(.opens, "\(name) covers every URL of the host, so the app opens", filter) }
                continue
            }
            for part in filter.paths {
                switch part.glob.map({ $0.matches(path) }) {
                case true? where isSure:
                    return step(.opens, "\(name) covers the URL with \(part.attribute), so the app opens", filter)
                case false?: continue
                default: open = open ?? part
                }
            }
        }
        if let open { return step(.leftOpen, "\(name) has \(open.attribute), which is not evaluated here") }
        if !named.contains(where: { $0.hosts.contains { Filter.has($0, url.host) == true } }) {
            return step(.leftOpen, "\(name) has hosts that a build fills in")
        }
        return step(.staysInBrowser, "no path of \(name) covers the URL, so it stays in the browser")
    }

    private func step(_ outcome: MatchStep.Outcome, _ message: String, _ filter: Filter? = nil) -> MatchStep {
        MatchStep(rule: nil, outcome: outcome, message: message, range: filter?.range)
    }
}

/// One of the attributes that compare the decoded path of a link.
public struct ManifestPath: Hashable, Sendable {
    /// The attributes of `data` for paths; the raw value is the name without its prefix.
    public enum Kind: String, CaseIterable, Sendable {
        case path
        case prefix = "pathPrefix"
        case suffix = "pathSuffix"
        case pattern = "pathPattern"
        case advanced = "pathAdvancedPattern"
    }

    public let kind: Kind
    public let text: String
    /// Nil for values that a build fills in, and for the attributes of Android 12 and later, which are not evaluated.
    let glob: AndroidGlob?

    package init(_ kind: Kind, _ text: String) {
        (self.kind, self.text) = (kind, text)
        guard !text.begins(with: "@"), !text.contains(run: "${") else {
            glob = nil
            return
        }
        var units: [UInt16] = []
        var isEscaped = false
        for unit in text.utf16 {
            isEscaped = unit == UInt16(UInt8(ascii: "\\")) && !isEscaped
            if !isEscaped { units.append(unit) }
        }
        switch kind {
        case .path: glob = AndroidGlob(steps: units.map { .unit($0) })
        case .prefix: glob = AndroidGlob(steps: units.map { .unit($0) } + [.rest])
        case .pattern: glob = AndroidGlob(pathPattern: units)
        case .suffix, .advanced: glob = nil
        }
    }

    /// Its text in a manifest.
    public var attribute: String { "android:\(kind.rawValue)=\"\(text)\"" }

    fileprivate static let countMax = 4_096

    /// The paths that cover a path pattern in its normal form, which ends in a slash or a star; nil if only all paths do.
    /// Android's filters do not normalise slashes.
    fileprivate static func covering(_ pattern: [UInt8], foldsCase: Bool) -> [ManifestPath]? {
        let star = UInt8(ascii: "*")
        let text = String(decoding: pattern, as: UTF8.self)
        if ["*", "/*", "/?*"].containsExactly(text) { return nil }
        if foldsCase, pattern.contains(where: { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }) { return nil }
        let isWild = { (byte: UInt8) in byte == star || byte == UInt8(ascii: "?") || byte < 0x20 }
        // Filters compare decoded paths.
        if pattern.contains(UInt8(ascii: "%")) {
            return prefix(pattern.prefix { !isWild($0) && $0 != UInt8(ascii: "%") })
        }
        guard let wild = pattern.firstIndex(where: isWild) else {
            let short = ManifestPath(.path, text.dropping(lastBytes: 1))
            return text.isIdentical(to: "/") ? [ManifestPath(.path, text)] : [short, ManifestPath(.path, text)]
        }
        let head = String(decoding: pattern[..<wild], as: UTF8.self)
        if wild == pattern.count - 1, pattern[wild] == star {
            let below = ManifestPath(.prefix, head)
            return head.ends(with: "/") ? [ManifestPath(.path, head.dropping(lastBytes: 1)), below] : [below]
        }
        let inner = pattern.dropLast(pattern.last == star ? 1 : 0)
        if inner.contains(star) { return prefix(pattern[..<wild]) }
        let glob = pattern.reduce(into: "") { result, byte in
            switch byte {
            case star: result += ".*"
            case _ where isWild(byte): result += "."
            case UInt8(ascii: "."), UInt8(ascii: "\\"): result += "\\\\" + String(Unicode.Scalar(byte))
            default: result.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        let whole = ManifestPath(.pattern, glob)
        return glob.ends(with: "/") ? [ManifestPath(.pattern, glob.dropping(lastBytes: 1)), whole] : [whole]
    }

    private static func prefix(_ head: ArraySlice<UInt8>) -> [ManifestPath]? {
        let text = String(decoding: head, as: UTF8.self)
        return text.isIdentical(to: "/") || text.isEmpty ? nil : [ManifestPath(.prefix, text)]
    }
}

extension AppFile {
    /// The paths of an intent filter for the values of the variables in one rule. With more, the prefix before the variables keeps the
    /// manifest readable.
    private static let valuesMax = 20

    /// The paths that an intent filter needs to cover every rule that includes; nil if that is every path. A filter cannot
    /// exclude, and its stars do not backtrack, so a pattern with an inner star becomes the prefix before it.
    public var manifestPaths: [ManifestPath]? {
        let table = SubstitutionTable(ios?.variables ?? [])
        var paths: [ManifestPath] = []
        var seen: Set<ManifestPath> = []
        for link in links where link.exclude != true {
            var component = link.inheriting(from: defaults)
            // A filter compares neither.
            (component.query, component.fragment) = (nil, nil)
            var compiled = RuleCompiler(component, table: table).rules
            if compiled.map({ $0.count > AppFile.valuesMax }) ?? true, let path = component.path,
                let variable = path.firstRange(of: "$(")
            {
                component.path = path[..<variable.lowerBound] + "*"
                compiled = RuleCompiler(component, table: table).rules
            }
            guard let rules = compiled else { return nil }
            for rule in rules {
                guard let pattern = rule.path, let found = ManifestPath.covering(pattern, foldsCase: rule.foldsCase)
                else { return nil }
                paths += found.filter { seen.insert($0).inserted }
            }
            // Beyond this, all paths are a filter that is as good, and keeps the manifest readable.
            if paths.count > ManifestPath.countMax { return nil }
        }
        return paths.isEmpty ? nil : paths
    }
}
