// Which lines look like a hash function.

import Testing

struct HouseRuleHashesTests {
    @Test(arguments: [
        "let product = value.multipliedFullWidth(by: factor)", "hash = (hash ^ byte) &* 0x0000_0100_0000_01B3",
        "let place = key &* 0x9E37_79B9_7F4A_7C15 >> 48",
    ])
    func `refuses a hash that has no secret`(line: String) {
        #expect(HouseRule.hashes.check(SourceFile(path: "Sources/Server/Hosting/A.swift", line)).count == 1)
        #expect(HouseRule.hashes.check(SourceFile(path: "Sources/Server/Catalogue/Image/KeyHash.swift", line)).isEmpty)
        #expect(HouseRule.hashes.check(SourceFile(path: "Tests/Server/HostingTests/A.swift", line)).isEmpty)
    }

    @Test(arguments: ["hasher.combine(name)", "let size = count.multipliedReportingOverflow(by: 8)", "// 0x9E37_79B9"])
    func `accepts everything else`(line: String) {
        #expect(HouseRule.hashes.check(SourceFile(path: "Sources/Server/Hosting/A.swift", line)).isEmpty)
    }
}
