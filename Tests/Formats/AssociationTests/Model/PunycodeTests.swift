import TestSupport
import Testing

@testable import Association

@Suite struct PunycodeTests {
    /// Registered labels in several scripts.
    static let labels: [(String, String)] = [
        ("bücher", "bcher-kva"), ("münchen", "mnchen-3ya"), ("faß", "fa-hia"), ("почта", "80a1acny"),
        ("правда", "80aafi6cg"), ("例え", "r8jz45g"), ("中国", "fiqs8s"), ("한국", "3e0b707e"), ("ελλάδα", "hxakic4aa"),
        ("مصر", "wgbh1c"), ("भारत", "h2brj9c"), ("a-ü-b", "a--b-1ra"), ("ü", "tda"), ("😀", "e28h"), ("abc", "abc-"),
        ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"),
    ]

    @Test(arguments: labels) func `encodes a label`(label: String, encoded: String) {
        #expect(Punycode.encode(Array(label.unicodeScalars)) == encoded)
    }

    @Test(arguments: labels) func `decodes a label`(label: String, encoded: String) {
        #expect(Punycode.decode(encoded).map(text) == label)
        #expect(Punycode.decode(encoded.uppercased()).map(text)?.lowercased() == label.lowercased())
    }

    @Test(arguments: ["é", "99999999", "a-!", "zzzzzzzzzzzz", "-", String(repeating: "a", count: 64)])
    func `does not decode text that is not Punycode`(text: String) {
        #expect(Punycode.decode(text).map { _ in } == nil || text == "-")
    }

    @Test func `rejects more than the length of a label`() {
        #expect(Punycode.encode(Array(String(repeating: "ü", count: 63).unicodeScalars)) != nil)
        #expect(Punycode.encode(Array(String(repeating: "ü", count: 64).unicodeScalars)) == nil)
    }

    @Test func `encodes every label that it can decode to the same text`() {
        var random = SplitMix(seed: 7)
        let alphabet = Array("abcxyz0189-")
        for _ in 0..<20_000 {
            let text = String(
                (0..<Int.random(in: 0...63, using: &random)).map { _ in
                    alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                })
            guard let decoded = Punycode.decode(text), !decoded.allSatisfy(\.isASCII) else { continue }
            // A hyphen at the beginning is not a delimiter.
            let expected = text.lastIndex(of: "-") == text.startIndex ? String(text.dropFirst()) : text
            #expect(Punycode.encode(decoded) == expected)
        }
    }

    private func text(_ scalars: [Unicode.Scalar]) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
