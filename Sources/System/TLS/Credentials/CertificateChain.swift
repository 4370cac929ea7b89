// The intermediate certificates of a host. A hundred thousand hosts have the same few, so they are decoded once and shared by all
// identities.

import COpenSSL
import Synchronization

/// The intermediate certificates of a chain, immutable. The corresponding C type is `STACK_OF(X509)`.
@safe public final class CertificateChain: @unchecked Sendable {
    let stack: OpaquePointer
    public let count: Int
    /// Whether each certificate is issued by the one after it.
    let isInOrder: Bool

    /// Nil if any of them is not a certificate.
    init?(_ certificates: [[UInt8]]) {
        guard let stack = unsafe OPENSSL_sk_new_null() else { return nil }
        for der in certificates {
            guard let certificate = Certificate(der: der) else {
                unsafe CertificateChain.free(stack)
                return nil
            }
            // A second reference for the stack; the first one ends with the variable.
            unsafe X509_up_ref(certificate.pointer)
            unsafe OPENSSL_sk_push(stack, UnsafeRawPointer(certificate.pointer))
        }
        unsafe self.stack = stack
        count = certificates.count
        isInOrder = (0..<Int32(max(0, certificates.count - 1))).allSatisfy {
            unsafe X509_check_issued(
                CertificateChain.certificate(stack, $0 + 1), CertificateChain.certificate(stack, $0))
                == X509_V_OK
        }
    }

    deinit { unsafe CertificateChain.free(stack) }

    public func certificate(_ index: Int) -> Certificate {
        precondition(index < count, "a chain has no certificate beyond its last")
        return unsafe Certificate(sharing: CertificateChain.certificate(stack, Int32(index)))
    }

    private static func certificate(_ stack: OpaquePointer, _ index: Int32) -> OpaquePointer {
        unsafe OpaquePointer(OPENSSL_sk_value(stack, index)!)
    }

    private static func free(_ stack: OpaquePointer) {
        for index in unsafe 0..<OPENSSL_sk_num(stack) { unsafe X509_free(certificate(stack, index)) }
        unsafe OPENSSL_sk_free(stack)
    }
}

extension CertificateFacts {
    /// The facts of the certificates that OpenSSL lends in a list; none without a list.
    static func all(of list: OpaquePointer?) -> [CertificateFacts] {
        guard let list = unsafe list else { return [] }
        return unsafe (0..<max(0, OPENSSL_sk_num(list))).compactMap { index in
            unsafe OPENSSL_sk_value(list, index).map { unsafe Certificate(sharing: OpaquePointer($0)).facts }
        }
    }
}

/// The chains in use, by the digest of their bytes. It holds weak references: a chain is freed with the last identity that uses
/// it.
public final class ChainPool: Sendable {
    private struct Member {
        weak var chain: CertificateChain?
    }

    private struct Members {
        var chains: [[UInt8]: Member] = [:]
        var sweepAt = 64
    }

    private let members = Mutex(Members())

    public init() {}

    /// The chain of these certificates, shared if it exists already; nil if any of them is not a certificate.
    func chain(of certificates: [[UInt8]]) -> CertificateChain? {
        // Joining is unambiguous, because DER states the length of each certificate.
        let digest = Digest.sha256(Array(certificates.joined()))
        if let found = members.withLock({ $0.chains[digest]?.chain }) { return found }
        guard let made = CertificateChain(certificates) else { return nil }
        return members.withLock { members in
            // Another thread may have created it meanwhile.
            if let found = members.chains[digest]?.chain { return found }
            members.chains[digest] = Member(chain: made)
            if members.chains.count > members.sweepAt {
                members.chains = members.chains.filter { $0.value.chain != nil }
                members.sweepAt = max(64, members.chains.count * 2)
            }
            return made
        }
    }

    var count: Int { members.withLock { $0.chains.values.filter { $0.chain != nil }.count } }
}
