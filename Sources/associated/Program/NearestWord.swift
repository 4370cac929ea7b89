// "Did you mean": for commands and options.

import Association

enum NearestWord {
    /// A suggestion as a clause, when something known is near enough.
    static func advice(for word: String, among known: [String]) -> String? {
        NearestKey.find(word, among: known).map { "did you mean \($0)?" }
    }
}
