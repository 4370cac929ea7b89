// The provider held to OpenSSL's own derivation, whatever it is asked for and however, and to the published example.

import COpenSSL
import Testing

@testable import TLS

/// The same numbers each time (Knuth's MMIX).
private struct Dice: RandomNumberGenerator {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 32)
    }
}

/// What is asked of a derivation; what is nil is not mentioned.
private struct Question {
    var mode: Int32? = EVP_KDF_HKDF_MODE_EXPAND_ONLY
    var modeName: String?
    var digest: String? = "SHA256"
    var values: [(name: String, bytes: [UInt8])] = []
    var count = 32
    /// In a call of its own before the derivation, instead of with it.
    var isSetBefore = false
}

/// A list of values for C, which keeps what they are made of.
private final class ValueList {
    private var list: [OSSL_PARAM] = []
    private var memory: [UnsafeMutableRawBufferPointer] = []

    init(_ question: Question) {
        if var mode = question.mode {
            withUnsafeBytes(of: &mode) { bytes in
                list.append(OSSL_PARAM_construct_int(name("mode"), keep(bytes).bindMemory(to: Int32.self).baseAddress))
            }
        }
        if let text = question.modeName { list.append(OSSL_PARAM_construct_utf8_string(name("mode"), name(text), 0)) }
        if let text = question.digest { list.append(OSSL_PARAM_construct_utf8_string(name("digest"), name(text), 0)) }
        for value in question.values {
            let bytes = value.bytes.withUnsafeBytes { keep($0) }
            list.append(OSSL_PARAM_construct_octet_string(name(value.name), bytes.baseAddress, bytes.count))
        }
        list.append(OSSL_PARAM_construct_end())
    }

    deinit { for memory in memory { memory.deallocate() } }

    func withPointer<Result>(_ body: (UnsafePointer<OSSL_PARAM>?) -> Result) -> Result {
        list.withUnsafeBufferPointer { body($0.baseAddress) }
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        copy.copyMemory(from: bytes)
        memory.append(copy)
        return copy
    }

    private func name(_ text: String) -> UnsafeMutablePointer<CChar>? {
        text.utf8CString.withUnsafeBytes { keep($0) }.bindMemory(to: CChar.self).baseAddress
    }
}

/// A derivation by one provider.
private final class Derivation {
    private let context: OpaquePointer

    init(_ provider: String) throws {
        _ = DerivationProvider.preference
        let method = try #require(EVP_KDF_fetch(nil, "TLS13-KDF", "provider=\(provider)"))
        context = try #require(EVP_KDF_CTX_new(method))
        EVP_KDF_free(method)
    }

    deinit { EVP_KDF_CTX_free(context) }

    func reset() { EVP_KDF_CTX_reset(context) }

    func answer(_ question: Question) -> [UInt8]? {
        defer { ERR_clear_error() }
        var output = [UInt8](repeating: 0, count: max(1, question.count))
        let list = ValueList(question)
        if question.isSetBefore {
            // The list, and all it points to, is gone when the derivation comes.
            guard list.withPointer({ EVP_KDF_CTX_set_params(context, $0) }) == 1 else { return nil }
            let nothing = ValueList(Question(mode: nil, digest: nil))
            let result = nothing.withPointer { EVP_KDF_derive(context, &output, question.count, $0) }
            return result == 1 ? output : nil
        }
        let result = list.withPointer { EVP_KDF_derive(context, &output, question.count, $0) }
        return result == 1 ? output : nil
    }
}

struct DerivationProviderTests {
    @Test func `sessions ask for it, because it derives what OpenSSL derives`() {
        #expect(DerivationProvider.preference == "?provider=associated")
        #expect(DerivationProvider.derivesLike("provider=default"))
        #expect(!DerivationProvider.derivesLike("provider=nobody"))
    }

    @Test(arguments: ["SHA256", "SHA2-256", "sha-256", "SHA384", "SHA2-384", "sha-384"], [false, true])
    func `derives what OpenSSL derives`(digest: String, isSetBefore: Bool) throws {
        var dice = Dice()
        let size = digest.contains("256") ? 32 : 48
        for round in 0..<200 {
            func bytes(_ most: Int) -> [UInt8] {
                (0..<Int.random(in: 1...most, using: &dice)).map { _ in .random(in: 0 ... .max, using: &dice) }
            }
            var question = Question(digest: digest, isSetBefore: isSetBefore)
            question.values = [("prefix", bytes(8)), ("label", bytes(30)), ("key", bytes(200))]
            if round % 2 == 0 { question.values.append(("data", bytes(size))) }
            question.count = Int.random(in: 1...300, using: &dice)
            if round % 3 == 0 {
                question.mode = EVP_KDF_HKDF_MODE_EXTRACT_ONLY
                question.count = size
                if round % 2 == 0 { question.values.removeLast(2) }
                if round % 4 < 2 { question.values.append(("salt", bytes(size))) }
            }
            let answer = try Derivation("associated").answer(question)
            // OpenSSL 3.0 forgets `data` that was set before.
            question.isSetBefore = false
            #expect(answer != nil)
            #expect(try Derivation("default").answer(question) == answer, "\(question)")
        }
    }

    @Test(arguments: [
        Question(mode: nil, modeName: "EXPAND_ONLY"), Question(mode: nil, modeName: "extract_only"),
        Question(mode: nil, modeName: "EXTRACT_AND_EXPAND"), Question(mode: 0), Question(mode: 7), Question(mode: nil),
        Question(digest: nil), Question(digest: "no such digest"), Question(count: 0), Question(count: 255 * 32),
        Question(count: 255 * 32 + 1), Question(mode: EVP_KDF_HKDF_MODE_EXTRACT_ONLY, count: 31),
        Question(mode: EVP_KDF_HKDF_MODE_EXTRACT_ONLY, count: 33),
        Question(values: [("label", [UInt8](repeating: 0, count: 249))]),
        Question(values: [("label", [UInt8](repeating: 0, count: 250))]),
        Question(values: [("data", [UInt8](repeating: 0, count: 255))]),
        Question(values: [("data", [UInt8](repeating: 0, count: 256))]),
    ])
    fileprivate func `refuses what OpenSSL refuses`(question: Question) throws {
        var question = question
        question.values.insert(contentsOf: [("key", [1, 2, 3]), ("prefix", Array("tls13 ".utf8))], at: 0)
        let (ours, theirs) = (try Derivation("associated"), try Derivation("default"))
        #expect(ours.answer(question) == theirs.answer(question))
    }

    @Test func `a digest that sessions do not use is refused`() throws {
        #expect(try Derivation("associated").answer(Question(digest: "SHA512", values: [("key", [1])])) == nil)
        #expect(try Derivation("default").answer(Question(digest: "SHA512", values: [("key", [1])])) != nil)
    }

    @Test func `a derivation without a key is refused`() throws {
        #expect(try Derivation("associated").answer(Question()) == nil)
    }

    @Test func `what was set before is forgotten by a reset, and replaced by what is set later`() throws {
        let ours = try Derivation("associated")
        var question = Question(values: [("key", [1]), ("label", [2])], isSetBefore: true)
        let first = ours.answer(question)
        question.values[0].bytes = [3]
        let second = ours.answer(question)
        #expect(first != nil && second != nil && first != second)
        #expect(ours.answer(Question(mode: nil, digest: nil)) == second)
        ours.reset()
        #expect(ours.answer(Question(mode: nil, digest: nil)) == nil)
        question.values[0].bytes = [1]
        #expect(ours.answer(question) == first)
    }

    /// RFC 8448 §3: the first secrets of a handshake whose every byte is published.
    @Test func `derives the secrets of the published handshake`() throws {
        func secret(_ mode: Int32, _ label: String, _ values: [(String, String)]) throws -> String {
            let list = try values.map { name, text in (name, try #require(bytes(text))) }
            let question = Question(
                mode: mode, values: [("prefix", Array("tls13 ".utf8)), ("label", Array(label.utf8))] + list)
            return try #require(try Derivation("associated").answer(question)).map { self.hexadecimal($0) }.joined()
        }
        let early = try secret(EVP_KDF_HKDF_MODE_EXTRACT_ONLY, "derived", [])
        #expect(early == "33ad0a1c607ec03b09e6cd9893680ce210adf300aa1f2660e1b22e10f170f92a")
        let shared = "8bd4054fb55b9d63fdfbacf9f04b9f0d35e6d63f537563efd46272900f89492d"
        let handshake = try secret(EVP_KDF_HKDF_MODE_EXTRACT_ONLY, "derived", [("salt", early), ("key", shared)])
        #expect(handshake == "1dc826e93606aa6fdc0aadc12f741b01046aa6b99f691ed221a9f0ca043fbeac")
        let transcript = "860c06edc07858ee8e78f0e7428c58edd6b43f2ca3e6e95f02ed063cf0e1cad8"
        let client = try secret(
            EVP_KDF_HKDF_MODE_EXPAND_ONLY, "c hs traffic", [("key", handshake), ("data", transcript)])
        #expect(client == "b3eddb126e067f35a780b3abf45e2d8f3b1a950738f52e9600746a0e27a55a21")
    }

    private func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
    }

    private func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
