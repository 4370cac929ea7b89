// Who would verify an app by what a list says of it, whatever certificate signs it: the question of a person who asks what
// a link opens. `AndroidBinding` has the one about a certificate, and both see the consumers as equally strict.

import SourceJSON

extension StatementList {
    /// The consumers that could verify an app by a statement for a relation; AOSP as the newest Android has it.
    public func acceptance(of statement: Statement, for relation: String) -> Set<StatementConsumer> {
        guard statement.relations.contains(where: { $0.text.isIdentical(to: relation) }),
            case .androidApp(_, let fingerprints)? = statement.target,
            // Fingerprints are compared as they are written, and only one form is ever asked for.
            fingerprints.contains(where: { Fingerprint(normalising: $0.text)?.text.isIdentical(to: $0.text) == true })
        else { return [] }
        return Set(StatementConsumer.allCases).filter { consumer in
            switch consumer {
            case .google: statement.consumers.contains(.google)
            case .aosp: statement.consumers.contains(.aosp) && rejection(on: .newest) == nil
            case .chromium: true
            }
        }
    }
}
