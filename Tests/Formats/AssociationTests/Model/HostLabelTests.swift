// Labels with `xn--`: which of them clients request, and which registries or other software refuse.

import Testing

@testable import Association

struct HostLabelTests {
    @Test(arguments: [
        // Letters that were replaced until 2010, and joiners where a script has them.
        ("xn--strae-oqa", "straße"), ("xn--nxasmm1c", "βόλος"), ("xn--11b2ezcw70k", "\u{915}\u{94D}\u{200D}\u{937}"),
        ("xn--mgba3gch31f060k", "نامه\u{200C}ای"), ("xn--58d8a", "\u{13A0}\u{13B1}"), ("xn--i-7iq", "i❤"),
        // Marks in order, with no character that has both.
        ("xn--q-9bb7f", "q\u{323}\u{307}"), ("xn--11b2f", "\u{915}\u{93C}"), ("xn--ab---epa", "ab--é"),
    ])
    func `accepts a label that an encoder makes`(label: String, decoded: String) {
        #expect(HostLabel.ascii(label[...]) == .success(label), "\(decoded)")
        #expect(Punycode.decode(label.dropFirst(4)) == Array(decoded.unicodeScalars))
    }

    @Test(
        arguments: [
            ("xn---tda", .notPunycode), ("xn--a", .notAllowed("\u{80}")), ("xn--99999999", .notPunycode),
            // A wide letter, a capital letter, one that is always decomposed, a soft hyphen, a mark of direction.
            ("xn--mi7c", .replaced("ａ")), ("xn--dca", .replaced("É")), ("xn--y3b", .replaced("\u{958}")),
            ("xn--a-vca4p", .notAllowed("\u{AD}")),
            ("xn--4db255k", .notAllowed("\u{200F}")),
            // A joiner between Latin letters, a private and an unassigned character, parts of a Hangul syllable.
            ("xn--ab-m1t", .notAllowed("\u{200D}")), ("xn--0y0c", .notAllowed("\u{E000}")),
            ("xn--zva", .notAllowed("\u{378}")), ("xn--ypd8q", .notAllowed("\u{1100}")),
            // A mark at the beginning, characters that compose, also in Indic scripts and beyond the first plane, and marks in
            // another order.
            ("xn--a-wbb", .leadingMark("\u{301}")), ("xn--a-xbb", .notNormal), ("xn--u8jui", .notNormal),
            ("xn--l2b4b", .notNormal), ("xn--h40dgc", .notNormal), ("xn--q-vbb6d", .notNormal),
        ] as [(String, HostLabel.Flaw)])
    func `rejects a label that no client requests`(label: String, flaw: HostLabel.Flaw) {
        #expect(HostLabel.ascii(label[...]) == .failure(.notEncoded(label, flaw)))
        #expect(!HostPattern.Fault.notEncoded(label, flaw).explained.reason.isEmpty)
    }

    /// What is said against a label; nil for nothing.
    @Test(
        arguments: [
            ("shop", nil), ("a--b", nil), ("abc--d", nil), ("ab--c", "hyphens in positions 3 and 4"),
            ("ab--", "hyphens"),
            ("r3---sn", "hyphens"), ("xn--mnchen-3ya", nil), ("xn--ab---epa", "hyphens"),
            ("xn--i-7iq", "the symbol \"❤\""),
            ("xn--mgba3gch31f060k", nil), ("xn--58d8a", nil),
        ] as [(String, String?)])
    func `knows labels that certificate authorities or other software refuse`(label: String, objection: String?) {
        let found = HostLabel.objection(to: label[...])
        #expect(objection.map { found?.contains($0) == true } ?? (found == nil), "\(found ?? "nothing")")
    }
}
