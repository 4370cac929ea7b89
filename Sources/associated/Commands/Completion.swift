// What shells complete: for each option and operand of a command the words, files or folders that it takes, read off the
// descriptions that make the help. Scripts for the shells are in Completion+Scripts.

import Association

/// What can stand in one place of a command line.
struct Completion {
    var words: [String] = []
    var hasFiles = false
    var hasFolders = false
    /// The names of the configuration's app files.
    var hasApps = false

    /// Whether nothing is known of it, so that a shell has nothing to offer.
    var isFree: Bool { words.isEmpty && !hasFiles && !hasFolders && !hasApps }

    init(of option: Command.Option) {
        self.init(placeholder: option.value ?? "")
        words += option.words
    }

    /// By what stands for a value in the help: `DIR`, `FILE|HOST`, `[PATH…]`, `bash|zsh|fish`.
    init(placeholder: String) {
        for part in placeholder.split(separator: "|") {
            switch part.filter({ !"[]…".contains($0) }) {
            case "FILE", "PATH": hasFiles = true
            case "DIR": hasFolders = true
            case "APP": (hasApps, hasFiles) = (true, true)
            case "RULE": words += LintRule.all.map(\.id)
            case let word where word.first?.isLowercase == true: words.append(String(word))
            default: break
            }
        }
    }
}

extension Command {
    /// What its operands are, in their order; the last one stands for all further ones.
    var operandCompletions: [(placeholder: String, completion: Completion)] {
        (operands?.usage ?? "").split(separator: " ").map { (String($0), Completion(placeholder: String($0))) }
    }
}
