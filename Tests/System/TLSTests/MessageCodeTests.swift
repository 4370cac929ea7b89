// HMAC against RFC 4231 §4.3 and RFC 7515 Appendix A.1.

import TLS
import Testing

struct MessageCodeTests {
    @Test(arguments: [
        (MessageCode.hs256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        (.hs384, "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"),
        (
            .hs512,
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fd"
                + "caeab1a34d4a6b4b636e070a38bce737"
        ),
    ])
    func `computes the published codes`(code: MessageCode, expected: String) {
        let bytes = code.code(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == expected)
    }

    @Test func `computes the example of RFC 7515`() throws {
        let key = try #require(
            Base64URL.bytes("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"))
        let message =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
            + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        let code = MessageCode.hs256.code(of: Array(message.utf8), key: key)
        #expect(Base64URL.text(code) == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    }

    @Test func `accepts an empty key and an empty message`() {
        #expect(MessageCode.hs256.code(of: [], key: []).prefix(4) == [0xB6, 0x13, 0x67, 0x9A])
    }
}
