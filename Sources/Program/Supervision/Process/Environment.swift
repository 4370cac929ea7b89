// The environment variables of the program: those that replace options, and one for a secret that does not belong on the command
// line. An unknown one with our prefix is an error, like an unknown option: otherwise a misspelling would have no effect.

import Association
import Libc

public enum Environment {
    public static let adminToken = "ASSOCIATED_ADMIN_TOKEN"
    /// Of the API.
    public static let token = "ASSOCIATED_TOKEN"
    /// Of Google's Android Developer ID Status API.
    public static let registrationKey = "ASSOCIATED_REGISTRATION_KEY"
    /// The process that has started this one for a call of its own, and without which it has nothing to do.
    public static let parent = "ASSOCIATED_PARENT"
    private static let prefix = "ASSOCIATED_"

    /// The value of a variable; nil if it is empty or not set.
    public static func value(_ name: String) -> String? {
        guard let text = unsafe getenv(name), unsafe text.pointee != 0 else { return nil }
        return unsafe String(cString: text)
    }

    /// The value of a switch, in the words of shells, YAML and systemd.
    public static func isOn(_ text: String, _ name: String) throws(Refusal) -> Bool {
        switch text.lowercased() {
        case "1", "true", "yes", "on": return true
        case "0", "false", "no", "off": return false
        default: throw .usage("\(name)=\(text) is not a switch; write 1 or 0")
        }
    }

    /// Throws if a variable with our prefix is unknown to every command.
    public static func check(_ names: [String], known: [String]) throws(Refusal) {
        for name in names.sorted() where name.hasPrefix(prefix) && !known.contains(name) && !isServiceLink(name) {
            // Without the prefix, which would make any two names look similar.
            let words = known.map { String($0.dropFirst(prefix.count)) }
            let nearest = NearestKey.find(String(name.dropFirst(prefix.count)), among: words)
            let advice =
                nearest.map { "did you mean \(prefix)\($0)?" } ?? "unset it; associated COMMAND --help lists all"
            throw .usage("unknown environment variable \(name); \(advice)")
        }
    }

    /// Kubernetes sets such variables in every container if a service is called `associated` or `associated-…`.
    private static func isServiceLink(_ name: String) -> Bool {
        let words = name.split(separator: "_").dropFirst()
        if words.suffix(2) == ["SERVICE", "HOST"] || words.last == "PORT" { return true }
        return zip(words, words.dropFirst()).contains { first, second in
            (first, second) == ("SERVICE", "PORT") || first == "PORT" && UInt16(second) != nil
        }
    }
}
