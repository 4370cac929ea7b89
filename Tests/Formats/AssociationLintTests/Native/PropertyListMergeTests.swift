// Generated entitlements and Info.plist entries that are added to those of a project.

import AssociationLint
import Testing

struct PropertyListMergeTests {
    private func list(_ lines: String...) -> String {
        "<plist version=\"1.0\">\n<dict>\n\(lines.map { "\($0)\n" }.joined())</dict>\n</plist>\n"
    }

    private func merged(_ generated: String, into own: String) -> String? {
        PropertyListMerge.merged(Array(generated.utf8), into: Array(own.utf8)).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private var domains: String {
        list(
            "    <key>domains</key>", "    <array>", "        <string>a</string>", "        <dict>",
            "            <key>n</key>", "        </dict>", "    </array>", "    <key>on</key>", "    <true/>")
    }

    @Test func `adds elements to an array, and keys, in the project's own form`() {
        let own = list(
            "\t<!-- mine -->", "\t<key>domains</key>", "\t<array>", "\t\t<string>b &amp; $(C)</string>", "\t</array>",
            "\t<key>other</key>", "\t<false/>")
        let expected = list(
            "\t<!-- mine -->", "\t<key>domains</key>", "\t<array>", "\t\t<string>b &amp; $(C)</string>",
            "\t\t<string>a</string>", "\t\t<dict>", "\t\t\t<key>n</key>", "\t\t</dict>", "\t</array>",
            "\t<key>other</key>", "\t<false/>", "\t<key>on</key>", "\t<true/>")
        #expect(merged(domains, into: own) == expected)
        #expect(merged(domains, into: expected) == expected)
        #expect(merged(domains, into: list()) == domains)
        // With the line ends of the project.
        let other = merged(domains, into: own.replacing("\n", with: "\r\n"))
        #expect(other == expected.replacing("\n", with: "\r\n"))
    }

    @Test func `keeps what is on one line`() {
        let own = "<plist><dict><key>domains</key><array><string>b</string></array><key>on</key><true/></dict></plist>"
        let text = merged(domains, into: own)
        #expect(text?.contains("<string>b</string>\n<string>a</string>\n<dict>") == true)
        #expect(text.flatMap { merged(domains, into: $0) } == text)
    }

    @Test(arguments: [
        "mine", "<manifest/>", "<plist><array/></plist>", "<plist><dict/></plist>",
        "<plist><dict><key>on</key><false/></dict></plist>", "<plist><dict><key>domains</key><array/></dict></plist>",
        "<plist><dict><key>domains</key></dict></plist>",
    ])
    func `leaves a file that cannot be merged without loss`(own: String) {
        #expect(merged(domains, into: own) == nil)
    }
}
