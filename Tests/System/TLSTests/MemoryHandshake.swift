// A handshake between the server's code and an OpenSSL client, through memory instead of sockets.

import COpenSSL

@testable import TLS

/// A server's context with ticket keys; the identity is set for each connection, as in a name callback.
final class TestServer {
    let context: OpaquePointer
    private let keys: TicketKeys?

    init(_ keys: TicketKeys?) {
        self.keys = keys
        context = SSL_CTX_new(TLS_server_method())!
        var identifier: [UInt8] = [1]
        SSL_CTX_set_session_id_context(context, &identifier, 1)
        keys?.install(on: context)
    }

    deinit { SSL_CTX_free(context) }
}

/// The result of one handshake for a client.
final class TestHandshake {
    let isComplete: Bool
    let isResumed: Bool
    /// The certificate's names as the client got them.
    let names: [String]
    /// The number of certificates sent, including the host's own.
    let certificateCount: Int
    /// For the next handshake.
    private(set) var session: OpaquePointer?
    /// The server's reason for a failure.
    let failure: OpenSSLFailure

    init(
        _ server: TestServer, _ identity: ServerIdentity, version: Int32 = TLS1_3_VERSION,
        resuming session: OpaquePointer? = nil, signatures: String? = nil
    ) {
        let context = SSL_CTX_new(TLS_client_method())!
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(version), nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
        let (client, ssl) = (SSL_new(context)!, SSL_new(server.context)!)
        defer {
            // OpenSSL discards the session of a connection that is freed without a shutdown.
            SSL_set_shutdown(client, SSL_SENT_SHUTDOWN)
            SSL_free(client)
            SSL_free(ssl)
            SSL_CTX_free(context)
        }
        if let signatures {
            _ = signatures.withCString {
                SSL_ctrl(client, SSL_CTRL_SET_SIGALGS_LIST, 0, UnsafeMutableRawPointer(mutating: $0))
            }
        }
        var (near, far): (OpaquePointer?, OpaquePointer?)
        BIO_new_bio_pair(&near, 1 << 17, &far, 1 << 17)
        SSL_set_bio(client, near, near)
        SSL_set_bio(ssl, far, far)
        SSL_set_connect_state(client)
        SSL_set_accept_state(ssl)
        if let session { SSL_set_session(client, session) }
        OpenSSLFailure.forget()
        let isApplied = identity.apply(to: ssl)
        var failure = OpenSSLFailure.drain()
        var (isClientDone, isServerDone) = (false, false)
        for _ in 0..<10 where isApplied && !(isClientDone && isServerDone) {
            isClientDone = SSL_do_handshake(client) == 1
            OpenSSLFailure.forget()
            isServerDone = SSL_do_handshake(ssl) == 1
            let said = OpenSSLFailure.drain()
            if !said.reasons.isEmpty { failure = said }
        }
        // Reads the tickets of TLS 1.3, which follow the handshake.
        var byte: UInt8 = 0
        SSL_read(client, &byte, 1)
        OpenSSLFailure.forget()

        isComplete = isClientDone && isServerDone
        isResumed = SSL_session_reused(client) == 1
        let certificate = SSL_get1_peer_certificate(client).map { Certificate(takingOwnershipOf: $0) }
        switch certificate {
        case .some(let certificate): names = certificate.names
        case .none: names = []
        }
        certificateCount = SSL_get_peer_cert_chain(client).map { Int(OPENSSL_sk_num($0)) } ?? 0
        self.failure = failure
        self.session = SSL_get1_session(client)
    }

    /// The ticket that the client would resume with.
    var ticket: [UInt8] {
        var start: UnsafePointer<UInt8>?
        var count = 0
        SSL_SESSION_get0_ticket(session, &start, &count)
        return Array(UnsafeBufferPointer(start: start, count: count))
    }

    deinit { SSL_SESSION_free(session) }
}
