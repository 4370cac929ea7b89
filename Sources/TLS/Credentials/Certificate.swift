// The owner of one decoded X.509 certificate. Decoding costs 79 µs, so it is done once; the facts are read on demand.

import COpenSSL

/// One certificate, freed when its owner ends. The corresponding C type is `X509`.
struct Certificate: ~Copyable, @unchecked Sendable {
    let pointer: OpaquePointer

    init(takingOwnershipOf pointer: OpaquePointer) { self.pointer = pointer }

    /// Shares a certificate that someone else owns too. The corresponding C function is `X509_up_ref`.
    init(sharing pointer: OpaquePointer) {
        X509_up_ref(pointer)
        self.pointer = pointer
    }

    /// From DER bytes, all of which belong to it; nil if they are no certificate.
    init?(der: [UInt8]) {
        let found = der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var start = buffer.baseAddress
            guard let found = d2i_X509(nil, &start, buffer.count) else { return nil }
            if start == buffer.baseAddress.map({ $0 + buffer.count }) { return found }
            X509_free(found)
            return nil
        }
        OpenSSLFailure.forget()
        guard let found else { return nil }
        pointer = found
    }

    deinit { X509_free(pointer) }

    /// Whether the key is the one this certificate was made for.
    func matches(_ key: borrowing PrivateKey) -> Bool {
        defer { OpenSSLFailure.forget() }
        return X509_check_private_key(pointer, key.pointer) == 1
    }

    /// Whether the other certificate's owner signed this one, going by names, key identifiers and usage.
    func isIssued(by issuer: borrowing Certificate) -> Bool {
        X509_check_issued(issuer.pointer, pointer) == X509_V_OK
    }
}
