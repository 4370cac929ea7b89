// The rules of a `robots.txt` for the association files (RFC 9309). Google's verifier obeys them, so a rule for search
// engines can break App Links without any message.

public import Association
import SourceJSON

/// The rules of a `robots.txt` that apply to one crawler.
public struct RobotsFile {
    private struct Rule {
        var allows: Bool
        var pattern: [UInt8]
        var line: Int
    }

    private var rules: [Rule] = []

    /// Reads the groups for `crawler`, or those for all crawlers if it has no group.
    init(_ bytes: [UInt8], crawler: String) {
        var own: [Rule] = []
        var common: [Rule] = []
        var isOwn = false
        var isCommon = false
        var isAmongAgents = false
        var hasOwnGroup = false
        for (number, line) in bytes.split(omittingEmptySubsequences: false, whereSeparator: { $0 == 0x0A }).enumerated()
        {
            guard let (key, value) = RobotsFile.field(line) else { continue }
            if key == "user-agent" {
                if !isAmongAgents { (isOwn, isCommon) = (false, false) }
                isAmongAgents = true
                if value == "*" { isCommon = true }
                if value.lowercased() == crawler { (isOwn, hasOwnGroup) = (true, true) }
            } else if key == "allow" || key == "disallow" {
                isAmongAgents = false
                if value.isEmpty { continue }
                let rule = Rule(allows: key == "allow", pattern: Array(value.utf8), line: number + 1)
                if isOwn { own.append(rule) }
                if isCommon { common.append(rule) }
            }
        }
        rules = hasOwnGroup ? own : common
    }

    /// The line that blocks the crawler from a path; nil if it may read the path. The longest matching rule decides; of two
    /// rules of the same length, the one that allows (RFC 9309 §2.2.2).
    func lineThatBlocks(_ path: String) -> Int? {
        let matching = rules.filter { RobotsFile.matches($0.pattern, Array(path.utf8)) }
        let decisive = matching.max { ($0.pattern.count, $0.allows ? 1 : 0) < ($1.pattern.count, $1.allows ? 1 : 0) }
        guard let decisive, !decisive.allows else { return nil }
        return decisive.line
    }

    /// A finding if the file blocks Google from the statement list.
    public static func finding(_ bytes: [UInt8], file: String) -> Finding? {
        let path = AssociationPath.statements
        guard let line = RobotsFile(bytes, crawler: "googlebot").lineThatBlocks(path) else { return nil }
        return Finding(
            rule: .ghst007, severity: .warning, file: file,
            range: SourceRange(at: SourcePosition(line: line, column: 1, offset: 0)),
            message: "this rule blocks Googlebot from \(path), so Google cannot verify the app's links and passwords",
            fix: "add `Allow: /.well-known/` to the same group")
    }

    private static func field(_ line: ArraySlice<UInt8>) -> (key: String, value: String)? {
        let line = line.prefix { $0 != UInt8(ascii: "#") }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return (trimmed(line[..<colon]).lowercased(), trimmed(line[(colon + 1)...]))
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        var rest = bytes.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return String(decoding: rest, as: UTF8.self)
    }

    /// Whether the pattern is a prefix of the path. `*` matches any text, and `$` at the end matches the end of the path.
    private static func matches(_ pattern: [UInt8], _ path: [UInt8]) -> Bool {
        let isAnchored = pattern.last == UInt8(ascii: "$")
        let pieces = pattern.dropLast(isAnchored ? 1 : 0).split(
            separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
        var rest = path[...]
        for (index, piece) in pieces.enumerated() {
            if index == pieces.count - 1, isAnchored, index > 0 {
                return rest.count >= piece.count && rest.suffix(piece.count).elementsEqual(piece)
            }
            while !rest.starts(with: piece) {
                if index == 0 || rest.isEmpty { return false }
                rest.removeFirst()
            }
            rest.removeFirst(piece.count)
        }
        return !isAnchored || rest.isEmpty
    }
}
