// What a `data` element of an Android manifest says about paths. Text is kept as it is written in the XML, of which the
// build takes a layer of backslashes off.

import SourceJSON

/// One of the attributes that compare the decoded path of a link.
public struct ManifestPath: Hashable, Sendable {
    /// The attributes of `data` that are about paths; the raw value is the name without its prefix.
    public enum Kind: String, CaseIterable, Sendable {
        case path
        case prefix = "pathPrefix"
        case suffix = "pathSuffix"
        case pattern = "pathPattern"
        case advanced = "pathAdvancedPattern"
    }

    public let kind: Kind
    public let text: String
    /// Nil for what is filled in by a build, and for the notations of Android 12 and later, which are not evaluated here.
    let glob: AndroidGlob?

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
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
}

extension AppFile {
    /// The paths that an intent filter needs to cover every rule that includes; nil where that is every path. A filter can
    /// exclude nothing, and its stars try only once, so a star inside becomes the beginning before it.
    public var manifestPaths: [ManifestPath]? {
        let table = SubstitutionTable(ios?.variables ?? [])
        let defaults = [(ios?.defaults ?? AppleDefaults()).component]
        var paths: [ManifestPath] = []
        var seen: Set<ManifestPath> = []
        for link in links where link.exclude != true {
            var component = link.inheriting(from: defaults)
            // A filter looks at neither.
            (component.query, component.fragment) = (nil, nil)
            guard let rules = PlainRuleMaker(component, table: table).rules else { return nil }
            for rule in rules {
                guard let pattern = rule.path, let found = ManifestPath.covering(pattern, foldsCase: rule.foldsCase)
                else { return nil }
                paths += found.filter { seen.insert($0).inserted }
            }
            // Past this, all paths are as good a filter, and a manifest of a readable size.
            if paths.count > ManifestPath.countMax { return nil }
        }
        return paths.isEmpty ? nil : paths
    }
}

extension ManifestPath {
    fileprivate static let countMax = 4_096

    /// A path pattern in its normal form, which ends in a slash or a star; nil for what only all paths cover. Android's
    /// filters take slashes as they are.
    fileprivate static func covering(_ pattern: [UInt8], foldsCase: Bool) -> [ManifestPath]? {
        let star = UInt8(ascii: "*")
        let text = String(decoding: pattern, as: UTF8.self)
        if ["*", "/*", "/?*"].containsExactly(text) { return nil }
        if foldsCase, pattern.contains(where: { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }) { return nil }
        // A bare escape: filters compare what is decoded.
        if pattern.contains(UInt8(ascii: "%")) { return nil }
        let isWild = { (byte: UInt8) in byte == star || byte == UInt8(ascii: "?") || byte < 0x20 }
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
        if inner.contains(star) {
            return head.isIdentical(to: "/") || head.isEmpty ? nil : [ManifestPath(.prefix, head)]
        }
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
}
