// What all workers' TLS has in common.

/// Certificates and ticket keys, shared by the workers.
public struct SecureSettings: Sendable {
    public let certificates: CertificateStore
    public let tickets: TicketKeys

    public init(certificates: CertificateStore, tickets: TicketKeys) {
        self.certificates = certificates
        self.tickets = tickets
    }
}
