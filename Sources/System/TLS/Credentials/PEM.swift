// The text form of certificates and keys: Base64 between BEGIN and END lines. Other text is ignored.

import COpenSSL

enum PEM {
    /// The DER bytes of each certificate, in the order of the file.
    static func certificates(in text: UnsafeRawBufferPointer) -> [[UInt8]] {
        let input = unsafe Input(text)
        defer { OpenSSLFailure.forget() }
        var found: [[UInt8]] = []
        while let block = Block(reading: input) {
            if ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"].contains(block.label) {
                unsafe found.append(Array(block.bytes))
            }
        }
        return found
    }

    /// An OpenSSL input that reads memory of the caller.
    @safe struct Input: ~Copyable {
        let source: OpaquePointer

        init(_ bytes: UnsafeRawBufferPointer) {
            // OpenSSL rejects a nil pointer, even for no bytes.
            let source =
                unsafe bytes.baseAddress.map { unsafe BIO_new_mem_buf($0, Int32(clamping: bytes.count)) }
                ?? BIO_new(BIO_s_mem())
            guard let source = unsafe source else { preconditionFailure("the system has no memory left") }
            unsafe self.source = source
        }

        deinit { unsafe BIO_free(source) }
    }

    /// One block, in memory that is cleared afterwards, because it may be a key.
    @safe struct Block: ~Copyable {
        let label: String
        private let header: UnsafeMutablePointer<CChar>?
        private let start: UnsafeMutablePointer<UInt8>
        private let count: Int

        /// The next block, or nil when there is none. The corresponding C function is `PEM_read_bio_ex`.
        init?(reading input: borrowing Input) {
            var name: UnsafeMutablePointer<CChar>?
            var header: UnsafeMutablePointer<CChar>?
            var data: UnsafeMutablePointer<UInt8>?
            var length = 0
            let flags = UInt32(PEM_FLAG_SECURE | PEM_FLAG_EAY_COMPATIBLE)
            guard unsafe PEM_read_bio_ex(input.source, &name, &header, &data, &length, flags) == 1,
                let data = unsafe data
            else {
                return nil
            }
            label = unsafe name.map { unsafe String(cString: $0) } ?? ""
            unsafe associated_clear_free(name, 0)
            unsafe self.header = header
            unsafe start = data
            count = length
        }

        var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: count) }

        /// Whether it has the old encrypted form of PEM, which its header announces (RFC 1421 §4.6.1.1).
        var isEncrypted: Bool { unsafe header.map { unsafe String(cString: $0).contains("ENCRYPTED") } ?? false }

        deinit {
            unsafe associated_clear_free(header, 0)
            unsafe associated_clear_free(start, count)
        }
    }
}
