// What the threads of the delivery monitor know together: what the server serves, and which services do not answer.

public import Database
public import Store
import Synchronization

/// Shared by the threads of the delivery monitor.
public final class DeliveryStatus: Sendable {
    private struct State {
        /// Of everything that the server serves; nil until it has been asked.
        var servedDigest: String?
        /// The services that have not answered the last request.
        var failures: Set<DeliveryVerifier> = []
        /// The services whose outage is in the log.
        var reported: Set<DeliveryVerifier> = []
    }

    /// How long to leave a host alone that is to get a certificate and has none yet, after so many tries; nil for the others.
    public typealias CertificateWait =
        @Sendable (String, _ tries: Int64, borrowing Transaction) throws(DatabaseError) -> Int64?

    private let state = Mutex(State())
    let control: WorkControl
    /// Whose work on a host is.
    let tenant: @Sendable (String) -> String
    let certificateWait: CertificateWait

    public init(
        _ control: WorkControl, tenant: @escaping @Sendable (String) -> String,
        certificateWait: @escaping CertificateWait
    ) {
        (self.control, self.tenant, self.certificateWait) = (control, tenant, certificateWait)
    }

    /// Lets the delivery monitor know whether something else is served.
    public func noteServed(_ digest: String) { state.withLock { $0.servedDigest = digest } }

    var servedDigest: String? { state.withLock { $0.servedDigest } }

    func noteAnswer(_ verifier: DeliveryVerifier) {
        state.withLock { state in
            state.failures.remove(verifier)
            state.reported.remove(verifier)
        }
    }

    /// Notes a request to a service without an answer. An outage gets one line for all services that fail at the same time, as
    /// behind a firewall.
    func noteFailure(_ verifier: DeliveryVerifier, _ reason: String, isOutage: Bool) {
        let services = state.withLock { state -> [DeliveryVerifier] in
            state.failures.insert(verifier)
            guard isOutage, !state.reported.contains(verifier) else { return [] }
            let failing = state.failures.subtracting(state.reported)
            state.reported.formUnion(failing)
            return DeliveryVerifier.allCases.filter { failing.contains($0) }
        }
        if services.isEmpty { return }
        let names = services.map(\.name).joined(separator: " and ")
        let next = DeliveryOutage.nextStep(reason)
        control.log(.warning, "cannot ask \(names) for copies: \(reason); what is known of the hosts stays; \(next)")
    }
}
