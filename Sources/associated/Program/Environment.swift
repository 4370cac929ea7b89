// The environment as the program reads it: variables that stand in for options, and two that are too secret for the command
// line. What is mistyped there shows as little as a mistyped option would, so it is refused as one.

import Association
import Glibc

enum Environment {
    static let passphrase = "ASSOCIATED_PASSPHRASE"
    static let adminToken = "ASSOCIATED_ADMIN_TOKEN"
    private static let prefix = "ASSOCIATED_"

    /// The value of a variable; nil where it is not set or empty.
    static func value(_ name: String) -> String? {
        guard let text = unsafe getenv(name), unsafe text.pointee != 0 else { return nil }
        return unsafe String(cString: text)
    }

    /// The value of a switch: yes or no in the words of shells, YAML and systemd.
    static func isOn(_ text: String, _ name: String) throws(Refusal) -> Bool {
        switch text.lowercased() {
        case "1", "true", "yes", "on": return true
        case "0", "false", "no", "off": return false
        default: throw .usage("\(name)=\(text) is neither on nor off; write 1 or 0")
        }
    }

    /// Refuses variables with our prefix that no command knows.
    static func check(_ names: [String], known: [String]) throws(Refusal) {
        for name in names.sorted() where name.hasPrefix(prefix) && !known.contains(name) && !isServiceLink(name) {
            // Without the prefix, which would make any two of them look alike.
            let words = known.map { String($0.dropFirst(prefix.count)) }
            let nearest = NearestKey.find(String(name.dropFirst(prefix.count)), among: words)
            let advice =
                nearest.map { "did you mean \(prefix)\($0)?" } ?? "unset it; associated COMMAND --help lists them"
            throw .usage("there is no variable \(name); \(advice)")
        }
    }

    /// What Kubernetes puts into every container about a service called `associated`, or `associated-` and more.
    private static func isServiceLink(_ name: String) -> Bool {
        let words = name.split(separator: "_").dropFirst()
        if words.suffix(2) == ["SERVICE", "HOST"] || words.last == "PORT" { return true }
        return zip(words, words.dropFirst()).contains { first, second in
            (first, second) == ("SERVICE", "PORT") || first == "PORT" && UInt16(second) != nil
        }
    }

    /// The names of all variables that are set.
    static var names: [String] {
        var names: [String] = []
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            unsafe names.append(String(String(cString: text).prefix { $0 != "=" }))
            unsafe entry += 1
        }
        return names
    }
}
