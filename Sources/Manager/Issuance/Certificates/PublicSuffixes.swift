// The registered domain of a host, which certificate authorities count certificates by: `example.co.uk` of
// `shop.example.co.uk`. It is one label more than the longest matching rule of the public suffix list
// (https://publicsuffix.org), which distributions install as a file. Rules outside ASCII are skipped, because hosts are
// in Punycode.

import DNS
import Posix

/// The rules of the public suffix list, or a guess without the list.
public struct PublicSuffixes: Sendable {
    /// `co.uk`
    private var suffixes: Set<String> = []
    /// `ck` for the rule `*.ck`: each name directly below is a suffix.
    private var wildcards: Set<String> = []
    /// `www.ck` for the rule `!www.ck`: not a suffix, in spite of a wildcard.
    private var exceptions: Set<String> = []

    /// The list has a quarter of a megabyte.
    private static let fileBytesMax = 8 * 1_048_576
    /// Second-level labels under which countries register domains, for use without the list.
    private static let usualSecondLevels: Set<Substring> = ["co", "com", "org", "net", "ac", "gov", "edu"]

    /// - Parameter text: the list; without any rule in it, registered domains are guessed.
    public init(text: String) { self.init(Array(text.utf8)) }

    /// Reads the file of the package `publicsuffix`; without it, registered domains are guessed.
    public init(file: String = "/usr/share/publicsuffix/public_suffix_list.dat") {
        self.init((try? File.read(file, bytesMax: PublicSuffixes.fileBytesMax))?.bytes ?? [])
    }

    private init(_ bytes: [UInt8]) {
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            // A rule ends at the first white space.
            let rule = line.prefix { $0 > 0x20 }
            if rule.starts(with: "!".utf8) {
                // Without a dot, no suffix would be left.
                if rule.contains(UInt8(ascii: ".")) { PublicSuffixes.insert(rule.dropFirst(), into: &exceptions) }
            } else if rule.starts(with: "*.".utf8) {
                PublicSuffixes.insert(rule.dropFirst(2), into: &wildcards)
            } else {
                PublicSuffixes.insert(rule, into: &suffixes)
            }
        }
    }

    /// Skips comments and everything else that is not a name.
    private static func insert(_ name: ArraySlice<UInt8>, into names: inout Set<String>) {
        guard let name = DomainName(String(decoding: name, as: UTF8.self)) else { return }
        names.insert(name.description)
    }

    /// The registered domain of a host, or the host itself if it is a public suffix. A wildcard `*.x` counts as `x`.
    /// - Parameter host: in lower case.
    public func registeredDomain(of host: String) -> String {
        let labels = (host.hasPrefix("*.") ? host.dropFirst(2) : host[...]).split(separator: ".")
        let count = suffixes.isEmpty ? guessedCount(labels) : suffixCount(labels)
        return labels.suffix(count + 1).joined(separator: ".")
    }

    /// The number of labels in the public suffix.
    private func suffixCount(_ labels: [Substring]) -> Int {
        // The default rule is `*`.
        var count = 1
        var name = ""
        for (index, label) in labels.reversed().enumerated() {
            let parent = name
            name = index == 0 ? String(label) : "\(label).\(parent)"
            // An exception has precedence over all rules, however long.
            if exceptions.contains(name) { return index }
            if suffixes.contains(name) || wildcards.contains(parent) { count = index + 1 }
        }
        return count
    }

    private func guessedCount(_ labels: [Substring]) -> Int {
        guard labels.count > 2, let top = labels.last, top.utf8.count == 2 else { return 1 }
        return PublicSuffixes.usualSecondLevels.contains(labels[labels.count - 2]) ? 2 : 1
    }
}
