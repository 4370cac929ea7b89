// OpenSSL's error queue as one message.

import COpenSSL
import Testing

@testable import TLS

struct OpenSSLFailureTests {
    @Test func `takes all errors from the queue`() throws {
        OpenSSLFailure.forget()
        #expect(OpenSSLFailure.drain().description == "no reason given")
        #expect(EVP_CIPHER_fetch(nil, "no-such-cipher", nil) == nil)
        let failure = OpenSSLFailure.drain()
        #expect(failure.description.hasPrefix("unsupported"))
        #expect(failure.description.contains("no-such-cipher"))
        #expect(OpenSSLFailure.drain().reasons.isEmpty)
    }

    @Test func `lists equal errors once`() {
        OpenSSLFailure.forget()
        for _ in 0..<3 { #expect(BIO_new_file("/nonexistent/file", "r") == nil) }
        #expect(OpenSSLFailure.drain().reasons.contains { $0.contains("/nonexistent/file") })
        #expect(OpenSSLFailure.drain().reasons.isEmpty)
    }

    @Test func `an error names the operation and the remedy`() {
        OpenSSLFailure.forget()
        let error = TLSError.draining("cannot sign", fix: "try another key")
        #expect(error.description == "cannot sign: no reason given; try another key")
    }
}
