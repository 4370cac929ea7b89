// Dynamic rules as values that can be compared, whatever file they were read from.

import Association
import SourceJSON

enum ImportedRules: Equatable {
    case list([Rule])
    /// There are some, and Android throws them away, or may.
    case unreadable

    struct Rule: Equatable {
        let path: ExactText?
        let query: [QueryItemPattern]?
        let fragment: ExactText?
        let excludes: Bool
    }

    /// Nil where there are none.
    init?(_ rules: [AndroidRule]?) {
        guard let rules else { return nil }
        self = .list(
            rules.map { rule in
                Rule(
                    path: rule.path.map(ExactText.init(_:)), query: rule.query,
                    fragment: rule.fragment.map(ExactText.init(_:)), excludes: rule.exclude)
            })
    }
}
