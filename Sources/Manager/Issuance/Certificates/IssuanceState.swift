// The states of a host's certificate, as operators see them. Each has its next step in words.

import Store

/// The state of one host, in the column `state` of its work.
public enum IssuanceState: String, CaseIterable, Sendable {
    /// Its DNS records have not been looked up yet.
    case new
    /// DNS does not lead to this server.
    case waitingForDNS = "waiting-dns"
    /// The domain's CAA records do not allow the authority.
    case waitingForCAA = "waiting-caa"
    /// Waits for its turn under the authority's rate limits.
    case queued
    case ordering
    case issued
    /// The authority has asked to wait.
    case limited
    case failing
    /// The authority waits for the operator: it has paused the host, or has new terms.
    case paused = "paused-by-ca"
    /// No longer ordered here; the certificate stays in service until it expires.
    case leaving

    /// Whether it waits for a change of DNS. Its failed attempts are then preflights, and say nothing about an authority.
    var isWaitingForRecords: Bool { self == .waitingForDNS || self == .waitingForCAA }

    /// Whether a host is not without something that it should have.
    var isSettled: Bool { self == .issued || self == .leaving }

    /// What happens next, or what an operator has to do.
    public var nextStep: String {
        switch self {
        case .new: "nothing to do: its DNS records are looked up soon"
        case .waitingForDNS:
            "correct the DNS records as shown; they are looked up again later, and at once after `associated acme issue HOST`"
        case .waitingForCAA:
            "change the CAA records; they are looked up again later, and at once after `associated acme issue HOST`"
        case .queued: "nothing to do: it waits for its turn under the authority's rate limits"
        case .ordering: "nothing to do: the order is under way"
        case .issued: "nothing to do: it is renewed in time"
        case .limited: "nothing to do: it continues when the authority allows it"
        case .failing:
            "if the reason is at the authority, wait; otherwise correct what it names; it is tried again later, and at once after "
                + "`associated acme issue HOST`"
        case .paused: "do what the authority asks for, then run `associated acme issue HOST`"
        case .leaving: "nothing to do: the certificate is no longer renewed"
        }
    }
}

/// The work on certificates: one row for each host, from its first appearance until its certificate has expired.
public enum CertificateWork {
    static let kind = Work.Kind("certificate", settled: IssuanceState.allCases.filter(\.isSettled).map(\.rawValue))
    /// Priorities. The queue has turns of its own: it may be long, and most of it waits for limits that stop nothing else. New
    /// hosts do not come before those that wait for DNS: a tenant with many new hosts would stop the looks at all others.
    static let (queuePriority, checkPriority, renewalPriority): (Int64, Int64, Int64) = (0, 1, 2)

    static func priority(_ state: IssuanceState, isRenewal: Bool) -> Int64 {
        if state.isWaitingForRecords { return checkPriority }
        if isRenewal || state == .issued { return renewalPriority }
        return state == .queued ? queuePriority : checkPriority
    }
}
