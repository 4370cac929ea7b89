// The rules of app files; their numbers are assigned where the reader of app files is written.

extension LintRule {
    static let appFile: [LintRule] = []
}
