// Digests, and bytes as text.

import COpenSSL

public enum Digest {
    /// Fetched once: OpenSSL would do so for each digest, which takes longer than digesting a small document. Shared by all
    /// threads, never changed and never freed.
    private nonisolated(unsafe) static let method = unsafe EVP_MD_fetch(nil, "SHA256", nil)

    /// The SHA-256 digest of some bytes. The corresponding C function is `EVP_Digest`.
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        if !Library.isThere { return SHA256.digest(bytes) }
        var digest = [UInt8](repeating: 0, count: 32)
        let result = unsafe bytes.withUnsafeBytes {
            unsafe EVP_Digest($0.baseAddress, $0.count, &digest, nil, method, nil)
        }
        precondition(result == 1, "SHA-256 is part of every build of OpenSSL")
        return digest
    }

    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Bytes in Base64 (RFC 4648 §4).
    public static func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = (0..<3).reduce(0) { $0 << 8 | ($1 < group.count ? Int(group[start + $1]) : 0) }
            for place in 0..<4 {
                text.append(place <= group.count ? letters[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Two digits for each byte.
    public static func hexadecimal(
        _ bytes: some Collection<UInt8>, digits: StaticString = "0123456789abcdef"
    ) -> String {
        unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            for (index, byte) in bytes.enumerated() {
                unsafe text[index * 2] = unsafe digits.utf8Start[Int(byte >> 4)]
                unsafe text[index * 2 + 1] = unsafe digits.utf8Start[Int(byte & 15)]
            }
            return bytes.count * 2
        }
    }
}

/// SHA-256 (FIPS 180-4), for a program that has no OpenSSL.
struct SHA256 {
    private var state: [UInt32] = (0..<8).map { SHA256.fraction(of: SHA256.primes[$0], root: 2) }

    private static let primes = (2...311).filter { number in (2..<number).allSatisfy { number % $0 != 0 } }
    private static let constants = primes.map { fraction(of: $0, root: 3) }

    /// The first 32 bits of the fractional part of a root.
    private static func fraction(of number: Int, root: Int) -> UInt32 {
        // The largest whole number whose power is at most the number, shifted by 32 bits for each factor.
        let target = UInt128(number) << (32 * root)
        var (low, high) = (UInt128(0), UInt128(1) << 40)
        while high - low > 1 {
            let middle = (low + high) / 2
            let power = (1..<root).reduce(middle) { product, _ in product * middle }
            if power <= target { low = middle } else { high = middle }
        }
        return UInt32(truncatingIfNeeded: low)
    }

    static func digest(_ bytes: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (119 - bytes.count % 64) % 64)
        let length = (0..<8).reversed().map { UInt8(truncatingIfNeeded: (bytes.count * 8) >> ($0 * 8)) }
        let message = bytes + [0x80] + padding + length
        var hash = SHA256()
        for start in stride(from: 0, to: message.count, by: 64) { hash.add(message[start..<start + 64]) }
        return hash.state.flatMap { word in (0..<4).reversed().map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }

    private mutating func add(_ block: ArraySlice<UInt8>) {
        func turn(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
        var words = (0..<16).map { index in
            (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(block[block.startIndex + index * 4 + $1]) }
        }
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let first = turn(early, 7) ^ turn(early, 18) ^ early >> 3
            let second = turn(late, 17) ^ turn(late, 19) ^ late >> 10
            words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
        }
        var v = state
        for index in 0..<64 {
            let choice = v[4] & v[5] ^ ~v[4] & v[6]
            let majority = v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2]
            let sum = turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)
            let one = v[7] &+ sum &+ choice &+ SHA256.constants[index] &+ words[index]
            let two = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) &+ majority
            v = [one &+ two, v[0], v[1], v[2], v[3] &+ one, v[4], v[5], v[6]]
        }
        for index in 0..<8 { state[index] &+= v[index] }
    }
}
