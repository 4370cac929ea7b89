import AssociationSamples
import Testing

@testable import Association

@Suite struct FingerprintTests {
    static let good = "5B:0C:11:9E:D2:47:A8:3F:60:CC:71:95:E4:08:BD:2A:16:F7:83:59:DA:3E:04:C1:9B:68:2D:F0:75:AA:1C:E9"
    static let digits = good.filter { $0 != ":" }

    @Test func `reports a fingerprint with hardly any different bytes`() {
        let text = (["AA"] + Array(repeating: "BB", count: 31)).joined(separator: ":")
        let problem = Fingerprint.problems(in: text).first
        #expect(problem?.rule == .dal013)
        #expect(problem?.message.contains("repeats only 2 byte values") == true, "\(problem?.message ?? "")")
    }

    @Test func `accepts 32 upper-case pairs with colons`() {
        #expect(Fingerprint.problems(in: Self.good).isEmpty)
        #expect(Fingerprint(normalising: Self.good)?.text == Self.good)
    }

    @Test(arguments: [
        good.lowercased(), digits, digits.lowercased(), good.replacing(":", with: " "), good.replacing(":", with: "-"),
        " " + good + "\n", "\u{200E}" + good, "SHA256: " + good, "SHA256 Fingerprint=" + good,
    ])
    func `normalises every spelling of the same bytes`(text: String) {
        #expect(Fingerprint(normalising: text)?.text == Self.good)
        let problems = Fingerprint.problems(in: text)
        #expect(problems.map(\.replacement) == [Self.good])
        #expect(problems.map(\.severity) == [.error])
    }

    @Test func `distinguishes lower case from missing colons`() {
        #expect(Fingerprint.problems(in: Self.good.lowercased()).rules == [.dal010])
        #expect(Fingerprint.problems(in: Self.digits).rules == [.dal011])
    }

    @Test(arguments: [
        (String(good.prefix(59)), "SHA-1"), (String(good.prefix(47)), "MD5"), (digits + digits, "SHA-512"),
        (String(good.prefix(92)), "31 bytes"), (String(digits.prefix(63)), "63 hexadecimal digits"), ("", "empty"),
        ("  ", "empty"), (good.replacing("5B", with: "5G"), "`G`"), ("YOUR_SHA256_HERE", "placeholder"),
        ("XX:XX:XX", "placeholder"), ("W9Ff0kL6zVn3cQ5tZ8yX1aB4dE7gH2jK9mN0pR3sT6u=", "base64"),
    ])
    func `recognises other text in the place of a fingerprint`(text: String, word: String) {
        let problems = Fingerprint.problems(in: text)
        #expect(problems.rules == [.dal011])
        #expect(problems.first?.message.contains(word) == true, "\(problems)")
        #expect(problems.first?.replacement == nil)
        #expect(Fingerprint(normalising: text) == nil)
    }

    @Test(arguments: [
        Array(repeating: "00", count: 32).joined(separator: ":"),
        Array(repeating: "AA", count: 32).joined(separator: ":"),
        (0..<32).map { "0" + String($0 % 10) }.joined(separator: ":"),
        "00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF",
        "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5",
    ])
    func `reports made-up fingerprints and the documented one`(text: String) {
        #expect(Fingerprint.problems(in: text).rules == [.dal013])
    }

    @Test func `reports public debug keys`() {
        let key = "FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C"
        #expect(Fingerprint.problems(in: key).rules == [.dal015])
    }
}
