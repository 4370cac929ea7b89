// App ids, package names and certificate fingerprints: the texts that decide whether a phone believes us at all. What
// is wrong with one is known elsewhere (`AppID`, `PackageName`, `Fingerprint`); here it gets its place in the file.

import SourceJSON

extension AppFileReader {
    /// The app ids under `key`, each once, without those that no app can have.
    mutating func appIDs(_ key: String, in fields: AppFileFields) -> [Located<String>] {
        guard let texts = strings(key, in: fields, of: "app ids") else { return [] }
        var kept: [Located<String>] = []
        for text in texts where isFree(of: AppID.problems(in: text.value), text) { kept.append(text) }
        return unique(kept, place: fields.path(key), by: ExactText.init(_:)) { $0 }
    }

    mutating func packageName(_ key: String, in fields: AppFileFields) -> Located<String>? {
        guard let text = string(key, in: fields) else { return nil }
        return isFree(of: PackageName.problems(in: text.value), text) ? text : nil
    }

    /// The fingerprints under `key`, in the form they are served in. Any spelling of 32 bytes is good here, and said to
    /// be changed; in a published file most spellings are errors.
    mutating func fingerprints(_ key: String, in fields: AppFileFields) -> [Located<String>] {
        guard let texts = strings(key, in: fields, of: "fingerprints") else { return [] }
        var prints: [Located<String>] = []
        for text in texts {
            guard let print = Fingerprint(normalising: text.value) else {
                report(Fingerprint.problems(in: text.value), text)
                continue
            }
            if !print.text.isIdentical(to: text.value) {
                report(
                    .app015, text.range,
                    "the fingerprint is served in upper case with colons, because Google rejects any other form",
                    fix: "write it that way, so that file and answer look alike",
                    edit: SourceEdit(range: text.range, replacement: print.text.jsonQuoted))
            }
            report(Fingerprint.problems(in: print.text), text)
            prints.append(Located(value: print.text, range: text.range))
        }
        return unique(prints, place: fields.path(key)) { String($0.prefix(11)) + "…" }
    }

    /// Reports the problems; true when none of them is an error.
    private mutating func isFree(of problems: [TextProblem], _ text: Located<String>) -> Bool {
        report(problems, text)
        return !problems.contains { $0.severity == .error }
    }

    private mutating func report(_ problems: [TextProblem], _ text: Located<String>) {
        for problem in problems { findings.report(problem, at: text.range) }
    }
}
