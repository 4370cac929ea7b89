// Which CAA records hold for a name (RFC 8659 §3): those of the name itself, or of the nearest parent that has any. It looks
// nothing up by itself.

/// What the climb from a name to its top-level domain finds.
public enum CAASearch: Hashable, Sendable {
    case found([CAARecord], at: DomainName)
    /// No name on the way has a CAA record, so every certificate authority may issue.
    case none
    /// A look-up failed, so nobody can say: a certificate authority must not issue then.
    case failed(DNSFailure, at: DomainName)

    /// - Parameter lookUp: the outcome for CAA records of one name.
    public static func climb(from name: DomainName, lookUp: (DomainName) -> DNSOutcome) -> CAASearch {
        // A wildcard stands for names below its parent.
        var next = name.isWildcard ? name.parent : name
        while let name = next {
            switch lookUp(name) {
            case .failed(let failure): return .failed(failure, at: name)
            case .noData, .noSuchName: break
            case .found(let records, _):
                let authorizations = records.compactMap { record in
                    if case .authorization(let authorization) = record { authorization } else { nil }
                }
                if !authorizations.isEmpty { return .found(authorizations, at: name) }
            }
            next = name.parent
        }
        return .none
    }
}
