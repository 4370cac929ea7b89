// What OpenSSL asks a key derivation for: a list of named values, which it may give in one piece or in several.
// EVP_KDF-TLS13_KDF(7) lists them.

import COpenSSL

struct DerivationRequest {
    enum Mode { case extract, expand }
    enum Digest { case sha256, sha384 }

    private var mode: Mode?
    private var digest: Digest?
    private(set) var key: UnsafeRawBufferPointer?
    private(set) var salt: UnsafeRawBufferPointer?
    private(set) var prefix = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var label = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var data = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Takes a list, whose values must stay where they are. False when one of them cannot be done.
    mutating func take(_ list: UnsafePointer<OSSL_PARAM>?) -> Bool {
        guard var place = list else { return true }
        while let name = place.pointee.key {
            let bytes = UnsafeRawBufferPointer(start: place.pointee.data, count: place.pointee.data_size)
            if name.isEqual("key") {
                key = bytes
            } else if name.isEqual("salt") {
                salt = bytes
            } else if name.isEqual("prefix") {
                prefix = bytes
            } else if name.isEqual("label") {
                label = bytes
            } else if name.isEqual("data") {
                data = bytes
            } else if name.isEqual("mode") {
                guard let mode = Mode(place) else { return false }
                self.mode = mode
            } else if name.isEqual("digest") {
                guard let digest = Digest(place) else { return false }
                self.digest = digest
            }
            place += 1
        }
        return true
    }

    /// Makes it point into copies. The memory is its caller's.
    mutating func copyBytes(_ copy: (UnsafeRawBufferPointer) -> UnsafeRawBufferPointer) {
        key = key.map(copy)
        salt = salt.map(copy)
        (prefix, label, data) = (copy(prefix), copy(label), copy(data))
    }

    /// False when something is missing, or cannot be done.
    func derive(into output: UnsafeMutableRawBufferPointer) -> Bool {
        switch digest {
        case .sha256: derive(KeySchedule<SHA256_CTX>.self, into: output)
        case .sha384: derive(KeySchedule<SHA512_CTX>.self, into: output)
        case nil: false
        }
    }

    private func derive<Hash>(_: KeySchedule<Hash>.Type, into output: UnsafeMutableRawBufferPointer) -> Bool {
        switch (mode, key) {
        case (.expand, let key?):
            KeySchedule<Hash>.expand(key, prefix: prefix, label: label, context: data, into: output)
        case (.extract, _):
            KeySchedule<Hash>.advance(from: salt, mixing: key, prefix: prefix, label: label, into: output)
        default: false
        }
    }
}

extension DerivationRequest.Mode {
    /// By its number or by its name.
    fileprivate init?(_ value: UnsafePointer<OSSL_PARAM>) {
        if let text = value.text {
            if text.isEqualIgnoringCase("EXTRACT_ONLY") {
                self = .extract
            } else if text.isEqualIgnoringCase("EXPAND_ONLY") {
                self = .expand
            } else {
                return nil
            }
            return
        }
        var number: Int32 = 0
        guard OSSL_PARAM_get_int(value, &number) == 1 else { return nil }
        switch number {
        case EVP_KDF_HKDF_MODE_EXTRACT_ONLY: self = .extract
        case EVP_KDF_HKDF_MODE_EXPAND_ONLY: self = .expand
        default: return nil
        }
    }
}

extension DerivationRequest.Digest {
    /// By one of the names that OpenSSL knows it by.
    fileprivate init?(_ value: UnsafePointer<OSSL_PARAM>) {
        guard let text = value.text else { return nil }
        if text.isEqualIgnoringCase("SHA256") || text.isEqualIgnoringCase("SHA2-256")
            || text.isEqualIgnoringCase("SHA-256")
        {
            self = .sha256
        } else if text.isEqualIgnoringCase("SHA384") || text.isEqualIgnoringCase("SHA2-384")
            || text.isEqualIgnoringCase("SHA-384")
        {
            self = .sha384
        } else {
            return nil
        }
    }
}

extension UnsafePointer<OSSL_PARAM> {
    /// A value that is a text, which ends with a zero.
    fileprivate var text: UnsafePointer<CChar>? {
        guard pointee.data_type == UInt32(OSSL_PARAM_UTF8_STRING), let data = pointee.data else { return nil }
        return UnsafePointer<CChar>(data.assumingMemoryBound(to: CChar.self))
    }
}

extension UnsafePointer<CChar> {
    fileprivate func isEqual(_ name: StaticString) -> Bool { strcmp(self, name.cString) == 0 }

    fileprivate func isEqualIgnoringCase(_ name: StaticString) -> Bool {
        OPENSSL_strcasecmp(self, name.cString) == 0
    }
}

extension StaticString {
    /// For C, which wants a zero at the end, and there is one.
    var cString: UnsafePointer<CChar> { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}
