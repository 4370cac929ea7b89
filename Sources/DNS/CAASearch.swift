// Finds the CAA records that apply to a name (RFC 8659 §3): those of the name itself, or of its nearest parent that has any.
// The caller passes the function that looks records up.

/// The result of searching from a name up to its top-level domain.
public enum CAASearch: Hashable, Sendable {
    case found([CAARecord], at: DomainName)
    /// Neither the name nor a parent has a CAA record, so every certificate authority may issue.
    case none
    /// A lookup failed, so the records are unknown and no certificate authority may issue.
    case failed(DNSFailure, at: DomainName)

    /// - Parameter lookUp: the outcome for CAA records of one name.
    public static func climb(from name: DomainName, lookUp: (DomainName) -> DNSOutcome) -> CAASearch {
        // The records of a wildcard are those of its parent.
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
